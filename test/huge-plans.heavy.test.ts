import {describe, expect, test} from 'vitest';
import {explainOrder} from '../src/machines/policies/plan/execution-order.ts';
import {explainTask} from '../src/machines/policies/plan/explain-task.ts';
import {
  addDep,
  addTask,
  deleteTask,
  moveTask,
  removeDep,
  setDeps,
} from '../src/machines/policies/plan/plan-edits.ts';
import {
  ancestorsOf,
  childrenOf,
  findCycles,
  indexHierarchy,
  requireTask,
  subtreeOf,
  tasksInTreeOrder,
} from '../src/machines/policies/plan/plan-graph.ts';
import {setStatus} from '../src/machines/policies/plan/plan-status.ts';
import {checkRawPlan} from '../src/machines/policies/plan/plan-validation.ts';
import {readyTasks} from '../src/machines/policies/plan/readiness.ts';
import {dueParentOf, dueParents, leaveForReview} from '../src/machines/policies/review/parent-review.ts';
import {AppError} from '../src/services/contracts/errors.ts';
import type {Plan} from '../src/services/contracts/plan.ts';
import type {RawPlan} from '../src/services/contracts/stores.ts';
import {summarizePlan, treeEntries} from '../src/ui/model/tree.ts';
import {errorOf} from './helpers/errors.ts';
import {
  family,
  hugeChain,
  hugeFamily,
  hugeLadder,
  hugeLineage,
  hugeSize,
  now,
  planOf,
  promptly,
  rawPlan,
  statuses,
  task,
  taskIn,
} from './helpers/plans.ts';
import {factsIn} from './helpers/task-facts.ts';

// Plans of 100,000 tasks: no policy may recurse over them or loop over them squared.

describe('the graph of a huge plan', () => {
  test('of one deep chain of parents is walked', () => {
    const plan = hugeLineage();
    const last = taskIn(plan, `g${hugeSize - 1}`);
    promptly(() => {
      expect(ancestorsOf(plan, last).length).toBe(hugeSize - 1);
      expect(subtreeOf(plan, taskIn(plan, 'g0')).length).toBe(hugeSize);
      expect(tasksInTreeOrder(plan).at(-1)).toEqual({task: last, depth: hugeSize - 1});
      expect(indexHierarchy(plan).isAncestor('g0', last.id)).toBe(true);
    });
  });

  test('of one parent with all children is walked', () => {
    const plan = hugeFamily();
    promptly(() => {
      expect(tasksInTreeOrder(plan).length).toBe(hugeSize);
      expect(childrenOf(plan, taskIn(plan, 'p')).length).toBe(hugeSize - 1);
    });
  });

  test('of one long chain has no cycle, and its whole length is one when the ends meet', () => {
    const plan = hugeChain();
    const last = `t${hugeSize - 1}`;
    const depsOf = (id: string) => plan.items.get(id)?.deps ?? [];
    promptly(() => {
      expect(findCycles(plan.items.keys(), depsOf)).toEqual([]);
      const closed = findCycles(plan.items.keys(), (id) => (id === last ? ['t0'] : depsOf(id)));
      expect(closed.map((cycle) => cycle.length)).toEqual([hugeSize + 1]);
    });
  });

  test.each([
    {name: 'first', order: (next: string[], back: string[]) => [...back, ...next]},
    {name: 'last', order: (next: string[], back: string[]) => [...next, ...back]},
  ])('in which every task leads back to the first $name does not exhaust the memory', ({order}) => {
    const plan = hugeChain();
    const cycles = promptly(() =>
      findCycles(plan.items.keys(), (id) => order([...(plan.items.get(id)?.deps ?? [])], ['t0'])),
    );
    expect(cycles.length).toBeGreaterThan(0);
    expect(cycles.reduce((total, cycle) => total + cycle.length, 0)).toBeLessThan(3 * hugeSize);
  });

  test('still suggests a mistyped id at once', () => {
    const plan = hugeChain();
    expect(promptly(() => errorOf(() => requireTask(plan, 'T1x')).code, 2_000)).toBe('E_TASK_NOT_FOUND');
  });
});

