import {describe, expect, test} from 'vitest';
import {
  addDep,
  addTask,
  deleteTask,
  editTask,
  moveTask,
  type NewTask,
  type Place,
  removeDep,
  setDeps,
  type TaskEdit,
} from '../../../src/machines/policies/plan/plan-edits.ts';
import {tasksInTreeOrder} from '../../../src/machines/policies/plan/plan-graph.ts';
import {checkRawPlan} from '../../../src/machines/policies/plan/plan-validation.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {taskIdRule} from '../../../src/services/contracts/task-id.ts';
import {errorOf, seen} from '../../helpers/errors.ts';
import {family, now, planOf, rawPlan, statuses, task, taskIn} from '../../helpers/plans.ts';

const order = (plan: Plan) =>
  tasksInTreeOrder(plan).map(({task: {id}, depth}) => `${'  '.repeat(depth)}${id}`);
const refusal = (message: string) => ({code: 'E_PLAN_EDIT', message, details: []});
const fresh = (id: string, rest: Partial<NewTask> = {}): NewTask => ({
  id,
  title: `New ${id}`,
  parentId: null,
  ...rest,
});

/** p over a and b, q over c; d waits for a. */
const plan = planOf(
  family(task('p'), task('a'), task('b')),
  family(task('q'), task('c')),
  task('d', {deps: ['a'], depRationale: {a: 'needs it'}}),
);

describe('add', () => {
  test('makes a complete task and touches its parent', () => {
    const next = addTask(
      plan,
      fresh('n', {parentId: 'p', title: ' N ', notes: 'note', acceptanceCriteria: ['x']}),
      now,
    );
    expect(taskIn(next, 'n')).toEqual({
      id: 'n',
      title: ' N ',
      description: '',
      acceptanceCriteria: ['x'],
      prompt: '',
      parentId: 'p',
      childIds: [],
      deps: [],
      status: 'todo',
      createdAt: now,
      updatedAt: now,
      notes: 'note',
    });
    expect(taskIn(next, 'p')).toEqual({...taskIn(plan, 'p'), childIds: ['a', 'b', 'n'], updatedAt: now});
  });

  test('leaves out empty notes', () => {
    expect(
      Object.keys(taskIn(addTask(planOf(), fresh('n', {description: 'd', prompt: 'x'}), now), 'n')),
    ).toEqual([
      'id',
      'title',
      'description',
      'acceptanceCriteria',
      'prompt',
      'parentId',
      'childIds',
      'deps',
      'status',
      'createdAt',
      'updatedAt',
    ]);
  });

  test.each<{name: string; place: Place; expected: string[]}>([
    {
      name: 'at the end of the roots',
      place: {parentId: null},
      expected: ['p', '  a', '  b', 'q', '  c', 'd', 'n'],
    },
    {
      name: 'as the first root',
      place: {parentId: null, index: 0},
      expected: ['n', 'p', '  a', '  b', 'q', '  c', 'd'],
    },
    {
      name: 'between roots',
      place: {parentId: null, index: 1},
      expected: ['p', '  a', '  b', 'n', 'q', '  c', 'd'],
    },
    {
      name: 'as the last root',
      place: {parentId: null, index: 3},
      expected: ['p', '  a', '  b', 'q', '  c', 'd', 'n'],
    },
    {
      name: 'as the first child',
      place: {parentId: 'p', index: 0},
      expected: ['p', '  n', '  a', '  b', 'q', '  c', 'd'],
    },
    {
      name: 'as the last child',
      place: {parentId: 'p', index: 2},
      expected: ['p', '  a', '  b', '  n', 'q', '  c', 'd'],
    },
    {name: 'under a leaf', place: {parentId: 'd'}, expected: ['p', '  a', '  b', 'q', '  c', 'd', '  n']},
  ])('$name', ({place, expected}) => {
    expect(order(addTask(plan, fresh('n', place), now))).toEqual(expected);
  });

  test.each<{name: string; task: NewTask; message: string}>([
    {name: 'no id', task: fresh(''), message: 'id is required'},
    {name: 'an id that is taken', task: fresh('a'), message: 'id already exists: "a"'},
    {
      name: 'an id that differs only in case',
      task: fresh('A'),
      message: 'id "A" differs from "a" only in case',
    },
    {name: 'no title', task: fresh('n', {title: ' \n'}), message: 'title is required'},
    {name: 'an unknown parent', task: fresh('n', {parentId: 'x'}), message: 'unknown parent id "x"'},
    {name: 'itself as its parent', task: fresh('n', {parentId: 'n'}), message: 'unknown parent id "n"'},
    {
      name: 'an index before the first',
      task: fresh('n', {parentId: 'p', index: -1}),
      message: 'index out of range: -1 (valid: 0..2)',
    },
    {
      name: 'an index past the last',
      task: fresh('n', {parentId: 'p', index: 3}),
      message: 'index out of range: 3 (valid: 0..2)',
    },
    {
      name: 'a fractional index',
      task: fresh('n', {parentId: 'p', index: 0.5}),
      message: 'index out of range: 0.5 (valid: 0..2)',
    },
    {
      name: 'a root index past the last',
      task: fresh('n', {index: 4}),
      message: 'index out of range: 4 (valid: 0..3)',
    },
  ])('refuses $name', ({task: given, message}) => {
    expect(seen(errorOf(() => addTask(plan, given, now)))).toMatchObject(refusal(message));
  });

  test.each(['../x', 'a/b', 'CON', 'x'.repeat(300), '-rf', 'a\u001b[31m', 'ä'])(
    'refuses the id %j and states the rule',
    (id) => {
      expect(seen(errorOf(() => addTask(plan, fresh(id), now)))).toEqual({
        code: 'E_TASK_ID',
        message: `${JSON.stringify(id)} cannot be a task id`,
        details: [['allowed', taskIdRule]],
        next: [],
      });
    },
  );

  test.each(['__proto__', 'constructor', 'toString', '10'])('accepts the id %s like any other', (id) => {
    const next = addTask(planOf(task('2')), fresh(id), now);
    expect([...next.items.keys()]).toEqual(['2', id]);
    expect(taskIn(next, id).id).toBe(id);
  });

  test('reopens a parent that was done', () => {
    const over = planOf(
      family(task('g', {status: 'done'}), family(task('p', {status: 'done'}), task('a', {status: 'done'}))),
    );
    expect(statuses(addTask(over, fresh('n', {parentId: 'p'}), now))).toEqual({
      g: 'in_progress',
      p: 'in_progress',
      a: 'done',
      n: 'todo',
    });
  });
});

