import {AppError} from '../../../services/contracts/errors.ts';

/** Computed, never read from a record: a record cannot point at another user's session. */
export const sessionName = (runId: string): string => `agency_${runId}`;

/** The format of a run's folder name: tmux would change or interpret anything else. */
export const isRunId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text);

/** `20260110120000-a3f2`: sorts by time; the suffix separates runs of the same second. */
export function newRunId(now: string, suffix: string): string {
  return `${now.replace(/\D/g, '').slice(0, 14)}-${suffix}`;
}

export const branchName = (name: string, runId: string): string =>
  `agency/${name}-${runId.slice(runId.lastIndexOf('-') + 1)}`;

/** RFC 3339 in whole seconds, as in all session files. */
export const inSeconds = (now: string): string => `${now.slice(0, 19)}Z`;

const [shortest, longest] = [2, 40];

/** Safe in a branch name and on a command line, and never mistaken for a run id. */
export function checkSessionName(name: string): void {
  if (name.length < shortest || name.length > longest) {
    throw new AppError('E_INVALID_NAME', `name must have ${shortest} to ${longest} characters`);
  }
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new AppError(
      'E_INVALID_NAME',
      'name must be lower case letters, digits and single hyphens, and begin with a letter',
    );
  }
}
