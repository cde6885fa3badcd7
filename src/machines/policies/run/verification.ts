import type {AgentRequest} from '../../../services/contracts/agent.ts';
import {messageOf} from '../../../services/contracts/errors.ts';
import type {ProcessIdentity} from '../../../services/contracts/process.ts';
import type {PauseReason, RunRecord} from '../../../services/contracts/run.ts';
import type {Verification} from '../../../services/contracts/verification.ts';
import {howItFailed, isPassed} from './check-words.ts';

/** How the checks of a job run. */
export type CheckRules = {
  /** The commands for every task; they run before those of the plan. */
  readonly commands: readonly string[];
  /** The time limit of one check. */
  readonly milliseconds: number;
  /** How often an agent is sent back after a failed check. */
  readonly rounds: number;
};

export const usualChecks: CheckRules = {commands: [], milliseconds: 10 * 60_000, rounds: 2};

/** One command of one round, about to run. */
export type Check = {
  readonly command: string;
  readonly round: number;
  /** Its position in the round, from 0. */
  readonly place: number;
  readonly logFile: string;
};

/** What can happen to a run while its work is checked. */
export type CheckStep =
  /** The process waits: it is released once this is on disk. */
  | {readonly type: 'checkStarted'; readonly check: Check; readonly identity: ProcessIdentity}
  | {readonly type: 'checkEnded'; readonly check: Check; readonly isTimedOut: boolean}
  | {readonly type: 'checksPaused'; readonly reason: PauseReason}
  /** The agent gets no prompt: only the checks run again. */
  | {readonly type: 'checksResumed'; readonly isReviewed?: boolean}
  /** The agent is told what failed. */
  | {readonly type: 'sentBack'}
  | {readonly type: 'verified'}
  /** A check failed for good; `because` says why the agent could not be told, if that is the reason. */
  | {readonly type: 'unverified'; readonly because?: string};

type Checked = Pick<RunRecord, 'verifications'>;

const lastCheck = ({verifications = []}: Checked): Verification | undefined => verifications.at(-1);

/** A failed check ends its round. An interrupted round starts again with its first check. */
export function roundOf(run: Checked): number {
  const last = lastCheck(run);
  if (last === undefined) return 1;
  return isPassed(last) ? last.round : last.round + 1;
}

/** The check at this position of the round. */
export function checkAt(run: RunRecord, place: number): Check {
  const command = run.verify?.[place];
  if (command === undefined) throw new Error(`Run ${run.run_id} has no check ${place + 1}`);
  const round = roundOf(run);
  return {command, round, place, logFile: `${run.run_id}.check-${round}-${place + 1}.log`};
}

/** Whether the agent's work has to be checked before it counts. */
export const hasChecks = ({verify = []}: Pick<RunRecord, 'verify'>): boolean => verify.length > 0;

/** The agent is done, and the checks are running or next. */
export const isVerifying = ({state, phase}: Pick<RunRecord, 'state' | 'phase'>): boolean =>
  state === 'running' && phase === 'verifying';

/** The check that the agent has to fix; null once the agent says it is done. */
export function failedCheck(run: Checked & Pick<RunRecord, 'checks_due'>): Verification | null {
  const last = lastCheck(run);
  if (last === undefined || isPassed(last) || run.checks_due) return null;
  return last;
}

/** The agent has worked on it before, and was or will be sent back. */
export const isSentBack = (run: RunRecord): boolean =>
  run.segments.length > 0 && run.stood === undefined && failedCheck(run) !== null;

/** The agent can be reached in its own session. */
export const hasSession = ({
  resumable,
  provider,
  provider_dialect,
  provider_session_ref,
}: RunRecord): boolean =>
  resumable && provider_session_ref !== '' && (provider !== 'custom' || provider_dialect !== undefined);

/** Only the checks are left to run. */
export const isUnchecked = ({checks_due}: Pick<RunRecord, 'checks_due'>): boolean => checks_due === true;

/** Why a run failed whose check will not be fixed. */
export function failureText(run: Checked, because = ''): string {
  const last = lastCheck(run);
  if (last === undefined) return `a check failed${because}`;
  const times = last.round === 1 ? '' : ` ${last.round} times`;
  return `the check failed${times}: ${last.command} (${howItFailed(last)})${because}`;
}

/** What the verification chart knows so far. */
export type VerificationFacts = {
  readonly run: RunRecord;
  readonly place: number;
  readonly pause: {readonly reason: PauseReason; readonly presses: number} | null;
  readonly held: ProcessIdentity | null;
  /** `isVoid`: it was asked to stop before it finished. */
  readonly exit: {readonly isVoid: boolean} | null;
  readonly isTimedOut: boolean;
  readonly rounds: number;
};

export const isThrough = ({run, place}: VerificationFacts): boolean => place >= (run.verify ?? []).length;

export const hasFailed = ({run}: VerificationFacts): boolean => failedCheck(run) !== null;

export const hasRoundsLeft = ({run, rounds}: VerificationFacts): boolean =>
  (lastCheck(run)?.round ?? 1) <= rounds;

/** The result does not count: the check was stopped by a pause. */
export const isVoid = ({pause, exit, isTimedOut}: VerificationFacts): boolean =>
  exit === null ? pause !== null && !isTimedOut : exit.isVoid;

export const exited = ({pause, isTimedOut}: VerificationFacts): Pick<VerificationFacts, 'exit'> => ({
  exit: {isVoid: pause !== null && !isTimedOut},
});

/** The first reason counts; each further request only adds urgency. */
export const pausedBy = ({pause}: VerificationFacts, reason: PauseReason): VerificationFacts['pause'] =>
  pause ? {...pause, presses: pause.presses + 1} : {reason, presses: 1};

export const pauseReasonOf = ({pause}: VerificationFacts): PauseReason => pause?.reason ?? 'user_interrupt';

/** The record of the current check. */
export function checkStarted({run, place, held}: VerificationFacts): CheckStep {
  if (held === null) throw new Error('No check is held back');
  return {type: 'checkStarted', check: checkAt(run, place), identity: held};
}

export const checkEnded = ({run, place, isTimedOut}: VerificationFacts): CheckStep => ({
  type: 'checkEnded',
  check: checkAt(run, place),
  isTimedOut,
});

/** The check will not be fixed: no rounds are left, or the agent cannot be told. */
export const checksFailed = ({error}: {readonly error: unknown}): CheckStep => ({
  type: 'unverified',
  ...(error !== undefined && {because: messageOf(error)}),
});

export function sentBackOutput({
  run,
  request,
}: {
  readonly run: RunRecord;
  readonly request: AgentRequest | null;
}): VerificationOutput {
  if (request === null) throw new Error('An agent is sent back with words');
  return {outcome: 'sentBack', run, request};
}

/** `concluded`: the run has settled or ended; the record says how. */
export type VerificationOutput = {readonly run: RunRecord} & (
  | {readonly outcome: 'concluded'}
  | {readonly outcome: 'sentBack'; readonly request: AgentRequest}
  | {readonly outcome: 'error'; readonly error: unknown}
);
