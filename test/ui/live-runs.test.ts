import {expect, test} from 'vitest';
import {createLiveRuns} from '../../src/ui/live-runs.ts';
import {runRecord} from '../fakes/runs.ts';

const message = (text: string) => ({type: 'activity', activity: {kind: 'message', text}}) as const;

function twoRuns() {
  let time = 1_000;
  const live = createLiveRuns(() => time);
  live.begin(runRecord({run_id: 'a-1', task_id: 'a'}));
  live.begin(runRecord({run_id: 'b-1', task_id: 'b', usage: {input_tokens: 5, output_tokens: 1}}));
  return {
    live,
    passTime: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

test('two runs at once have separate logs', () => {
  const {live, passTime} = twoRuns();
  passTime(500);
  live.addNews('a-1', message('reads'));
  live.addNews('b-1', {type: 'usage', usage: {input_tokens: 7, output_tokens: 2}});
  live.addOutput('a-1', 'one\ntw');
  live.addOutput('b-1', 'three\n');
  live.addOutput('a-1', 'o\n');
  const [a, b] = [live.of('a-1'), live.of('b-1')];
  expect([a?.activity.slice(0, 9), b?.activity.slice(0, 9)]).toEqual([
    [{at: 1_500, kind: 'message', text: 'reads'}],
    [],
  ]);
  expect([a?.raw.slice(0, 9), b?.raw.slice(0, 9)]).toEqual([['one', 'two'], ['three']]);
  expect([a?.usage, b?.usage]).toEqual([null, {input_tokens: 7, output_tokens: 2}]);
});

test('an ended run keeps its log until another starts, a running one keeps it longer', () => {
  const {live} = twoRuns();
  live.end('a-1');
  expect(live.of('a-1')).not.toBe(null);
  live.begin(runRecord({run_id: 'c-1', task_id: 'c'}));
  expect(['a-1', 'b-1', 'c-1'].map((id) => live.of(id) !== null)).toEqual([false, true, true]);
});

test('a continued run starts with an empty log', () => {
  const {live} = twoRuns();
  live.addOutput('a-1', 'half a line');
  live.end('a-1');
  live.begin(runRecord({run_id: 'a-1', task_id: 'a'}));
  live.addOutput('a-1', 'whole\n');
  expect(live.of('a-1')?.raw.slice(0, 9)).toEqual(['whole']);
});

test('output of an unknown run is ignored', () => {
  const {live} = twoRuns();
  live.addOutput('z-1', 'text\n');
  live.addNews('z-1', message('hello'));
  expect([live.of('z-1'), live.of(undefined)]).toEqual([null, null]);
});
