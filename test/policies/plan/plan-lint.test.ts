import {describe, expect, test} from 'vitest';
import {lintPlan} from '../../../src/machines/policies/plan/plan-lint.ts';
import type {Task} from '../../../src/services/contracts/plan.ts';
import {family, hugeChain, planOf, task} from '../../helpers/plans.ts';

type Fields = Partial<Task> & {readonly verify?: readonly string[]};

/** A leaf without findings. */
const good = (id: string, fields: Fields = {}): Task =>
  task(id, {
    description: 'The endpoint POST /refunds creates a refund once and answers a repeat with 409.',
    acceptanceCriteria: ['POST /refunds returns 201', 'a repeat returns 409 and creates nothing'],
    prompt: 'Add the endpoint for refunds next to the one for payments, and verify it with a test.',
    verify: ['npm test'],
    ...fields,
  });

const codes = (fields: Fields) => lintPlan(planOf(good('a', fields))).map(({code}) => code);

describe('a leaf', () => {
  test('with nothing left to guess has no findings', () => {
    expect(lintPlan(planOf(good('a')))).toEqual([]);
  });

  test.each<[string, Fields, readonly string[]]>([
    [
      'neither criteria nor check',
      {acceptanceCriteria: [' '], verify: []},
      ['leaf_acceptance_criteria_missing', 'leaf_verify_missing'],
    ],
    ['a check and no criteria', {acceptanceCriteria: []}, []],
    [
      'one criterion and no check',
      {acceptanceCriteria: ['POST /refunds returns 201'], verify: []},
      ['leaf_acceptance_criteria_low_count', 'leaf_verify_missing'],
    ],
    [
      'an empty prompt',
      {prompt: 'Do this.', verify: []},
      ['leaf_verify_missing', 'leaf_prompt_not_actionable', 'leaf_prompt_missing_verification_hint'],
    ],
  ])('with %s has these findings and no others', (_, fields, found) => {
    expect(codes(fields)).toEqual(found);
  });

  test('without a check names the field for it', () => {
    const [finding] = lintPlan(planOf(good('a', {verify: []})));
    expect(finding).toMatchObject({code: 'leaf_verify_missing', field: 'verify'});
  });

  test('with a command in a criterion needs no check while it is proposed, but needs one once it is saved', () => {
    const plan = planOf(
      good('a', {acceptanceCriteria: ['`npm test` passes', 'a repeat returns 409'], verify: []}),
    );
    expect(lintPlan(plan, {isDraft: true})).toEqual([]);
    expect(lintPlan(plan).map(({code}) => code)).toEqual(['leaf_verify_missing']);
  });

  test('of a to-do list product is not mistaken for a placeholder', () => {
    const todo = good('a', {
      title: 'Delete a todo',
      description:
        'A todo can be deleted from the TODO list; the placeholder "coming soon" is shown when none is left.',
      acceptanceCriteria: [
        'DELETE /todos/1 removes the todo',
        'the list shows the placeholder text as needed',
      ],
      prompt: 'TODO app: implement the deletion of a todo and test it.',
    });
    expect(lintPlan(planOf(todo))).toEqual([]);
  });

  test('in another language is not judged by English words', () => {
    const fields = {
      description: 'Der Endpunkt für Rückerstattungen legt jede genau einmal an und lehnt Wiederholungen ab.',
      acceptanceCriteria: [
        'Eine Rückerstattung wird höchstens einmal ausgeführt',
        'Wiederholungen ändern nichts',
      ],
      prompt: 'Ergänze den Endpunkt für Rückerstattungen und führe anschließend sämtliche Prüfungen aus.',
    };
    expect(codes(fields)).toEqual([]);
    expect(codes({...fields, description: '払い戻しのエンドポイントを追加する'})).toEqual([]);
  });

  test.each(['done', 'skipped'] as const)('that is %s is left alone', (status) => {
    expect(lintPlan(planOf(task('a', {status})))).toEqual([]);
  });

  test('inherits the checks of its parent', () => {
    const parent = {...task('p'), verify: ['npm test']};
    expect(lintPlan(planOf(family(parent, good('a', {verify: []}))))).toEqual([]);
    expect(lintPlan(planOf(good('a', {verify: []})), {verify: ['npm test']})).toEqual([]);
  });
});

