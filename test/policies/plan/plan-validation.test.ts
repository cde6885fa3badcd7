import {describe, expect, test} from 'vitest';
import {checkPlanChange, checkRawPlan} from '../../../src/machines/policies/plan/plan-validation.ts';
import type {Plan, PlanProblem, Task} from '../../../src/services/contracts/plan.ts';
import type {RawPlan} from '../../../src/services/contracts/stores.ts';
import {family, made, planOf, task, taskIn} from '../../helpers/plans.ts';

type Row = {name: string; items: Array<readonly [string, unknown]>; problems: Array<[string, string]>};

const raw = (items: RawPlan['items'], root: Record<string, unknown> = {schemaVersion: 1}): RawPlan => ({
  root,
  items,
});

function problemsOf(check: RawPlan): Array<[string, string]> {
  const result = checkRawPlan(check);
  return 'problems' in result ? result.problems.map(({path, message}) => [path, message]) : [];
}

/** A task as JSON, with some fields replaced; `undefined` removes a field. */
function item(id: string, fields: Record<string, unknown> = {}): readonly [string, unknown] {
  const all = Object.entries({...task(id), ...fields}).filter(([, value]) => value !== undefined);
  return [id, Object.fromEntries(all)];
}

describe('a valid plan', () => {
  test('is returned as it is, with the unknown fields of its root', () => {
    const plan = planOf(family(task('p'), task('a'), task('b', {deps: ['a']})));
    expect(checkRawPlan({root: {schemaVersion: 1, owner: 'me'}, items: [...plan.items]})).toEqual({
      plan: {schemaVersion: 1, owner: 'me', items: plan.items},
    });
  });

  test('keeps the order of the file', () => {
    const check = checkRawPlan(raw([item('10'), item('2'), item('__proto__'), item('1')]));
    expect('plan' in check && [...check.plan.items.keys()]).toEqual(['10', '2', '__proto__', '1']);
  });

  test.each([
    {name: 'no task', items: []},
    {
      name: 'optional fields left out',
      items: [item('a', {description: undefined, prompt: undefined, parentId: undefined})],
    },
    {
      name: 'notes and rationale',
      items: [item('a'), item('b', {deps: ['a'], notes: 'n', depRationale: {a: 'first'}})],
    },
    {name: 'notes and rationale that are null', items: [item('a', {notes: null, depRationale: null})]},
    {name: 'unknown fields', items: [item('a', {priority: 3, owner: {name: 'x'}})]},
    {
      name: 'equal timestamps',
      items: [item('a', {createdAt: '2026-01-01T01:00:00+01:00', updatedAt: made})],
    },
    {name: 'an id of 256 characters', items: [item('x'.repeat(256))]},
    {
      name: 'ids that could never be file names',
      items: [item('../x'), item('a/b'), item('CON'), item('.'), item('a b')],
    },
    {
      name: 'ids that are inherited property names',
      items: [item('__proto__', {deps: ['constructor']}), item('constructor'), item('toString')],
    },
    {
      name: 'a dependency between cousins',
      items: [...planOf(family(task('p'), task('a')), family(task('q'), task('b', {deps: ['a']}))).items],
    },
  ])('may hold $name', ({items}) => {
    expect(problemsOf(raw(items))).toEqual([]);
  });
});

describe('the root', () => {
  const wrongVersion = (found: string) => `unsupported schemaVersion ${found} (expected 1)`;
  test.each([
    {root: {}, message: 'required'},
    {root: {schemaVersion: 0}, message: 'required'},
    {root: {schemaVersion: 2}, message: wrongVersion('2')},
    {root: {schemaVersion: 1.5}, message: wrongVersion('1.5')},
    {root: {schemaVersion: '1'}, message: wrongVersion('"1"')},
    {root: {schemaVersion: null}, message: wrongVersion('null')},
    {root: {schemaVersion: [1]}, message: wrongVersion('[1]')},
  ])('$root is refused', ({root, message}) => {
    expect(problemsOf(raw([], root))).toEqual([['$.schemaVersion', message]]);
  });

  test('without items says so, along with its other problems', () => {
    expect(problemsOf(raw(null, {}))).toEqual([
      ['$.schemaVersion', 'required'],
      ['$.items', 'required (must be an object/map)'],
    ]);
  });
});

