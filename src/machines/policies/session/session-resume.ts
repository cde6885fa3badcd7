import {AppError} from '../../../services/contracts/errors.ts';
import type {SessionEvent, SessionMeta} from '../../../services/contracts/session.ts';
import type {CommandEnd} from '../../../services/contracts/tmux.ts';
import {sessionName} from './session-names.ts';
import {archivedAt} from './session-refs.ts';

export type ResumeRequest = {
  /** Do not attach. */
  readonly detached: boolean;
  /** End an existing session and start a new one. */
  readonly restart: boolean;
  /** Do not ask. */
  readonly yes: boolean;
  /** The first start of a new run: nothing is resumed, so no event is recorded. */
  readonly isFirst: boolean;
};

export type TerminalFacts = {
  /** A user can be asked. */
  readonly isInteractive: boolean;
  /** tmux has a terminal to show the session in. */
  readonly canAttach: boolean;
};

export type ResumeEventName = 'resume_attach' | 'resume_create' | 'resume_restart';

export const restartQuestion = 'restart session? in-tool history will be lost (git state unchanged) [y/N]: ';

export function isYes(answer: string | null): boolean {
  return ['y', 'yes'].includes((answer ?? '').trim().toLowerCase());
}

export function resumeEvent(
  event: ResumeEventName,
  run: SessionMeta,
  request: Pick<ResumeRequest, 'detached' | 'restart'>,
): SessionEvent {
  return {event, data: eventData(run, request)};
}

export function failedEvent(run: SessionMeta, request: ResumeRequest): SessionEvent {
  const reason = archivedAt(run) === '' ? 'missing' : 'archived';
  return {event: 'resume_failed', data: {...eventData(run, request), reason}};
}

/** A runner that exited before it could be seen. */
export function exitedEvent(run: SessionMeta, request: ResumeRequest, end: CommandEnd): SessionEvent {
  const data = {
    ...eventData(run, request),
    ...(end.exitCode === null ? {} : {exit_code: end.exitCode}),
    ...(end.signal === null ? {} : {signal: end.signal}),
    last_lines: end.lastLines,
  };
  return {event: 'runner_exited', data};
}

export function runnerExited(run: SessionMeta, {exitCode, signal, lastLines}: CommandEnd): AppError {
  const how = exitCode !== null ? ` (exit code ${exitCode})` : signal !== null ? ` (signal ${signal})` : '';
  return new AppError('E_RUNNER_EXITED', `the runner ended at once${how}`, {
    details: [
      ['runner', run.runner],
      ['last lines', lastLines.length === 0 ? '(none)' : lastLines.join('\n')],
    ],
  });
}

/** Why there is no new session after the old one was ended for it. */
export function withoutOldSession(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const {code, message, details, next, cause} = error;
  const told = [['old session', 'was ended for the restart and is gone; git state is unchanged']] as const;
  return new AppError(code, message, {details: [...details, ...told], next, cause});
}

export function worktreeMissing(run: SessionMeta): AppError {
  const [message, reason] =
    archivedAt(run) === ''
      ? ['worktree missing; run is corrupted', 'missing']
      : ['run is archived; cannot resume', 'archived'];
  return new AppError('E_WORKTREE_MISSING', message, {
    details: [
      ['reason', reason],
      ['worktree', run.worktree_path || '(none)'],
      ...(run.branch === '' ? [] : [['branch', run.branch] as const]),
    ],
  });
}

type Situation = {
  readonly isRunning: boolean;
  readonly request: ResumeRequest;
  readonly terminal: TerminalFacts;
};

/** A running session is ended only with the user's consent. */
export function mustAsk({isRunning, request}: Pick<Situation, 'isRunning' | 'request'>): boolean {
  return isRunning && request.restart && !request.yes;
}

/** Why this terminal cannot continue, determined before anything is changed; null if it can. */
export function refuseResume({terminal, ...situation}: Situation): AppError | null {
  if (mustAsk(situation) && !terminal.isInteractive) {
    return new AppError(
      'E_CONFIRMATION_REQUIRED',
      'refusing to restart without confirmation in non-interactive mode; pass --yes',
    );
  }
  return situation.request.detached || terminal.canAttach ? null : terminalRequired();
}

export function terminalRequired(): AppError {
  return new AppError(
    'E_NOT_INTERACTIVE',
    'cannot attach without a terminal on stdin; pass --detached to leave the session in the background',
  );
}

function eventData(run: SessionMeta, {detached, restart}: Pick<ResumeRequest, 'detached' | 'restart'>) {
  return {session_name: sessionName(run.run_id), runner: run.runner, detached, restart};
}
