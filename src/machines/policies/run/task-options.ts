import type {ProviderId} from '../../../services/contracts/agent.ts';
import {isGoRun} from '../../../services/contracts/latest-run.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {isReady} from '../plan/readiness.ts';
import {isReviewDue} from '../review/parent-review.ts';
import {compareTimestamps} from '../text/timestamps.ts';
import type {ProgramChoice} from './agent-program.ts';
import type {JobAtWork} from './job-at-work.ts';
import {
  type ApprovalObstacle,
  circumstancesAt,
  isOfSession,
  type RunCircumstances,
  type SessionObstacle,
} from './run-circumstances.ts';
import {type RunCommandName, type RunStanding, runObstacle, standingOf} from './run-options.ts';

/** Everything a user can do with a task. `sendBack` is `resume` with feedback, `answer` is `resume` with answers. */
const taskCommands = [
  'review',
  'resume',
  'answer',
  'sendBack',
  'execute',
  'retry',
  'restart',
  'undo',
  'withdraw',
  'setStatus',
] as const;
export type TaskCommand = (typeof taskCommands)[number];

export type TaskFacts = {
  readonly plan: Plan;
  readonly task: Task;
  /** The run that determines the state of the task; null before the first one. */
  readonly run: RunRecord | null;
  readonly circumstances: RunCircumstances;
  /** A parent review sent it back, and its feedback is still pending. */
  readonly isSentBack: boolean;
  /** Its Blackbird is dead, but part of its agent is still running. */
  readonly isOrphaned?: boolean;
  /** The Blackbird that launched its run is working right now. */
  readonly isOwnerAtWork?: boolean;
  /** An unreadable file in its history, if the task may be at a checkpoint. */
  readonly unreadable?: string;
  /** The job that is running here and keeps others from running tasks. */
  readonly job?: JobAtWork;
  /** Set if the task is ready and its provider is known to be at a limit. */
  readonly limit?: {readonly provider: ProviderId; readonly until: string};
  /** The time of the look; waiting times are relative to it. */
  readonly now?: string;
};

/** When the latest run of the project started, if anyone needs to know. */
type LatestStart = {readonly latestStart?: string | null};

/** What is known besides the plan: the surroundings, and the task's state on disk. */
export type KnownOfTask = ProgramChoice &
  LatestStart &
  Pick<TaskFacts, 'run' | 'isSentBack' | 'isOrphaned' | 'isOwnerAtWork' | 'unreadable'> & {
    readonly repoRoot: string;
    /** Some process holds the project lock, so a run recorded as running is running. */
    readonly isEngineAlive: boolean;
    readonly isSessionRef: (provider: ProviderId, ref: string) => boolean;
  };

/** Collects the facts for the run chart. Every command and every view gets them here. */
export function factsAbout(
  plan: Plan,
  task: Task,
  {run, isSentBack, isOrphaned = false, isEngineAlive, isSessionRef, latestStart, ...known}: KnownOfTask,
): TaskFacts {
  const {repoRoot, explicitProvider, customCommand, isOwnerAtWork = false, unreadable} = known;
  const circumstances = circumstancesAt({repoRoot, explicitProvider, customCommand}, run, {
    isSessionRef: run !== null && isSessionRef(run.provider, run.provider_session_ref),
    owner: isEngineAlive ? 'alive' : 'gone',
    // A status set by hand is a decision, and the Go program had no checkpoints.
    isPastCheckpoint: task.status !== 'in_progress' || (run !== null && isGoRun(run)),
    isBuiltOn: isAfter(latestStart, run?.decision_resolved_at),
  });
  const file = unreadable !== undefined && task.status === 'in_progress' ? {unreadable} : {};
  return {plan, task, run, circumstances, isSentBack, isOrphaned, isOwnerAtWork, ...file};
}

const isAfter = (start: string | null | undefined, decided: string | undefined): boolean =>
  start != null && decided !== undefined && compareTimestamps(start, decided) > 0;

/** The state of the task's run; null before the first one. */
export const taskStanding = ({run, circumstances}: TaskFacts): RunStanding | null =>
  run && standingOf(run, circumstances);

/** Its agent has ended, but its job still has to commit, retry or update the plan. */
export const isBeingFinished = (facts: TaskFacts): boolean =>
  facts.isOwnerAtWork === true && isInWork(facts.task) && taskStanding(facts) === 'ended';

/** Why a command is refused: by the run chart, or by the plan before the chart is asked. */
export type TaskObstacle =
  | SessionObstacle
  | ApprovalObstacle
  | 'notApproved'
  | 'children'
  /** A parent whose children are done: only `execute` applies, which reviews it. */
  | 'reviewDue'
  | 'running'
  | 'replaced'
  | 'neverRan'
  | 'checkpoint'
  | 'ended'
  | 'unasked'
  | 'paused'
  | 'asking'
  | 'notReady'
  | 'done'
  | 'notFailed'
  | 'noDecision';

/** The possible commands, best first: continuing a session comes before anything else. */
export const possibleCommands = (facts: TaskFacts): readonly TaskCommand[] =>
  taskCommands.filter((command) => taskObstacle(facts, command) === null);

/** What a user would do next, best first; empty if the task is blocked, running or done. */
export const nextCommands = (facts: TaskFacts): readonly TaskCommand[] =>
  usualCommands(facts).filter((command) => taskObstacle(facts, command) === null);

/** The ways to continue a task; `sendBack` delivers review feedback. */
export type ContinueAction = 'review' | 'sendBack' | 'answer' | 'resume';

