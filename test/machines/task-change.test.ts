import {describe, expect, test} from 'vitest';
import {lateChanges} from '../../src/machines/actors/late-changes.ts';
import {reviewDiff} from '../../src/machines/actors/task-change.ts';
import type {ChangedFile, TreeSpan} from '../../src/services/contracts/changes.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {endedSegment, restingRun} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';
import {now, planOf, task} from '../helpers/plans.ts';

/** A change between two trees is shown by their names. */
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
    state: 'succeeded',
    run_id: `a-${attempt}`,
    attempt,
    segments: [{...endedSegment(), baseline_tree: `before${attempt}`, result_tree: `after${attempt}`}],
    ...fields,
  });
const decided = {decision_state: 'changes_requested', decision_resolved_at: now} as const;

test.each([
  {name: 'nothing was decided before', chain: [run(1)], diff: {task: 'before1..after1', sinceReview: null}},
  {
    name: 'an earlier run was decided',
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
    name: 'it was decided itself',
    chain: [run(1, decided)],
    diff: {task: 'before1..after1', sinceReview: ''},
  },
])('what a reviewer reads when $name', async ({chain, diff}) => {
  expect(await reviewDiff(changes, [chain])).toEqual(diff);
});

describe('what changed between the end of the agent and the approval', () => {
  /** A tree is the content of its files, one letter each. */
  const files = (...differing: readonly string[]) => differing.map((file) => ({path: file}) as ChangedFile);
  const late = async (trees: {now: string | null; others?: readonly RunRecord[]; error?: Error}) => {
    const ended = run(1, {segments: [{...endedSegment(), baseline_tree: '000', result_tree: '100'}]});
    const plan = planOf(task('a'), task('b', {updatedAt: now}));
    const fake = createFakeServices({plan, runs: [ended, ...(trees.others ?? [])]});
    return lateChanges(
      {
        ...fake.services,
        changes: {
          ...fake.services.changes,
          snapshot: async () => trees.now,
          files: async (from, to) => {
            if (trees.error) throw trees.error;
            return files(...['x', 'y', 'z'].filter((_, place) => from[place] !== to[place]));
          },
        },
        surroundings: {
          ...fake.services.surroundings,
          writtenSince: async () => ({count: 1, names: ['x']}),
        },
      },
      ended,
    );
  };
  const text = (names: string) => ({
    kind: 'late_changes',
    text: `changed after the agent ended, and not part of what you approved: ${names}`,
  });
  const other = (from: string, to: string, at: number) =>
    restingRun({
      state: 'succeeded',
      task_id: 'b',
      run_id: `b-${at}`,
      attempt: at,
      segments: [
        {...endedSegment(), started_at: `2026-02-03T00:00:0${at}Z`, baseline_tree: from, result_tree: to},
      ],
    });

  test.each([
    {name: 'nothing', trees: {now: '100'}, told: null},
    {name: 'a file', trees: {now: '110'}, told: text('y')},
    {name: 'what another run did', trees: {now: '110', others: [other('100', '110', 1)]}, told: null},
    {
      name: 'a file beside what two other runs did',
      trees: {now: '222', others: [other('101', '201', 1), other('201', '221', 2)]},
      told: text('z'),
    },
    {
      name: 'a file that another run changed before',
      trees: {now: '130', others: [other('100', '120', 1)]},
      told: text('y'),
    },
    {
      name: 'what cannot be looked at',
      trees: {now: null},
      told: text('unknown files (git could not look at the files); written since: x'),
    },
    {
      name: 'what cannot be listed',
      trees: {now: '110', error: new Error('no object')},
      told: text('unknown files (no object); written since: x'),
    },
  ])('$name', async ({trees, told}) => {
    expect(await late(trees)).toEqual(told);
  });
});
