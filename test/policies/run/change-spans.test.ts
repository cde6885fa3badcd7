import {expect, test} from 'vitest';
import {inOrder, isUnfinished, spansOf} from '../../../src/machines/policies/run/change-spans.ts';
import type {RunRecord, Segment} from '../../../src/services/contracts/run.ts';
import type {Verification} from '../../../src/services/contracts/verification.ts';
import {endedSegment, restingRun, runRecord} from '../../fakes/runs.ts';

const piece = (baseline_tree?: string, result_tree?: string): Segment => ({
  ...endedSegment(),
  ...(baseline_tree === undefined ? {} : {baseline_tree}),
  ...(result_tree === undefined ? {} : {result_tree}),
});

const run = (segments: readonly Segment[], fields: Partial<RunRecord> = {}): RunRecord =>
  restingRun({state: 'succeeded', segments: [...segments], ...fields});

/** Agents start on even hours, checks on odd ones. */
const hour = (number: number) => `2026-01-01T0${number}:00:00Z`;
const begun = (at: number, segment: Segment): Segment => ({...segment, started_at: hour(at)});
const check = (at: number, tree: string, result_tree?: string): Verification => ({
  command: 'test',
  round: 1,
  started_at: hour(at),
  seconds: 1,
  exit_code: 1,
  signal: null,
  tail: '',
  log_file: 'a.log',
  log_digest: '',
  tree,
  ...(result_tree === undefined ? {} : {result_tree}),
});

const trees = (baseline_tree: string, result_tree?: string) => ({
  baseline_tree,
  ...(result_tree === undefined ? {} : {result_tree}),
});

test.each([
  {name: 'a run: its segments', chain: [run([piece('a', 'b'), piece('c', 'd')])], spans: ['a-b', 'c-d']},
  {
    name: 'a chain: the segments of all runs',
    chain: [run([piece('a', 'b')]), run([piece('c', 'd')])],
    spans: ['a-b', 'c-d'],
  },
  {name: 'an older record: its two trees', chain: [run([piece()], trees('a', 'b'))], spans: ['a-b']},
  {
    name: 'an older record that was resumed: from its start to where it was resumed',
    chain: [run([piece(), piece(), piece('c', 'd')], trees('a', 'd'))],
    spans: ['a-c', 'c-d'],
  },
  {
    name: 'a segment without an end: up to the next start',
    chain: [run([piece('a')]), run([piece('c', 'd')])],
    spans: ['a-c', 'c-d'],
  },
  {name: 'a last segment without an end: up to now', chain: [run([piece('a')])], spans: ['a-now']},
  {name: 'a last segment with an end: not up to now', chain: [run([piece('a', 'b')])], spans: ['a-b']},
  {
    name: 'an older record that is running again: up to now',
    chain: [runRecord({segments: [piece()], ...trees('a', 'stale')})],
    spans: ['a-now'],
  },
  {
    name: 'a run that never started: nothing',
    chain: [run([], {state: 'canceled', ...trees('a')}), run([piece('c', 'd')])],
    spans: ['c-d'],
  },
  {
    name: 'a run that was sent back: including what its checks wrote, but not what came after them',
    chain: [
      run([begun(0, piece('a', 'b')), begun(2, piece('e', 'f')), begun(4, piece('h', 'i'))], {
        verifications: [check(1, 'b', 'c'), check(1, 'c', 'd'), check(3, 'f', 'g')],
      }),
    ],
    spans: ['a-b', 'b-c', 'c-d', 'e-f', 'f-g', 'h-i'],
  },
  {
    name: 'a run that got feedback: including what the checks before it wrote',
    chain: [
      run([begun(0, piece('a', 'b'))], {verifications: [check(1, 'b', 'c')]}),
      run([begun(2, piece('d', 'e'))]),
    ],
    spans: ['a-b', 'b-c', 'd-e'],
  },
  {
    name: 'checks that no run followed: not what they wrote',
    chain: [run([begun(0, piece('a', 'b'))], {verifications: [check(1, 'b', 'c')]})],
    spans: ['a-b'],
  },
  {
    name: 'a check whose end was not recorded: not what it wrote',
    chain: [run([begun(0, piece('a', 'b')), begun(2, piece('c', 'd'))], {verifications: [check(1, 'b')]})],
    spans: ['a-b', 'c-d'],
  },
  {name: 'files that were never recorded: nothing', chain: [run([piece()])], spans: []},
])('the spans of $name', ({chain, spans}) => {
  expect(spansOf(chain, 'now').map(({from, to}) => `${from}-${to}`)).toEqual(spans);
});

test('without a snapshot of the files, a span without an end is left out', () => {
  expect(spansOf([run([piece('a')])])).toEqual([]);
});

test.each([
  {name: 'no end', chain: [run([piece('a', 'b'), piece('c')])], is: true},
  {name: 'an end', chain: [run([piece('a'), piece('c', 'd')])], is: false},
  {
    name: 'an end and checks',
    chain: [run([begun(0, piece('a', 'b'))], {verifications: [check(1, 'b', 'c')]})],
    is: false,
  },
  {
    name: 'no end and checks before',
    chain: [run([begun(0, piece('a', 'b')), begun(2, piece('c'))], {verifications: [check(1, 'b', 'c')]})],
    is: true,
  },
  {name: 'neither start nor end', chain: [run([piece()])], is: false},
  {name: 'no run', chain: [], is: false},
])('a chain whose last span has $name is unfinished: $is', ({chain, is}) => {
  expect(isUnfinished(chain)).toBe(is);
});

test('spans of several tasks are in order of time, whatever their clock offsets', () => {
  const [early, late] = [
    {from: 'a', to: 'b', at: '2026-01-01T12:00:00+02:00'},
    {from: 'c', to: 'd', at: '2026-01-01T11:00:00Z'},
  ] as const;
  expect(inOrder([late, early])).toEqual([early, late]);
});
