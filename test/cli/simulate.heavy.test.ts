import {describe, expect, test} from 'vitest';
import {machineNight} from '../../src/cli/simulate/machine-night.ts';
import {resolveConfig} from '../../src/machines/policies/config-resolution.ts';
import {checkRawPlan} from '../../src/machines/policies/plan/plan-validation.ts';
import {type Draw, drawer, samplesAround} from '../../src/machines/policies/simulation/draws.ts';
import {type Night, nightRules, playNight} from '../../src/machines/policies/simulation/night.ts';
import {nightBoard} from '../../src/machines/policies/simulation/night-board.ts';
import type {LimitWindow} from '../../src/machines/policies/simulation/quota.ts';
import type {Plan, Task} from '../../src/services/contracts/plan.ts';
import fc, {runsOf} from '../helpers/fast-check.ts';
import {planOf, rawPlan, task} from '../helpers/plans.ts';

const start = new Date(2026, 0, 5, 12, 0).getTime();

/** Each task gives its parent and dependencies as numbers; what no plan may have is left out. */
const sketch = fc.record({
  /** Below an earlier task, or at the top. */
  below: fc.option(fc.nat({max: 6}), {freq: 2}),
  after: fc.array(fc.nat({max: 6}), {maxLength: 2}),
  status: fc.oneof(
    {weight: 8, arbitrary: fc.constant('todo' as const)},
    {weight: 2, arbitrary: fc.constant('done' as const)},
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'skipped' as const,
        'failed' as const,
        'blocked' as const,
        'waiting_user' as const,
        'queued' as const,
        'in_progress' as const,
      ),
    },
  ),
  verify: fc.boolean(),
  /** Its position in the file, which is not the order of the tree. */
  place: fc.nat(),
});

type Sketch = typeof sketch extends fc.Arbitrary<infer S> ? S : never;

function planFrom(sketches: readonly Sketch[]): Plan {
  const tasks: Task[] = sketches.map(({status, verify}, index) =>
    task(`t${index}`, {status, ...(verify && {verify: ['true']})}),
  );
  sketches.forEach(({below, after}, index) => {
    const own = tasks[index] as Task;
    const parent = below === null || index === 0 ? undefined : tasks[below % index];
    if (parent) {
      tasks[index] = {...own, parentId: parent.id};
      const at = tasks.indexOf(parent);
      tasks[at] = {...parent, childIds: [...parent.childIds, own.id]};
    }
    for (const number of after) {
      const now = tasks[index] as Task;
      const dep = `t${number % tasks.length}`;
      const next = tasks.map((each) => (each === now ? {...now, deps: [...now.deps, dep]} : each));
      if ('plan' in checkRawPlan(rawPlan(planOf(...next)))) tasks.splice(0, tasks.length, ...next);
    }
  });
  const placed = tasks.map((each, index) => ({each, place: sketches[index]?.place ?? 0}));
  return planOf(...placed.sort((one, other) => one.place - other.place).map(({each}) => each));
}

/** Any project and outcome. A review may take up to its limit, and longer. */
const circumstances = fc.record({
  seed: fc.nat(),
  fail: fc.constantFrom(0, 0.2, 0.6),
  ask: fc.constantFrom(0, 0, 0.15),
  minutes: fc.constantFrom(10, 20, 60),
  limit: fc.option(
    fc.record({fromMinute: fc.nat({max: 24 * 60 - 1}), minutes: fc.integer({min: 1, max: 600})}),
  ),
  execution: fc.record({
    retries: fc.nat({max: 2}),
    parentReviewEnabled: fc.boolean(),
    stopOnFailure: fc.boolean(),
    stopAfterEachTask: fc.constantFrom(false, false, false, true),
    onLimit: fc.constantFrom('wait', 'wait', 'wait', 'stop'),
    maxCostUsd: fc.constantFrom(null, null, 1, 2.5, 4),
    maxMinutes: fc.constantFrom(null, null, 20, 35.5, 90),
    maxTaskCostUsd: fc.constantFrom(null, null, 0.7, 1.2),
    maxTaskMinutes: fc.constantFrom(null, null, 8.001, 10, 25),
    maxTokens: fc.constantFrom(null, 1),
  }),
});

