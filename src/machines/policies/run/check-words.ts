import {shellWord} from '../../../services/contracts/errors.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {Verification} from '../../../services/contracts/verification.ts';
import {displayLine, displayText} from '../text/display-text.ts';
import {duration} from '../text/durations.ts';

export const isPassed = ({exit_code}: Pick<Verification, 'exit_code'>): boolean => exit_code === 0;

/** The checks of the last round. */
export function lastChecks({verifications = []}: Pick<RunRecord, 'verifications'>): Verification[] {
  const last = verifications.at(-1)?.round;
  return verifications.filter(({round}) => round === last);
}

/** `✓ npm test 12s`, or how it failed. */
export function checkWords(check: Verification): string {
  const {command, seconds} = check;
  const mark = isPassed(check) ? '✓' : '✗';
  const how = isPassed(check) ? '' : ` ${howItFailed(check)}`;
  return `${mark} ${displayLine(command)}${how} ${duration(seconds * 1000)}`;
}

/** The check that is running. */
export const checkingWords = ({check}: Pick<RunRecord, 'check'>): string | null =>
  check ? `checking: ${displayLine(check.command)}` : null;

/** `2nd round`; empty for the first one. */
export const roundWords = (round: number): string =>
  round === 1
    ? ''
    : `${round}${['th', 'st', 'nd', 'rd'][round % 100 > 10 && round % 100 < 14 ? 0 : round % 10] ?? 'th'} round`;

export function howItFailed({exit_code, signal, timed_out, not_started}: Verification): string {
  if (not_started) return 'could not be started';
  if (timed_out) return 'took too long';
  return signal ? `ended by ${signal}` : `exit ${exit_code ?? '?'}`;
}

/** The end of a failed check's output for display: a few non-empty lines, each shortened. */
export function checkTail({tail}: Pick<Verification, 'tail'>, count: number = tailLength): string[] {
  return displayText(tail)
    .replaceAll('\t', '  ')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-count)
    .map((line) => (line.length > tailWidth ? `${line.slice(0, tailWidth - 1)}…` : line));
}

const tailLength = 8;
const tailWidth = 160;

/** The command that shows the full output. */
export const checkOutputCommand = (taskId: string): string => `blackbird runs ${shellWord(taskId)} --verbose`;
