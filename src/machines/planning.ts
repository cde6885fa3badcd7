import type {Services} from '../services/contracts/services.ts';
import {defineFindTurnWaitActor} from './actors/find-turn-wait.actor.ts';
import {
  defineAskPersonActor,
  defineDropDraftActor,
  defineEditProposalActor,
  defineOpenDraftActor,
  defineSendBackActor,
  type OpenPlanQuestions,
  type PlanQuestion,
} from './actors/plan-draft.actor.ts';
import {
  defineLintProposalActor,
  defineReadAnswerActor,
  defineSaveProposalActor,
  defineValidateProposalActor,
  type LintedProposal,
  type SavedProposal,
} from './actors/plan-proposal.actor.ts';
import {definePrepareTurnActor, type PlanTurn} from './actors/prepare-turn.actor.ts';
import {defineWithdrawRunActor} from './actors/withdraw.actor.ts';
import {planGenerationMachine} from './plan-generation.machine.ts';
import {planTurnMachine} from './plan-turn.machine.ts';
import type {retryWaitMachine} from './retry-wait.machine.ts';
import type {runMachine} from './run.machine.ts';

/** Events for the views while a plan is being worked on. */
export type PlanFact =
  /** A planner gets a message. */
  | ({readonly type: 'plan.started'} & PlanTurn)
  /** The planner's proposal, with the findings of the quality gate. */
  | ({readonly type: 'plan.proposed'} & LintedProposal)
  /** The user has to answer a planner or decide on its proposal, with `answerPlan`. */
  | {readonly type: 'plan.asked'; readonly question: PlanQuestion}
  /** The accepted proposal is in the plan. */
  | ({readonly type: 'plan.saved'} & SavedProposal);

/**
 * The planner's machines with their services; `run` and `retryWait` are the engine's own, so planners start, stop and
 * wait like any agent.
 */
export function providePlanning(
  services: Services,
  {
    run,
    retryWait,
    questions,
    publish,
    warn,
  }: {
    readonly run: typeof runMachine;
    readonly retryWait: typeof retryWaitMachine;
    readonly questions: OpenPlanQuestions;
    readonly publish: (fact: PlanFact) => void;
    readonly warn: (message: string) => void;
  },
) {
  const planTurn = planTurnMachine.provide({
    actors: {
      findTurnWait: defineFindTurnWaitActor(services),
      retryWait,
      prepareTurn: definePrepareTurnActor(services, (turn) => publish({type: 'plan.started', ...turn})),
      withdrawRun: defineWithdrawRunActor(services),
      run,
      readAnswer: defineReadAnswerActor(services),
    },
  });
  const onAsked = (question: PlanQuestion) => publish({type: 'plan.asked', question});
  return planGenerationMachine.provide({
    actors: {
      openDraft: defineOpenDraftActor(services),
      planTurn,
      validateProposal: defineValidateProposalActor(services),
      lintProposal: defineLintProposalActor(services, (linted) =>
        publish({type: 'plan.proposed', ...linted}),
      ),
      sendBack: defineSendBackActor(services),
      askPerson: defineAskPersonActor(services, questions, onAsked, warn),
      editProposal: defineEditProposalActor(services),
      saveProposal: defineSaveProposalActor(services, warn, (saved) =>
        publish({type: 'plan.saved', ...saved}),
      ),
      dropDraft: defineDropDraftActor(services),
    },
  });
}
