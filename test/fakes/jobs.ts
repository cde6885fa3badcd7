import type {JobRecord} from '../../src/services/contracts/job.ts';

/** A job of last night that is still working; the fields of its end make it an ended one. */
export const jobRecord = (fields: Partial<JobRecord> = {}): JobRecord => ({
  schemaVersion: 1,
  jobId: '20260110-220412-3fa9c1',
  steps: [{type: 'execute', taskIds: []}],
  agent: 'claude',
  settings: {graceMilliseconds: 10_000},
  owner: {pid: 42, startTime: '7', bootId: 'boot', pidNamespace: 'pid:[1]', host: 'here'},
  startedAt: '2026-01-10T22:04:12.000Z',
  runs: [],
  waits: [],
  ...fields,
});

export const endedJob = (fields: Partial<JobRecord> = {}): JobRecord =>
  jobRecord({
    endedAt: '2026-01-11T03:41:00.000Z',
    end: {reason: 'completed', standing: 'done', message: '2 done · no ready tasks remaining'},
    ...fields,
  });
