import type {AgentRequest} from '../../../services/contracts/agent.ts';
import {messageOf} from '../../../services/contracts/errors.ts';
import type {ProcessIdentity} from '../../../services/contracts/process.ts';
import type {PauseReason, RunRecord} from '../../../services/contracts/run.ts';
import type {Verification} from '../../../services/contracts/verification.ts';
import {howItFailed, isPassed} from './check-words.ts';

/** How the checks of a job are made. */
export type CheckRules = {
  /** What every task is checked with, before what the plan says. */
  readonly commands: readonly string[];
  /** One check may take so long. */
  readonly milliseconds: number;
  /** So often an agent is sent back with a check that failed. */
  readonly rounds: number;
};

export const usualChecks: CheckRules = {commands: [], milliseconds: 10 * 60_000, rounds: 2};

/** One command of one round, as it is about to be run. */
export type Check = {
  readonly command: string;
  readonly round: number;
  /** Its place in the round, from 0. */
  readonly place: number;
  readonly logFile: string;
};

/** What can happen to a run while its work is checked. */
export type CheckStep =
  /** Held back: it is told to go once this is on disk. */
  | {readonly type: 'checkStarted'; readonly check: Check; readonly identity: ProcessIdentity}
  | {readonly type: 'checkEnded'; readonly check: Check; readonly isTimedOut: boolean}
  | {readonly type: 'checksPaused'; readonly reason: PauseReason}
  /** Nothing is said to its agent: only the checks are made again. */
  | {readonly type: 'checksResumed'; readonly isReviewed?: boolean}
  /** Its agent is told what failed. */
  | {readonly type: 'sentBack'}
  | {readonly type: 'verified'}
  /** A check failed, and nobody mends it; `because` the agent could not be told, where that is why. */
  | {readonly type: 'unverified'; readonly because?: string};

type Checked = Pick<RunRecord, 'verifications'>;

const lastCheck = ({verifications = []}: Checked): Verification | undefined => verifications.at(-1);

/** A check that failed ends its round; one that was cut short is made again from its first check. */
export function roundOf(run: Checked): number {
  const last = lastCheck(run);
  if (last === undefined) return 1;
  return isPassed(last) ? last.round : last.round + 1;
}

/** The check that stands at this place of the round. */
export function checkAt(run: RunRecord, place: number): Check {
  const command = run.verify?.[place];
  if (command === undefined) throw new Error(`Run ${run.run_id} has no check ${place + 1}`);
  const round = roundOf(run);
  return {command, round, place, logFile: `${run.run_id}.check-${round}-${place + 1}.log`};
}

/** Whether what its agent did is to be checked before it counts. */
export const hasChecks = ({verify = []}: Pick<RunRecord, 'verify'>): boolean => verify.length > 0;

/** Its agent has done its work, and the checks are being made or are next. */
export const isVerifying = ({state, phase}: Pick<RunRecord, 'state' | 'phase'>): boolean =>
  state === 'running' && phase === 'verifying';

/** The check that its agent has to mend; none once the agent said that it is done. */
export function failedCheck(run: Checked & Pick<RunRecord, 'checks_due'>): Verification | null {
  const last = lastCheck(run);
  if (last === undefined || isPassed(last) || run.checks_due) return null;
  return last;
}

/** Its agent has worked on it before, and was sent back, or is to be. */
export const isSentBack = (run: RunRecord): boolean =>
  run.segments.length > 0 && run.stood === undefined && failedCheck(run) !== null;

/** Its agent can be told something in its own session. */
export const hasSession = ({
  resumable,
  provider,
  provider_dialect,
  provider_session_ref,
}: RunRecord): boolean =>
  resumable && provider_session_ref !== '' && (provider !== 'custom' || provider_dialect !== undefined);

/** Only the checks are left to be made. */
export const isUnchecked = ({checks_due}: Pick<RunRecord, 'checks_due'>): boolean => checks_due === true;

/** Why a run failed whose check nobody mends any more. */
export function failureText(run: Checked, because = ''): string {
  const last = lastCheck(run);
  if (last === undefined) return `a check failed${because}`;
  const times = last.round === 1 ? '' : ` ${last.round} times`;
  return `the check failed${times}: ${last.command} (${howItFailed(last)})${because}`;
}

/** What the chart of the checks knows so far. */
export type VerificationFacts = {
  readonly run: RunRecord;
  readonly place: number;
  readonly pause: {readonly reason: PauseReason; readonly presses: number} | null;
  readonly held: ProcessIdentity | null;
  /** `isVoid`: it was asked to stop before it came to its end. */
  readonly exit: {readonly isVoid: boolean} | null;
  readonly isTimedOut: boolean;
  readonly rounds: number;
};

export const isThrough = ({run, place}: VerificationFacts): boolean => place >= (run.verify ?? []).length;

export const hasFailed = ({run}: VerificationFacts): boolean => failedCheck(run) !== null;

export const hasRoundsLeft = ({run, rounds}: VerificationFacts): boolean =>
  (lastCheck(run)?.round ?? 1) <= rounds;

/** Whatever it came to does not count: it was stopped for a pause. */
export const isVoid = ({pause, exit, isTimedOut}: VerificationFacts): boolean =>
  exit === null ? pause !== null && !isTimedOut : exit.isVoid;

export const exited = ({pause, isTimedOut}: VerificationFacts): Pick<VerificationFacts, 'exit'> => ({
  exit: {isVoid: pause !== null && !isTimedOut},
});

/** The first reason stands; every further one is haste. */
export const pausedBy = ({pause}: VerificationFacts, reason: PauseReason): VerificationFacts['pause'] =>
  pause ? {...pause, presses: pause.presses + 1} : {reason, presses: 1};

export const pauseReasonOf = ({pause}: VerificationFacts): PauseReason => pause?.reason ?? 'user_interrupt';

/** What is written of the check at hand. */
export function checkStarted({run, place, held}: VerificationFacts): CheckStep {
  if (held === null) throw new Error('No check is held back');
  return {type: 'checkStarted', check: checkAt(run, place), identity: held};
}

export const checkEnded = ({run, place, isTimedOut}: VerificationFacts): CheckStep => ({
  type: 'checkEnded',
  check: checkAt(run, place),
  isTimedOut,
});

/** Nobody mends the check: the rounds are over, or something keeps the agent from being told. */
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

/** `concluded`: the run came to rest, or ended; the record says how. */
export type VerificationOutput = {readonly run: RunRecord} & (
  | {readonly outcome: 'concluded'}
  | {readonly outcome: 'sentBack'; readonly request: AgentRequest}
  | {readonly outcome: 'error'; readonly error: unknown}
);
