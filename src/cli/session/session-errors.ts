import type {Command} from 'commander';
import {AppError, type ErrorCode, type NextStep, shellWord} from '../../services/contracts/errors.ts';
import type {Cli} from '../cli.ts';
import type {Sessions} from './session-composition.ts';

/** How the session commands are called in this program. */
export const sessionProgram = ({context}: Cli): string =>
  context.name === 'agency' ? 'agency' : 'blackbird session';

/** Opens the sessions for a command, and adds next steps to its errors. */
export async function withSessions(
  cli: Cli,
  command: Command,
  ref: string | null,
  job: (sessions: Sessions) => Promise<void>,
): Promise<void> {
  let canAttach = true;
  try {
    const {openSessions} = await import('./session-composition.ts');
    const sessions = await openSessions(cli, command);
    canAttach = sessions.terminal.canAttach;
    await job(sessions);
  } catch (error) {
    if (!(error instanceof AppError) || error.next.length > 0) throw error;
    const {message, details, cause} = error;
    const word = ref === null ? '' : shellWord(ref.trim());
    const known = {
      detached: detachedOption(command.opts().detached, canAttach),
      ...Object.fromEntries(details),
    };
    const steps = advice[error.code]?.(sessionProgram(cli), word, known) ?? [];
    throw new AppError(error.code, message, {details, next: steps, ...(cause === undefined ? {} : {cause})});
  }
}

/** The option a command needs to work here: without a terminal nothing can be attached. */
export const detachedOption = (isDetached: boolean | undefined, canAttach: boolean): string =>
  isDetached || !canAttach ? ' --detached' : '';

type Advice = (
  program: string,
  ref: string,
  details: Readonly<Record<string, string>>,
) => readonly NextStep[];

const advice: Partial<Record<ErrorCode, Advice>> = {
  E_RUN_NOT_FOUND: (program) => [{command: `${program} ls --all --all-repos`, why: 'see all sessions'}],
  E_RUN_ID_AMBIGUOUS: (program) => [{command: `${program} ls --all --all-repos`, why: 'see all sessions'}],
  E_RUN_REF_AMBIGUOUS: (program) => [{command: `${program} ls --all --all-repos`, why: 'see all sessions'}],
  E_SESSION_NOT_FOUND: (program, ref, {detached}) => [
    {command: `${program} resume ${ref}${detached}`, why: 'create it again'},
  ],
  E_RUNNER_EXITED: (program, ref, {detached}) => [
    {command: `${program} resume ${ref}${detached}`, why: 'try again when the runner works'},
    {command: `${program} doctor`, why: 'see whether it is installed'},
  ],
  E_WORKTREE_MISSING: (program, ref, {reason, branch, detached}) => {
    if (reason !== 'archived')
      return [{command: `${program} clean ${ref}`, why: 'archive it; its branch is kept'}];
    if (branch === undefined) return [];
    const command = `${program} run --name <name> --parent ${shellWord(branch)}${detached}`;
    return [{command, why: 'continue from its branch'}];
  },
  E_CONFIRMATION_REQUIRED: (program, ref, {detached}) => [
    {command: `${program} resume ${ref} --restart --yes${detached}`, why: 'end it and start again'},
    {command: `${program} resume ${ref}${detached}`, why: 'or continue with the one that is running'},
  ],
  E_RUNNER_NOT_CONFIGURED: (program) => [{command: `${program} doctor`, why: 'see which runners there are'}],
  E_INVALID_AGENCY_JSON: (program) => [{command: `${program} doctor`, why: 'check it again'}],
  E_TMUX_NOT_INSTALLED: (program) => [{command: `${program} doctor`, why: 'see what else is missing'}],
  E_TMUX_FAILED: (program) => [{command: `${program} doctor`, why: 'see whether tmux works'}],
  E_INVALID_NAME: (program) => [{command: `${program} run --name fix-refunds`, why: 'a name that works'}],
  E_NAME_EXISTS: (program) => [{command: `${program} ls`, why: 'see which names are taken'}],
  E_NO_REPO: (program) => [{command: `cd <repository> && ${program} run --name <name>`}],
  E_REPO_LOCKED: (program) => [{command: `${program} ls`, why: 'try again when the other command is done'}],
  E_DIRTY_WORKTREE: (program, ref) => [
    {command: `git -C "$(${program} show ${ref} --path)" status`, why: 'see the changes'},
    {command: `${program} clean ${ref} --force`, why: 'lose them'},
  ],
  E_UNMERGED_COMMITS: (program, ref) => [
    {command: `git -C "$(${program} show ${ref} --path)" log`, why: 'see the commits'},
    {command: `${program} clean ${ref} --force`, why: 'remove the worktree anyway'},
  ],
};
