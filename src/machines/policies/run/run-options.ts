import type {RunRecord} from '../../../services/contracts/run.ts';
import {
  type ApprovalObstacle,
  preparedHere,
  type RunCircumstances,
  runGuards,
  type SessionObstacle,
} from './run-circumstances.ts';

/**
 * What the run chart says, as a table: whoever only reads need not load the machines. A test walks the chart
 * with every kind of record in every circumstance and shows that both say the same.
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

/** Where a run stands: the names of the chart's resting states. */
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

/** `standing`: it takes no such command where it stands. */
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

/** Why this run cannot be given the command; null when it can. */
export function runObstacle(
  run: RunRecord,
  circumstances: RunCircumstances,
  command: RunCommandName,
): RunObstacle | null {
  const need = accepted[standingOf(run, circumstances)][command];
  return need === undefined ? 'standing' : need({context: {run, circumstances}});
}

/** Whether a bare `resume` goes on in the session of a run that rests, as far as its record tells. */
export function canGoOnHere(run: RunRecord): boolean {
  const command = {waiting: 'answer', failed: 'sendBack'} as const;
  const asked = run.state === 'waiting' || run.state === 'failed' ? command[run.state] : 'resume';
  return runObstacle(run, {...preparedHere, owner: 'gone'}, asked) === null;
}

/** Whether its agent can be told, in its session, what should be different. */
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
/** A planner whose program would not go on is told everything again. */
const turnSession: Need = (facts) => (runGuards.isSessionRejected(facts) ? 'noSession' : session(facts));
/** A task without a session is told everything again. */
const sessionIfAny: Need = (facts) => (runGuards.hasNoSession(facts) ? place(facts) : session(facts));
/** Checks need no session. */
const sessionOrChecks: Need = (facts) => (runGuards.isUnchecked(facts) ? place(facts) : session(facts));
const processLost: Need = (facts) => (runGuards.isProcessLost(facts) ? null : 'standing');
/** Until the next task began, and not once it is part of the history of the repository. */
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
