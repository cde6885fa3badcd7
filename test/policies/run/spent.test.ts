import {expect, test} from 'vitest';
import {usageSoFar} from '../../../src/machines/policies/run/spent.ts';

const used = (input_tokens: number, output_tokens: number, cost_usd?: number) => ({
  ...{input_tokens, output_tokens},
  ...(cost_usd === undefined ? {} : {cost_usd}),
});

test.each([
  {name: 'a first agent: what it tells', run: {}, told: used(10, 2, 0.5), so: used(10, 2, 0.5)},
  {
    name: 'a later agent that counts itself: on top of those before',
    run: {usage: used(100, 20, 1)},
    told: used(10, 2, 0.5),
    so: used(110, 22, 1.5),
  },
  {
    name: 'an agent that tells a cost after one that told none',
    run: {usage: used(100, 20)},
    told: used(10, 2, 0.5),
    so: used(110, 22, 0.5),
  },
  {
    name: 'a first agent that counts its whole session: what it tells',
    isWholeSession: true,
    run: {},
    told: used(10, 2),
    so: used(10, 2),
  },
  {
    name: 'a later one that counts its whole session: nothing twice',
    isWholeSession: true,
    run: {usage: used(100, 20), session_usage: used(100, 20)},
    told: used(110, 22),
    so: used(110, 22),
  },
  {
    name: 'a session that other runs used, too: their part is not its own',
    isWholeSession: true,
    run: {session_usage: used(400, 80)},
    told: used(410, 82),
    so: used(10, 2),
  },
  {
    name: 'a session that another run and this one used: only what is new on top',
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
    name: 'a session that counts from nothing again: never less than before',
    isWholeSession: true,
    run: {usage: used(100, 20), session_usage: used(100, 20)},
    told: used(10, 2),
    so: used(100, 20),
  },
])('what a run has used by now: $name', ({run, told, isWholeSession = false, so}) => {
  expect(usageSoFar(run, told, isWholeSession)).toEqual(so);
});
