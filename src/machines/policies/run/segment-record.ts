import type {Usage} from '../../../services/contracts/agent.ts';
import type {RunRecord, Segment} from '../../../services/contracts/run.ts';
import type {RunStep, SegmentEnd, SegmentTrace, SegmentWork} from './run-step.ts';
import {recordedIdentity} from './run-step.ts';
import {plusUsage, usageSince} from './spent.ts';
import {withoutPendingDigest} from './task-digest.ts';

/** The record of a run without a live agent: no phase, no earlier state, and an end for the last segment. */
export function resting(run: RunRecord, {end = null, work}: SegmentTrace, now: string): RunRecord {
  const {phase: _, stood: __, ...told} = withoutPendingDigest(run);
  const kept = {...told, segments: told.segments.map(({surroundings: _, ...segment}) => segment)};
  const rest = work === undefined ? kept : withWork(kept, work);
  if (end === null) return rest;
  const used = usageOf(run, end);
  const last = rest.segments.at(-1);
  const ended = last && {
    ...last,
    ended_at: now,
    exit_code: end.exitCode,
    signal: end.signal,
    ...(end.isLogTruncated && {log_truncated: true}),
    ...(used && {usage: used}),
  };
  return {
    ...rest,
    segments: ended ? [...rest.segments.slice(0, -1), ended] : rest.segments,
    stdout: end.stdout,
    stderr: end.stderr,
    exit_code: end.exitCode,
    ...(used && {usage: plusUsage(run.segments.length > 1 ? run.usage : undefined, used)}),
    ...(end.usage && end.isWholeSession && {session_usage: end.usage}),
  };
}

/** The usage of the last process. Agents that count per session include earlier processes. */
function usageOf(
  {session_usage, usage, segments}: RunRecord,
  {usage: told, isWholeSession}: SegmentEnd,
): Usage | undefined {
  if (told === undefined || !isWholeSession) return told;
  // Records of earlier versions have the usage of the whole session.
  const before = session_usage ?? (segments.length > 1 ? usage : undefined);
  return before ? usageSince(told, before) : told;
}

function withWork(
  {result_tree: _, side_effects: __, ...kept}: RunRecord,
  {tree, summary, sideEffects = []}: SegmentWork,
): RunRecord {
  const run = sideEffects.length === 0 ? kept : {...kept, side_effects: [...sideEffects]};
  if (tree === null) return {...run, review_summary: summary};
  const segments = run.segments.map((segment, place) =>
    // An agent that could not be started has no segment, so the last one is older.
    place === run.segments.length - 1 && segment.baseline_tree !== undefined
      ? {result_tree: tree, ...segment}
      : segment,
  );
  return {...run, segments, result_tree: tree, review_summary: summary};
}

export function newSegment(
  {identity, argv}: Extract<RunStep, {type: 'segmentStarted'}>,
  {host = '', baselineTree = null, surroundings}: SegmentTrace,
  now: string,
): Segment {
  return {
    ...recordedIdentity(identity),
    host,
    argv: [...argv],
    started_at: now,
    ...(baselineTree === null ? {} : {baseline_tree: baselineTree}),
    ...(surroundings && {surroundings}),
  };
}
