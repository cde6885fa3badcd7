import {describe, expect, test} from 'vitest';
import {
  ancestorsOf,
  childrenOf,
  dependentsOf,
  findCycles,
  indexHierarchy,
  isLeaf,
  parentOf,
  requireTask,
  rootTasks,
  subtreeOf,
  tasksInTreeOrder,
} from '../../../src/machines/policies/plan/plan-graph.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {errorOf} from '../../helpers/errors.ts';
import fc from '../../helpers/fast-check.ts';
import {family, planOf, task, taskIn} from '../../helpers/plans.ts';

const ids = (tasks: ReadonlyArray<{id: string}>) => tasks.map(({id}) => id);

/** Two trees: `10` with the children `b` (over `x`) and `a`, and `2` alone; `__proto__` is below `a`. */
const forest = planOf(
  family(task('10'), family(task('b'), task('x')), family(task('a'), task('__proto__'))),
  task('2', {deps: ['x', 'a']}),
);

describe('the tree', () => {
  test('is walked parents first, siblings in their own order, roots in the order of the file', () => {
    expect(tasksInTreeOrder(forest).map(({task: {id}, depth}) => [id, depth])).toEqual([
      ['10', 0],
      ['b', 1],
      ['x', 2],
      ['a', 1],
      ['__proto__', 2],
      ['2', 0],
    ]);
  });

  test('has roots, parents, children, ancestors and subtrees', () => {
    const hidden = taskIn(forest, '__proto__');
    expect({
      roots: ids(rootTasks(forest)),
      parent: parentOf(forest, hidden)?.id,
      rootParent: parentOf(forest, taskIn(forest, '2')),
      children: ids(childrenOf(forest, taskIn(forest, '10'))),
      ancestors: ids(ancestorsOf(forest, hidden)),
      subtree: ids(subtreeOf(forest, taskIn(forest, '10'))),
      leaves: ids([...forest.items.values()].filter(isLeaf)),
      dependents: ids(dependentsOf(forest, 'x')),
    }).toEqual({
      roots: ['10', '2'],
      parent: 'a',
      rootParent: undefined,
      children: ['b', 'a'],
      ancestors: ['a', '10'],
      subtree: ['10', 'b', 'x', 'a', '__proto__'],
      leaves: ['x', '__proto__', '2'],
      dependents: ['2'],
    });
  });

  test('shows a task whose parent is missing as a root', () => {
    expect(ids(rootTasks(planOf(task('a', {parentId: 'gone'}), task('b'))))).toEqual(['a', 'b']);
  });

  test('leaves out tasks in no child list, and visits those in two lists once', () => {
    const twice = planOf(
      task('p', {childIds: ['c', 'c', 'gone']}),
      task('q', {childIds: ['c']}),
      task('c', {parentId: 'p'}),
    );
    expect(tasksInTreeOrder(twice).map(({task: {id}}) => id)).toEqual(['p', 'c', 'q']);
  });

  test('never loops on a hierarchy cycle', () => {
    const circle = planOf(
      task('a', {parentId: 'b', childIds: ['b']}),
      task('b', {parentId: 'a', childIds: ['a']}),
    );
    expect(ids(ancestorsOf(circle, taskIn(circle, 'a')))).toEqual(['b']);
    expect(ids(subtreeOf(circle, taskIn(circle, 'a')))).toEqual(['a', 'b']);
    expect(tasksInTreeOrder(circle)).toEqual([]);
    expect(indexHierarchy(circle).isAncestor('a', 'b')).toBe(false);
  });

  test('answers "is a above b?" as walking up does', () => {
    fc.assert(
      fc.property(trees, (plan) => {
        const {isAncestor} = indexHierarchy(plan);
        for (const below of plan.items.values()) {
          const above = new Set(ids(ancestorsOf(plan, below)));
          for (const id of plan.items.keys()) expect(isAncestor(id, below.id)).toBe(above.has(id));
        }
        expect(isAncestor('nobody', 't0')).toBe(false);
        expect(isAncestor('t0', 'nobody')).toBe(false);
      }),
      {numRuns: 200},
    );
  });
});

