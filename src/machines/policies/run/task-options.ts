import type {ProviderId} from '../../../services/contracts/agent.ts';
import {isGoRun} from '../../../services/contracts/latest-run.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {isReady} from '../plan/readiness.ts';
import {isReviewDue} from '../review/parent-review.ts';
import {compareTimestamps} from '../text/timestamps.ts';
import type {JobAtWork} from './job-at-work.ts';
import type {ProgramChoice} from './program.ts';
import {
  type ApprovalObstacle,
  circumstancesAt,
  type RunCircumstances,
  type SessionObstacle,
} from './run-circumstances.ts';
import {type RunCommandName, type RunStanding, runObstacle, standingOf} from './run-options.ts';

/** Everything a person can ask for with a task. `sendBack` is `resume` with feedback, `answer` with answers. */
export const taskCommands = [
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
  /** The run that says how the task stands; null before the first one. */
  readonly run: RunRecord | null;
  readonly circumstances: RunCircumstances;
  /** A parent review sent it back, and nobody has answered yet. */
  readonly isSentBack: boolean;
  /** Its Blackbird is gone, and something of its agent still lives. */
  readonly isOrphaned?: boolean;
  /** The Blackbird that launched its run works at this moment. */
  readonly isOwnerAtWork?: boolean;
  /** A file of its history that cannot be read, of a task that may stand at a checkpoint. */
  readonly unreadable?: string;
  /** The job that works here now, and keeps others from running tasks. */
  readonly job?: JobAtWork;
  /** Its provider is known to be at a limit, of a task that is ready. */
  readonly limit?: {readonly provider: ProviderId; readonly until: string};
  /** When it was looked at; times are told as of then. */
  readonly now?: string;
};

/** When the latest run of the project began, as far as anybody asks. */
type LatestStart = {readonly latestStart?: string | null};

/** What is known besides the plan: where we are, and how the task stands on disk. */
export type KnownOfTask = ProgramChoice &
  LatestStart &
  Pick<TaskFacts, 'run' | 'isSentBack' | 'isOrphaned' | 'isOwnerAtWork' | 'unreadable'> & {
    readonly repoRoot: string;
    /** A process holds the project lock, this one or another: a run that says running is running. */
    readonly isEngineAlive: boolean;
    readonly isSessionRef: (provider: ProviderId, ref: string) => boolean;
  };

/** What the run chart is asked with; every command and every view makes its facts here. */
export function factsAbout(
  plan: Plan,
  task: Task,
  {run, isSentBack, isOrphaned = false, isEngineAlive, isSessionRef, latestStart, ...known}: KnownOfTask,
): TaskFacts {
  const {repoRoot, explicitProvider, customCommand, isOwnerAtWork = false, unreadable} = known;
  const circumstances = circumstancesAt({repoRoot, explicitProvider, customCommand}, run, {
    isSessionRef: run !== null && isSessionRef(run.provider, run.provider_session_ref),
    owner: isEngineAlive ? 'alive' : 'gone',
    // A status that somebody gave it by hand is a decision, and the Go program knew no checkpoints.
    isPastCheckpoint: task.status !== 'in_progress' || (run !== null && isGoRun(run)),
    isBuiltOn: isAfter(latestStart, run?.decision_resolved_at),
  });
  const file = unreadable !== undefined && task.status === 'in_progress' ? {unreadable} : {};
  return {plan, task, run, circumstances, isSentBack, isOrphaned, isOwnerAtWork, ...file};
}

const isAfter = (start: string | null | undefined, decided: string | undefined): boolean =>
  start != null && decided !== undefined && compareTimestamps(start, decided) > 0;

/** Where the run of the task stands; null before the first one. */
export const taskStanding = ({run, circumstances}: TaskFacts): RunStanding | null =>
  run && standingOf(run, circumstances);

/** Its agent has ended, and its job has yet to commit it, to try again or to tell the plan. */
export const isBeingFinished = (facts: TaskFacts): boolean =>
  facts.isOwnerAtWork === true && isInWork(facts.task) && taskStanding(facts) === 'ended';

/** Why a command cannot be given: what the run chart says, or what the plan says before it is asked. */
export type TaskObstacle =
  | SessionObstacle
  | ApprovalObstacle
  | 'notApproved'
  | 'children'
  /** A parent whose children are done: an execute reviews it, and nothing else may be done with it. */
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

export type TaskOption = {readonly command: TaskCommand; readonly obstacle: TaskObstacle | null};

/** For every command whether it is possible. Commands, refusals, hints and keys all take it from here. */
export const taskOptions = (facts: TaskFacts): readonly TaskOption[] =>
  taskCommands.map((command) => ({command, obstacle: taskObstacle(facts, command)}));

/** What can be done next, best first: where there is a session, going on in it comes before anything else. */
export const possibleCommands = (facts: TaskFacts): readonly TaskCommand[] =>
  taskCommands.filter((command) => taskObstacle(facts, command) === null);

/** What a person would do next, best first; nothing where the task waits for others, is at work or is done. */
export const nextCommands = (facts: TaskFacts): readonly TaskCommand[] =>
  wishes(facts).filter((command) => taskObstacle(facts, command) === null);

/** What going on with a task is; `sendBack` brings what a review said of it. */
export type WayOn = 'review' | 'sendBack' | 'answer' | 'resume';

/** What one key goes on with, whichever it is; null where the chart takes none of them. */
export function wayOn(facts: TaskFacts): WayOn | null {
  if (taskObstacle(facts, 'review') === null) return 'review';
  if (taskObstacle(facts, 'resume') !== null) return null;
  if (facts.isSentBack) return 'sendBack';
  const isAsked = (facts.run?.questions?.length ?? 0) > 0;
  return isAsked && taskObstacle(facts, 'answer') === null ? 'answer' : 'resume';
}

function wishes(facts: TaskFacts): readonly TaskCommand[] {
  const {plan, task, isSentBack} = facts;
  const standing = taskStanding(facts);
  if (standing === 'busy' || isBeingFinished(facts)) return [];
  if (standing === 'decisionPending') return ['review'];
  if (isSentBack) return ['resume', 'restart'];
  if (isReady(plan, task)) return ['execute'];
  const hasEnded = standing === 'ended' || standing === null;
  return isInWork(task) && !hasEnded ? ['resume', 'restart'] : wishesByStatus[task.status];
}

const isInWork = ({status}: Task) => status === 'in_progress' || status === 'waiting_user';

const wishesByStatus: Record<Task['status'], readonly TaskCommand[]> = {
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
  // Sent back without ever having run: a person did the task, and the first run begins with the feedback.
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

/** By hand, never behind the back of an agent or of a decision. */
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

/** A status is made `todo` again; what can be resumed is not retried behind its back. */
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
 * What the run itself is asked for. A bare resume answers, goes on, or brings what a review said; a run that
 * failed is told to go on.
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
