import {describe, expect, test} from 'vitest';
import {
  type FailedSegment,
  type FailureOutcome,
  failureOutcome,
} from '../../../src/machines/policies/run/failure-table.ts';
import {type FailureKind, failureKinds} from '../../../src/services/contracts/agent.ts';

const failed = {type: 'failed'} as const;
const fateFor = (kind: FailureKind, fields: Partial<FailedSegment> = {}) =>
  failureOutcome({kind, runType: 'execute', stood: null, hasWorked: false, ...fields});

describe('a run whose agent failed', () => {
  test.each<[kind: FailureKind, first: FailureOutcome, paused: FailureOutcome, waiting: FailureOutcome]>([
    [
      'outage',
      {type: 'pauses', pauseReason: 'provider_unavailable'},
      {type: 'returns', pauseReason: 'provider_unavailable'},
      {type: 'returns', pauseReason: null},
    ],
    [
      'auth',
      {type: 'pauses', pauseReason: 'login_required'},
      {type: 'returns', pauseReason: 'login_required'},
      {type: 'returns', pauseReason: null},
    ],
    ['resume_rejected', failed, {type: 'returns', pauseReason: null}, {type: 'returns', pauseReason: null}],
    ['spawn_failed', failed, {type: 'returns', pauseReason: null}, {type: 'returns', pauseReason: null}],
    ['agent_error', failed, failed, failed],
  ])('with %s before it worked: at its start, after a pause, after an answer', (kind, ...fates) => {
    const stoods = [null, 'paused', 'waiting'] as const;
    expect(stoods.map((stood) => fateFor(kind, {stood}))).toEqual(fates);
  });

  test('after it worked rests for the new reason, whatever its state was: its prompt was received', () => {
    for (const stood of ['paused', 'waiting'] as const) {
      expect(fateFor('rate_limit', {stood, hasWorked: true})).toEqual({
        type: 'pauses',
        pauseReason: 'usage_limit',
      });
      expect(fateFor('agent_error', {stood, hasWorked: true})).toEqual(failed);
    }
  });

  test('fails with it when it is a review', () => {
    for (const kind of failureKinds) expect(fateFor(kind, {runType: 'review'})).toEqual(failed);
  });
});
