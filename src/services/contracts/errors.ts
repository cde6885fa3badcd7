/** Stable codes: scripts branch on them, docs/errors.md lists them. */
export type ErrorCode =
  | 'E_USAGE'
  | 'E_PLAN_NOT_FOUND'
  | 'E_PLAN_INVALID'
  | 'E_PLAN_EDIT'
  | 'E_IMPORT'
  | 'E_CONFLICT'
  | 'E_TASK_NOT_FOUND'
  | 'E_TASK_ID'
  | 'E_CONFIG'
  | 'E_STORE_CORRUPT'
  | 'E_STORE_READ'
  | 'E_STORE_WRITE'
  | 'E_STORE_UNSAFE'
  | 'E_LOCK_TIMEOUT'
  | 'E_NO_INPUT'
  | 'E_CANCELED'
  | 'E_RUN_NOT_FOUND'
  | 'E_RUN_EXISTS'
  | 'E_DIFF_UNAVAILABLE'
  | 'E_NO_DECISION'
  | 'E_DECISION_PENDING'
  | 'E_FEEDBACK_NOT_FOUND'
  | 'E_DRAFT_NOT_FOUND'
  | 'E_COMMENT_NOT_FOUND'
  | 'E_COMMENT_SENT'
  | 'E_NOTHING_TO_RESUME'
  | 'E_RESUME_REFUSED'
  | 'E_RESUME_REJECTED'
  | 'E_PROVIDER_UNAVAILABLE'
  | 'E_PROVIDER_REFUSED'
  | 'E_BUDGET'
  | 'E_RESTART_REFUSED'
  | 'E_RETRY_REFUSED'
  | 'E_UNDO_REFUSED'
  | 'E_UNDO_CONFLICT'
  | 'E_TASK_NOT_READY'
  | 'E_TASK_RUNNING'
  | 'E_PROCESS_ALIVE'
  | 'E_AGENT_NOT_FOUND'
  | 'E_AGENT_UNKNOWN'
  | 'E_CONFIRMATION_REQUIRED'
  | 'E_REPO_LOCKED'
  | 'E_BUSY'
  | 'E_NO_JOB'
  | 'E_JOB_NOT_FOUND'
  | 'E_JOB_OUT_OF_REACH'
  | 'E_NOT_WAITING'
  | 'E_RUN_ID_AMBIGUOUS'
  | 'E_RUN_REF_AMBIGUOUS'
  | 'E_RUN_BROKEN'
  | 'E_WORKTREE_MISSING'
  | 'E_WORKTREE_CREATE_FAILED'
  | 'E_WORKTREE_REMOVE_FAILED'
  | 'E_DIRTY_WORKTREE'
  | 'E_UNMERGED_COMMITS'
  | 'E_SESSION_NOT_FOUND'
  | 'E_RUNNER_NOT_CONFIGURED'
  | 'E_RUNNER_EXITED'
  | 'E_INVALID_AGENCY_JSON'
  | 'E_INVALID_NAME'
  | 'E_NAME_EXISTS'
  | 'E_NO_REPO'
  | 'E_EMPTY_REPO'
  | 'E_PARENT_BRANCH_NOT_FOUND'
  | 'E_NOT_INTERACTIVE'
  | 'E_PERSIST_FAILED'
  | 'E_TMUX_NOT_INSTALLED'
  | 'E_TMUX_FAILED'
  | 'E_GIT_NOT_INSTALLED'
  | 'E_GIT_FAILED'
  | 'E_INSPECT';

/** A command to type, and what it does. */
export type NextStep = {readonly command: string; readonly why?: string};

/** Quotes one word for a shell: an id may contain anything, and commands are meant to be typed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export type AppErrorOptions = {
  readonly details?: ReadonlyArray<readonly [label: string, value: string]>;
  readonly next?: readonly NextStep[];
  readonly cause?: unknown;
};

/** An expected failure with a cause the user can act on. Anything else that is thrown is a bug. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: ReadonlyArray<readonly [label: string, value: string]>;
  readonly next: readonly NextStep[];

  constructor(code: ErrorCode, message: string, {details = [], next = [], cause}: AppErrorOptions = {}) {
    super(message, cause === undefined ? undefined : {cause});
    this.code = code;
    this.details = details;
    this.next = next;
  }
}

/** The code of a failed system call (`ENOENT`), or undefined for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Messages of the causes that the error's own message does not already contain. */
export function causesOf(error: AppError): string[] {
  const causes: string[] = [];
  let shown = error.message;
  for (let cause = error.cause; cause !== undefined && causes.length < 5; cause = (cause as Error).cause) {
    const message = messageOf(cause);
    if (!shown.includes(message)) causes.push(message);
    shown += message;
    if (!(cause instanceof Error)) break;
  }
  return causes;
}
