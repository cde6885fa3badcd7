import {isGoRun} from '../../../services/contracts/latest-run.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {type ProgramChoice, programObstacle} from './program.ts';

/** What a record does not say, and what may become of its run depends on. */
export type RunCircumstances = Place & {
  readonly isSameFolder: boolean;
  readonly isSameProgram: boolean;
  /** Whether a session ref has the form its provider uses. */
  readonly isSessionRef: boolean;
  /** The Go program wrote the record: it is read, and never written. */
  readonly isGoRun: boolean;
  /** The Blackbird that launched it: this one, another that lives, or none that lives. */
  readonly owner: 'self' | 'alive' | 'gone';
  /** Somebody gave the task another status by hand, which is a decision too. */
  readonly isPastCheckpoint: boolean;
  /** Another run began since its decision. */
  readonly isBuiltOn: boolean;
};

type Place = ProgramChoice & {readonly repoRoot: string};

/** Compared here, so that a journal without paths tells what the chart saw. */
export function circumstancesAt(
  {repoRoot, ...choice}: Place,
  run: RunRecord | null,
  others: Pick<RunCircumstances, 'isSessionRef' | 'owner' | 'isPastCheckpoint'> &
    Partial<Pick<RunCircumstances, 'isBuiltOn'>>,
): RunCircumstances {
  return {
    repoRoot,
    ...choice,
    isSameFolder: run === null || isGoRun(run) || run.repo_root === repoRoot,
    isSameProgram: run === null || programObstacle(run, choice) === null,
    isGoRun: run !== null && isGoRun(run),
    isBuiltOn: false,
    ...others,
  };
}

/** What keeps a run from going on in its own session. */
export type SessionObstacle =
  | 'otherProgram'
  | 'otherFolder'
  | 'noSession'
  | 'foreignSession'
  | 'unsavedSession';

/** What keeps an approval from being withdrawn. */
export type ApprovalObstacle = 'builtOn' | 'committed';

/** Why a run cannot go on, in words. */
export function obstacleText(
  obstacle: SessionObstacle | ApprovalObstacle,
  run: RunRecord,
  circumstances: RunCircumstances,
): string {
  switch (obstacle) {
    case 'otherProgram':
      return programObstacle(run, circumstances) ?? '';
    case 'otherFolder':
      return `it belongs to another working folder: ${run.repo_root} (this is ${circumstances.repoRoot})`;
    case 'noSession':
      return 'no session ref was captured before it stopped';
    case 'foreignSession':
      return `its session ref has not the form ${run.provider} uses`;
    case 'builtOn':
      return 'the next task has started';
    case 'committed':
      return 'its change was committed';
    case 'unsavedSession':
      return 'the provider had not stored the session yet when it stopped';
  }
}

/** Of a run that this Blackbird has just prepared. */
export const preparedHere = circumstancesAt(
  {repoRoot: '', explicitProvider: null, customCommand: null},
  null,
  {
    isSessionRef: true,
    owner: 'self',
    isPastCheckpoint: false,
  },
);

type Facts = {readonly context: {readonly run: RunRecord; readonly circumstances: RunCircumstances}};

/** What the run chart asks of a record and its circumstances. */
export const runGuards = {
  isReplaced: ({context}: Facts) => context.run.superseded_by_run_id !== undefined,
  /** What a planner said last: the next turn is a run of its own. */
  isTurn: ({context}: Facts) => context.run.run_type === 'plan' && context.run.state !== 'running',
  /** Or an undo: neither of them is an attempt at its task. */
  isReview: ({context}: Facts) => context.run.run_type !== 'execute',
  isRunning: ({context}: Facts) => context.run.state === 'running',
  isOwn: ({context: {run, circumstances}}: Facts) =>
    run.state === 'running' && circumstances.owner === 'self',
  isOwnerGone: ({context: {run, circumstances}}: Facts) =>
    run.state === 'running' && circumstances.owner === 'gone',
  isPaused: ({context}: Facts) => context.run.state === 'paused',
  isWaiting: ({context}: Facts) => context.run.state === 'waiting',
  isAtCheckpoint: ({context: {run, circumstances}}: Facts) =>
    !circumstances.isPastCheckpoint &&
    (run.decision_state === 'pending' || run.decision_state === 'changes_requested'),
  hasFailed: ({context}: Facts) => context.run.state === 'failed',
  isUnapproved: ({context: {run}}: Facts) =>
    run.decision_state !== 'approved_continue' && run.decision_state !== 'approved_quit',
  isBuiltOn: ({context}: Facts) => context.circumstances.isBuiltOn,
  isCommitted: ({context: {run}}: Facts) => run.commit !== undefined && hasCommit(run.commit),
  isProcessLost: ({context}: Facts) => context.run.pause_reason === 'process_lost',
  isGoRun: ({context}: Facts) => context.circumstances.isGoRun,
  isOtherProgram: ({context}: Facts) => !context.circumstances.isSameProgram,
  isOtherFolder: ({context}: Facts) => !context.circumstances.isSameFolder,
  /** A command of the user's own has a session only where its lines told whose it is. */
  hasNoSession: ({context: {run}}: Facts) =>
    run.provider_session_ref === '' || (run.provider === 'custom' && run.provider_dialect === undefined),
  isUnchecked: ({context}: Facts) => context.run.checks_due === true,
  isForeignSession: ({context}: Facts) => !context.circumstances.isSessionRef,
  isUnsavedSession: ({context}: Facts) => !context.run.resumable,
  isSessionRejected: ({context}: Facts) => context.run.failure?.kind === 'resume_rejected',
} as const;

const hasCommit = (commit: unknown): boolean =>
  typeof commit === 'object' && commit !== null && 'sha' in commit && commit.sha !== undefined;
