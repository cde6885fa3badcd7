import {and, assign, sendTo, setup} from 'xstate';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import type {
  AskPersonInput,
  DraftInput,
  EditProposalInput,
  SendBackInput,
} from './actors/plan-draft.actor.ts';
import type {PlanReading} from './actors/plan-proposal.actor.ts';
import {
  errorIn,
  eventIn,
  failTo,
  finalOutput,
  isPauseAsked,
  type LoopCommand,
  outputIn,
  pauseWish,
} from './chart-parts.ts';
import {planTurnMachine} from './plan-turn.machine.ts';
import {
  type DraftHead,
  type PlanCommand,
  type PlanRequest,
  planLimits,
} from './policies/planning/plan-draft.ts';
import type {PlanFacts, PlanGenerationInput, PlanOutput} from './policies/planning/plan-steps.ts';
import * as steps from './policies/planning/plan-steps.ts';

export type {PlanCommand, PlanGenerationInput};

type Facts = {readonly context: PlanFacts};

const broken = failTo('#broken');
const refusedTo = <Target extends string>(target: Target) =>
  ({target, actions: {type: 'rememberRefusal', params: errorIn}}) as const;
const drafted = {type: 'rememberDraft', params: outputIn} as const;
const read = {type: 'rememberReading', params: outputIn} as const;
const forwardToPlanner = {actions: {type: 'tellPlanner', params: eventIn}} as const;
/** The next message is on disk. */
const sentBack = [
  {guard: 'isPauseAsked', target: '#paused', actions: drafted},
  {target: 'generating', actions: drafted},
] as const;
const ofDraft = <Source extends string>(src: Source) =>
  ({id: src, src, input: ({context}: Facts) => ({draftId: steps.draftIdIn(context)})}) as const;
const asking = (id: string) =>
  ({id, src: 'askPerson', input: ({context}: Facts) => steps.askInput(context)}) as const;
const telling = (why: SendBackInput['why']) =>
  ({
    id: why,
    src: 'sendBack',
    input: ({context, event}: Facts & {event: {type: string}}) => steps.tellInput(context, event, why),
  }) as const;

/**
 * A change to the plan, proposed by a read-only agent and saved when the user accepts it. Everything said is in a draft
 * on disk before the next step, so it can always continue from there.
 */