describe('requireTask', () => {
  test('finds any id, however it is spelled', () => {
    expect(requireTask(forest, '__proto__').id).toBe('__proto__');
  });

  test.each([
    {name: 'a typo', id: 'logn', near: 'login'},
    {name: 'another case', id: 'LOGIN', near: 'login'},
    {name: 'one letter of a short id', id: 'ax', near: 'ab'},
    {name: 'nothing similar', id: 'payment', near: null},
    {name: 'an inherited property name', id: 'toString', near: null},
    {name: 'a very long id', id: 'l'.repeat(300), near: null},
  ])('suggests the nearest id: $name', ({id, near}) => {
    const error = errorOf(() => requireTask(planOf(task('login'), task('ab')), id));
    expect(error).toEqual(
      new AppError('E_TASK_NOT_FOUND', `unknown id ${JSON.stringify(id)}`, {
        next: [
          ...(near === null ? [] : [{command: `blackbird show ${near}`, why: 'did you mean this one?'}]),
          {command: 'blackbird list --all', why: 'see every task'},
        ],
      }),
    );
  });
});

describe('findCycles', () => {
  const edges = (graph: Record<string, readonly string[]>) =>
    findCycles(Object.keys(graph), (id) => graph[id] ?? []);

  test.each<{name: string; graph: Record<string, readonly string[]>; cycles: string[][]}>([
    {name: 'nothing', graph: {}, cycles: []},
    {name: 'a diamond is not a cycle', graph: {a: ['b', 'c'], b: ['d'], c: ['d'], d: []}, cycles: []},
    {name: 'a task that waits for itself', graph: {a: ['a']}, cycles: [['a', 'a']]},
    {name: 'two that wait for each other', graph: {a: ['b'], b: ['a']}, cycles: [['a', 'b', 'a']]},
    {
      name: 'a path into a cycle is not part of it',
      graph: {x: ['a'], a: ['b'], b: ['a']},
      cycles: [['a', 'b', 'a']],
    },
    {
      name: 'two separate cycles, in the order of their ids',
      graph: {c: ['d'], d: ['c'], a: ['b'], b: ['a']},
      cycles: [
        ['c', 'd', 'c'],
        ['a', 'b', 'a'],
      ],
    },
    {
      name: 'two cycles that share a task',
      graph: {a: ['b'], b: ['a', 'c'], c: ['b']},
      cycles: [
        ['a', 'b', 'a'],
        ['b', 'c', 'b'],
      ],
    },
  ])('$name', ({graph, cycles}) => {
    expect(edges(graph)).toEqual(cycles);
  });

  test('finds a cycle exactly when there is one, and each it reports is real', () => {
    const graphs = fc.array(fc.array(fc.nat({max: 7}), {maxLength: 4}), {maxLength: 8});
    fc.assert(
      fc.property(graphs, (targets) => {
        const known = targets.map((list) => list.filter((target) => target < targets.length).map(String));
        const cycles = findCycles(
          known.map((_, index) => String(index)),
          (id) => known[Number(id)] ?? [],
        );
        expect(cycles.length > 0).toBe(hasCycle(known));
        for (const cycle of cycles) {
          expect(cycle[0]).toBe(cycle.at(-1));
          expect(new Set(cycle).size).toBe(cycle.length - 1);
          for (const [index, id] of cycle.slice(1).entries()) {
            expect(known[Number(cycle[index])]).toContain(id);
          }
        }
      }),
      {numRuns: 500},
    );
  });
});

/** Forests in which every task is below an earlier one or below none. */
const trees: fc.Arbitrary<Plan> = fc
  .array(fc.option(fc.nat({max: 30})), {minLength: 1, maxLength: 12})
  .map((parents) => {
    const parentIds = parents.map((parent, index) =>
      parent === null || parent >= index ? null : `t${parent}`,
    );
    return planOf(
      parentIds.map((parentId, index) => {
        const childIds = parentIds.flatMap((each, child) => (each === `t${index}` ? [`t${child}`] : []));
        return task(`t${index}`, {parentId, childIds});
      }),
    );
  });

/** By removing tasks without incoming edges until none is left to remove. */
function hasCycle(targets: ReadonlyArray<readonly string[]>): boolean {
  const left = new Set(targets.map((_, index) => String(index)));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const id of left) {
      if (!(targets[Number(id)] ?? []).some((target) => left.has(target))) left.delete(id);
    }
  }
  return left.size > 0;
}
