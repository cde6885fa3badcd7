import {expect, test} from 'vitest';
import {continueJobCommand} from '../../../src/machines/policies/job/continue-job.ts';
import {
  checkpointStep,
  executeAll,
  type JobResult,
  resumeStep,
} from '../../../src/machines/policies/job/job-steps.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {restingRun} from '../../fakes/runs.ts';

type Paused = Pick<JobResult, 'steps' | 'next'>;

/** A run that a pause stopped before it started. */
const withdrawn = (links: Partial<RunRecord> = {}): Paused => ({
  steps: [{type: 'task', output: {outcome: 'canceled', run: restingRun({state: 'canceled', ...links})}}],
});

test.each<[string, Paused, string]>([
  ['the plan', {steps: [], next: executeAll}, 'blackbird execute'],
  ['nothing', {steps: []}, 'blackbird execute'],
  ['a resume', {steps: [], next: resumeStep('a b')}, "blackbird resume 'a b'"],
  ['a decision', {steps: [], next: checkpointStep('a', {state: 'approved_continue'})}, 'blackbird review a'],
  [
    'a retry of a checkpoint',
    {steps: [], next: checkpointStep('a', {state: 'retry'})},
    'blackbird restart a',
  ],
  ['feedback', withdrawn({resumed_from_run_id: 'a-0'}), 'blackbird resume a'],
  ['a restart', withdrawn({restart_of_run_id: 'a-0'}), 'blackbird restart a'],
  [
    'a run after the wait for a limit',
    {steps: [{type: 'task', output: {outcome: 'notBegun', taskId: 'a', asked: 'resume'}}]},
    'blackbird resume a',
  ],
  ['a first run', withdrawn(), 'blackbird execute'],
])('a pause before %s started is followed by the same', (_, paused, command) => {
  expect(continueJobCommand(paused)).toBe(command);
});