describe('a proposal', () => {
  test('gets no advice that only works once it is saved', () => {
    const prompt = 'Add the amounts to src/money.ts and test them.';
    const plan = planOf(
      family(task('p'), good('c', {deps: ['a']})),
      good('a', {deps: ['p'], verify: [], prompt}),
      good('b', {prompt}),
    );
    const said = (isDraft: boolean) => lintPlan(plan, {isDraft}).map(({suggestion}) => suggestion);
    expect(said(false).filter((text) => text.startsWith('blackbird '))).toHaveLength(4);
    expect(said(true)).toEqual([
      'remove its dependency on a',
      'name the command that proves it in `backticks` in a criterion; it can be made a check once the task is saved',
      'remove its dependency on p',
      'let one wait for the other: b for a',
    ]);
  });
});

describe('a plan', () => {
  test('with a parent that waits for its own dependent can never be done', () => {
    const plan = planOf(family(task('p'), good('c', {deps: ['a']})), good('a', {deps: ['p']}));
    expect(lintPlan(plan)).toEqual([
      {
        severity: 'blocking',
        code: 'dependency_never_done',
        taskId: 'c',
        field: 'deps',
        message: 'depends on a, which can only be done after it',
        suggestion: 'blackbird deps remove c a',
      },
      {
        severity: 'blocking',
        code: 'dependency_never_done',
        taskId: 'a',
        field: 'deps',
        message: 'depends on p, which can only be done after it',
        suggestion: 'blackbird deps remove a p',
      },
    ]);
  });

  test('whose parent depends on its own dependent: the parent is done with its children, as in execute', () => {
    const plan = planOf(
      family(task('p', {deps: ['a']}), good('c')),
      family(task('g'), good('d', {deps: ['p']})),
      good('a', {deps: ['g']}),
    );
    expect(lintPlan(plan)).toEqual([]);
  });

  test('with such dependencies has no finding once one of these tasks is done', () => {
    const plan = planOf(
      family(task('p'), good('c', {deps: ['a']})),
      good('a', {deps: ['p'], status: 'done'}),
    );
    expect(lintPlan(plan)).toEqual([]);
  });

  test('with a dependency on a skipped task, or on its parent', () => {
    const skipped = family(task('p'), task('s', {status: 'skipped'}));
    expect(lintPlan(planOf(skipped, good('a', {deps: ['s', 'p']}))).map(({message}) => message)).toEqual([
      'depends on s, which is skipped and never done',
      'depends on p, which is never done: s below it is skipped',
    ]);
  });

  test('with unordered tasks that name the same file gets a hint', () => {
    const prompt = 'Add the amounts to src/money.ts and test them.';
    expect(lintPlan(planOf(good('a', {prompt}), good('b', {prompt})))).toEqual([
      {
        severity: 'hint',
        code: 'leaf_shared_file',
        taskId: 'b',
        field: 'deps',
        message: 'names src/money.ts, as a does, and neither waits for the other',
        suggestion: 'blackbird deps add b a',
      },
    ]);
    expect(lintPlan(planOf(good('a', {prompt}), good('b', {prompt, deps: ['a']})))).toEqual([]);
    const between = good('m', {deps: ['a']});
    expect(lintPlan(planOf(good('a', {prompt}), between, good('b', {prompt, deps: ['m']})))).toEqual([]);
    const parent = family(task('p'), good('a', {prompt}));
    expect(lintPlan(planOf(parent, good('b', {prompt, deps: ['p']})))).toEqual([]);
    // A parent's dependencies do not hold up its children.
    const late = family(task('q', {deps: ['a']}), good('b', {prompt}));
    expect(lintPlan(planOf(good('a', {prompt}), late)).map(({taskId, code}) => `${taskId} ${code}`)).toEqual([
      'b leaf_shared_file',
    ]);
    // Nor do they hold up the dependents of the parent.
    const behind = good('z', {prompt, deps: ['q']});
    const plan = planOf(good('a', {prompt}), family(task('q', {deps: ['a']}), good('b')), behind);
    expect(lintPlan(plan).map(({taskId, code}) => `${taskId} ${code}`)).toEqual(['z leaf_shared_file']);
  });

  test('lists findings in plan order, then by field, severity and code', () => {
    const found = lintPlan(planOf(good('b', {prompt: '', description: ''}), good('a', {prompt: ' '})));
    expect(found.map(({taskId, code}) => `${taskId} ${code}`)).toEqual([
      'b leaf_description_missing_or_placeholder',
      'b leaf_prompt_missing',
      'a leaf_prompt_missing',
    ]);
  });

  test('of 100,000 tasks in one chain is linted in one pass', () => {
    expect(lintPlan(hugeChain()).length).toBeGreaterThan(100_000);
  });
});
