import {expect, test} from 'vitest';
import {mayRetry} from '../../../src/machines/policies/job/execution-steps.ts';
import type {Budget} from '../../../src/machines/policies/run/budget.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {restingRun} from '../../fakes/runs.ts';

const unlimited: Budget = {tokens: null, cost_usd: null, milliseconds: null};
const budgets = {job: unlimited, task: {...unlimited, tokens: 10}, turns: null};
const spent = (tokens: number) => ({spent_before: {tokens, cost_usd: 0, milliseconds: 0}});

test.each<{name: string; fields?: Partial<RunRecord>; retries?: number; isRetried: boolean}>([
  {name: 'by default', isRetried: true},
  {name: 'not when retries are off', retries: 0, isRetried: false},
  {name: 'again after the first of two', fields: {retry_number: 1}, retries: 2, isRetried: true},
  {name: 'not after the last', fields: {retry_number: 2}, retries: 2, isRetried: false},
  {name: 'not when a checkpoint decides', fields: {decision_state: 'pending'}, isRetried: false},
  {name: 'within its budget', fields: spent(9), isRetried: true},
  {name: 'not when its budget is used up', fields: spent(10), isRetried: false},
  {
    name: 'not when another run cannot help',
    fields: {failure: {kind: 'rejected', message: 'no'}},
    isRetried: false,
  },
])('a failed task is retried: $name', ({fields = {}, retries = 1, isRetried}) => {
  const failure = {kind: 'agent_error', message: 'no'} as const;
  const run = restingRun({state: 'failed', failure, ...fields});
  expect(mayRetry({outcome: 'failed', run}, {retries, budgets})).toBe(isRetried);
});
