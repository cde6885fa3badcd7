import {AppError} from '../../../services/contracts/errors.ts';

/** Computed, never read from a record: a record cannot point at somebody else's session. */
export const sessionName = (runId: string): string => `agency_${runId}`;

/** What a folder must be called to be a run: tmux would change or interpret anything else. */
export const isRunId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text);

/** `20260110120000-a3f2`: sorts by time; the suffix tells apart what began in the same second. */
export function newRunId(now: string, suffix: string): string {
  return `${now.replace(/\D/g, '').slice(0, 14)}-${suffix}`;
}

export const branchName = (name: string, runId: string): string =>
  `agency/${name}-${runId.slice(runId.lastIndexOf('-') + 1)}`;

/** RFC 3339 in whole seconds, as all files of sessions hold it. */
export const inSeconds = (now: string): string => `${now.slice(0, 19)}Z`;

const [shortest, longest] = [2, 40];

/** Safe as part of a branch and of a command line, and never mistaken for a run id. */
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
