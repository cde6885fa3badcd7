import {isGoRun} from '../../../services/contracts/latest-run.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {type ProgramChoice, programObstacle} from './agent-program.ts';

/** Facts that are not in the record but decide what the run can do. */
export type RunCircumstances = Place & {
  readonly isSameFolder: boolean;
  readonly isSameProgram: boolean;
  /** Whether the session ref has its provider's format. */
  readonly isSessionRef: boolean;
  /** Written by the Go program: Blackbird reads such records but never writes them. */
  readonly isGoRun: boolean;
  /** The Blackbird that launched it: this one, another live one, or a dead one. */
  readonly owner: 'self' | 'alive' | 'gone';
  /** The user set another status by hand, which also counts as a decision. */
  readonly isPastCheckpoint: boolean;
  /** Another run has started since its decision. */
  readonly isBuiltOn: boolean;
};

type Place = ProgramChoice & {readonly repoRoot: string};

/** Compared here, so that a journal, which holds no paths, still shows what the chart saw. */
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

/** Why a run cannot continue in its own session. */
const sessionObstacles = [
  'otherProgram',
  'otherFolder',
  'noSession',
  'foreignSession',
  'unsavedSession',
] as const;
export type SessionObstacle = (typeof sessionObstacles)[number];

export const isOfSession = (obstacle: string): obstacle is SessionObstacle =>
  sessionObstacles.some((each) => each === obstacle);

/** Why an approval cannot be withdrawn. */
export type ApprovalObstacle = 'builtOn' | 'committed';

/** Explains why a run cannot continue. */
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
      return `its session ref does not have the form that ${run.provider} uses`;
    case 'builtOn':
      return 'the next task has started';
    case 'committed':
      return 'its change was committed';
    case 'unsavedSession':
      return 'the provider had not stored the session yet when it stopped';
  }
}

/** The circumstances of a run that this process has just prepared. */
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

/** The guards of the run chart. */
export const runGuards = {
  isReplaced: ({context}: Facts) => context.run.superseded_by_run_id !== undefined,
  /** A planner's last turn: the next turn is a new run. */
  isTurn: ({context}: Facts) => context.run.run_type === 'plan' && context.run.state !== 'running',
  /** Also true for an undo: neither is an attempt at the task. */
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
  /** A custom command has a session only if its output told whose session it is. */
  hasNoSession: ({context: {run}}: Facts) =>
    run.provider_session_ref === '' || (run.provider === 'custom' && run.provider_dialect === undefined),
  isUnchecked: ({context}: Facts) => context.run.checks_due === true,
  isForeignSession: ({context}: Facts) => !context.circumstances.isSessionRef,
  isUnsavedSession: ({context}: Facts) => !context.run.resumable,
  isSessionRejected: ({context}: Facts) => context.run.failure?.kind === 'resume_rejected',
} as const;

const hasCommit = (commit: unknown): boolean =>
  typeof commit === 'object' && commit !== null && 'sha' in commit && commit.sha !== undefined;