describe('one task', () => {
  const required = 'required (use [] if none)';
  const timestamp = 'required (RFC3339 timestamp)';
  const rows: Row[] = [
    {name: 'no key', items: [item('')], problems: [['$.items', 'item key must be non-empty']]},
    {name: 'null', items: [['a', null]], problems: [['$.items["a"]', 'must be an object']]},
    {name: 'a list', items: [['a', []]], problems: [['$.items["a"]', 'must be an object']]},
    {name: 'a text', items: [['a', 'x']], problems: [['$.items["a"]', 'must be an object']]},
    {
      name: 'a repeated key',
      items: [item('a'), item('a')],
      problems: [['$.items["a"]', 'duplicate item key']],
    },
    {name: 'no id', items: [item('a', {id: undefined})], problems: [['$.items["a"].id', 'required']]},
    {name: 'an empty id', items: [item('a', {id: ''})], problems: [['$.items["a"].id', 'required']]},
    {
      name: 'an id that is a number',
      items: [item('1', {id: 1})],
      problems: [['$.items["1"].id', 'required']],
    },
    {
      name: 'an id that differs from its key',
      items: [item('a', {id: 'b'})],
      problems: [['$.items["a"].id', 'must match map key "a"']],
    },
    {
      name: 'an id of 257 characters',
      items: [item('x'.repeat(257))],
      problems: [[`$.items["${'x'.repeat(257)}"]`, 'id is longer than 256 characters']],
    },
    {
      name: 'a line break in the id',
      items: [item('a\nb')],
      problems: [['$.items["a\\nb"]', 'id contains a control character']],
    },
    {
      name: 'NUL in the id',
      items: [item('a\0')],
      problems: [['$.items["a\\u0000"]', 'id contains a control character']],
    },
    {
      name: 'an escape sequence in the id',
      items: [item('\u001b[31m')],
      problems: [['$.items["\\u001b[31m"]', 'id contains a control character']],
    },
    {
      name: 'an eight-bit control in the id',
      items: [item('a\u009b')],
      problems: [['$.items["a\u009b"]', 'id contains a control character']],
    },
    {
      name: 'no title',
      items: [item('a', {title: undefined})],
      problems: [['$.items["a"].title', 'required']],
    },
    {
      name: 'a blank title',
      items: [item('a', {title: ' \t'})],
      problems: [['$.items["a"].title', 'required']],
    },
    {
      name: 'a description that is not text',
      items: [item('a', {description: 1})],
      problems: [['$.items["a"].description', 'must be a string']],
    },
    {
      name: 'no criteria',
      items: [item('a', {acceptanceCriteria: null})],
      problems: [['$.items["a"].acceptanceCriteria', required]],
    },
    {
      name: 'a criterion that is not text',
      items: [item('a', {acceptanceCriteria: ['x', 2]})],
      problems: [['$.items["a"].acceptanceCriteria[1]', 'must be a string']],
    },
    {
      name: 'a prompt that is not text',
      items: [item('a', {prompt: []})],
      problems: [['$.items["a"].prompt', 'must be a string']],
    },
    {
      name: 'an empty parent',
      items: [item('a', {parentId: ''})],
      problems: [['$.items["a"].parentId', 'must be null or a non-empty ID']],
    },
    {
      name: 'a parent that is a number',
      items: [item('a', {parentId: 7})],
      problems: [['$.items["a"].parentId', 'must be null or a non-empty ID']],
    },
    {
      name: 'no child list',
      items: [item('a', {childIds: undefined})],
      problems: [['$.items["a"].childIds', required]],
    },
    {name: 'no deps', items: [item('a', {deps: null})], problems: [['$.items["a"].deps', required]]},
    {
      name: 'no status',
      items: [item('a', {status: undefined})],
      problems: [['$.items["a"].status', 'invalid status of type undefined']],
    },
    {
      name: 'an unknown status',
      items: [item('a', {status: 'Done'})],
      problems: [['$.items["a"].status', 'invalid status "Done"']],
    },
    {
      name: 'a status that is an inherited property name',
      items: [item('a', {status: 'toString'})],
      problems: [['$.items["a"].status', 'invalid status "toString"']],
    },
    {
      name: 'no creation time',
      items: [item('a', {createdAt: undefined})],
      problems: [['$.items["a"].createdAt', timestamp]],
    },
    {
      name: 'an update time that is not a timestamp',
      items: [item('a', {updatedAt: 'today'})],
      problems: [['$.items["a"].updatedAt', timestamp]],
    },
    {
      name: 'an update one nanosecond before the creation',
      items: [
        item('a', {createdAt: '2026-01-01T00:00:00.000000002Z', updatedAt: '2026-01-01T00:00:00.000000001Z'}),
      ],
      problems: [['$.items["a"].updatedAt', 'must be >= createdAt']],
    },
    {
      name: 'notes that are not text',
      items: [item('a', {notes: {}})],
      problems: [['$.items["a"].notes', 'must be a string']],
    },
    {
      name: 'a rationale that is a list',
      items: [item('a', {depRationale: ['x']})],
      problems: [['$.items["a"].depRationale', 'must be an object/map']],
    },
    {
      name: 'a reason that is not text',
      items: [item('b-1'), item('a', {deps: ['b-1'], depRationale: {'b-1': 1}})],
      problems: [['$.items["a"].depRationale["b-1"]', 'must be a string']],
    },
  ];
  test.each(rows)('$name', ({items, problems}) => {
    expect(problemsOf(raw(items))).toEqual(problems);
  });
});

