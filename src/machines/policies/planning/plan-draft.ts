import {AppError} from '../../../services/contracts/errors.ts';
import type {PlanKind} from '../../../services/contracts/plan-answer.ts';
import {
  type PlanDraft,
  type PlanSaying,
  type ProposedOperation,
  planDraftSchemaVersion,
} from '../../../services/contracts/plan-draft.ts';
import type {PlanRequest, PlanWish} from '../../../services/contracts/plan-request.ts';
import type {Answer, Question} from '../../../services/contracts/run.ts';
import {answerCommand, openDraftCommand} from './draft-task.ts';

export type {PlanRequest, PlanWish};

/** A user's command for an open draft. */
export type PlanCommand =
  | {readonly type: 'plan.answer'; readonly answers: readonly Answer[]}
  | {readonly type: 'plan.accept'}
  | {readonly type: 'plan.revise'; readonly text: string}
  /** The user edits the proposal. */
  | {readonly type: 'plan.edit'; readonly edit: ProposalEdit}
  | {readonly type: 'plan.drop'}
  /** Decide later: the draft is kept. */
  | {readonly type: 'plan.postpone'};

/** How often a planner may ask, and how often in a row its answer may be wrong. */
export const planLimits = {questionRounds: 2, corrections: 2} as const;

/** What a machine knows about a draft. The proposal may be large and stays on disk. */
export type DraftHead = {
  readonly draftId: string;
  readonly kind: PlanKind;
  /** What comes next. */
  readonly phase: 'generating' | 'asking' | 'proposed';
  /** The open questions. */
  readonly questions: readonly Question[];
  readonly rounds: PlanDraft['rounds'];
  /** The user edited the proposal: only the user can send it back. */
  readonly isEdited: boolean;
};

export const headOf = ({draftId, kind, saying, questions, rounds, isEdited}: PlanDraft): DraftHead => ({
  draftId,
  kind,
  phase: questions.length > 0 ? 'asking' : saying === null ? 'proposed' : 'generating',
  questions,
  rounds,
  isEdited,
});

export function newDraft({kind, text, taskIds}: PlanWish, draftId: string, now: string): PlanDraft {
  return {
    schemaVersion: planDraftSchemaVersion,
    draftId,
    kind,
    text,
    taskIds: [...taskIds],
    createdAt: now,
    updatedAt: now,
    saying: {type: 'start', lines: []},
    questions: [],
    answers: [],
    revisions: [],
    rounds: {questions: 0, corrections: 0, refinements: 0},
    base: [],
    operations: null,
    isEdited: false,
  };
}

/** The same request as before, which no planner has answered yet: a new draft would protect nothing. */
export const isAskedAgain = (draft: PlanDraft, wish: PlanWish): boolean =>
  draft.saying?.type === 'start' && isSameWish(draft, wish) && isBare(draft);

/** The same request as before, to which no planner found a usable answer: another attempt takes its place. */
export const isReplaced = (draft: PlanDraft, wish: PlanWish): boolean =>
  draft.saying?.type === 'problems' && isSameWish(draft, wish) && isBare(draft);

const isSameWish = (draft: PlanDraft, {kind, text, taskIds}: PlanWish): boolean =>
  draft.kind === kind && draft.text === text && draft.taskIds.join('\n') === taskIds.join('\n');

/** Nothing in it is the user's, and nothing was proposed. */
const isBare = ({operations, answers, revisions}: PlanDraft): boolean =>
  operations === null && answers.length === 0 && revisions.length === 0;

/** It asked: the planner gets nothing more until the user has answered. */
export const asked = (draft: PlanDraft, questions: readonly Question[]): PlanDraft => ({
  ...draft,
  saying: null,
  questions: [...questions],
  rounds: {...draft.rounds, questions: draft.rounds.questions + 1},
});

