import type {Answer, RunRecord} from '../../../services/contracts/run.ts';
import type {AskPersonInput, SendBackInput} from '../../actors/plan-draft.actor.ts';
import type {PlanReading, ReadAnswerInput} from '../../actors/plan-proposal.actor.ts';
import type {PreparedRun} from '../../actors/run-situation.ts';
import type {PlanGenerationInput} from '../../plan-generation.machine.ts';
import type {PlanTurnInput} from '../../plan-turn.machine.ts';
import type {RunInput, RunOutput} from '../../run.machine.ts';
import {reviewerWish} from '../run/agent-choice.ts';
import type {DraftHead} from './plan-draft.ts';

/** What came of one turn of a planner. */
export type PlanTurnOutput = {
  /** `answered`: with what `reading` says. */
  readonly outcome: 'answered' | 'paused' | 'failed' | 'error';
  readonly run: RunRecord | null;
  readonly reading: PlanReading | null;
  readonly error?: unknown;
};

type TurnFacts = {
  readonly draftId: string;
  readonly prepared: PreparedRun | null;
  readonly ended: RunOutput | null;
  readonly reading: PlanReading | null;
  readonly error: unknown;
};

export const turnOutput = (
  outcome: PlanTurnOutput['outcome'],
  {prepared, ended, reading, error}: TurnFacts,
): PlanTurnOutput => ({
  outcome,
  run: ended?.run ?? prepared?.run ?? null,
  reading,
  ...(error === undefined ? {} : {error}),
});

export function turnRunInput({
  prepared,
  graceMilliseconds,
  stallMilliseconds,
}: Pick<TurnFacts, 'prepared'> & Pick<RunInput, 'graceMilliseconds' | 'stallMilliseconds'>): RunInput {
  if (prepared === null) throw new Error('A turn must be prepared before it runs');
  const {run, order} = prepared;
  return {run, order, graceMilliseconds, ...(stallMilliseconds === undefined ? {} : {stallMilliseconds})};
}

export function answerInput({draftId, ended}: TurnFacts): ReadAnswerInput {
  if (ended === null) throw new Error('No turn has ended');
  return {draftId, run: ended.run};
}

/** How the work on a plan ended. `unanswered`, `undecided`: a person is needed. `unusable`: it never answered rightly. */
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
  /** What is wrong with its last answer, or how much the quality gate found. */
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
  reading,
  ...(error === undefined ? {} : {error}),
});

export function draftIdIn({draft}: Pick<PlanFacts, 'draft'>): string {
  if (draft === null) throw new Error('There is no draft yet');
  return draft.draftId;
}

export function turnInput(facts: PlanFacts): PlanTurnInput {
  const {provider, explicitProvider, wishes, graceMilliseconds, stallMilliseconds} = facts;
  return {
    draftId: draftIdIn(facts),
    provider,
    explicitProvider,
    wish: reviewerWish(provider, wishes),
    graceMilliseconds,
    ...(stallMilliseconds === undefined ? {} : {stallMilliseconds}),
  };
}

/** What a person said stands in the event. */
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
