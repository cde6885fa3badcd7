import type {Answer, PauseReason, RunRecord} from '../../../services/contracts/run.ts';
import type {RunStep, SegmentTrace} from './run-step.ts';
import {recordedIdentity} from './run-step.ts';

type Stood = NonNullable<RunRecord['stood']>;

/** The record of a run that continues, with the user's message and the state to return to if it fails. */
export function relaunched(
  {failure, retry_at, checks_due, decision_forced, ...kept}: RunRecord,
  step: Extract<RunStep, {type: 'relaunched'}>,
  {owner}: SegmentTrace,
): RunRecord {
  const {paused_at, pause_reason, feedback, context, answers = []} = kept;
  const delivered = answers.filter(({undelivered}) => !undelivered);
  const mark = context?.parentReviewFeedback;
  const stood: Stood = {
    state: kept.state === 'waiting' ? 'waiting' : 'paused',
    ...(paused_at === undefined ? {} : {paused_at}),
    ...(pause_reason === undefined ? {} : {pause_reason}),
    ...(failure && {failure}),
    ...(retry_at === undefined ? {} : {retry_at}),
    ...(kept.state === 'waiting' && {answered: delivered.length}),
    ...(feedback === undefined ? {} : {feedback}),
    ...(mark && {parentReviewFeedback: mark}),
    ...(checks_due && {checks_due}),
  };
  return {
    ...kept,
    state: 'running',
    phase: 'launching',
    ...(kept.state === 'paused' && resumedPauses(kept, kept.updated_at)),
    stood,
    ...(step.feedback === undefined ? {} : {feedback: step.feedback}),
    ...((step.parentReviewFeedback || step.telling) && {
      context: {
        ...(context ?? {digest: '', bytes: 0}),
        ...(step.parentReviewFeedback && {parentReviewFeedback: step.parentReviewFeedback}),
        ...(step.telling && {telling: step.telling}),
      },
    }),
    ...step.modelChoice,
    ...(step.isReviewed === undefined ? {} : {decision_required: step.isReviewed}),
    // Asking for checkpoints now applies to all of them.
    ...(decision_forced && !step.isReviewed && {decision_forced}),
    ...(owner && {owner: recordedIdentity(owner)}),
    ...(step.answers && {answers: [...delivered, ...withPrompts(kept, step.answers)]}),
  };
}

/**
 * Restores the state before the resume if the agent did not continue. The user's message is kept for the next try;
 * parent review feedback is pending again.
 */
export function returned({failure: _, ...run}: RunRecord, stood: Stood | undefined): RunRecord {
  // Records of earlier versions do not have their earlier state.
  if (stood === undefined)
    return {...run, state: run.questions !== undefined && run.paused_at === undefined ? 'waiting' : 'paused'};
  const {answered, feedback, parentReviewFeedback, ...standing} = stood;
  const answers = run.answers?.map((answer, place) =>
    place < (answered ?? place + 1) ? answer : {...answer, undelivered: true},
  );
  const pauses = stood.state === 'paused' ? reopenedPauses(run) : {};
  const back = {...run, ...standing, ...pauses, ...(answers && {answers})};
  if (!isSameMark(run, parentReviewFeedback)) return withoutMark(back, stood);
  // A paused run gets its feedback again anyway.
  const isUndelivered = stood.state === 'waiting' && run.feedback !== feedback;
  return isUndelivered ? {...back, feedback_undelivered: true} : back;
}

const isSameMark = ({context}: RunRecord, mark: Stood['parentReviewFeedback']): boolean =>
  context?.parentReviewFeedback?.reviewRunId === mark?.reviewRunId;

function withoutMark(
  {feedback: _, context, ...run}: RunRecord,
  {feedback, parentReviewFeedback}: Stood,
): RunRecord {
  const {parentReviewFeedback: __, ...kept} = context ?? {digest: '', bytes: 0};
  return {
    ...run,
    ...(feedback === undefined ? {} : {feedback}),
    context: {...kept, ...(parentReviewFeedback && {parentReviewFeedback})},
  };
}

/** Keeps the question with its answer: an agent without a session is sent both again. */
function withPrompts({questions = []}: RunRecord, answers: readonly Answer[]): Answer[] {
  return answers.map((answer) => {
    const prompt = questions.find(({id}) => id === answer.id)?.prompt;
    return prompt === undefined ? answer : {...answer, prompt};
  });
}

type Pauses = Pick<RunRecord, 'pauses'>;

/** The fields of a run that is paused now. `paused_at` and `pause_reason` describe its last pause. */
export function pausedFor({pauses = []}: Pauses, reason: PauseReason, now: string) {
  const pause = {paused_at: now, pause_reason: reason};
  return {...pause, state: 'paused' as const, pauses: [...pauses, pause]};
}

/** Keeps a resume that the agent refused in the record, whatever comes next. */
export const refusedWith = (
  {refusals = []}: Pick<RunRecord, 'refusals'>,
  {message}: NonNullable<RunRecord['failure']>,
  now: string,
): Pick<RunRecord, 'refusals'> => ({refusals: [...refusals, {refused_at: now, message}]});

/** Closes the last pause when the run continues. */
function resumedPauses({pauses}: Pauses, now: string): Pauses {
  const last = pauses?.at(-1);
  if (!pauses || !last || last.resumed_at !== undefined) return {};
  return {pauses: [...pauses.slice(0, -1), {...last, resumed_at: now}]};
}

/** Reopens the last pause if the run did not continue after all. */
function reopenedPauses({pauses}: Pauses): Pauses {
  const last = pauses?.at(-1);
  if (!pauses || !last) return {};
  const {resumed_at: _, ...open} = last;
  return {pauses: [...pauses.slice(0, -1), open]};
}
