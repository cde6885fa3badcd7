import type {TreeSpan} from '../../../services/contracts/changes.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {compareTimestamps} from '../text/timestamps.ts';

/** What one agent process or check did to the files, as far as its ends were recorded. */
type Part = {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly at: string;
  readonly isCheck?: true;
};

/** A stretch of work and when it began. */
export type TimedSpan = TreeSpan & {readonly at: string};

/**
 * The stretches of work of a chain of runs, oldest first. `now` is the tree of the files for a stretch that has
 * no end yet. Where an end is missing in between, the next beginning stands for it: too much rather than too little.
 */
export function spansOf(chain: readonly RunRecord[], now: string | null = null): TimedSpan[] {
  const all = chain.flatMap(partsOf);
  // What a check wrote is of the task once an agent went on with it; what the last ones left is nobody's work.
  const parts = all.slice(0, all.findLastIndex(({isCheck}) => !isCheck) + 1);
  return parts.flatMap(({from, to, at}, place) => {
    const next = parts.slice(place + 1).find((part) => part.from !== undefined);
    const end = to ?? (next === undefined ? now : next.from);
    return from === undefined || end === undefined || end === null ? [] : [{from, to: end, at}];
  });
}

/** Whether the last stretch of work has begun and its end is not recorded. */
export function isUnfinished(chain: readonly RunRecord[]): boolean {
  const last = chain.flatMap(partsOf).findLast(({isCheck}) => !isCheck);
  return last !== undefined && last.from !== undefined && last.to === undefined;
}

/** Whether a run that has ended has nothing to be compared: its summary says why. */
export const isUnrecorded = (run: RunRecord): boolean =>
  run.review_summary?.note !== undefined && spansOf([run]).length === 0;

/** The work of several tasks in the order in which it was done. */
export const inOrder = (spans: readonly TimedSpan[]): TimedSpan[] =>
  spans.toSorted((a, b) => compareTimestamps(a.at, b.at));

function partsOf(run: RunRecord): Part[] {
  const {segments, state, baseline_tree: from, result_tree, created_at: at} = run;
  if (segments.every(({baseline_tree}) => baseline_tree === undefined)) {
    // Recorded by an earlier version. What it recorded at a pause says nothing of what it has done since.
    const to = state === 'running' ? undefined : result_tree;
    return segments.length === 0 && state === 'canceled' ? [] : [{from, to, at}];
  }
  return segments.flatMap(({baseline_tree, result_tree: to, started_at}, place) => [
    {from: baseline_tree ?? (place === 0 ? from : undefined), to, at: started_at},
    ...checksAfter(run, place),
  ]);
}

/** The checks of what one agent process did: they came before the next one began. */
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
