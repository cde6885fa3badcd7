import {describe, expect, test} from 'vitest';
import {diffPlans, isEmptyDiff, type PlanDiff} from '../../../src/machines/policies/plan/plan-diff.ts';
import {diffCounts, planDiffLines} from '../../../src/machines/policies/plan/plan-diff-lines.ts';
import {
  addTask,
  deleteTask,
  editTask,
  moveTask,
  setDeps,
} from '../../../src/machines/policies/plan/plan-edits.ts';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import type {Plan, Task} from '../../../src/services/contracts/plan.ts';
import {family, hugeChain, hugeSize, now, planOf, promptly, task} from '../../helpers/plans.ts';
import {controlCharacters} from '../../helpers/run-cli.ts';

/** p over a and b, then c, d and e; d waits for a. */
const plan = planOf(
  family(task('p'), task('a'), task('b')),
  task('c'),
  task('d', {deps: ['a']}),
  task('e', {notes: 'old', extra: {x: 1}} as Partial<Task>),
);
const nothing: PlanDiff = {added: [], changed: [], moved: [], deps: [], removed: []};
/** The reasons for d's dependencies. */
function withReasons(each: Plan, depRationale: Readonly<Record<string, string>>): Plan {
  const d = each.items.get('d');
  return d ? {...each, items: new Map([...each.items, ['d', {...d, depRationale}]])} : each;
}
const named = (id: string) => ({id, title: `Task ${id}`});

test.each<{name: string; after: (plan: Plan) => Plan; expected: Partial<PlanDiff>}>([
  {name: 'nothing', after: (each) => each, expected: {}},
  {
    name: 'the same plan read again',
    after: (each) => ({...each, items: new Map(structuredClone([...each.items]))}),
    expected: {},
  },
  {
    name: 'a task that is added, not its parent',
    after: (each) => addTask(each, {id: 'n', title: 'New', parentId: 'p', index: 1}, now),
    expected: {added: [{id: 'n', title: 'New', parentId: 'p', after: 'a', deps: []}]},
  },
  {
    name: 'a deleted task, and the dependents that no longer wait',
    after: (each) => deleteTask(each, 'a', {cascade: false, force: true}, now).plan,
    expected: {removed: [named('a')], deps: [{...named('d'), added: [], removed: ['a']}]},
  },
  {
    name: 'fields, with both values',
    after: (each) => editTask(each, 'e', {title: 'E', notes: null, prompt: 'do'}, now),
    expected: {
      changed: [
        {
          id: 'e',
          title: 'E',
          fields: [
            {field: 'title', before: 'Task e', after: 'E'},
            {field: 'prompt', before: '', after: 'do'},
            {field: 'notes', before: 'old', after: null},
          ],
        },
      ],
    },
  },
  {
    name: 'a field unknown to this version',
    after: (each) => ({
      ...each,
      items: new Map(each.items).set('e', {...each.items.get('e'), extra: {x: 2}} as unknown as Task),
    }),
    expected: {changed: [{...named('e'), fields: [{field: 'extra', before: {x: 1}, after: {x: 2}}]}]},
  },
  {
    name: 'a status, and the parent that follows it',
    after: (each) => setStatus(setStatus(each, 'a', 'done', now), 'b', 'done', now),
    expected: {
      changed: ['p', 'a', 'b'].map((id) => ({
        ...named(id),
        fields: [{field: 'status', before: 'todo', after: 'done'}],
      })),
    },
  },
  {
    name: 'a task under another parent',
    after: (each) => moveTask(each, 'c', {parentId: 'p', index: 0}, now),
    expected: {
      moved: [{...named('c'), from: {parentId: null, after: 'p'}, to: {parentId: 'p', after: null}}],
    },
  },
  {
    name: 'a task that moved among its siblings, not the siblings it passed',
    after: (each) => moveTask(each, 'e', {parentId: null, index: 0}, now),
    expected: {
      moved: [{...named('e'), from: {parentId: null, after: 'd'}, to: {parentId: null, after: null}}],
    },
  },
  {
    name: 'dependencies',
    after: (each) => setDeps(each, 'd', ['b', 'c'], now),
    expected: {deps: [{...named('d'), added: ['b', 'c'], removed: ['a']}]},
  },
  {
    name: 'the reason for a dependency, with the dependency',
    after: (each) => withReasons(setDeps(each, 'd', ['a', 'b'], now), {b: 'it needs the schema'}),
    expected: {
      deps: [{...named('d'), added: ['b'], removed: [], reasons: {b: 'it needs the schema'}}],
    },
  },
])('shows $name', ({after, expected}) => {
  const diff = diffPlans(plan, after(plan));
  expect(diff).toEqual({...nothing, ...expected});
  expect(isEmptyDiff(diff)).toBe(Object.keys(expected).length === 0);
});

