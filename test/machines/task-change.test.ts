import {expect, test} from 'vitest';
import {reviewDiff} from '../../src/machines/actors/task-change.ts';
import type {TreeSpan} from '../../src/services/contracts/changes.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {endedSegment, restingRun} from '../fakes/runs.ts';
import {now} from '../helpers/plans.ts';

/** A change between two trees is told by their names. */
const changes = {
  snapshot: async () => null,
  compose: async (spans: readonly TreeSpan[]): Promise<TreeSpan> => ({
    from: spans[0]?.from ?? '',
    to: spans.at(-1)?.to ?? '',
  }),
  diff: async (from: string, to: string) => `${from}..${to}`,
};

const run = (attempt: number, fields: Partial<RunRecord> = {}): RunRecord =>
  restingRun({
    ...{state: 'succeeded', run_id: `a-${attempt}`, attempt},
    segments: [{...endedSegment(), baseline_tree: `before${attempt}`, result_tree: `after${attempt}`}],
    ...fields,
  });
const decided = {decision_state: 'changes_requested', decision_resolved_at: now} as const;

test.each([
  {name: 'nobody decided before', chain: [run(1)], diff: {task: 'before1..after1', sinceReview: null}},
  {
    name: 'a run before it was decided about',
    chain: [run(1, decided), run(2)],
    diff: {task: 'before1..after2', sinceReview: 'before2..after2'},
  },
  {
    name: 'a pause is no decision',
    chain: [run(1), run(2)],
    diff: {task: 'before1..after2', sinceReview: null},
  },
  {
    name: 'nothing was recorded since',
    chain: [run(1, decided), run(2, {segments: []})],
    diff: {task: 'before1..after1', sinceReview: ''},
  },
  {
    name: 'it was decided about itself',
    chain: [run(1, decided)],
    diff: {task: 'before1..after1', sinceReview: ''},
  },
])('what a reviewer reads where $name', async ({chain, diff}) => {
  expect(await reviewDiff(changes, [chain])).toEqual(diff);
});
