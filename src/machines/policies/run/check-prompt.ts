import type {RunRecord} from '../../../services/contracts/run.ts';
import {displayLine, displayText} from '../text/display-text.ts';
import {howItFailed} from './check-words.ts';
import {failedCheck} from './verification.ts';

/** So much of the end of its output an agent is told. */
const outputLimit = 6_000;
const shortLimit = 1_000;

/**
 * What an agent is told of the check it has to mend; empty where there is none. What the check printed is quoted, so that
 * nothing in it passes for a line of ours.
 */
export function checkPrompt(run: RunRecord): string {
  const check = failedCheck(run);
  if (check === null) return '';
  const {command, tail} = check;
  const output = displayText(tail).trim().slice(-outputLimit);
  return [
    '# A check failed',
    `Your work is checked with this command, and it failed (${howItFailed(check)}):`,
    `> ${displayLine(command)}`,
    ...(output === '' ? ['It printed nothing.'] : ['The end of what it printed:', quoted(output)]),
    '',
    'Mend the cause in your work, do not weaken the check, and end as before with a short summary. It is made again then.',
  ].join('\n');
}

/** The same in a few lines, for an agent that knows nothing of it. */
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
