import fc from 'fast-check';
import {expect, test} from 'vitest';
import {machineNight} from '../../src/cli/simulate/machine-night.ts';
import {resolveConfig} from '../../src/machines/policies/config-resolution.ts';
import {checkRawPlan} from '../../src/machines/policies/plan/plan-validation.ts';
import {drawer, samplesAround} from '../../src/machines/policies/simulation/draws.ts';
import {nightRules, playNight} from '../../src/machines/policies/simulation/night.ts';
import {nightBoard} from '../../src/machines/policies/simulation/night-board.ts';
import type {Plan, Task} from '../../src/services/contracts/plan.ts';
import {planOf, rawPlan, task} from '../helpers/plans.ts';

const start = new Date(2026, 0, 5, 12, 0).getTime();

/** Each task says where it goes and what it waits for by numbers; what no plan may have is left out. */
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
  /** Where it stands in the file, which is not the order of the tree. */
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

/** What a project and its luck may be. A review may take as long as it may, and longer. */
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
    // The same plans each time; another seed and more runs look further (thousands agreed when this was written).
    {numRuns: 120, seed: 16},
  );
});
