import {expect, test} from 'vitest';
import {isHopeless} from '../../src/machines/policies/stop-reason.ts';
import {failureKinds} from '../../src/services/contracts/agent.ts';
import {restingRun} from '../fakes/runs.ts';

test('only a failure that the next task would repeat is hopeless', () => {
  const hopeless = failureKinds.filter((kind) =>
    isHopeless(restingRun({state: 'failed', failure: {kind, message: 'no'}})),
  );
  expect(hopeless).toEqual(['auth', 'rate_limit', 'spawn_failed']);
});

test('a run without a failure is not', () => {
  expect(isHopeless(restingRun({state: 'failed'}))).toBe(false);
});
