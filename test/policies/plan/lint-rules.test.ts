import {describe, expect, test} from 'vitest';
import {taskRules} from '../../../src/machines/policies/plan/lint-rules.ts';
import {lintPlan} from '../../../src/machines/policies/plan/plan-lint.ts';
import type {Plan, Task} from '../../../src/services/contracts/plan.ts';
import {family, planOf, task} from '../../helpers/plans.ts';

type Fields = Partial<Task> & {readonly verify?: readonly string[]};

/** A leaf without findings. */
const leaf = (id: string, fields: Fields = {}): Task =>
  task(id, {
    description: 'The endpoint POST /refunds creates a refund once and answers a repeat with 409.',
    acceptanceCriteria: ['POST /refunds returns 201', 'a repeat returns 409 and creates nothing'],
    prompt: 'Add the endpoint for refunds next to the one for payments, and verify it with a test.',
    verify: ['npm test'],
    ...fields,
  });
const one = (fields: Fields) => planOf(leaf('a', fields));
const criteria = (...acceptanceCriteria: string[]) => one({acceptanceCriteria});
const manyCriteria = (length: number, text: string) =>
  criteria(...Array.from({length}, (_, index) => `${text} ${index}`));
const inFile = (prompt: string, ...deps: string[]) => planOf(leaf('a', {prompt}), leaf('b', {prompt, deps}));

type Rule = {
  readonly code: string;
  readonly severity: 'blocking' | 'warning' | 'hint';
  readonly violated: readonly Plan[];
  /** Just across the limit. */
  readonly nearly: readonly Plan[];
  /** From a product that is itself a to-do list. */
  readonly todoList: Plan;
};

