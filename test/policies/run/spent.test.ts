import {expect, test} from 'vitest';
import {usageSoFar} from '../../../src/machines/policies/run/spent.ts';

const used = (input_tokens: number, output_tokens: number, cost_usd?: number) => ({
  input_tokens,
  output_tokens,
  ...(cost_usd === undefined ? {} : {cost_usd}),
});

test.each([
  {name: 'a first agent: what it reports', run: {}, told: used(10, 2, 0.5), so: used(10, 2, 0.5)},
  {
    name: 'a later agent that reports only itself: added to those before',
    run: {usage: used(100, 20, 1)},
    told: used(10, 2, 0.5),
    so: used(110, 22, 1.5),
  },
  {
    name: 'an agent that reports a cost after one that did not',
    run: {usage: used(100, 20)},
    told: used(10, 2, 0.5),
    so: used(110, 22, 0.5),
  },
  {
    name: 'a first agent that reports its whole session: what it reports',
    isWholeSession: true,
    run: {},
    told: used(10, 2),
    so: used(10, 2),
  },
  {
    name: 'a later agent that reports its whole session: nothing counted twice',
    isWholeSession: true,
    run: {usage: used(100, 20), session_usage: used(100, 20)},
    told: used(110, 22),
    so: used(110, 22),
  },
  {
    name: 'a session that other runs used too: without their part',
    isWholeSession: true,
    run: {session_usage: used(400, 80)},
    told: used(410, 82),
    so: used(10, 2),
  },
  {
    name: 'a session that another run and this one used: only the increase',
    isWholeSession: true,
    run: {usage: used(100, 20), session_usage: used(500, 100)},
    told: used(510, 102),
    so: used(110, 22),
  },
  {
    name: 'an older record, whose usage was that of the session',
    isWholeSession: true,
    run: {usage: used(100, 20)},
    told: used(110, 22),
    so: used(110, 22),
  },
  {
    name: 'a session that counts from zero again: never less than before',
    isWholeSession: true,
    run: {usage: used(100, 20), session_usage: used(100, 20)},
    told: used(10, 2),
    so: used(100, 20),
  },
])('what a run has used so far: $name', ({run, told, isWholeSession = false, so}) => {
  expect(usageSoFar(run, told, isWholeSession)).toEqual(so);
});
