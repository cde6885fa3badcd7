import {expect, test} from 'vitest';
import {type Budget, overrunOf, timeLeft} from '../../../src/machines/policies/run/budget.ts';
import {nothingSpent} from '../../../src/machines/policies/run/spent.ts';

const unlimited: Budget = {tokens: null, cost_usd: null, milliseconds: null};
const after = (milliseconds: number) => ({...nothingSpent, milliseconds});

test.each([
  {name: 'the job has less left', job: 50, task: 90, left: 40},
  {name: 'the task has less left', job: 90, task: 50, left: 30},
  {name: 'only the job is limited', job: 50, task: null, left: 40},
  {name: 'nothing is limited', job: null, task: null, left: Number.POSITIVE_INFINITY},
  {name: 'it is used up', job: 5, task: 90, left: 0},
])('the time that is left: $name', ({job, task, left}) => {
  const limits = (milliseconds: number | null) => ({...unlimited, milliseconds});
  const budgets = {job: limits(job), task: limits(task), turns: null};
  expect(timeLeft(budgets, {job: after(10), task: after(20)})).toBe(left);
});

test.each([
  {spent: 9, isOver: false},
  {spent: 10, isOver: true},
])('a budget of 10 tokens of which $spent are used', ({spent, isOver}) => {
  const budgets = {job: {...unlimited, tokens: 10}, task: unlimited, turns: null};
  const spending = {job: {...nothingSpent, tokens: spent}, task: nothingSpent};
  const overrun = {whose: 'job', setting: 'execution.maxTokens', what: 'tokens', spent, limit: 10};
  expect(overrunOf(budgets, spending)).toEqual(isOver ? overrun : null);
});
