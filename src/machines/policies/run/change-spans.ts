import type {TreeSpan} from '../../../services/contracts/changes.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {compareTimestamps} from '../text/timestamps.ts';

/** What one agent process or check did to the files, as far as its start and end were recorded. */
type Part = {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly at: string;
  readonly isCheck?: true;
};

/** A span of work and when it began. */
export type TimedSpan = TreeSpan & {readonly at: string};

/**
 * The spans of work in a chain of runs, oldest first. `now` is the current tree, for a span that has not ended. If an
 * end is missing in between, the next start replaces it: too much is better than too little.
 */
export function spansOf(chain: readonly RunRecord[], now: string | null = null): TimedSpan[] {
  const all = chain.flatMap(partsOf);
  // Files that a check wrote belong to the task only if an agent worked on after it.
  const parts = all.slice(0, all.findLastIndex(({isCheck}) => !isCheck) + 1);
  return parts.flatMap(({from, to, at}, place) => {
    const next = parts.slice(place + 1).find((part) => part.from !== undefined);
    const end = to ?? (next === undefined ? now : next.from);
    return from === undefined || end === undefined || end === null ? [] : [{from, to: end, at}];
  });
}

/** Whether the last span of work has started but has no recorded end. */
export function isUnfinished(chain: readonly RunRecord[]): boolean {
  const last = chain.flatMap(partsOf).findLast(({isCheck}) => !isCheck);
  return last !== undefined && last.from !== undefined && last.to === undefined;
}

/** Whether a run that has ended has no trees to compare; its summary says why. */
export const isUnrecorded = (run: RunRecord): boolean =>
  run.review_summary?.note !== undefined && spansOf([run]).length === 0;

/** Everything a run did to the files, its checks included, where both ends are known. */
export const recordedSpans = (run: RunRecord): TimedSpan[] =>
  partsOf(run).flatMap(({from, to, at}) => (from === undefined || to === undefined ? [] : [{from, to, at}]));

/** What is left of a time between two trees without these spans: nobody recorded it. */
export function gapsAround(from: string, spans: readonly TimedSpan[], to: string): TreeSpan[] {
  const sorted = inOrder(spans);
  const [starts, ends] = [
    [from, ...sorted.map((span) => span.to)],
    [...sorted.map((span) => span.from), to],
  ];
  return starts
    .map((start, place) => ({from: start, to: ends[place] ?? to}))
    .filter((gap) => gap.from !== gap.to);
}

/** The work of several tasks in chronological order. */
export const inOrder = (spans: readonly TimedSpan[]): TimedSpan[] =>
  spans.toSorted((a, b) => compareTimestamps(a.at, b.at));

function partsOf(run: RunRecord): Part[] {
  const {segments, state, baseline_tree: from, result_tree, created_at: at} = run;
  if (segments.every(({baseline_tree}) => baseline_tree === undefined)) {
    // Written by an earlier version. A tree recorded at a pause says nothing about the work since then.
    const to = state === 'running' ? undefined : result_tree;
    return segments.length === 0 && state === 'canceled' ? [] : [{from, to, at}];
  }
  return segments.flatMap(({baseline_tree, result_tree: to, started_at}, place) => [
    {from: baseline_tree ?? (place === 0 ? from : undefined), to, at: started_at},
    ...checksAfter(run, place),
  ]);
}

/** The checks that ran between this agent process and the next one. */
function checksAfter({segments, verifications = []}: RunRecord, place: number): Part[] {
  const placeOf = (at: string) =>
    Math.max(
      0,
      segments.findLastIndex(({started_at}) => compareTimestamps(started_at, at) < 0),
    );
  return verifications.flatMap(({tree: from, result_tree: to, started_at: at}) =>
    from && to && placeOf(at) === place ? [{from, to, at, isCheck: true} as const] : [],
  );
}