test('a night by the rules is a night of the machines, whatever the plan', async () => {
  const plans = fc.array(sketch, {minLength: 1, maxLength: 8}).map(planFrom);
  await fc.assert(
    fc.asyncProperty(plans, circumstances, async (plan, {seed, minutes, limit, execution, ...odds}) => {
      const drawOf = drawer({...odds, samples: samplesAround(minutes, 1)}, seed, 0);
      const settings = [{name: 'project', file: 'config.json', content: {execution}}] as const;
      const rules = nightRules(resolveConfig(settings), limit);
      const agent = {id: 'demo', source: 'default'} as const;
      const lived = await machineNight({plan, settings, agent, limit, drawOf, start});
      expect(lived).toEqual(playNight(nightBoard(plan), rules, drawOf, start));
    }),
    {numRuns: runsOf(120)},
  );
});

const minute = 60_000;
const draw = (outcome: Draw['outcome'], minutes: number, costUsd = 1): Draw => ({
  outcome,
  milliseconds: minutes * minute,
  costUsd,
});

describe('when a budget is used up exactly, rules and machines agree', () => {
  test.each<{
    name: string;
    execution: object;
    limit?: LimitWindow;
    draws: Record<string, readonly Draw[]>;
    night: Partial<Night>;
  }>([
    {
      name: 'a task that ends at its time limit is done',
      execution: {maxTaskMinutes: 10},
      draws: {a: [draw('done', 10)], b: [draw('done', 11)]},
      night: {done: 1, reason: 'completed', milliseconds: 20 * minute},
    },
    {
      name: 'one that meets a limit at its time limit is not continued',
      execution: {maxTaskMinutes: 10},
      limit: {fromMinute: 12 * 60 + 10, minutes: 60},
      draws: {a: [draw('done', 15)], b: [draw('done', 5)]},
      night: {done: 1, reason: 'error'},
    },
    {
      name: 'a job that meets a limit at its time limit waits for nothing',
      execution: {maxMinutes: 10},
      limit: {fromMinute: 12 * 60 + 10, minutes: 60},
      draws: {a: [draw('done', 15)], b: [draw('done', 5)]},
      night: {done: 0, reason: 'paused', milliseconds: 10 * minute},
    },
    {
      name: 'a failed task is not retried on a used-up budget of the job',
      execution: {maxMinutes: 5, retries: 2},
      draws: {a: [draw('failed', 5), draw('done', 1)], b: [draw('done', 1)]},
      night: {order: ['a'], reason: 'paused', failed: ['a']},
    },
    {
      name: 'nor on that of the task',
      execution: {maxTaskMinutes: 5, retries: 2},
      draws: {a: [draw('failed', 5), draw('done', 1)], b: [draw('done', 1)]},
      night: {order: ['a', 'b'], reason: 'completed', failed: ['a'], done: 1},
    },
    {
      name: 'a task that failed and cost too much',
      execution: {maxCostUsd: 1, retries: 2},
      draws: {a: [draw('failed', 5), draw('done', 1)], b: [draw('done', 1)]},
      night: {order: ['a']},
    },
    {
      name: 'a task that costs too much',
      execution: {maxTaskCostUsd: 1, retries: 2},
      draws: {a: [draw('failed', 5), draw('done', 1)], b: [draw('asks', 1)]},
      night: {order: ['a', 'b']},
    },
    {
      name: 'a moment before the end',
      execution: {maxTaskMinutes: 0.5005},
      draws: {a: [draw('done', 0.5006)], b: [draw('done', 0.51)]},
      night: {done: 1, reason: 'completed'},
    },
  ])('$name', async ({execution, limit = null, draws, night}) => {
    const plan = planOf(task('a'), task('b'));
    const settings = [{name: 'project', file: 'config.json', content: {execution}}] as const;
    const agent = {id: 'demo', source: 'default'} as const;
    const drawOf = (id: string, attempt: number) => draws[id]?.[attempt - 1] ?? draw('done', 1);
    const lived = await machineNight({plan, settings, agent, limit, drawOf, start});
    expect(playNight(nightBoard(plan), nightRules(resolveConfig(settings), limit), drawOf, start)).toEqual(
      lived,
    );
    expect(lived).toMatchObject(night);
  });
});
