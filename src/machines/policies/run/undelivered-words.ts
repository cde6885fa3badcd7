import type {Answer, Question, RunRecord} from '../../../services/contracts/run.ts';
import {isResting, isUndelivered, tellingRun} from './task-runs.ts';

/** What a person said about a task, and no agent that works on it from now on has heard. */
export type UndeliveredWords = {
  readonly feedback: string;
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
};

/**
 * For the run that replaces all others of a task: feedback that a refused resume could not bring or that a
 * run left open was told, changes that were requested and never delivered, answers that did not arrive.
 */
export function undeliveredWords(runs: readonly RunRecord[], sent: string | null): UndeliveredWords {
  const telling = tellingRun(runs);
  const refused = runs.filter((run) => isUndelivered(run) && run.attempt > (telling?.attempt ?? 0));
  const said = [
    ...(telling ? feedbackTo(telling) : []),
    ...refused.map(({feedback}) => feedback ?? ''),
    sent ?? '',
  ].filter((text) => text.trim() !== '');
  // Whoever was paused after an answer may have done nothing about it.
  const isOpen = telling?.state === 'paused';
  const answers = (telling?.answers ?? []).filter(({undelivered}) => undelivered || isOpen);
  return {feedback: [...new Set(said)].join('\n\n'), questions: telling?.questions ?? [], answers};
}

function feedbackTo(run: RunRecord): readonly string[] {
  const {feedback = '', feedback_undelivered, state, decision_state, decision_feedback = ''} = run;
  const isToldAgain = isResting(run) && (state === 'paused' || feedback_undelivered === true);
  return [isToldAgain ? feedback : '', decision_state === 'changes_requested' ? decision_feedback : ''];
}