describe('edit', () => {
  const old = planOf(task('a', {title: 'T', notes: 'n', acceptanceCriteria: ['x']}));
  test.each<{name: string; edit: TaskEdit; fields: object}>([
    {name: 'the title', edit: {title: 'U'}, fields: {title: 'U'}},
    {
      name: 'description and prompt',
      edit: {description: 'd', prompt: 'q'},
      fields: {description: 'd', prompt: 'q'},
    },
    {name: 'the criteria', edit: {acceptanceCriteria: ['x', 'y']}, fields: {acceptanceCriteria: ['x', 'y']}},
    {name: 'the notes', edit: {notes: 'm'}, fields: {notes: 'm'}},
    {name: 'the notes to an empty text', edit: {notes: ''}, fields: {notes: ''}},
  ])('changes $name and the time', ({edit, fields}) => {
    expect(taskIn(editTask(old, 'a', edit, now), 'a')).toEqual({
      ...taskIn(old, 'a'),
      ...fields,
      updatedAt: now,
    });
  });

  test('removes the notes with null', () => {
    const {notes, ...rest} = taskIn(old, 'a');
    const next = taskIn(editTask(old, 'a', {notes: null}, now), 'a');
    expect([notes, next, Object.hasOwn(next, 'notes')]).toEqual(['n', {...rest, updatedAt: now}, false]);
  });

  test.each<{name: string; edit: TaskEdit}>([
    {name: 'nothing', edit: {}},
    {name: 'the same values', edit: {title: 'T', notes: 'n', acceptanceCriteria: ['x'], description: ''}},
    {
      name: 'values that are undefined',
      edit: {title: undefined, prompt: undefined, notes: undefined} as unknown as TaskEdit,
    },
  ])('$name is no change', ({edit}) => {
    expect(editTask(old, 'a', edit, now)).toBe(old);
  });

  test('null for missing notes is no change', () => {
    const bare = planOf(task('a'), task('b', {notes: null}));
    expect(editTask(bare, 'a', {notes: null}, now)).toBe(bare);
    expect(editTask(bare, 'b', {notes: null}, now)).toBe(bare);
  });

  test('refuses an empty title', () => {
    expect(seen(errorOf(() => editTask(old, 'a', {title: '  '}, now)))).toMatchObject(
      refusal('title cannot be empty'),
    );
  });

  test('refuses an unknown id', () => {
    expect(errorOf(() => editTask(old, 'x', {}, now)).code).toBe('E_TASK_NOT_FOUND');
  });
});