describe('relations', () => {
  const rows: Row[] = [
    {
      name: 'an unknown parent',
      items: [item('a', {parentId: 'p'})],
      problems: [['$.items["a"].parentId', 'unknown parent id "p"']],
    },
    {
      name: 'a parent that does not list its child',
      items: [item('p'), item('a', {parentId: 'p'})],
      problems: [['$.items["a"].parentId', 'parent "p" must include "a" in childIds']],
    },
    {
      name: 'a child that does not name its parent',
      items: [item('p', {childIds: ['a']}), item('a')],
      problems: [['$.items["p"].childIds[0]', 'child "a" must have parentId "p"']],
    },
    {
      name: 'children that are empty, repeated or unknown',
      items: [item('p', {childIds: ['a', '', 'a', 'x']}), item('a', {parentId: 'p'})],
      problems: [
        ['$.items["p"].childIds[1]', 'child id must be non-empty'],
        ['$.items["p"].childIds[2]', 'duplicate child id "a"'],
        ['$.items["p"].childIds[3]', 'unknown child id "x"'],
      ],
    },
    {
      name: 'dependencies that are empty, repeated or unknown',
      items: [item('a', {deps: ['', 'b', 'b', 'x', 'toString']}), item('b')],
      problems: [
        ['$.items["a"].deps[0]', 'dep id must be non-empty'],
        ['$.items["a"].deps[2]', 'duplicate dep id "b"'],
        ['$.items["a"].deps[3]', 'unknown dep id "x"'],
        ['$.items["a"].deps[4]', 'unknown dep id "toString"'],
      ],
    },
    {
      name: 'a reason for an unknown dependency and for none',
      items: [item('a', {deps: ['b'], depRationale: {x: 'why', c: 'why', b: 'why'}}), item('b'), item('c')],
      problems: [
        ['$.items["a"].depRationale', 'unknown dep id "x"'],
        ['$.items["a"].depRationale', 'depRationale key "c" must also appear in deps'],
      ],
    },
    {
      name: 'a dependency on its own parent and on a further ancestor',
      items: [...planOf(family(task('g'), family(task('p'), task('a', {deps: ['p', 'g']})))).items],
      problems: [
        ['$.items["a"].deps[0]', 'cannot depend on its own ancestor "p"'],
        ['$.items["a"].deps[1]', 'cannot depend on its own ancestor "g"'],
      ],
    },
    {
      name: 'a dependency on its own child and on a further descendant',
      items: [...planOf(family(task('g', {deps: ['p', 'a']}), family(task('p'), task('a')))).items],
      problems: [
        ['$.items["g"].deps[0]', 'cannot depend on its own descendant "p"'],
        ['$.items["g"].deps[1]', 'cannot depend on its own descendant "a"'],
      ],
    },
    {
      name: 'a task that waits for itself',
      items: [item('A', {deps: ['A']})],
      problems: [['$.items', 'dependency cycle detected: A -> A']],
    },
    {
      name: 'two tasks that wait for each other',
      items: [item('A', {deps: ['B']}), item('B', {deps: ['A']})],
      problems: [['$.items', 'dependency cycle detected: A -> B -> A']],
    },
    {
      name: 'a hierarchy cycle',
      items: [item('A', {parentId: 'B', childIds: ['B']}), item('B', {parentId: 'A', childIds: ['A']})],
      problems: [['$.items', 'hierarchy cycle detected: A -> B -> A']],
    },
    {
      name: 'a task that is its own parent',
      items: [item('A', {parentId: 'A', childIds: ['A']})],
      problems: [['$.items', 'hierarchy cycle detected: A -> A']],
    },
  ];
  test.each(rows)('$name', ({items, problems}) => {
    expect(problemsOf(raw(items))).toEqual(problems);
  });
});

