import type {Answer, Question, RunRecord} from '../../../services/contracts/run.ts';
import {isResting, isUndelivered, latestDeliveredRun} from './task-runs.ts';

/** What the user said about a task that the next agent has not received. */
export type UndeliveredWords = {
  readonly feedback: string;
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
};

/**
 * For a run that replaces all others of a task: feedback that a refused resume or an open run had, requested changes
 * that were never delivered, and answers that did not arrive.
 */
export function undeliveredWords(runs: readonly RunRecord[], sent: string | null): UndeliveredWords {
  const telling = latestDeliveredRun(runs);
  const refused = runs.filter((run) => isUndelivered(run) && run.attempt > (telling?.attempt ?? 0));
  const said = [
    ...(telling ? feedbackTo(telling) : []),
    ...refused.map(({feedback}) => feedback ?? ''),
    sent ?? '',
  ].filter((text) => text.trim() !== '');
  // An agent paused after an answer may not have acted on it.
  const isOpen = telling?.state === 'paused';
  const answers = (telling?.answers ?? []).filter(({undelivered}) => undelivered || isOpen);
  return {feedback: [...new Set(said)].join('\n\n'), questions: telling?.questions ?? [], answers};
}

function feedbackTo(run: RunRecord): readonly string[] {
  const {feedback = '', feedback_undelivered, state, decision_state, decision_feedback = ''} = run;
  const isToldAgain = isResting(run) && (state === 'paused' || feedback_undelivered === true);
  return [isToldAgain ? feedback : '', decision_state === 'changes_requested' ? decision_feedback : ''];
}