describe('move', () => {
  test.each<{name: string; id: string; place: Place; expected: string[]}>([
    {
      name: 'to another parent',
      id: 'a',
      place: {parentId: 'q'},
      expected: ['p', '  b', 'q', '  c', '  a', 'd'],
    },
    {
      name: 'before a new sibling',
      id: 'a',
      place: {parentId: 'q', index: 0},
      expected: ['p', '  b', 'q', '  a', '  c', 'd'],
    },
    {name: 'to the root', id: 'a', place: {parentId: null}, expected: ['p', '  b', 'a', 'q', '  c', 'd']},
    {
      name: 'to the root, first',
      id: 'a',
      place: {parentId: null, index: 0},
      expected: ['a', 'p', '  b', 'q', '  c', 'd'],
    },
    {
      name: 'to the root, last',
      id: 'a',
      place: {parentId: null, index: 3},
      expected: ['p', '  b', 'q', '  c', 'd', 'a'],
    },
    {
      name: 'a root before another',
      id: 'd',
      place: {parentId: null, index: 0},
      expected: ['d', 'p', '  a', '  b', 'q', '  c'],
    },
    {
      name: 'a root to the index it has',
      id: 'q',
      place: {parentId: null, index: 1},
      expected: ['p', '  a', '  b', 'q', '  c', 'd'],
    },
    {
      name: 'within its parent, with an index that counts the others',
      id: 'a',
      place: {parentId: 'p', index: 1},
      expected: ['p', '  b', '  a', 'q', '  c', 'd'],
    },
    {
      name: 'to the end of its parent',
      id: 'a',
      place: {parentId: 'p'},
      expected: ['p', '  b', '  a', 'q', '  c', 'd'],
    },
    {
      name: 'with everything below it',
      id: 'p',
      place: {parentId: 'q'},
      expected: ['q', '  c', '  p', '    a', '    b', 'd'],
    },
    {name: 'under a leaf', id: 'c', place: {parentId: 'b'}, expected: ['p', '  a', '  b', '    c', 'q', 'd']},
  ])('$name', ({id, place, expected}) => {
    const next = moveTask(plan, id, place, now);
    expect(order(next)).toEqual(expected);
    expect(checkRawPlan(rawPlan(next))).toEqual({plan: next});
  });

  test('touches the task and both parents, and nothing else', () => {
    const next = moveTask(plan, 'a', {parentId: 'q'}, now);
    const touched = [...next.items.values()].filter(({updatedAt}) => updatedAt === now).map(({id}) => id);
    expect(touched).toEqual(['p', 'a', 'q']);
  });

  test.each<{name: string; id: string; place: Place; message: string}>([
    {name: 'under an unknown parent', id: 'a', place: {parentId: 'x'}, message: 'unknown parent id "x"'},
    {name: 'under itself', id: 'p', place: {parentId: 'p'}, message: 'hierarchy cycle detected: p -> p'},
    {
      name: 'under its own child',
      id: 'p',
      place: {parentId: 'a'},
      message: 'hierarchy cycle detected: p -> a -> p',
    },
    {
      name: 'to an index past the others',
      id: 'a',
      place: {parentId: 'p', index: 2},
      message: 'index out of range: 2 (valid: 0..1)',
    },
    {
      name: 'under its own dependency',
      id: 'd',
      place: {parentId: 'a'},
      message: 'invalid move (would violate plan invariants): "d" cannot depend on its own ancestor "a"',
    },
    {
      name: 'under its own dependent',
      id: 'a',
      place: {parentId: 'd'},
      message: 'invalid move (would violate plan invariants): "d" cannot depend on its own descendant "a"',
    },
    {
      name: 'with a child that a new ancestor depends on',
      id: 'p',
      place: {parentId: 'd'},
      message: 'invalid move (would violate plan invariants): "d" cannot depend on its own descendant "a"',
    },
  ])('refuses to go $name', ({id, place, message}) => {
    expect(seen(errorOf(() => moveTask(plan, id, place, now)))).toMatchObject(refusal(message));
  });

  test('shows the whole path of a hierarchy cycle', () => {
    const deep = planOf(family(task('A'), family(task('B'), task('C'))));
    expect(errorOf(() => moveTask(deep, 'A', {parentId: 'C'}, now)).message).toBe(
      'hierarchy cycle detected: A -> C -> B -> A',
    );
  });

  test('updates the parent it left and the parent it joined', () => {
    const over = planOf(
      family(task('p'), task('a', {status: 'done'}), task('b')),
      family(task('q', {status: 'done'}), task('c', {status: 'done'})),
    );
    expect(statuses(moveTask(over, 'b', {parentId: 'q'}, now))).toEqual({
      p: 'done',
      a: 'done',
      b: 'todo',
      q: 'in_progress',
      c: 'done',
    });
  });

  test('leaves a parent without children as it was, and updates its ancestors', () => {
    const last = planOf(
      family(task('g'), family(task('p', {status: 'done'}), task('a', {status: 'done'}))),
      task('q'),
    );
    expect(statuses(moveTask(last, 'a', {parentId: 'q'}, now))).toEqual({
      g: 'done',
      p: 'done',
      a: 'done',
      q: 'done',
    });
  });
});