describe('everything wrong at once', () => {
  const items = [
    item('z', {title: '', deps: [5, 'nobody']}),
    item('', {}),
    item('m', {status: 'x', parentId: 'nobody'}),
    item('A', {deps: ['B']}),
    item('B', {deps: ['A']}),
    ['broken', null] as const,
    item('fine', {deps: ['broken', 'm']}),
  ];
  const problems = [
    ['$.schemaVersion', 'unsupported schemaVersion 3 (expected 1)'],
    ['$.items["z"].title', 'required'],
    ['$.items["z"].deps[0]', 'must be a string'],
    ['$.items', 'item key must be non-empty'],
    ['$.items["m"].status', 'invalid status "x"'],
    ['$.items["broken"]', 'must be an object'],
    ['$.items["z"].deps[1]', 'unknown dep id "nobody"'],
    ['$.items["m"].parentId', 'unknown parent id "nobody"'],
    ['$.items', 'dependency cycle detected: A -> B -> A'],
  ];

  test('is reported in the order of the file: fields, then relations, then cycles', () => {
    expect(problemsOf(raw(items, {schemaVersion: 3}))).toEqual(problems);
  });

  test('is reported the same way every time', () => {
    const texts = Array.from({length: 20}, () => JSON.stringify(problemsOf(raw(items, {schemaVersion: 3}))));
    expect([...new Set(texts)]).toEqual([JSON.stringify(problems)]);
  });
});

describe('a change', () => {
  const before = planOf(family(task('p'), task('a'), task('b')), task('c'));
  const change = (...tasks: Task[]) => planOf([...before.items.values()], ...tasks);
  const rows: Array<{name: string; after: Plan; problems: PlanProblem[]}> = [
    {name: 'of nothing', after: before, problems: []},
    {name: 'of a status', after: change({...taskIn(before, 'a'), status: 'done'}), problems: []},
    {
      name: 'of a relation that stays valid',
      after: change({...taskIn(before, 'c'), deps: ['a']}),
      problems: [],
    },
    {
      name: 'to a wrong shape',
      after: change({...taskIn(before, 'a'), title: ''}),
      problems: [{path: '$.items["a"].title', message: 'required'}],
    },
    {
      name: 'of an id under its key',
      after: {...before, items: new Map(before.items).set('a', task('x'))},
      problems: [{path: '$.items["a"].id', message: 'must match map key "a"'}],
    },
    {
      name: 'into a cycle',
      after: change({...taskIn(before, 'a'), deps: ['c']}, {...taskIn(before, 'c'), deps: ['a']}),
      problems: [{path: '$.items', message: 'dependency cycle detected: a -> c -> a'}],
    },
    {
      name: 'that removes a task others refer to',
      after: planOf([...before.items.values()].filter(({id}) => id !== 'b')),
      problems: [{path: '$.items["p"].childIds[1]', message: 'unknown child id "b"'}],
    },
    {
      name: 'that replaces one task by another',
      after: planOf([...before.items.values()].map((each) => (each.id === 'b' ? task('d') : each))),
      problems: [{path: '$.items["p"].childIds[1]', message: 'unknown child id "b"'}],
    },
  ];
  test.each(rows)('$name', ({after, problems}) => {
    expect(checkPlanChange(before, after)).toEqual(problems);
  });
});

test('a change of one task of many is found without looking the others up', () => {
  const many = planOf(Array.from({length: 1_000}, (_, at) => task(`t${at}`)));
  let lookups = 0;
  const items = new Map(many.items);
  Object.assign(items, {
    get: (id: string) => {
      lookups++;
      return many.items.get(id);
    },
  });
  const wrong = {...taskIn(many, 't500'), title: ''};
  const after = {...many, items: new Map(many.items).set('t500', wrong)};
  expect(checkPlanChange({...many, items}, after).map(({path}) => path)).toEqual(['$.items["t500"].title']);
  expect(lookups).toBe(1);
});

test('a task under the key of another is found, also at its old place', () => {
  const a = task('a');
  const after = {...planOf(a), items: new Map([['b', a]])};
  expect(checkPlanChange(planOf(a), after).map(({path}) => path)).toEqual(['$.items["b"].id']);
});
