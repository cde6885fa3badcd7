import type {Answer, PauseReason, RunRecord} from '../../../services/contracts/run.ts';
import type {RunStep, SegmentTrace} from './run-step.ts';
import {recordedIdentity} from './run-step.ts';

type Stood = NonNullable<RunRecord['stood']>;

/** The record of a run that goes on, with what a person says to it and where it stood until now. */
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
    ...step.wish,
    ...(step.isReviewed === undefined ? {} : {decision_required: step.isReviewed}),
    // Whoever asks for checkpoints now gets all of them.
    ...(decision_forced && !step.isReviewed && {decision_forced}),
    ...(owner && {owner: recordedIdentity(owner)}),
    ...(step.answers && {answers: [...delivered, ...withPrompts(kept, step.answers)]}),
  };
}

/**
 * A run whose agent did not go on stands where it stood. What a person said is kept to be said again; what a
 * parent review said is pending again.
 */
export function returned({failure: _, ...run}: RunRecord, stood: Stood | undefined): RunRecord {
  // Records of earlier versions do not say where they stood.
  if (stood === undefined)
    return {...run, state: run.questions !== undefined && run.paused_at === undefined ? 'waiting' : 'paused'};
  const {answered, feedback, parentReviewFeedback, ...standing} = stood;
  const answers = run.answers?.map((answer, place) =>
    place < (answered ?? place + 1) ? answer : {...answer, undelivered: true},
  );
  const pauses = stood.state === 'paused' ? reopenedPauses(run) : {};
  const back = {...run, ...standing, ...pauses, ...(answers && {answers})};
  if (!isSameMark(run, parentReviewFeedback)) return withoutMark(back, stood);
  // A paused run is told its feedback again anyway.
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

/** An answer outlives its question: a task without a session is told everything again. */
function withPrompts({questions = []}: RunRecord, answers: readonly Answer[]): Answer[] {
  return answers.map((answer) => {
    const prompt = questions.find(({id}) => id === answer.id)?.prompt;
    return prompt === undefined ? answer : {...answer, prompt};
  });
}

type Pauses = Pick<RunRecord, 'pauses'>;

/** What a record says of a run that rests from now on. `paused_at` and `pause_reason` are those of its last pause. */
export function pausedFor({pauses = []}: Pauses, reason: PauseReason, now: string) {
  const pause = {paused_at: now, pause_reason: reason};
  return {...pause, state: 'paused' as const, pauses: [...pauses, pause]};
}

/** What a record keeps of a resume that its agent refused, whatever becomes of the next one. */
export const refusedWith = (
  {refusals = []}: Pick<RunRecord, 'refusals'>,
  {message}: NonNullable<RunRecord['failure']>,
  now: string,
): Pick<RunRecord, 'refusals'> => ({refusals: [...refusals, {refused_at: now, message}]});

/** The last pause ends when its run goes on. */
export function resumedPauses({pauses}: Pauses, now: string): Pauses {
  const last = pauses?.at(-1);
  if (!pauses || !last || last.resumed_at !== undefined) return {};
  return {pauses: [...pauses.slice(0, -1), {...last, resumed_at: now}]};
}

/** A run that did not go on rests since then. */
export function reopenedPauses({pauses}: Pauses): Pauses {
  const last = pauses?.at(-1);
  if (!pauses || !last) return {};
  const {resumed_at: _, ...open} = last;
  return {pauses: [...pauses.slice(0, -1), open]};
}