const rules: readonly Rule[] = [
  {
    code: 'leaf_description_missing_or_placeholder',
    severity: 'blocking',
    violated: [
      ...[
        ' ',
        'TBD',
        'todo',
        'TODO: write this',
        'Coming soon.',
        'Implement feature',
        'fill in later',
        'N/A',
      ],
      'Where refunds are stored is to be determined',
      'The endpoint for refunds. Its format is TBD.',
    ].map((description) => one({description})),
    nearly: [
      'The page says "TBD" until the date of the refund is known to us.',
      'Until then the page of the refunds shows `to be determined` to everybody.',
      'A placeholder image is shown, and coming soon pages are removed for good.',
    ].map((description) => one({description})),
    todoList: one({
      description:
        'A todo can be deleted from the TODO list; "to be defined" is the state of a todo without one.',
    }),
  },
  {
    code: 'leaf_acceptance_criteria_missing',
    severity: 'blocking',
    violated: [one({acceptanceCriteria: [], verify: []}), one({acceptanceCriteria: [' '], verify: []})],
    nearly: [one({acceptanceCriteria: []}), one({acceptanceCriteria: ['returns 409'], verify: []})],
    todoList: one({acceptanceCriteria: ['todo'], verify: []}),
  },
  {
    code: 'leaf_acceptance_criteria_non_verifiable',
    severity: 'blocking',
    violated: [
      criteria('good quality', 'great usability'),
      criteria('the code is clean', 'the page is fast and easy'),
    ],
    nearly: [
      criteria('good quality', 'exit code 0'),
      criteria('the list is sorted by date'),
      criteria('a customer can cancel an order'),
    ],
    todoList: criteria('a todo can be ticked off', 'the todo is gone from the list'),
  },
  {
    code: 'leaf_prompt_missing',
    severity: 'blocking',
    violated: [one({prompt: ''}), one({prompt: ' \n'})],
    nearly: [one({prompt: 'x'})],
    todoList: one({prompt: 'Todo'}),
  },
  {
    code: 'leaf_prompt_not_actionable',
    severity: 'blocking',
    violated: [
      ...[
        'TODO',
        'Do this.',
        'Work on this task',
        'As needed',
        'Handle this',
        'TBD',
        'Details to be defined',
      ],
      'Something about the users of the shop',
    ].map((prompt) => one({prompt})),
    nearly: ['Add what the users of the shop need', 'Done when the users of the shop can pay'].map((prompt) =>
      one({prompt}),
    ),
    todoList: one({
      prompt: 'TODO app: implement the deletion of a todo, as needed by the list, and test it.',
    }),
  },
  {
    code: 'leaf_description_too_thin',
    severity: 'warning',
    violated: [one({description: 'Refunds are made once and only once'})],
    nearly: [one({description: 'Refunds are made once, and only ever once'}), one({description: ''})],
    todoList: one({description: 'A todo is a line with a box in the todo list'}),
  },
  {
    code: 'leaf_acceptance_criteria_low_count',
    severity: 'warning',
    violated: [one({acceptanceCriteria: ['a repeat returns 409'], verify: []})],
    nearly: [
      one({acceptanceCriteria: ['a repeat returns 409', 'exit code 0'], verify: []}),
      one({acceptanceCriteria: [], verify: []}),
      ...[criteria('a repeat returns 409'), criteria()],
    ],
    todoList: criteria('`todo add` prints the todo', '`todo done` removes it'),
  },
  {
    code: 'leaf_prompt_missing_verification_hint',
    severity: 'warning',
    violated: [one({prompt: 'Add the endpoint to the server', verify: []})],
    nearly: [
      one({prompt: 'Add the endpoint to the server and check it', verify: []}),
      one({prompt: '', verify: []}),
      // One of Blackbird's own checks finds it.
      one({prompt: 'Add the endpoint to the server'}),
    ],
    todoList: one({prompt: 'Add todos that can be ticked off, and test it', verify: []}),
  },
  {
    code: 'vague_language_detected',
    severity: 'warning',
    violated: [
      criteria('returns 409', 'robust'),
      one({description: 'We improve the handling of refunds for all of our customers'}),
      one({prompt: 'Fix the refunds of the customers'}),
    ],
    nearly: [
      criteria('returns 409', 'robust: a broken file is an error'),
      one({prompt: 'Fix the refunds of the customers: `npm test` passes'}),
      one({description: 'The prefix and the fixture of the refunds are stored in the handler of the shop'}),
    ],
    todoList: one({description: 'A todo that nobody handles moves to the end of the list of todos'}),
  },
  {
    code: 'leaf_verify_missing',
    severity: 'warning',
    violated: [
      one({verify: []}),
      // Blackbird runs no command from a criterion.
      one({verify: [], acceptanceCriteria: ['`npm test` passes', 'a repeat returns 409']}),
    ],
    nearly: [planOf(family({...task('p'), verify: ['npm test']}, leaf('a', {verify: []})))],
    todoList: one({acceptanceCriteria: ['`todo add milk` prints milk', 'exit code 0']}),
  },
  {
    code: 'leaf_too_large',
    severity: 'hint',
    violated: [manyCriteria(13, 'returns'), one({prompt: `Add and test ${'x'.repeat(8_000)}`})],
    nearly: [manyCriteria(12, 'returns'), one({prompt: `Add and test ${'x'.repeat(7_000)}`})],
    todoList: manyCriteria(12, 'the list shows todo'),
  },
  {
    code: 'leaf_shared_file',
    severity: 'hint',
    violated: [inFile('Add the amounts to src/money.ts and test them.'), inFile('Test and mend README.md')],
    nearly: [
      inFile('Add the amounts to src/money.ts and test them.', 'a'),
      inFile('Add the amounts and/or the dates, e.g. of today, and test them.'),
    ],
    todoList: inFile('Add a todo to the TODO list and test it.'),
  },
  {
    code: 'dependency_never_done',
    severity: 'blocking',
    violated: [
      planOf(family(task('p'), leaf('c', {deps: ['a']})), leaf('a', {deps: ['p']})),
      planOf(task('s', {status: 'skipped'}), leaf('a', {deps: ['s']})),
      planOf(family(task('p'), task('s', {status: 'skipped'}), leaf('c')), leaf('a', {deps: ['p']})),
      planOf(family(task('p'), family(task('q'), task('s', {status: 'skipped'}))), leaf('a', {deps: ['p']})),
    ],
    nearly: [
      planOf(family(task('p'), leaf('c')), leaf('a', {deps: ['p']})),
      planOf(family(task('p'), task('s', {status: 'skipped'}), leaf('c')), leaf('a', {deps: ['c']})),
      planOf(family(task('p', {status: 'done'}), task('s', {status: 'skipped'})), leaf('a', {deps: ['p']})),
      planOf(task('s', {status: 'failed'}), leaf('a', {deps: ['s']})),
    ],
    todoList: planOf(leaf('todo', {status: 'todo'}), leaf('a', {deps: ['todo']})),
  },
];

describe.each(rules)('$code', ({code, severity, violated, nearly, todoList}) => {
  const found = (plan: Plan) => lintPlan(plan).filter((finding) => finding.code === code);

  test(`is ${severity} and says how to fix it`, () => {
    for (const plan of violated) {
      const [first] = found(plan);
      expect(first, JSON.stringify([...plan.items.values()])).toMatchObject({severity});
      expect(first?.message.length).toBeGreaterThan(10);
      expect(first?.suggestion.length).toBeGreaterThan(10);
      expect(first?.suggestion).not.toContain('<id>');
    }
  });

  test('is not reported just across the limit', () => {
    for (const plan of nearly) expect(found(plan)).toEqual([]);
  });

  test('is not reported in a to-do list product', () => {
    expect(found(todoList)).toEqual([]);
  });
});

test('every rule about a leaf is in the table', () => {
  const known = new Set(rules.map(({code}) => code));
  expect(taskRules.map(({code}) => code).filter((code) => !known.has(code))).toEqual([]);
});

test('a description of one word is reported as such', () => {
  const thin = lintPlan(one({description: 'Refunds'})).find(({code}) => code === 'leaf_description_too_thin');
  expect(thin?.message).toBe('is described in 1 word');
});