describe('a huge plan is checked', () => {
  const problemsIn = (raw: RawPlan) => {
    const check = checkRawPlan(raw);
    return 'problems' in check ? check.problems.map(({path, message}) => [path, message]) : [];
  };

  test.each([
    {name: 'chain', plan: hugeChain},
    {name: 'family', plan: hugeFamily},
    {name: 'lineage', plan: hugeLineage},
  ])('as one $name is checked', ({plan}) => {
    const huge = rawPlan(plan());
    expect('plan' in promptly(() => checkRawPlan(huge))).toBe(true);
  });

  test('with a thousand dependencies each, a million in all, is checked', () => {
    const ids = Array.from({length: 2_000}, (_, index) => `t${index}`);
    const plan = planOf(ids.map((id, index) => task(id, {deps: ids.slice(index + 1, index + 1_001)})));
    expect('plan' in promptly(() => checkRawPlan(rawPlan(plan)))).toBe(true);
  });

  test('with 100,000 reasons for 100,000 dependencies is checked', () => {
    const ids = Array.from({length: hugeSize}, (_, index) => `t${index}`);
    const depRationale = Object.fromEntries(ids.map((id) => [id, 'because']));
    const plan = planOf(task('all', {deps: ids, depRationale}), ...ids.map((id) => task(id)));
    expect('plan' in promptly(() => checkRawPlan(rawPlan(plan)))).toBe(true);
  });

  test('with 200,000 mistakes in one task reports all of them', () => {
    const acceptanceCriteria = Array.from({length: 2 * hugeSize}, () => 1);
    expect(
      promptly(() =>
        problemsIn({root: {schemaVersion: 1}, items: [['a', {...task('a'), acceptanceCriteria}]]}),
      ).length,
    ).toBe(2 * hugeSize);
  });

  test('in which every task waits for the first is refused without running out of memory', () => {
    const plan = hugeChain();
    const items = [...plan.items].map(([id, each]) => [id, {...each, deps: ['t0', ...each.deps]}] as const);
    const problems = promptly(() => problemsIn({root: {schemaVersion: 1}, items}));
    expect(problems[0]).toEqual(['$.items', 'dependency cycle detected: t0 -> t0']);
  });
});

describe('an edit of a huge plan', () => {
  const last = hugeSize - 1;
  const targets = Array.from({length: last}, (_, index) => `c${index}`);

  test.each<{name: string; make: () => Plan; edit: (huge: Plan) => unknown}>([
    {
      name: 'a child added to a wide parent',
      make: hugeFamily,
      edit: (huge) => addTask(huge, {id: 'n', title: 'New', parentId: 'p', index: 5}, now),
    },
    {
      name: 'a task added at the end of a deep chain',
      make: hugeLineage,
      edit: (huge) => addTask(huge, {id: 'n', title: 'New', parentId: `g${last}`}, now),
    },
    {
      name: 'a root moved to the front',
      make: hugeChain,
      edit: (huge) => moveTask(huge, `t${last}`, {parentId: null, index: 0}, now),
    },
    {
      name: 'half a deep chain moved to the root',
      make: hugeLineage,
      edit: (huge) => moveTask(huge, `g${hugeSize / 2}`, {parentId: null}, now),
    },
    {
      name: 'a chain moved under a new root',
      make: hugeChain,
      edit: (huge) => moveTask(huge, 't0', {parentId: `t${last}`}, now),
    },
    {
      name: 'a wide parent deleted',
      make: hugeFamily,
      edit: (huge) => deleteTask(huge, 'p', {cascade: true, force: false}, now),
    },
    {
      name: 'a deep chain deleted',
      make: hugeLineage,
      edit: (huge) => deleteTask(huge, 'g0', {cascade: true, force: false}, now),
    },
    {
      name: 'the chain closed to a cycle',
      make: hugeChain,
      edit: (huge) => addDep(huge, `t${last}`, 't0', now),
    },
    {
      name: 'one task that depends on all',
      make: () => planOf([...hugeFamily().items.values()], task('z')),
      edit: (huge) => setDeps(huge, 'z', targets, now),
    },
    {
      name: 'one task that depends on a whole deep chain',
      make: () => planOf([...hugeLineage().items.values()], task('z')),
      edit: (huge) => setDeps(huge, 'z', [...huge.items.keys()].slice(0, last), now),
    },
    {
      name: 'one reason of 100,000 removed',
      make: () =>
        planOf(
          [...hugeFamily().items.values()],
          task('z', {deps: targets, depRationale: Object.fromEntries(targets.map((id) => [id, 'x']))}),
        ),
      edit: (huge) => removeDep(huge, 'z', 'c0', now),
    },
    {
      name: 'a parent with as many dependents as children',
      make: () => {
        const half = hugeFamily(hugeSize / 2);
        return planOf(
          [...half.items.values()],
          ...targets.slice(0, hugeSize / 2 - 1).map((id) => task(`w-${id}`, {deps: [id]})),
        );
      },
      edit: (huge) => deleteTask(huge, 'p', {cascade: true, force: false}, now),
    },
  ])('$name', ({make, edit}) => {
    const huge = make();
    promptly(() => {
      try {
        return edit(huge);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return error;
      }
    });
  });
});

