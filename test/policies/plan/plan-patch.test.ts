import {describe, expect, test} from 'vitest';
import {diffPlans, isEmptyDiff} from '../../../src/machines/policies/plan/plan-diff.ts';
import {tasksInTreeOrder} from '../../../src/machines/policies/plan/plan-graph.ts';
import {applyPatch, type PatchOperation} from '../../../src/machines/policies/plan/plan-patch.ts';
import {refuseRunning, refuseTaking} from '../../../src/machines/policies/plan/running-tasks.ts';
import type {Plan, Task} from '../../../src/services/contracts/plan.ts';
import {errorOf} from '../../helpers/errors.ts';
import {family, hugeSize, made, now, planOf, promptly, statuses, task, taskIn} from '../../helpers/plans.ts';

/** p over a and b, q over c; d waits for a. */
const plan = planOf(
  family(task('p'), task('a', {status: 'failed', extra: 1} as Partial<Task>), task('b')),
  family(task('q'), task('c')),
  task('d', {deps: ['a'], depRationale: {a: 'needs it'}}),
);
const order = (each: Plan) =>
  tasksInTreeOrder(each).map(({task: {id}, depth}) => `${'  '.repeat(depth)}${id}`);

function patched(...operations: readonly PatchOperation[]): Plan {
  const result = applyPatch(plan, operations, now);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.plan;
}
const problems = (...operations: readonly PatchOperation[]) => {
  const result = applyPatch(plan, operations, now);
  return 'problems' in result ? result.problems.map(({path, message}) => `${path}: ${message}`) : [];
};

describe('a patch', () => {
  test('makes a tree whatever the order of its operations', () => {
    const next = patched(
      {type: 'deps', taskId: 'b', deps: ['n2']},
      {type: 'add', task: {id: 'n2', title: 'N2', parentId: 'n', deps: ['d'], depRationale: {d: 'first'}}},
      {type: 'add', task: {id: 'n', title: 'N', parentId: null, index: 1}},
    );
    expect(order(next)).toEqual(['p', '  a', '  b', 'n', '  n2', 'q', '  c', 'd']);
    expect(taskIn(next, 'b').deps).toEqual(['n2']);
    expect(taskIn(next, 'n2')).toMatchObject({deps: ['d'], depRationale: {d: 'first'}, status: 'todo'});
  });

  test('keeps status, timestamps and unknown fields of the tasks it edits, and all other tasks', () => {
    const next = patched({type: 'edit', taskId: 'a', fields: {title: 'A', prompt: 'again'}});
    expect(taskIn(next, 'a')).toEqual({...taskIn(plan, 'a'), title: 'A', prompt: 'again', updatedAt: now});
    for (const id of ['p', 'b', 'q', 'c', 'd']) expect(taskIn(next, id)).toBe(taskIn(plan, id));
  });

  test('reverses dependencies, which no single edit could', () => {
    const next = patched({type: 'deps', taskId: 'a', deps: ['d']}, {type: 'deps', taskId: 'd', deps: []});
    expect([taskIn(next, 'a').deps, taskIn(next, 'd').deps]).toEqual([['d'], []]);
    expect(taskIn(next, 'd').depRationale).toEqual({});
  });

  test('deletes a parent whose children it moves away, and removes dependencies on it', () => {
    const next = patched(
      {type: 'move', taskId: 'b', place: {parentId: 'q', index: 0}},
      {type: 'delete', taskId: 'a'},
      {type: 'delete', taskId: 'p'},
    );
    expect(order(next)).toEqual(['q', '  b', '  c', 'd']);
    expect(taskIn(next, 'd')).toMatchObject({deps: [], depRationale: {}});
  });

  test('deletes with all descendants', () => {
    expect(order(patched({type: 'delete', taskId: 'p', cascade: true}))).toEqual(['q', '  c', 'd']);
  });

  test('reorders the top level', () => {
    const next = patched(
      {type: 'move', taskId: 'd', place: {parentId: null, index: 0}},
      {type: 'move', taskId: 'q', place: {parentId: null, index: 1}},
    );
    expect(order(next)).toEqual(['d', 'q', '  c', 'p', '  a', '  b']);
  });

  test('reopens a parent that gets an open child, and completes one that loses its last', () => {
    const done = planOf(family(task('p', {status: 'done'}), task('a', {status: 'done'})), task('b'));
    const result = applyPatch(done, [{type: 'move', taskId: 'b', place: {parentId: 'p'}}], now);
    expect(statuses((result as {plan: Plan}).plan)).toEqual({p: 'in_progress', a: 'done', b: 'todo'});
    const open = planOf(family(task('p'), task('a', {status: 'done'}), task('b')));
    const shorter = applyPatch(open, [{type: 'delete', taskId: 'b'}], now);
    expect(statuses((shorter as {plan: Plan}).plan)).toEqual({p: 'done', a: 'done'});
  });

  test.each<{name: string; operations: PatchOperation[]}>([
    {name: 'no operations', operations: []},
    {name: 'the same text', operations: [{type: 'edit', taskId: 'a', fields: {title: 'Task a'}}]},
    {name: 'the same dependencies', operations: [{type: 'deps', taskId: 'd', deps: ['a', 'a']}]},
    {name: 'the same place', operations: [{type: 'move', taskId: 'a', place: {parentId: 'p', index: 0}}]},
  ])('of $name is no change', ({operations}) => {
    expect(patched(...operations)).toBe(plan);
  });
});

