import {describe, expect, test} from 'vitest';
import {resolveConfig} from '../../../src/machines/policies/config-resolution.ts';
import type {Draw} from '../../../src/machines/policies/simulation/draws.ts';
import {
  knowsAll,
  type Night,
  nightRules,
  nightsToLive,
  playNight,
} from '../../../src/machines/policies/simulation/night.ts';
import {nightBoard} from '../../../src/machines/policies/simulation/night-board.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {family, planOf, task} from '../../helpers/plans.ts';

// That the rules match the machines is tested in test/cli/simulate.heavy.test.ts.

const noon = new Date(2026, 0, 5, 12, 0).getTime();
const configOf = (execution: object) =>
  resolveConfig([{name: 'project', file: 'config.json', content: {execution}}]);

function night(
  plan: Plan,
  {minutes = 10, outcome = 'done', execution = {}, limit = null}: NightOptions = {},
) {
  const drawOf = (): Draw => ({
    outcome,
    milliseconds: minutes * 60_000,
    costUsd: 1,
  });
  const rules = nightRules(configOf(execution), limit);
  const {order, reason, milliseconds} = playNight(nightBoard(plan), rules, drawOf, noon);
  return {order: order.join(', '), reason, minutes: milliseconds / 60_000};
}
type NightOptions = {
  minutes?: number;
  outcome?: Draw['outcome'];
  execution?: object;
  limit?: {fromMinute: number; minutes: number} | null;
};

describe('a night', () => {
  test('with a parent that was done before a child was added: its dependents wait for the child', () => {
    const plan = planOf(family(task('p', {status: 'done'}), task('a')), task('b', {deps: ['p']}));
    expect(night(plan).order).toBe('a, review of p, b');
  });

  test('with a parent whose descendants are all done: it needs no review, and its dependents start', () => {
    const plan = planOf(family(task('p'), task('a', {status: 'done'})), task('b', {deps: ['p']}));
    expect(night(plan).order).toBe('b');
  });

  test('with a parent marked done above one that is: its dependents wait for what is left', () => {
    const plan = planOf(
      task('b', {deps: ['p']}),
      family(task('p', {status: 'done'}), family(task('q'), task('c', {status: 'done'})), task('a')),
    );
    expect(night(plan).order).toBe('a, review of p, b');
  });

  test('retries failed tasks, but not at a checkpoint', () => {
    const options = {outcome: 'failed', execution: {retries: 2}} as const;
    expect(night(planOf(task('a')), options)).toEqual({order: 'a, a, a', reason: 'completed', minutes: 30});
    const reviewed = {...options, execution: {retries: 2, stopAfterEachTask: true}};
    expect(night(planOf(task('a')), reviewed)).toEqual({
      order: 'a',
      reason: 'decision_required',
      minutes: 10,
    });
  });

  test('stops a review that takes too long: its parent is not done', () => {
    const plan = planOf(family(task('p'), task('a')), task('b', {deps: ['p']}));
    const options = {minutes: 40};
    expect(night(plan, options)).toEqual({order: 'a, review of p', reason: 'completed', minutes: 70});
    const strict = {minutes: 40, execution: {stopOnFailure: true}};
    expect(night(plan, strict)).toEqual({order: 'a, review of p', reason: 'failed', minutes: 70});
    expect(night(plan, {minutes: 29}).order).toBe('a, review of p, b');
  });

  test('waits for quota as long as the settings say, and starts an interrupted review over', () => {
    const plan = planOf(family(task('p'), task('a')));
    const limit = {fromMinute: 12 * 60 + 15, minutes: 120};
    expect(night(plan, {limit})).toEqual({
      order: 'a, review of p, review of p',
      reason: 'completed',
      // Tried again a minute after the limit.
      minutes: 15 + 120 + 1 + 10,
    });
    const stopped = {reason: 'paused', minutes: 15};
    expect(night(plan, {limit, execution: {maxLimitWaitMinutes: 120}})).toMatchObject(stopped);
    expect(night(plan, {limit, execution: {maxLimitWaitMinutes: 121}}).reason).toBe('completed');
    expect(night(plan, {limit, execution: {onLimit: 'stop'}})).toMatchObject(stopped);
  });
});

test.each([
  [planOf(task('a', {agent: 'codex'})), null, true],
  [planOf(task('a')), {fromMinute: 0, minutes: 60}, true],
  [planOf(task('a', {agent: 'codex'})), {fromMinute: 0, minutes: 60}, false],
])('the rules cover all of a plan and a limit: %#', (plan, limit, expected) => {
  expect(knowsAll(plan, limit)).toBe(expected);
});

const nights = (agents: number, ...reasons: readonly string[]) =>
  reasons.map((reason) => ({reason, order: Array.from({length: agents}, String)}) as unknown as Night);

test.each([
  ['the first two of a large plan', nights(200, 'completed', 'completed', 'completed'), [0, 1]],
  [
    'up to 300 agents in all, five for each night',
    nights(95, 'completed', 'completed', 'completed', 'completed'),
    [0, 1, 2],
  ],
  [
    'the first that ends otherwise',
    nights(200, 'completed', 'completed', 'completed', 'failed', 'failed'),
    [0, 1, 3],
  ],
  ['two of 2,495 agents each', nights(2_495, 'completed', 'completed', 'failed'), [0, 1]],
  ['only the first of a huge plan', nights(2_496, 'completed', 'completed', 'failed'), [0]],
  [
    'one that ends otherwise and soon, also of a huge plan',
    [
      ...nights(2_600, 'completed', 'failed'),
      ...nights(9, 'waiting_user', 'waiting_user'),
      ...nights(2_600, 'failed'),
    ],
    [0, 2],
  ],
])('the machines execute %s', (_, played, expected) => {
  expect([...nightsToLive(played)]).toEqual(expected);
});
