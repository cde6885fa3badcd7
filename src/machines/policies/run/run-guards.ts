import type {RunRecord} from '../../../services/contracts/run.ts';
import type {RunCircumstances} from './run-circumstances.ts';

type Facts = {readonly context: {readonly run: RunRecord; readonly circumstances: RunCircumstances}};

/** What the run chart asks of a record and its circumstances. */
export const runGuards = {
  isReplaced: ({context}: Facts) => context.run.superseded_by_run_id !== undefined,
  isReview: ({context}: Facts) => context.run.run_type === 'review',
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
  isProcessLost: ({context}: Facts) => context.run.pause_reason === 'process_lost',
  isGoRun: ({context}: Facts) => context.circumstances.isGoRun,
  isOtherProgram: ({context}: Facts) => !context.circumstances.isSameProgram,
  isOtherFolder: ({context}: Facts) => !context.circumstances.isSameFolder,
  /** A command of the user's own has a session only where its lines told whose it is. */
  hasNoSession: ({context: {run}}: Facts) =>
    run.provider_session_ref === '' || (run.provider === 'custom' && run.provider_dialect === undefined),
  isForeignSession: ({context}: Facts) => !context.circumstances.isSessionRef,
  isUnsavedSession: ({context}: Facts) => !context.run.resumable,
} as const;