/** The way to continue that one key takes; null if there is none. */
export function continueAction(facts: TaskFacts): ContinueAction | null {
  if (taskObstacle(facts, 'review') === null) return 'review';
  const obstacle = taskObstacle(facts, 'resume');
  // The feedback can be read, edited and dismissed even if no session can be told about it.
  if (facts.isSentBack && (obstacle === null || isOfSession(obstacle))) return 'sendBack';
  if (obstacle !== null) return null;
  const isAsked = (facts.run?.questions?.length ?? 0) > 0;
  return isAsked && taskObstacle(facts, 'answer') === null ? 'answer' : 'resume';
}

function usualCommands(facts: TaskFacts): readonly TaskCommand[] {
  const {plan, task, isSentBack} = facts;
  const standing = taskStanding(facts);
  if (standing === 'busy' || isBeingFinished(facts)) return [];
  if (standing === 'decisionPending') return ['review'];
  if (isSentBack) return ['resume', 'restart'];
  if (isReady(plan, task)) return ['execute'];
  // Its children, and then its review, say what comes next.
  if (!isLeaf(task) && isInWork(task)) return [];
  const hasEnded = standing === 'ended' || standing === null;
  return isInWork(task) && !hasEnded ? ['resume', 'restart'] : commandsByStatus[task.status];
}

const isInWork = ({status}: Task) => status === 'in_progress' || status === 'waiting_user';

const commandsByStatus: Record<Task['status'], readonly TaskCommand[]> = {
  in_progress: ['setStatus'],
  waiting_user: ['setStatus'],
  todo: [],
  queued: ['setStatus'],
  blocked: ['setStatus', 'retry'],
  failed: ['resume', 'retry', 'restart', 'undo'],
  skipped: ['setStatus'],
  done: [],
};

export function taskObstacle(facts: TaskFacts, command: TaskCommand): TaskObstacle | null {
  const {task, run} = facts;
  const standing = taskStanding(facts);
  if (command === 'setStatus') return isBeingFinished(facts) ? 'running' : statusObstacle(standing);
  if (!isLeaf(task)) return isReviewDue(facts.plan, task) ? 'reviewDue' : 'children';
  if (command === 'execute') return executeObstacle(facts, standing);
  if (command === 'retry') return retryObstacle(facts);
  // Sent back without ever having run: a person did the task, so its first run starts with the feedback.
  if (run === null) return command === 'resume' && facts.isSentBack ? null : noRun[command];
  return runObstacleFor(facts, run, command);
}

const noRun = {
  review: 'noDecision',
  resume: 'neverRan',
  answer: 'unasked',
  sendBack: 'neverRan',
  restart: 'neverRan',
  undo: 'neverRan',
  withdraw: 'notApproved',
} as const satisfies Partial<Record<TaskCommand, TaskObstacle>>;

/** A status cannot be set by hand while an agent is working or a decision is pending. */
function statusObstacle(standing: RunStanding | null): TaskObstacle | null {
  if (standing === 'busy') return 'running';
  return standing === 'decisionPending' ? 'checkpoint' : null;
}

function executeObstacle({plan, task}: TaskFacts, standing: RunStanding | null): TaskObstacle | null {
  if (isReady(plan, task)) return null;
  if (task.status === 'done') return 'done';
  if (standing === 'busy') return 'running';
  if (standing === 'decisionPending') return 'checkpoint';
  if (!isInWork(task)) return 'notReady';
  if (standing === 'paused' || standing === 'lost') return 'paused';
  return standing === 'waiting' ? 'asking' : 'notReady';
}

/** Retry sets the status to `todo`. A run that can be resumed is not discarded this way. */
function retryObstacle({task, run, circumstances}: TaskFacts): TaskObstacle | null {
  if (task.status === 'failed' || task.status === 'blocked') return null;
  if (task.status !== 'in_progress') return 'notFailed';
  if (run === null || runObstacle(run, circumstances, 'retry') === null) return null;
  return standingOf(run, circumstances) === 'decisionPending' ? 'checkpoint' : 'notFailed';
}

function runObstacleFor(
  facts: TaskFacts,
  run: RunRecord,
  command: Exclude<TaskCommand, 'setStatus' | 'execute' | 'retry'>,
): TaskObstacle | null {
  const standing = standingOf(run, facts.circumstances);
  const obstacle = runObstacle(run, facts.circumstances, chartCommand(facts, standing, command));
  if (obstacle !== 'standing') return obstacle;
  if (standing === 'busy') return 'running';
  if (standing === 'superseded') return 'replaced';
  if (command === 'review') return 'noDecision';
  if (command === 'withdraw') return 'notApproved';
  if (standing === 'decisionPending') return 'checkpoint';
  return command === 'answer' ? 'unasked' : 'ended';
}

/**
 * The command for the run itself. A plain resume answers, continues or delivers review feedback; a failed run is told
 * to continue.
 */
function chartCommand(
  {isSentBack, run}: TaskFacts,
  standing: RunStanding,
  command: Exclude<TaskCommand, 'setStatus' | 'execute' | 'retry'>,
): RunCommandName {
  if (command === 'review') return 'decide';
  if (command !== 'resume') return command;
  if (isSentBack && standing !== 'lost' && standing !== 'decisionPending') return 'sendBack';
  if (standing === 'ended' && run?.state === 'failed') return 'sendBack';
  return standing === 'waiting' ? 'answer' : 'resume';
}