describe('as text', () => {
  const text = (after: Plan, before = plan) =>
    planDiffLines(diffPlans(before, after)).map((line) => line.text);

  test('a reason follows its dependency, and is shown when only it changes', () => {
    const reasoned = withReasons(plan, {a: 'it needs the schema'});
    const both = setDeps(reasoned, 'd', ['a', 'b'], now);
    const d = '~ d  Task d';
    const counts = '1 with other dependencies';
    expect(text(withReasons(both, {a: 'it reads it', b: 'tables\nfirst'}), reasoned)).toEqual([
      d,
      '    + waits for b: tables first',
      '    ~ waits for a: it reads it',
      counts,
    ]);
    expect(text(withReasons(reasoned, {}), reasoned)).toEqual([
      d,
      '    ~ waits for a, without a reason now',
      counts,
    ]);
  });

  test('each kind in its own words, then the counts', () => {
    let after = addTask(plan, {id: 'n', title: 'New', parentId: 'p'}, now);
    after = setDeps(after, 'n', ['c'], now);
    after = editTask(after, 'e', {notes: 'one\ntwo', acceptanceCriteria: ['it works']}, now);
    after = moveTask(after, 'c', {parentId: null, index: 3}, now);
    after = moveTask(after, 'b', {parentId: null, index: 0}, now);
    after = deleteTask(after, 'a', {cascade: false, force: true}, now).plan;
    expect(text(after)).toEqual([
      '+ n  New  (under p; waits for c)',
      '~ e  Task e',
      '    acceptanceCriteria',
      '      + it works',
      '    notes',
      '      - old',
      '      + one',
      '      + two',
      '> b  Task b  (from p to the top level, first)',
      '> c  Task c  (now after e)',
      '~ d  Task d',
      '    - waits for a',
      '- a  Task a',
      '1 added · 1 changed · 2 moved · 1 with other dependencies · 1 removed',
    ]);
  });

  test('a status or checks that come with another change are shown as such', () => {
    const [done, checked] = [task('x', {status: 'done'}), task('y', {verify: ['npm test', 'npm run lint']})];
    expect(text(planOf(done, checked), planOf())).toEqual([
      '+ x  Task x  (done)',
      '+ y  Task y',
      '    checked with npm test',
      '    checked with npm run lint',
      '2 added',
    ]);
  });

  test.each([
    ['comes from docs/TODO.md', undefined, 'docs/TODO.md#a1'],
    ['docs/#1.md is remembered as it is now', 'docs/#1.md#a1', 'docs/#1.md#a1'],
    ['comes from issues', 'TODO.md#a1', 'issues#3'],
    ['no longer comes from TODO.md', 'TODO.md#a1', undefined],
  ])('the source of a task is shown in words: %s', (words, was, is) => {
    const from = (key: string | undefined, digest: string) =>
      planOf(task('x', key === undefined ? {} : {source: {key, digest}}));
    expect(text(from(is, 'new'), from(was, 'old'))).toEqual(['~ x  Task x', `    ${words}`, '1 changed']);
  });

  test('of a long field only the lines that differ', () => {
    const before = editTask(plan, 'c', {description: 'a\nb\nc\nd'}, now);
    expect(text(editTask(before, 'c', {description: 'a\nB\nX\nc\nd'}, now), before)).toEqual([
      '~ c  Task c',
      '    description',
      '      - b',
      '      + B',
      '      + X',
      '1 changed',
    ]);
  });

  test('of no change', () => {
    expect(text(plan)).toEqual(['no change']);
    expect(diffCounts(nothing)).toBe('no change');
  });

  test('contains no control sequence for the terminal', () => {
    const evil = '\u001b[2J\u202ex\u0007\rnext';
    const before = planOf(task('x', {[evil]: evil} as Partial<Task>));
    const after = planOf(task('x', {title: evil, description: evil, [evil]: {[evil]: 1}} as Partial<Task>));
    for (const line of text(after, before)) expect(line).not.toMatch(controlCharacters);
  });

  test('is short, however much changed', () => {
    const lines = promptly(() => text(hugeChain(), planOf()));
    expect(lines).toHaveLength(202);
    expect(lines.slice(-2)).toEqual([`  … and ${hugeSize - 200} more`, `${hugeSize} added`]);
  });
});
