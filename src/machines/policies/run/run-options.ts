import type {RunRecord} from '../../../services/contracts/run.ts';
import {
  type ApprovalObstacle,
  preparedHere,
  type RunCircumstances,
  runGuards,
  type SessionObstacle,
} from './run-circumstances.ts';

/**
 * The run chart as a table, so that read-only commands need not load the machines. A test walks the chart with every
 * kind of record in all circumstances and shows that the two agree.
 */

export const runCommands = [
  'launch',
  'resume',
  'answer',
  'sendBack',
  'restart',
  'retry',
  'decide',
  'undo',
  'withdraw',
] as const;
export type RunCommandName = (typeof runCommands)[number];

/** The state of a run at rest: the names of the chart's resting states. */
export type RunStanding =
  | 'superseded'
  | 'launchable'
  | 'planned'
  | 'reviewed'
  | 'lost'
  | 'busy'
  | 'paused'
  | 'waiting'
  | 'decisionPending'
  | 'ended';

/** `standing`: the command does not apply in its current state. */
export type RunObstacle = SessionObstacle | ApprovalObstacle | 'standing';

export function standingOf(run: RunRecord, circumstances: RunCircumstances): RunStanding {
  const facts = {context: {run, circumstances}};
  if (runGuards.isReplaced(facts)) return 'superseded';
  if (runGuards.isOwn(facts)) return 'launchable';
  if (runGuards.isTurn(facts)) return 'planned';
  if (runGuards.isReview(facts)) return 'reviewed';
  if (runGuards.isOwnerGone(facts)) return 'lost';
  if (runGuards.isRunning(facts)) return 'busy';
  if (runGuards.isPaused(facts)) return 'paused';
  if (runGuards.isWaiting(facts)) return 'waiting';
  return runGuards.isAtCheckpoint(facts) ? 'decisionPending' : 'ended';
}

/** Why the run refuses a command; null if it accepts it. */
export function runObstacle(
  run: RunRecord,
  circumstances: RunCircumstances,
  command: RunCommandName,
): RunObstacle | null {
  const need = accepted[standingOf(run, circumstances)][command];
  return need === undefined ? 'standing' : need({context: {run, circumstances}});
}

/** Whether a plain `resume` can continue the run's session, judging by its record alone. */
export function canGoOnHere(run: RunRecord): boolean {
  const command = {waiting: 'answer', failed: 'sendBack'} as const;
  const asked = run.state === 'waiting' || run.state === 'failed' ? command[run.state] : 'resume';
  return runObstacle(run, {...preparedHere, owner: 'gone'}, asked) === null;
}

/** Whether its agent can receive feedback in its session. */
export const takesFeedback = (run: RunRecord): boolean =>
  runObstacle(run, {...preparedHere, owner: 'gone'}, 'sendBack') === null;

type Need = (facts: Parameters<typeof runGuards.isReview>[0]) => RunObstacle | null;

const nothing: Need = () => null;
const place: Need = (facts) => {
  if (runGuards.isOtherProgram(facts)) return 'otherProgram';
  return runGuards.isOtherFolder(facts) ? 'otherFolder' : null;
};
const session: Need = (facts) => {
  const elsewhere = place(facts);
  if (elsewhere !== null) return elsewhere;
  if (runGuards.hasNoSession(facts)) return 'noSession';
  if (runGuards.isForeignSession(facts)) return 'foreignSession';
  return runGuards.isUnsavedSession(facts) ? 'unsavedSession' : null;
};
/** A planner without a usable session gets the whole prompt again. */
const turnSession: Need = (facts) => (runGuards.isSessionRejected(facts) ? 'noSession' : session(facts));
/** A task without a session gets the whole prompt again. */
const sessionIfAny: Need = (facts) => (runGuards.hasNoSession(facts) ? place(facts) : session(facts));
/** Running only the checks needs no session. */
const sessionOrChecks: Need = (facts) => (runGuards.isUnchecked(facts) ? place(facts) : session(facts));
const processLost: Need = (facts) => (runGuards.isProcessLost(facts) ? null : 'standing');
/** Only until the next task starts, and not after the change is committed. */
const approval: Need = (facts) => {
  if (runGuards.isUnapproved(facts)) return 'standing';
  if (runGuards.isCommitted(facts)) return 'committed';
  return runGuards.isBuiltOn(facts) ? 'builtOn' : null;
};
const failure: Need = (facts) => (runGuards.hasFailed(facts) ? null : 'standing');

const accepted: Record<RunStanding, Partial<Record<RunCommandName, Need>>> = {
  superseded: {},
  launchable: {launch: nothing},
  planned: {sendBack: turnSession},
  reviewed: {},
  busy: {},
  lost: {resume: sessionOrChecks, restart: nothing, retry: nothing, undo: nothing},
  paused: {resume: sessionOrChecks, sendBack: session, restart: nothing, retry: processLost, undo: nothing},
  waiting: {answer: sessionIfAny, sendBack: session, restart: nothing, undo: nothing},
  decisionPending: {decide: nothing, sendBack: session, restart: nothing},
  ended: {sendBack: session, restart: nothing, retry: failure, undo: nothing, withdraw: approval},
};
