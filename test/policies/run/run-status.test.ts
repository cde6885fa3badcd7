import {expect, test} from 'vitest';
import {statusAfter} from '../../../src/machines/policies/run/task-runs.ts';
import {runStates} from '../../../src/services/contracts/run.ts';

test('the status of a task follows its run', () => {
  expect(Object.fromEntries(runStates.map((state) => [state, statusAfter(state)]))).toEqual({
    running: 'in_progress',
    paused: 'in_progress',
    waiting: 'waiting_user',
    succeeded: 'done',
    failed: 'failed',
    canceled: 'todo',
  });
});