describe('nothing is applied, and every problem is reported,', () => {
  test('of operations that are impossible', () => {
    expect(
      problems(
        {type: 'add', task: {id: 'A', title: 'Twin', parentId: null}},
        {type: 'add', task: {id: '../x', title: 'Path', parentId: null}},
        {type: 'add', task: {id: 'n', title: ' ', parentId: null}},
        {type: 'add', task: {id: 'm', title: 'M', parentId: 'nobody'}},
        {type: 'edit', taskId: 'x', fields: {title: 'X'}},
        {type: 'edit', taskId: 'a', fields: {title: ''}},
        {type: 'move', taskId: 'a', place: {parentId: 'q', index: 9}},
        {type: 'delete', taskId: 'q'},
      ),
    ).toEqual([
      '$.operations[0]: id "A" differs from "a" only in case',
      '$.operations[1]: "../x" cannot be a task id',
      '$.operations[2]: title is required',
      '$.operations[3]: unknown parent id "nobody"',
      '$.operations[4]: unknown id "x"',
      '$.operations[5]: title cannot be empty',
      '$.operations[6]: index out of range: 9 (valid: 0..1)',
      '$.operations[7]: "q" has children: delete or move them too, or delete it with cascade',
    ]);
  });

  test.each<{name: string; operations: PatchOperation[]; expected: string[]}>([
    {
      name: 'a cycle of dependencies',
      operations: [{type: 'deps', taskId: 'a', deps: ['d']}],
      expected: ['$.items: dependency cycle detected: a -> d -> a'],
    },
    {
      name: 'an unknown dependency',
      operations: [{type: 'deps', taskId: 'a', deps: ['x']}],
      expected: ['$.items["a"].deps[0]: unknown dep id "x"'],
    },
    {
      name: 'a dependency on a parent',
      operations: [{type: 'deps', taskId: 'a', deps: ['p']}],
      expected: ['$.items["a"].deps[0]: cannot depend on its own ancestor "p"'],
    },
    {
      name: 'a parent below its child',
      operations: [{type: 'move', taskId: 'p', place: {parentId: 'a'}}],
      expected: ['$.items: hierarchy cycle detected: p -> a -> p'],
    },
  ])('of a plan with $name', ({operations, expected}) => {
    expect(problems(...operations)).toEqual(expected);
  });
});

test('an id may be __proto__', () => {
  const next = patched(
    {type: 'add', task: {id: '__proto__', title: 'P', parentId: null}},
    {type: 'deps', taskId: 'd', deps: ['__proto__']},
  );
  expect(taskIn(next, 'd').deps).toEqual(['__proto__']);
  const again = applyPatch(next, [{type: 'deps', taskId: 'd', deps: ['__proto__']}], now);
  expect((again as {plan: Plan}).plan).toBe(next);
});

test('a patch of a hundred thousand operations takes seconds', () => {
  const operations = Array.from({length: hugeSize}, (_, index): PatchOperation => {
    const parentId = index === 0 ? null : `t${(index - 1) >> 1}`;
    return {type: 'add', task: {id: `t${index}`, title: `T ${index}`, parentId}};
  });
  const result = promptly(() => applyPatch(planOf(), operations, now), 10_000);
  expect((result as {plan: Plan}).plan.items.size).toBe(hugeSize);
});

