import {describe, expect, test} from 'vitest';
import {effectTexts, takenBackText} from '../../../src/machines/policies/review/effect-words.ts';
import {takeBackEdits} from '../../../src/machines/policies/review/plan-take-back.ts';
import {mergeSideEffects, sideEffectsOf} from '../../../src/machines/policies/review/side-effects.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {family, planOf, task} from '../../helpers/plans.ts';

const now = '2026-03-01T00:00:00Z';
const nothing = {settings: new Map(), repository: null};
const edited = (before: Plan, after: Plan, isByBlackbird = false) =>
  sideEffectsOf({
    before: nothing,
    after: nothing,
    ignored: {count: 0, names: []},
    plan: {before: {plan: before}, after: {plan: after}, isByBlackbird},
  });
const kind = planOf(task('a'), task('b', {deps: ['a'], prompt: 'be kind'}));
const evil = planOf(task('a'), task('b', {deps: ['a'], prompt: 'be evil'}));

describe('the edits of an agent are taken back', () => {
  test.each([
    {name: 'a text', after: evil, taken: ['b (prompt)']},
    {
      name: 'a status and a dependency',
      after: planOf(task('a'), task('b', {prompt: 'be kind', status: 'done'})),
      taken: ['b (deps)', 'b (status)'],
    },
    {
      name: 'a field that did not exist',
      after: planOf(task('a', {verify: ['rm -rf /']}), task('b', {deps: ['a'], prompt: 'be kind'})),
      taken: ['a (verify)'],
    },
  ])('$name', ({after, taken}) => {
    const back = takeBackEdits(after, edited(kind, after), now);
    expect({taken: back.taken.toSorted(), left: back.left}).toEqual({taken, left: []});
    const {updatedAt: _, ...b} = back.plan.items.get('b') ?? task('b');
    const {updatedAt: __, ...was} = kind.items.get('b') ?? task('b');
    expect(b).toEqual(was);
    expect(back.plan.items.get('a')).not.toHaveProperty('verify');
  });

  test('across several runs, to what it was before the first', () => {
    const worse = planOf(task('a'), task('b', {deps: ['a'], prompt: 'be worse'}));
    const first = edited(kind, evil);
    const effects = mergeSideEffects([...first, ...first], edited(evil, worse), []);
    expect(effects).toHaveLength(2);
    expect(takeBackEdits(worse, effects, now).plan.items.get('b')?.prompt).toBe('be kind');
  });

  test('once: a plan that is already restored stays untouched', () => {
    expect(takeBackEdits(kind, edited(kind, evil), now)).toEqual({plan: kind, taken: [], left: []});
  });
});

describe('edits that stay are named', () => {
  const left = (plan: Plan, effects = edited(kind, evil)) => {
    const back = takeBackEdits(plan, effects, now);
    expect(back.plan).toBe(plan);
    return back.left;
  };

  test('changed by someone else since', () => {
    expect(left(planOf(task('a'), task('b', {deps: ['a'], prompt: 'mine'})))).toEqual(['b (prompt)']);
  });

  test('a status that was done: only a run makes a task done', () => {
    const before = planOf(task('a', {status: 'done'}), task('b'));
    const after = planOf(task('a'), task('b'));
    expect(left(after, edited(before, after))).toEqual(['a (status)']);
  });

  test('the status of a parent: it follows its children', () => {
    const before = planOf(family(task('p', {status: 'skipped'}), task('a')));
    const after = planOf(family(task('p', {status: 'blocked'}), task('a')));
    expect(left(after, edited(before, after))).toEqual(['p (status)']);
  });

  test('tasks that were added and removed', () => {
    const after = planOf(task('a'), task('c'));
    expect(left(after, edited(kind, after))).toEqual(['c (added)', 'b (removed)']);
  });

  test('a dependency that would now close a cycle', () => {
    const after = planOf(task('a'), task('b', {prompt: 'be kind'}));
    const today = planOf(task('a', {deps: ['b']}), task('b', {prompt: 'be kind'}));
    expect(left(today, edited(kind, after))).toEqual(['b (deps)']);
  });

  test('values that are too long, too many edits, a plan without a trail', () => {
    const long = planOf(task('a'), task('b', {deps: ['a'], prompt: 'x'.repeat(9000)}));
    expect(left(long, edited(kind, long))).toEqual(['b (prompt)']);
    const many = planOf(...Array.from({length: 43}, (_, place) => task(`t${place}`)));
    expect(left(many, edited(planOf(), many))).toHaveLength(41);
    expect(left(kind, [{kind: 'plan', text: 'the plan was edited'}])).toEqual([
      'what it changed is not known',
    ]);
  });

  test('edits made by the user with Blackbird are not taken back', () => {
    expect(left(evil, edited(kind, evil, true))).toEqual([]);
  });
});

test('the values before and after are shown below the edit, long ones from where they differ', () => {
  expect(effectTexts(edited(kind, evil))).toEqual([
    'the plan was edited: b (prompt)',
    'b (prompt): "be kind" → "be evil"',
  ]);
  const long = (end: string) => planOf(task('b', {prompt: `${'x'.repeat(500)}${end}`}));
  expect(effectTexts(edited(long('kind'), long('evil')))[1]).toBe(
    `b (prompt): …${'x'.repeat(30)}kind" → …${'x'.repeat(30)}evil"`,
  );
});

test('at most as many values are shown as a person reads', () => {
  const plan = (end: string) =>
    planOf(...Array.from({length: 12}, (_, place) => task(`t${place}`, {prompt: `${place} ${end}`})));
  const shown = effectTexts(edited(plan('kind'), plan('evil')));
  expect(shown).toHaveLength(1 + 10 + 1);
  expect(shown.at(-1)).toBe('and 2 more, see the record of the run');
});

test('edits that stay are named with the commands to change them, three at most', () => {
  const left = ['c (added)', "it's (removed)", 'b (deps)', 'b (title)', 'd (title)'];
  expect(takenBackText({taken: [], left})).toBe(
    `still in the plan, check before you continue: ${left.join(', ')}; change it with: blackbird delete c, blackbird add --id 'it'\\''s', blackbird edit b`,
  );
});

test('one line says what was taken back and what stays', () => {
  expect(takenBackText({taken: ['b (prompt)'], left: ['c (added)']})).toBe(
    "the agent's edits of the plan were reverted: b (prompt); still in the plan, check before you continue: c (added); change it with: blackbird delete c",
  );
  expect(takenBackText({taken: [], left: []})).toBeNull();
});
