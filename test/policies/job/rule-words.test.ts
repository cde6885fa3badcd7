import {expect, test} from 'vitest';
import {type RuleSummary, ruleLine, ruleSummary} from '../../../src/machines/policies/job/rule-words.ts';
import {usualChecks} from '../../../src/machines/policies/run/verification.ts';
import {planOf, task} from '../../helpers/plans.ts';

const nothing: RuleSummary = {checks: [], checkpoints: false, commits: false, budgets: null};
const none = {cost_usd: null, tokens: null, milliseconds: null};

test.each<[string, Partial<RuleSummary>]>([
  ['codex · no checks · no checkpoints · no commits · no budget', {}],
  [
    'codex · checks: npm test, b, c, and 1 more · no checkpoints · no commits · no budget',
    {checks: ['npm test', 'b', 'c', 'd']},
  ],
  [
    'codex · no checks · a checkpoint after each task · a commit for each task · no budget',
    {checkpoints: true, commits: true},
  ],
  [
    'codex · no checks · no checkpoints · no commits · budget: $10.00 a job, 200k tokens a task, 30m00s a task, 1 turn',
    {
      budgets: {
        job: {...none, cost_usd: 10},
        task: {...none, tokens: 200_000, milliseconds: 30 * 60_000},
        turns: 1,
      },
    },
  ],
])('%s', (line, rules) => {
  expect(ruleLine('codex', {...nothing, ...rules})).toBe(line);
});

test('the checks are those of the settings and of the tasks that would run', () => {
  const plan = planOf(task('a', {verify: ['npm test', 'make a']}), task('b', {verify: ['make b']}));
  const rules = {checks: {...usualChecks, commands: ['npm test']}, isReviewed: true};
  expect(ruleSummary(rules, plan, ['a'])).toEqual({
    ...nothing,
    checks: ['npm test', 'make a'],
    checkpoints: true,
  });
});