/** All questions must be answered; earlier answers are kept. */
export function answered(draft: PlanDraft, given: readonly Answer[]): PlanDraft {
  const saidTo = (id: string) => given.find((each) => each.id === id)?.value.trim() ?? '';
  const missing = draft.questions.filter(({id}) => saidTo(id) === '');
  if (missing.length > 0) throw unanswered(draft, missing);
  const answers = draft.questions.map(({id, prompt}) => ({id, prompt, value: saidTo(id)}));
  const lines = answers.map(({prompt, value}) => `${prompt}\n${value}`);
  return {
    ...draft,
    saying: {type: 'answers', lines},
    questions: [],
    answers: [...draft.answers, ...answers],
  };
}

function unanswered({draftId}: PlanDraft, missing: readonly Question[]): AppError {
  return new AppError(
    'E_NO_INPUT',
    `the planner waits for answers: ${missing.map(({id}) => id).join(', ')}`,
    {
      details: missing.map(({id, prompt, options: choices = []}) => [
        id,
        choices.length > 0 ? `${prompt} (${choices.join(' | ')})` : prompt,
      ]),
      next: [{command: answerCommand(draftId, missing)}],
    },
  );
}

/** A new proposal replaces the previous one. */
export const proposed = (draft: PlanDraft, operations: readonly ProposedOperation[]): PlanDraft => ({
  ...draft,
  saying: null,
  questions: [],
  operations: [...operations],
  isEdited: false,
  edits: [],
});

/** The user's edit of the proposal, or undoing the last edit. */
export type ProposalEdit = readonly ProposedOperation[] | 'takeBack';

/** Applies the user's edit to the proposal. */
export function edited(draft: PlanDraft, edit: ProposalEdit): PlanDraft {
  const operations = draft.operations ?? [];
  const {edits = []} = draft;
  if (edit !== 'takeBack')
    return {...draft, operations: [...operations, ...edit], isEdited: true, edits: [...edits, edit.length]};
  const last = edits.at(-1);
  if (last === undefined) throw new AppError('E_PLAN_EDIT', 'this proposal has no edits to undo');
  const left = edits.slice(0, -1);
  const kept = operations.slice(0, operations.length - last);
  return {...draft, operations: kept, isEdited: left.length > 0, edits: left};
}

/** It passed every check, so wrong answers are counted from zero again. */
export const checked = (draft: PlanDraft): PlanDraft =>
  draft.rounds.corrections === 0 ? draft : {...draft, rounds: {...draft.rounds, corrections: 0}};

export const sentBack = (draft: PlanDraft, saying: PlanSaying): PlanDraft => ({
  ...draft,
  saying,
  questions: [],
  ...(saying.type === 'revision' && {revisions: [...draft.revisions, ...saying.lines]}),
  rounds: {
    ...draft.rounds,
    ...(saying.type === 'problems' && {corrections: draft.rounds.corrections + 1}),
    ...(saying.type === 'findings' && {refinements: draft.rounds.refinements + 1}),
    // The user wants something else, so the gate may send it back again.
    ...(saying.type === 'revision' && {refinements: 0, corrections: 0}),
  },
});

export const draftMissing = (draftId: string): AppError =>
  new AppError('E_DRAFT_NOT_FOUND', `there is no plan draft ${JSON.stringify(draftId)}`, {
    next: [{command: 'blackbird plan drafts', why: 'list the drafts'}],
  });

/** Adds to an error that the draft is kept and how to continue it. */
export function keptWith(error: unknown, draft: Pick<DraftHead, 'draftId'> | null): unknown {
  if (draft === null || !(error instanceof AppError) || error.code === 'E_DRAFT_NOT_FOUND') return error;
  const {code, message, details, next, cause} = error;
  return new AppError(code, message, {
    details: [...details, ['draft', `${draft.draftId}, kept with what you asked for`]],
    next: [...next, {command: openDraftCommand(draft.draftId), why: 'then continue with the draft'}],
    cause,
  });
}