export const planGenerationMachine = setup({
  types: {
    input: {} as PlanGenerationInput,
    context: {} as PlanFacts,
    events: {} as PlanCommand | LoopCommand,
    output: {} as PlanOutput,
  },
  actors: {
    openDraft: promiseNotProvided<DraftHead, {readonly request: PlanRequest}>('openDraft'),
    planTurn: planTurnMachine,
    validateProposal: promiseNotProvided<PlanReading, DraftInput>('validateProposal'),
    lintProposal: promiseNotProvided<PlanReading, DraftInput>('lintProposal'),
    /** Saves the planner's next message. */
    sendBack: promiseNotProvided<DraftHead, SendBackInput>('sendBack'),
    /** Lets the user answer or decide while the question is open. */
    askPerson: callbackNotProvided<PlanCommand, AskPersonInput>('askPerson'),
    editProposal: promiseNotProvided<DraftHead, EditProposalInput>('editProposal'),
    saveProposal: promiseNotProvided<void, DraftInput>('saveProposal'),
    dropDraft: promiseNotProvided<void, DraftInput>('dropDraft'),
  },
  actions: {
    tellPlanner: sendTo('planTurn', (_, command: LoopCommand) => command),
    rememberDraft: assign((_, draft: DraftHead) => ({draft, refusal: undefined})),
    rememberTurn: assign(({context}, turn: steps.PlanTurnOutput) => steps.afterTurn(context, turn)),
    rememberReading: assign((_, reading: PlanReading) => ({reading, draft: reading.draft})),
    rememberRefusal: assign((_, {error}: {error: unknown}) => ({refusal: error})),
    rememberError: assign((_, params: {error: unknown}) => params),
  },
  guards: {
    isPauseAsked,
    isAttended: ({context}) => context.isAttended,
    isAsking: ({context}) => context.draft?.phase === 'asking',
    isProposed: ({context}) => context.draft?.phase === 'proposed',
    isTurnBroken: ({context}) => context.turn?.outcome === 'error',
    isTurnPaused: ({context}) => context.turn?.outcome === 'paused',
    hasTurnFailed: ({context}) => context.turn?.outcome === 'failed',
    isUnusable: ({context}) => context.reading?.type === 'unusable',
    /** It asked more often than allowed: it has to decide by itself. */
    asksTooOften: ({context: {draft}}) =>
      draft?.phase === 'asking' && draft.rounds.questions > planLimits.questionRounds,
    mayCorrect: ({context}) => (context.draft?.rounds.corrections ?? 0) < planLimits.corrections,
    isBlocked: ({context}) => (context.reading?.blocking ?? 0) > 0,
    mayRefine: ({context: {draft, maxRefinements}}) =>
      draft !== null && !draft.isEdited && draft.rounds.refinements < maxRefinements,
    isAccepted: ({context}) => context.isAccepted && context.reading?.blocking === 0,
  },
}).createMachine({
  id: 'planGeneration',
  context: ({input}) => ({
    ...input,
    draft: null,
    turn: null,
    reading: null,
    refusal: undefined,
    error: undefined,
  }),
  initial: 'planning',
  states: {
    planning: {
      type: 'parallel',
      states: {
        wish: pauseWish,
        work: {
          initial: 'describing',
          states: {
            describing: {
              invoke: {
                id: 'openDraft',
                src: 'openDraft',
                input: ({context}) => ({request: context.request}),
                onDone: {target: 'described', actions: drafted},
                onError: broken,
              },
            },
            described: {
              always: [
                {guard: 'isPauseAsked', target: '#paused'},
                {guard: 'isAsking', target: 'asked'},
                {guard: 'isProposed', target: 'validating'},
                {target: 'generating'},
              ],
            },
            generating: {
              on: {'run.pause': forwardToPlanner, 'executor.stopAfterTask': forwardToPlanner},
              invoke: {
                id: 'planTurn',
                src: 'planTurn',
                input: ({context}) => steps.turnInput(context),
                onDone: {target: 'generated', actions: {type: 'rememberTurn', params: outputIn}},
                onError: broken,
              },
            },
            generated: {
              always: [
                {guard: 'isTurnBroken', target: '#broken'},
                {guard: 'isTurnPaused', target: '#paused'},
                {guard: 'hasTurnFailed', target: '#failed'},
                {guard: and(['asksTooOften', 'mayCorrect']), target: 'correcting'},
                {guard: 'isAsking', target: 'asked'},
                {guard: 'isUnusable', target: 'wrong'},
                {target: 'validating'},
              ],
            },
            asked: {always: [{guard: 'isAttended', target: 'asking'}, {target: '#unanswered'}]},
            asking: {
              always: {guard: 'isPauseAsked', target: '#unanswered'},
              invoke: {...asking('askQuestions'), onError: broken},
              on: {'plan.answer': 'answering', 'plan.drop': 'dropping', 'plan.postpone': '#unanswered'},
            },
            answering: {invoke: {...telling('answers'), onDone: sentBack, onError: refusedTo('asking')}},
            validating: {
              invoke: {
                ...ofDraft('validateProposal'),
                onDone: {target: 'validated', actions: read},
                onError: broken,
              },
            },
            validated: {
              always: [
                {guard: 'isPauseAsked', target: '#paused'},
                {guard: 'isUnusable', target: 'wrong'},
                {target: 'linting'},
              ],
            },
            wrong: {always: [{guard: 'mayCorrect', target: 'correcting'}, {target: '#unusable'}]},
            correcting: {invoke: {...telling('problems'), onDone: sentBack, onError: broken}},
            linting: {
              invoke: {
                ...ofDraft('lintProposal'),
                onDone: {target: 'linted', actions: read},
                onError: broken,
              },
            },
            linted: {
              always: [
                {guard: 'isPauseAsked', target: '#paused'},
                {guard: and(['isBlocked', 'mayRefine']), target: 'refining'},
                {guard: 'isAccepted', target: 'saving'},
                {guard: 'isAttended', target: 'reviewing'},
                {target: '#undecided'},
              ],
            },
            refining: {invoke: {...telling('findings'), onDone: sentBack, onError: broken}},
            reviewing: {
              always: {guard: 'isPauseAsked', target: '#undecided'},
              invoke: {...asking('askDecision'), onError: broken},
              on: {
                'plan.accept': 'saving',
                'plan.revise': 'revising',
                'plan.edit': 'editing',
                'plan.drop': 'dropping',
                'plan.postpone': '#undecided',
              },
            },
            revising: {invoke: {...telling('revision'), onDone: sentBack, onError: refusedTo('reviewing')}},
            editing: {
              invoke: {
                id: 'editProposal',
                src: 'editProposal',
                input: ({context, event}) => steps.editInput(context, event),
                onDone: {target: 'linting', actions: drafted},
                onError: refusedTo('reviewing'),
              },
            },
            // Too short to be paused: what the user accepted is saved.
            saving: {
              invoke: {
                ...ofDraft('saveProposal'),
                onDone: '#saved',
                onError: [{...refusedTo('reviewing'), guard: 'isAttended'}, broken],
              },
            },
            dropping: {invoke: {...ofDraft('dropDraft'), onDone: '#dropped', onError: broken}},
          },
        },
      },
    },
    saved: {id: 'saved', type: 'final', output: outputFor('saved')},
    dropped: {id: 'dropped', type: 'final', output: outputFor('dropped')},
    unanswered: {id: 'unanswered', type: 'final', output: outputFor('unanswered')},
    undecided: {id: 'undecided', type: 'final', output: outputFor('undecided')},
    paused: {id: 'paused', type: 'final', output: outputFor('paused')},
    failed: {id: 'failed', type: 'final', output: outputFor('failed')},
    unusable: {id: 'unusable', type: 'final', output: outputFor('unusable')},
    broken: {id: 'broken', type: 'final', output: outputFor('error')},
  },
  output: finalOutput<PlanOutput>,
});

function outputFor(outcome: PlanOutput['outcome']) {
  return ({context}: Facts) => steps.planOutput(outcome, context);
}