describe('delete', () => {
  const all = {cascade: true, force: true};
  const none = {cascade: false, force: false};

  test('removes a leaf from the plan and from its parent', () => {
    const deletion = deleteTask(plan, 'b', none, now);
    expect(deletion.deleted).toEqual(['b']);
    expect(deletion.detached).toEqual([]);
    expect(order(deletion.plan)).toEqual(['p', '  a', 'q', '  c', 'd']);
    expect(taskIn(deletion.plan, 'p')).toEqual({...taskIn(plan, 'p'), childIds: ['a'], updatedAt: now});
  });

  test('deletes all descendants with cascade, and the dependencies on them with force', () => {
    const {plan: next, ...rest} = deleteTask(plan, 'p', all, now);
    expect(rest).toEqual({deleted: ['p', 'a', 'b'], detached: ['d']});
    expect(order(next)).toEqual(['q', '  c', 'd']);
    expect(taskIn(next, 'd')).toEqual(task('d', {deps: [], depRationale: {}, updatedAt: now}));
  });

  test('keeps what others need and nothing else', () => {
    const both = planOf(task('a'), task('b'), task('d', {deps: ['a', 'b'], depRationale: {a: '1', b: '2'}}));
    expect(taskIn(deleteTask(both, 'a', {cascade: false, force: true}, now).plan, 'd')).toEqual(
      task('d', {deps: ['b'], depRationale: {b: '2'}, updatedAt: now}),
    );
  });

  test('a dependency inside the deleted subtree is no obstacle', () => {
    const inner = planOf(family(task('p'), task('a'), task('b', {deps: ['a']})));
    expect(deleteTask(inner, 'p', {cascade: true, force: false}, now)).toEqual({
      plan: planOf(),
      deleted: ['p', 'a', 'b'],
      detached: [],
    });
  });

  test.each([
    {
      name: 'a parent without cascade',
      id: 'p',
      options: {cascade: false, force: true},
      message: 'refusing to delete "p": has children (use --cascade-children)',
    },
    {
      name: 'a dependency of others without force',
      id: 'p',
      options: {cascade: true, force: false},
      message:
        'refusing to delete: would break dependents (a (dependents: d, e)). Use --force to remove those dep edges',
    },
  ])('refuses $name', ({id, options, message}) => {
    const more = planOf([...plan.items.values()], task('e', {deps: ['a']}));
    expect(seen(errorOf(() => deleteTask(more, id, options, now)))).toMatchObject(refusal(message));
  });

  test('names every task that others need, and those others', () => {
    const broken = planOf(
      family(task('p'), task('a'), task('b')),
      task('x', {deps: ['b', 'a']}),
      task('y', {deps: ['a']}),
    );
    expect(errorOf(() => deleteTask(broken, 'p', {cascade: true, force: false}, now)).message).toBe(
      'refusing to delete: would break dependents (a (dependents: x, y); b (dependents: x)). Use --force to remove those dep edges',
    );
  });

  test('completes a parent whose other children are done', () => {
    const nearly = planOf(family(task('g'), family(task('p'), task('a', {status: 'done'}), task('b'))));
    expect(statuses(deleteTask(nearly, 'b', none, now).plan)).toEqual({g: 'done', p: 'done', a: 'done'});
  });

  test('refuses an unknown id', () => {
    expect(errorOf(() => deleteTask(plan, 'x', all, now)).code).toBe('E_TASK_NOT_FOUND');
  });
});

