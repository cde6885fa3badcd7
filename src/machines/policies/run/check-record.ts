import type {RunRecord} from '../../../services/contracts/run.ts';
import type {Verification} from '../../../services/contracts/verification.ts';
import {mergeSideEffects} from '../review/side-effects.ts';
import {isPassed} from './check-words.ts';
import {pausedFor, relaunched} from './relaunch.ts';
import {recordedIdentity, type SegmentTrace} from './run-step.ts';
import type {CheckStep} from './verification.ts';

type Step<Type extends CheckStep['type']> = Extract<CheckStep, {type: Type}>;

export function applyCheckStep(
  run: RunRecord,
  step: Step<'checkStarted' | 'checkEnded' | 'checksPaused' | 'checksResumed' | 'sentBack'>,
  now: string,
  trace: SegmentTrace,
): RunRecord {
  switch (step.type) {
    case 'checkStarted':
      return started(run, step, now, trace);
    case 'checkEnded':
      return ended(run, step, now, trace);
    case 'checksPaused':
      return {...checked(run, trace, {isDue: run.checks_due === true}), ...pausedFor(run, step.reason, now)};
    case 'checksResumed': {
      const {isReviewed} = step;
      const reviewed = isReviewed === undefined ? {} : {isReviewed};
      return {
        ...relaunched(run, {type: 'relaunched', ...reviewed}, trace),
        phase: 'verifying',
        checks_due: true,
      };
    }
    case 'sentBack':
      return {...checked(run, trace), phase: 'launching'};
  }
}

function started(
  run: RunRecord,
  {check: {command, round, place, logFile}, identity}: Step<'checkStarted'>,
  now: string,
  {check}: SegmentTrace,
): RunRecord {
  const earlier = run.verifications?.filter((each) => each.round < round);
  return {
    ...run,
    // A new round starts: results of an interrupted one no longer count.
    ...(place === 0 && earlier && {verifications: earlier}),
    check: {
      command,
      round,
      started_at: now,
      log_file: logFile,
      ...(check?.tree && {tree: check.tree}),
      ...recordedIdentity(identity),
    },
  };
}

function ended(
  {check: live, checks_due, ...run}: RunRecord,
  {check: {command, logFile, ...check}, isTimedOut}: Step<'checkEnded'>,
  now: string,
  {check: {ending = null, seconds = 0, reason = '', tree} = {}}: SegmentTrace,
): RunRecord {
  const verification: Verification = {
    command,
    round: live?.round ?? check.round,
    started_at: live?.started_at ?? now,
    seconds,
    // A check that hit its time limit has failed, whatever its exit code.
    exit_code: isTimedOut ? null : (ending?.exitCode ?? null),
    signal: ending?.signal ?? null,
    ...(isTimedOut && {timed_out: true}),
    ...(reason !== '' && {not_started: true}),
    tail: ending?.tail ?? reason,
    log_file: logFile,
    log_digest: ending?.logDigest ?? '',
    ...(ending?.isLogTruncated && {log_truncated: true}),
    ...(live?.tree && {tree: live.tree}),
    ...(tree && {result_tree: tree}),
  };
  const verifications = [...(run.verifications ?? []), verification];
  // The agent has to fix the failure before anything is checked again.
  return {...run, verifications, ...(isPassed(verification) && checks_due && {checks_due})};
}

/** No check is running, and the round is over. */
export function checked(
  {phase: _, stood: __, check: ___, checks_due: ____, ...run}: RunRecord,
  {check: {sideEffects = []} = {}}: SegmentTrace,
  {isDue = false} = {},
): RunRecord {
  const effects = mergeSideEffects([], [], [...(run.side_effects ?? []), ...sideEffects]);
  return {
    ...run,
    ...(effects.length > 0 && {side_effects: effects}),
    ...(isDue && {checks_due: true}),
  };
}
