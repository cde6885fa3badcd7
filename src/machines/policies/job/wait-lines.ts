import {draftIdOf, isDraftTaskId, openDraftCommand} from '../planning/draft-task.ts';
import {failureTable} from '../run/failure-table.ts';
import {displayLine} from '../text/display-text.ts';
import {duration, nearTime, timeOfDay} from '../text/durations.ts';
import type {Wait} from './waiting.ts';

const words = {
  usage_limit: 'usage limit',
  provider_unavailable: 'the model cannot be reached',
  stalled: 'the model does not answer',
} as const;

const wordsOf = ({reason}: Wait): string =>
  reason === 'usage_limit' || reason === 'stalled' ? words[reason] : words.provider_unavailable;

/** `pay-05  usage limit  resumes 18:05, in 1h12m`, for a live view; the cause is left out if there is no space. */
export function waitLine(wait: Wait, now: string, isBrief = false): string {
  const left = Math.max(0, Date.parse(wait.until) - Date.parse(now));
  const verb = wait.runId === null ? 'starts' : 'resumes';
  const time = `${verb} ${timeOfDay(wait.until, now)}, in ${countdown(left)}`;
  const who = isDraftTaskId(wait.taskId) ? 'the planner' : displayLine(wait.taskId);
  return isBrief ? `${who}  ${time}` : `${who}  ${wordsOf(wait)}  ${time}`;
}

/** The same for a view of the whole plan; the countdown is shown elsewhere. */
export const waitedFor = (wait: Wait): string =>
  `waiting for ${wait.provider} until ${timeOfDay(wait.until, wait.until)} (${wordsOf(wait)})`;

/** Whole seconds: nobody reads tenths on a running clock. */
const countdown = (milliseconds: number) =>
  milliseconds < 10_000 ? `${Math.ceil(milliseconds / 1000)}s` : duration(milliseconds);

/** When a job ends that was asked to stop: during a wait nothing is at work, and there is no task to end after. */
export const stopWords = (isWaiting: boolean): string => (isWaiting ? 'ends now' : 'stops after this task');

/** What becomes of the task that a job waits for, when the job is stopped. */
export function leftWaiting({taskId, runId}: Pick<Wait, 'taskId' | 'runId'>): string {
  if (isDraftTaskId(taskId)) return `the planner waits: ${openDraftCommand(draftIdOf(taskId))} continues`;
  return `${displayLine(taskId)} waits, and the next execute ${runId === null ? 'starts' : 'continues with'} it`;
}

/** Why it has to wait. */
export const waitCause = ({reason}: Pick<Wait, 'reason'>): string =>
  reason === 'usage_limit' ? failureTable.rate_limit.words : failureTable.outage.words;

/** For the end of a job that gave up waiting. */
export const givenUpLines = (wait: Wait, command = 'blackbird execute'): string[] => [
  `${givenUpText(wait)}.`,
  `  ${command}  continue after that time`,
];

export const givenUpText = ({taskId, runId, until, foundAt, provider, reason}: Wait): string =>
  `${displayLine(taskId)} cannot ${runId === null ? 'start' : 'continue'} before ${nearTime(until, foundAt)}: ${waitCause({reason})} (${provider})`;
