import {describe, expect, test} from 'vitest';
import {lintPlan} from '../../../src/machines/policies/plan/plan-lint.ts';
import type {Task} from '../../../src/services/contracts/plan.ts';
import {family, hugeChain, planOf, task} from '../../helpers/plans.ts';

type Fields = Partial<Task> & {readonly verify?: readonly string[]};

/** A leaf that nothing can be said against. */
const good = (id: string, fields: Fields = {}): Task =>
  task(id, {
    description: 'The endpoint POST /refunds creates a refund once and answers a repeat with 409.',
    acceptanceCriteria: ['POST /refunds returns 201', 'a repeat returns 409 and creates nothing'],
    prompt: 'Add the endpoint for refunds next to the one for payments, and verify it with a test.',
    ...{verify: ['npm test'], ...fields},
  });

const codes = (fields: Fields) => lintPlan(planOf(good('a', fields))).map(({code}) => code);

describe('a leaf', () => {
  test('that leaves nothing to be guessed has no findings', () => {
    expect(lintPlan(planOf(good('a')))).toEqual([]);
  });

  test.each<[string, Fields, readonly string[]]>([
    ['no description', {description: ' '}, ['leaf_description_missing_or_placeholder']],
    ['TBD', {description: 'TBD'}, ['leaf_description_missing_or_placeholder']],
    ['TODO:', {description: 'TODO: write this'}, ['leaf_description_missing_or_placeholder']],
    ['todo', {description: 'todo'}, ['leaf_description_missing_or_placeholder']],
    ['Coming soon.', {description: 'Coming soon.'}, ['leaf_description_missing_or_placeholder']],
    ['7 words', {description: 'Refunds are made once and only once'}, ['leaf_description_too_thin']],
    ['8 words', {description: 'Refunds are made once, and only ever once'}, []],
    [
      'neither criteria nor check',
      {acceptanceCriteria: [' '], verify: []},
      ['leaf_acceptance_criteria_missing', 'leaf_verify_missing'],
    ],
    ['a check and no criteria', {acceptanceCriteria: []}, ['leaf_acceptance_criteria_low_count']],
    ['one criterion', {acceptanceCriteria: ['a repeat returns 409']}, ['leaf_acceptance_criteria_low_count']],
    [
      'criteria nobody can check',
      {acceptanceCriteria: ['good quality', 'great usability']},
      ['leaf_acceptance_criteria_non_verifiable'],
    ],
    ['one that can be checked', {acceptanceCriteria: ['good quality', 'exit code 0']}, []],
    ['no check', {verify: []}, ['leaf_verify_missing']],
    [
      'a command in a criterion',
      {verify: [], acceptanceCriteria: ['`npm test` passes', 'a repeat returns 409']},
      [],
    ],
    ['no prompt', {prompt: ''}, ['leaf_prompt_missing']],
    [
      'an empty order',
      {prompt: 'Do this.'},
      ['leaf_prompt_missing_verification_hint', 'leaf_prompt_not_actionable'],
    ],
    ['no order', {prompt: 'Something about the tests of the users'}, ['leaf_prompt_not_actionable']],
    ['an order', {prompt: 'Add the tests of the users'}, []],
    [
      'no hint how to check it',
      {prompt: 'Add the endpoint to the server'},
      ['leaf_prompt_missing_verification_hint'],
    ],
    ['vague words', {acceptanceCriteria: ['returns 409', 'robust']}, ['vague_language_detected']],
    [
      'vague words with a meaning',
      {acceptanceCriteria: ['returns 409', 'robust: a broken file is an error']},
      [],
    ],
    ['12 criteria', {acceptanceCriteria: Array.from({length: 12}, (_, index) => `returns ${index}`)}, []],
    [
      '13 criteria',
      {acceptanceCriteria: Array.from({length: 13}, (_, index) => `returns ${index}`)},
      ['leaf_too_large'],
    ],
  ])('with %s', (_, fields, found) => {
    expect(codes(fields).sort()).toEqual([...found].sort());
  });

  test('of a product that is itself a to-do list is not taken for a placeholder', () => {
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

  test('has the checks of its parent', () => {
    const parent = {...task('p'), verify: ['npm test']};
    expect(lintPlan(planOf(family(parent, good('a', {verify: []}))))).toEqual([]);
    expect(lintPlan(planOf(good('a', {verify: []})), {verify: ['npm test']})).toEqual([]);
  });
});

describe('a plan', () => {
  test('with a parent that waits for who waits for it can never be done', () => {
    const plan = planOf(family(task('p'), good('c', {deps: ['a']})), good('a', {deps: ['p']}));
    expect(lintPlan(plan)).toEqual([
      {
        ...{severity: 'blocking', code: 'dependency_never_done', taskId: 'c', field: 'deps'},
        ...{
          message: 'depends on a, which can only be done after it',
          suggestion: 'blackbird deps remove c a',
        },
      },
      {
        ...{severity: 'blocking', code: 'dependency_never_done', taskId: 'a', field: 'deps'},
        ...{
          message: 'depends on p, which can only be done after it',
          suggestion: 'blackbird deps remove a p',
        },
      },
    ]);
  });

  test('with a dependency on a parent that can be done has none', () => {
    expect(lintPlan(planOf(family(task('p'), good('c')), good('a', {deps: ['p']})))).toEqual([]);
  });

  test('with a dependency that is skipped', () => {
    const plan = planOf(task('s', {status: 'skipped'}), good('a', {deps: ['s']}));
    expect(lintPlan(plan).map(({message}) => message)).toEqual([
      'depends on s, which is skipped and never done',
    ]);
  });

  test('whose tasks name the same file in no order gets a hint', () => {
    const prompt = 'Add the amounts to src/money.ts and test them.';
    expect(lintPlan(planOf(good('a', {prompt}), good('b', {prompt})))).toEqual([
      {
        ...{severity: 'hint', code: 'leaf_shared_file', taskId: 'b', field: 'deps'},
        message: 'names src/money.ts, as a does, and neither waits for the other',
        suggestion: 'blackbird deps add b a',
      },
    ]);
    expect(lintPlan(planOf(good('a', {prompt}), good('b', {prompt, deps: ['a']})))).toEqual([]);
    const between = good('m', {deps: ['a']});
    expect(lintPlan(planOf(good('a', {prompt}), between, good('b', {prompt, deps: ['m']})))).toEqual([]);
    const parent = family(task('p'), good('a', {prompt}));
    expect(lintPlan(planOf(parent, good('b', {prompt, deps: ['p']})))).toEqual([]);
  });

  test('tells findings in the order of the plan, then field, severity and code', () => {
    const found = lintPlan(
      planOf(good('b', {prompt: '', description: ''}), good('a', {acceptanceCriteria: []})),
    );
    expect(found.map(({taskId, code}) => `${taskId} ${code}`)).toEqual([
      'b leaf_description_missing_or_placeholder',
      'b leaf_prompt_missing',
      'a leaf_acceptance_criteria_low_count',
    ]);
  });

  test('of 100,000 tasks in one chain is looked at in one go', () => {
    expect(lintPlan(hugeChain()).length).toBeGreaterThan(100_000);
  });
});