describe('a task that an agent is working on', () => {
  const busy = planOf(
    family(task('p', {status: 'in_progress'}), task('a', {status: 'in_progress'}), task('b')),
  );
  const apply = (operation: PatchOperation) => {
    const result = applyPatch(busy, [operation], now);
    if ('problems' in result) throw new Error(JSON.stringify(result.problems));
    return result.plan;
  };
  const inProgress = {pid: 7, still: new Set<string>(), reviewed: new Set<string>()};

  test.each<{name: string; operation: PatchOperation}>([
    {name: 'edited', operation: {type: 'edit', taskId: 'a', fields: {title: 'A'}}},
    {name: 'moved', operation: {type: 'move', taskId: 'a', place: {parentId: null}}},
    {name: 'deleted', operation: {type: 'delete', taskId: 'a'}},
    {name: 'deleted with its parent', operation: {type: 'delete', taskId: 'p', cascade: true}},
    {name: 'made a parent', operation: {type: 'add', task: {id: 'n', title: 'N', parentId: 'a'}}},
    {name: 'given a dependency', operation: {type: 'deps', taskId: 'a', deps: ['b']}},
  ])('is not $name', ({operation}) => {
    expect(errorOf(() => refuseRunning(busy, apply(operation), inProgress))).toMatchObject({
      code: 'E_TASK_RUNNING',
      message: 'a is being worked on by process 7; nothing was written',
    });
  });

  test.each<PatchOperation>([
    {type: 'edit', taskId: 'p', fields: {title: 'P'}},
    {type: 'add', task: {id: 'n', title: 'N', parentId: 'p'}},
    {type: 'move', taskId: 'b', place: {parentId: null}},
  ])('nor is a parent that a reviewer is working on: no $type', (operation) => {
    const reviewed = {pid: 7, still: new Set(['a']), reviewed: new Set(['p'])};
    expect(errorOf(() => refuseRunning(busy, apply(operation), reviewed))).toMatchObject({
      code: 'E_TASK_RUNNING',
      message: 'p is being worked on by process 7; nothing was written',
    });
    refuseRunning(busy, apply({type: 'edit', taskId: 'b', fields: {title: 'B'}}), reviewed);
  });

  test.each<{name: string; operation: PatchOperation; isRefused: boolean}>([
    {
      name: 'reworded',
      operation: {type: 'edit', taskId: 'a', fields: {title: 'A'}},
      isRefused: false,
    },
    {name: 'moved', operation: {type: 'move', taskId: 'a', place: {parentId: null}}, isRefused: false},
    {name: 'given a dependency', operation: {type: 'deps', taskId: 'a', deps: ['b']}, isRefused: false},
    {name: 'deleted', operation: {type: 'delete', taskId: 'a'}, isRefused: true},
    {
      name: 'deleted with its parent',
      operation: {type: 'delete', taskId: 'p', cascade: true},
      isRefused: true,
    },
    {
      name: 'made a parent',
      operation: {type: 'add', task: {id: 'n', title: 'N', parentId: 'a'}},
      isRefused: true,
    },
    {
      name: 'made a parent by a move',
      operation: {type: 'move', taskId: 'b', place: {parentId: 'a'}},
      isRefused: true,
    },
  ])('by hand, $name: refused is $isRefused', ({operation, isRefused}) => {
    const taking = () => errorOf(() => refuseTaking(busy, apply(operation), inProgress));
    if (isRefused) expect(taking()).toMatchObject({code: 'E_TASK_RUNNING'});
    else refuseTaking(busy, apply(operation), inProgress);
    refuseTaking(busy, apply(operation), {...inProgress, still: new Set(['a'])});
  });

  test('does not block changes to other tasks, nor does a task whose agent has stopped', () => {
    refuseRunning(busy, apply({type: 'add', task: {id: 'n', title: 'N', parentId: 'p'}}), inProgress);
    refuseRunning(busy, apply({type: 'edit', taskId: 'b', fields: {title: 'B'}}), inProgress);
    const edited = apply({type: 'edit', taskId: 'a', fields: {title: 'A'}});
    refuseRunning(busy, edited, {...inProgress, still: new Set(['a'])});
    refuseRunning(busy, edited, {...inProgress, pid: null});
    expect(isEmptyDiff(diffPlans(busy, edited))).toBe(false);
    expect(taskIn(edited, 'a')).toMatchObject({status: 'in_progress', createdAt: made});
  });
});
