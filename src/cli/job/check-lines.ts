import {checkingWords, checkTail, checkWords, isPassed} from '../../machines/policies/run/check-words.ts';
import {failedCheck} from '../../machines/policies/run/verification.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Paint} from '../terminal/paint.ts';

/** What is new about the checks of a run: the one in progress, and lines for the ones that ended. */
export type CheckProgress = {readonly making: string | null; readonly lines: readonly string[]};

/** Called with every write of a record; reports each thing once. */
export function createCheckLines(paint: Paint) {
  let runId = '';
  let ended = 0;
  let isToldBack = false;
  return (run: RunRecord): CheckProgress => {
    const {verifications = [], phase} = run;
    // A run that continues or is undone does not repeat what happened before.
    if (run.run_id !== runId) [runId, ended, isToldBack] = [run.run_id, verifications.length, false];
    // An interrupted round is repeated.
    ended = Math.min(ended, verifications.length);
    const lines = verifications
      .slice(ended)
      .flatMap((each) =>
        isPassed(each)
          ? [`  ${paint('green', checkWords(each))}`]
          : [
              `  ${paint('red', checkWords(each))}`,
              ...checkTail(each).map((line) => `    ${paint('dim', line)}`),
            ],
      );
    ended = verifications.length;
    const isBack = run.state === 'running' && phase === 'launching' && failedCheck(run) !== null;
    if (isBack && !isToldBack) lines.push('  ↩ back to the agent');
    isToldBack = isBack;
    return {making: checkingWords(run), lines};
  };
}
