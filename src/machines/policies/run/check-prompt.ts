import type {RunRecord} from '../../../services/contracts/run.ts';
import {displayLine, displayText} from '../text/display-text.ts';
import {howItFailed} from './check-words.ts';
import {failedCheck} from './verification.ts';

/** How much of the end of a check's output goes into the prompt. */
const outputLimit = 6_000;
const shortLimit = 1_000;

/**
 * Asks the agent to fix the check that failed; empty if none did. The output is quoted, so that none of it can pass
 * for a line of this prompt.
 */
export function checkPrompt(run: RunRecord): string {
  const check = failedCheck(run);
  if (check === null) return '';
  const {command, tail} = check;
  const output = displayText(tail).trim().slice(-outputLimit);
  return [
    '# A check failed',
    `Blackbird checks your work with this command, and it failed (${howItFailed(check)}):`,
    `> ${displayLine(command)}`,
    ...(output === '' ? ['It printed nothing.'] : ['The end of its output:', quoted(output)]),
    '',
    'Fix the cause in your work. Do not weaken the check. End with a short summary, as before. Blackbird then runs the check again.',
  ].join('\n');
}

/** A shorter version, for an agent that has not seen the check fail. */
export function checkFailureText(run: RunRecord): string {
  const output = displayText(failedCheck(run)?.tail ?? '').trim();
  const words = displayLine(run.failure?.message ?? '');
  return output === '' ? words : `${words}\n${quoted(output.slice(-shortLimit))}`;
}

const quoted = (text: string) =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
