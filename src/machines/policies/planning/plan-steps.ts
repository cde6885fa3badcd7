import type {ProviderId} from '../../../services/contracts/agent.ts';
import type {Answer, RunRecord} from '../../../services/contracts/run.ts';
import type {FindTurnWaitInput} from '../../actors/find-turn-wait.actor.ts';
import type {AskPersonInput, EditProposalInput, SendBackInput} from '../../actors/plan-draft.actor.ts';
import type {PlanReading, ReadAnswerInput} from '../../actors/plan-proposal.actor.ts';
import type {PrepareTurnInput} from '../../actors/prepare-turn.actor.ts';
import type {PreparedRun} from '../../actors/run-situation.ts';
import type {RunInput, RunOutput} from '../../run.machine.ts';
import type {Patience, Wait} from '../job/waiting.ts';
import {type ModelChoices, reviewerModel} from '../run/agent-choice.ts';
import {agentTimes} from '../run/silence.ts';
import {type DraftHead, keptWith, type PlanRequest} from './plan-draft.ts';

export type PlanGenerationInput = {
  readonly request: PlanRequest;
  readonly provider: ProviderId;
  readonly explicitProvider: ProviderId | null;
  readonly graceMilliseconds: number;
  readonly stallMilliseconds?: number;
  /** How long to wait for a limit or an outage. */
  readonly patience: Patience;
  readonly modelChoices?: ModelChoices;
  /** How often the quality gate sends a proposal back by itself. */
  readonly maxRefinements: number;
  /** Someone is there to answer and decide. */
  readonly isAttended: boolean;
  /** Saved without asking if nothing blocks it. */
  readonly isAccepted: boolean;
};

export type PlanTurnInput = PrepareTurnInput &
  Pick<PlanGenerationInput, 'graceMilliseconds' | 'stallMilliseconds' | 'patience'>;

/** The result of one planner turn. */
export type PlanTurnOutput = {
  /** `answered`: `reading` has the result. */
  readonly outcome: 'answered' | 'paused' | 'failed' | 'error';
  readonly run: RunRecord | null;
  readonly reading: PlanReading | null;
  /** The wait that was given up. */
  readonly wait?: Wait;
  readonly error?: unknown;
};

type TurnFacts = PlanTurnInput & {
  readonly wait: Wait | null;
  readonly prepared: PreparedRun | null;
  readonly ended: RunOutput | null;
  readonly reading: PlanReading | null;
  readonly error: unknown;
};

export const turnOutput = (
  outcome: PlanTurnOutput['outcome'],
  {wait, prepared, ended, reading, error}: TurnFacts,
): PlanTurnOutput => ({
  outcome,
  run: ended?.run ?? prepared?.run ?? null,
  reading,
  ...(wait === null ? {} : {wait}),
  ...(error === undefined ? {} : {error}),
});

/** A held-up run of this turn continues when its time has come; one of an earlier job is tried at once. */
export const turnWaitInput = ({draftId, provider, patience, ended}: TurnFacts): FindTurnWaitInput => ({
  draftId,
  provider,
  patience,
  isRetry: ended !== null,
});

export const prepareInput = ({
  draftId,
  provider,
  explicitProvider,
  modelChoice,
}: TurnFacts): PrepareTurnInput => ({
  draftId,
  provider,
  explicitProvider,
  modelChoice,
});

export function turnRunInput({prepared, ...facts}: TurnFacts): RunInput {
  if (prepared === null) throw new Error('A turn must be prepared before it runs');
  const {run, order} = prepared;
  return {run, order, ...agentTimes(facts)};
}

export function answerInput({draftId, ended}: TurnFacts): ReadAnswerInput {
  if (ended === null) throw new Error('No turn has ended');
  return {draftId, run: ended.run};
}

/** How the work on a plan ended. `unanswered`, `undecided`: a person is needed. `unusable`: no answer was valid. */
export type PlanOutput = {
  readonly outcome:
    | 'saved'
    | 'dropped'
    | 'unanswered'
    | 'undecided'
    | 'paused'
    | 'failed'
    | 'unusable'
    | 'error';
  readonly draft: DraftHead | null;
  /** The last turn of the planner. */
  readonly run: RunRecord | null;
  /** The wait that was given up. */
  readonly wait?: Wait;
  /** The problems of the last answer, or the number of findings of the quality gate. */
  readonly reading: PlanReading | null;
  readonly error?: unknown;
};

export type PlanFacts = PlanGenerationInput & {
  readonly draft: DraftHead | null;
  readonly turn: PlanTurnOutput | null;
  readonly reading: PlanReading | null;
  readonly refusal: unknown;
  readonly error: unknown;
};

export const planOutput = (
  outcome: PlanOutput['outcome'],
  {draft, turn, reading, error}: PlanFacts,
): PlanOutput => ({
  outcome,
  draft,
  run: turn?.run ?? null,
  ...(turn?.wait && {wait: turn.wait}),
  reading,
  ...(error === undefined ? {} : {error: keptWith(error, draft)}),
});

/** After a turn with an answer: the new state of the draft. */
export const afterTurn = ({draft, reading}: PlanFacts, turn: PlanTurnOutput) => ({
  turn,
  error: turn.error,
  reading: turn.reading ?? reading,
  draft: turn.reading?.draft ?? draft,
});

export function draftIdIn({draft}: Pick<PlanFacts, 'draft'>): string {
  if (draft === null) throw new Error('There is no draft yet');
  return draft.draftId;
}

export function turnInput(facts: PlanFacts): PlanTurnInput {
  const {provider, explicitProvider, modelChoices, patience} = facts;
  return {
    draftId: draftIdIn(facts),
    provider,
    explicitProvider,
    patience,
    modelChoice: reviewerModel(provider, modelChoices),
    ...agentTimes(facts),
  };
}

/** The event holds the user's text. */
export function tellInput(
  facts: PlanFacts,
  event: {readonly type: string; readonly text?: string; readonly answers?: readonly Answer[]},
  why: SendBackInput['why'],
): SendBackInput {
  const {text = '', answers = []} = event;
  return {draftId: draftIdIn(facts), why, text, answers, problems: facts.reading?.problems ?? []};
}

export const askInput = (facts: PlanFacts): AskPersonInput => ({
  draftId: draftIdIn(facts),
  refusal: facts.refusal,
});

/** Only the edit command leads to `editing`. */
export function editInput(facts: PlanFacts, event: {readonly type: string}): EditProposalInput {
  if (!('edit' in event)) throw new Error('Nothing was edited');
  return {draftId: draftIdIn(facts), edit: event.edit as EditProposalInput['edit']};
}