describe('dependencies', () => {
  const tree = planOf(
    family(task('g'), family(task('p'), task('a'), task('b'))),
    task('c', {deps: ['a'], depRationale: {a: 'because'}}),
    task('d', {deps: ['c']}),
  );

  test('are appended', () => {
    expect(taskIn(addDep(tree, 'd', 'b', now), 'd')).toEqual(task('d', {deps: ['c', 'b'], updatedAt: now}));
  });

  test('are removed with their reasons', () => {
    expect(taskIn(removeDep(tree, 'c', 'a', now), 'c')).toEqual(
      task('c', {deps: [], depRationale: {}, updatedAt: now}),
    );
  });

  test('are set as a whole, without repeats, and keep the reasons that still apply', () => {
    expect(taskIn(setDeps(tree, 'c', ['b', 'a', 'b'], now), 'c')).toEqual(
      task('c', {deps: ['b', 'a'], depRationale: {a: 'because'}, updatedAt: now}),
    );
  });

  test('keep a reason for __proto__', () => {
    const odd = planOf(
      task('__proto__'),
      task('b'),
      task('c', {deps: ['__proto__'], depRationale: JSON.parse('{"__proto__":"x"}')}),
    );
    const {depRationale} = taskIn(addDep(odd, 'c', 'b', now), 'c');
    expect(Object.entries(depRationale ?? {})).toEqual([['__proto__', 'x']]);
  });

  test.each([
    {name: 'one that already exists', change: () => addDep(tree, 'c', 'a', now)},
    {name: 'one that does not exist, removed', change: () => removeDep(tree, 'c', 'nobody', now)},
    {name: 'the same ones', change: () => setDeps(tree, 'c', ['a', 'a'], now)},
  ])('$name: no change', ({change}) => {
    expect(change()).toBe(tree);
  });

  test.each([
    {
      name: 'on itself',
      change: () => addDep(tree, 'c', 'c', now),
      message: 'cannot add self-dependency: "c"',
    },
    {name: 'on an unknown task', change: () => addDep(tree, 'c', 'x', now), message: 'unknown dep id "x"'},
    {
      name: 'on toString',
      change: () => setDeps(tree, 'c', ['toString'], now),
      message: 'unknown dep id "toString"',
    },
    {
      name: 'on its parent',
      change: () => addDep(tree, 'a', 'p', now),
      message: '"a" cannot depend on its own ancestor "p"',
    },
    {
      name: 'on an ancestor',
      change: () => addDep(tree, 'a', 'g', now),
      message: '"a" cannot depend on its own ancestor "g"',
    },
    {
      name: 'on its child',
      change: () => addDep(tree, 'p', 'a', now),
      message: '"p" cannot depend on its own descendant "a"',
    },
    {
      name: 'on a descendant',
      change: () => setDeps(tree, 'g', ['c', 'a'], now),
      message: '"g" cannot depend on its own descendant "a"',
    },
    {
      name: 'in a cycle',
      change: () => addDep(tree, 'a', 'd', now),
      message: 'dependency cycle detected: a -> d -> c -> a',
    },
    {
      name: 'in a cycle, set as a whole',
      change: () => setDeps(tree, 'c', ['d'], now),
      message: 'dependency cycle detected: c -> d -> c',
    },
  ])('$name are refused', ({change, message}) => {
    expect(seen(errorOf(change))).toMatchObject(refusal(message));
  });

  test.each([addDep, removeDep])('of an unknown task are refused', (change) => {
    expect(errorOf(() => change(tree, 'x', 'a', now)).code).toBe('E_TASK_NOT_FOUND');
  });
});

test.each([
  {change: () => addTask(plan, fresh('a'), now), next: ['blackbird show a']},
  {change: () => addTask(plan, fresh('A'), now), next: ['blackbird show a']},
  {change: () => addTask(plan, fresh('n', {title: ' '}), now), next: []},
  {change: () => moveTask(plan, 'p', {parentId: 'a'}, now), next: ['blackbird list --tree']},
  {
    change: () => deleteTask(plan, 'p', {cascade: false, force: false}, now),
    next: ['blackbird delete p --cascade-children'],
  },
  {
    change: () => deleteTask(addDep(plan, 'b', 'a', now), 'a', {cascade: false, force: false}, now),
    next: ['blackbird delete a --force'],
  },
  {change: () => addDep(plan, 'a', 'a', now), next: ['blackbird show a']},
  {change: () => addDep(addDep(plan, 'b', 'a', now), 'a', 'b', now), next: ['blackbird show a']},
])('a refusal names the next command: $next', ({change, next}) => {
  expect(errorOf(change).next.map(({command}) => command)).toEqual(next);
});
