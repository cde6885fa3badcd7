import type {Standing} from '../machines/policies/job/standings.ts';
import type {ErrorCode} from '../services/contracts/errors.ts';

/** What the exit code tells a script; listed in docs/errors.md. */
export const exitCodes = {
  done: 0,
  error: 1,
  usage: 2,
  taskFailed: 3,
  personNeeded: 4,
  /** No action is needed except waiting: EX_TEMPFAIL of sysexits. */
  timeNeeded: 75,
  paused: 130,
} as const;

/** The same for the help text. */
export const exitCodesHelp = `Exit codes: 0 done, 1 error, 2 usage, 3 a task failed, 4 a person is needed, 75 only time is needed, 130 paused.`;

export const plannerExitCodesHelp = `Exit codes: 0 the plan is saved, 1 error, 2 usage, 3 the agent proposed nothing usable, 4 a person is needed, 75 only time is needed, 130 paused.`;

export const checkExitCodesHelp = 'Exit codes: 0 nothing is wrong, 1 something is.';

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of a job, by what is left to do. */
export const exitCodeAfter: Readonly<Record<Standing, ExitCode>> = {
  done: exitCodes.done,
  failed: exitCodes.taskFailed,
  personNeeded: exitCodes.personNeeded,
  timeNeeded: exitCodes.timeNeeded,
  paused: exitCodes.paused,
};

/** Errors about what was typed. All others exit with `error`. */
const usageErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'E_USAGE',
  'E_TASK_ID',
  'E_CONFIG',
  'E_NO_INPUT',
]);

export function exitCodeOf(code: ErrorCode): ExitCode {
  if (code === 'E_PROVIDER_UNAVAILABLE') return exitCodes.timeNeeded;
  if (code === 'E_PROVIDER_REFUSED' || code === 'E_BUDGET') return exitCodes.personNeeded;
  return usageErrors.has(code) ? exitCodes.usage : exitCodes.error;
}
