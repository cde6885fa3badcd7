import {Command} from 'commander';
import {expect, test} from 'vitest';
import {type BudgetOptions, budgetOverrides, withBudgetOptions} from '../../src/cli/job/budget-options.ts';

const modelChoiceOf = (...args: string[]) =>
  budgetOverrides(withBudgetOptions(new Command()).parse(args, {from: 'user'}).opts<BudgetOptions>());

test.each([
  ['--max-cost', 'execution.maxCostUsd'],
  ['--max-tokens', 'execution.maxTokens'],
  ['--max-minutes', 'execution.maxMinutes'],
  ['--max-task-cost', 'execution.maxTaskCostUsd'],
  ['--max-task-tokens', 'execution.maxTaskTokens'],
  ['--max-task-minutes', 'execution.maxTaskMinutes'],
  ['--max-turns', 'execution.maxTurns'],
])('%s overrides a setting for this call: a number limits, none lifts the limit', (flag, key) => {
  expect(modelChoiceOf(flag, '5')).toEqual({budget: {[key]: 5}});
  expect(modelChoiceOf(flag, 'none')).toEqual({budget: {[key]: null}});
  expect(modelChoiceOf()).toEqual({});
});