describe('the status in a huge plan', () => {
  test('of one deep chain is completed and reopened by its last task', () => {
    const last = `g${hugeSize - 1}`;
    const over = promptly(() => setStatus(hugeLineage(), last, 'done', now));
    expect(new Set(Object.values(statuses(over)))).toEqual(new Set(['done']));
    const open = promptly(() => setStatus(over, last, 'failed', now));
    expect([taskIn(open, 'g0').status, taskIn(open, last).status]).toEqual(['in_progress', 'failed']);
  });

  test('of one wide parent is updated', () => {
    expect(statuses(promptly(() => setStatus(hugeFamily(), 'c0', 'done', now))).p).toBe('todo');
  });
});

describe('a huge plan', () => {
  test.each([
    {name: 'chain', make: hugeChain, id: 't0', conditions: hugeSize, first: 1},
    {name: 'ladder', make: hugeLadder, id: 't0', conditions: 2 * hugeSize - 2, first: 1},
    {name: 'family', make: hugeFamily, id: 'p', conditions: hugeSize, first: hugeSize - 1},
    {name: 'lineage', make: hugeLineage, id: 'g0', conditions: hugeSize, first: 1},
  ])('as one $name is explained', ({make, id, conditions, first}) => {
    const huge = make();
    const explanation = promptly(() => explainTask(huge, id, factsIn(huge)));
    expect([explanation.conditions.length, explanation.first.length]).toEqual([conditions, first]);
  });

  test('in which every task waits for the first parent is explained', () => {
    const half = hugeChain(hugeSize / 2);
    const huge = planOf(
      family(task('P'), task('c', {deps: ['t0']})),
      [...half.items.values()].map((each) => ({...each, deps: [...each.deps, 'P']})),
    );
    expect(promptly(() => explainTask(huge, 'P', factsIn(huge))).conditions.length).toBe(hugeSize + 2);
  });

  test('has its ready tasks found at once', () => {
    expect(promptly(() => readyTasks(hugeFamily())).length).toBe(hugeSize - 1);
    expect(promptly(() => readyTasks(hugeChain())).map(({id}) => id)).toEqual([`t${hugeSize - 1}`]);
  });

  test('has its order of execution found at once', () => {
    expect(promptly(() => explainOrder(hugeChain(), []))).toHaveLength(hugeSize);
  });

  test('has its due parents found at once', () => {
    const wide = hugeFamily();
    expect(promptly(() => dueParents(wide))).toEqual([]);
    expect(promptly(() => dueParentOf(hugeLineage(), `g${hugeSize - 1}`))).toBeNull();
  });

  test('leaves the review due at once after a change made by hand', () => {
    const before = hugeLineage();
    const last = `g${hugeSize - 1}`;
    const after = setStatus(before, last, 'done', now);
    const left = promptly(() => leaveForReview(before, after, {hasRuns: () => true}));
    expect(statuses(left)).toMatchObject({g0: 'todo', g1: 'todo', [last]: 'done'});
    expect(promptly(() => leaveForReview(before, after, {hasRuns: () => false}))).toBe(after);
  });

  test('has its tree rows computed at once', () => {
    for (const huge of [hugeLineage(), hugeFamily()]) {
      const wish = {folded: new Set<string>(), filter: 'ready', query: ''} as const;
      promptly(() => treeEntries(huge, wish, () => 'ready'));
      promptly(() => summarizePlan(huge, () => 'ready'));
    }
  });
});
