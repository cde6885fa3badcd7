import type {JobNote, JobRecord, JobRequest, JobStore, RequestBox} from '../../src/services/contracts/job.ts';

export type MemoryJobStore = JobStore & {
  /** The stored records, oldest first. */
  records(): readonly JobRecord[];
  failNext(call: 'create' | 'close', error: unknown): void;
};

export function createMemoryJobStore(onWrite: (entry: string) => void = () => {}): MemoryJobStore {
  const jobs = new Map<string, JobRecord>();
  const failures = new Map<string, unknown>();
  const failOnce = (call: 'create' | 'close') => {
    const error = failures.get(call);
    failures.delete(call);
    if (error !== undefined) throw error;
  };
  const noted = ({waiting: before, ...job}: JobRecord, {run, wait, waiting, stopAskedAt}: JobNote) => ({
    ...job,
    ...(waiting && {waiting}),
    ...(stopAskedAt && {stopAskedAt, ...(before && {waiting: before})}),
    runs: [...job.runs, ...(run ? [run] : [])],
    waits: [...job.waits, ...(wait ? [wait] : [])],
  });
  return {
    records: () => [...jobs.values()],
    failNext: (call, error) => void failures.set(call, error),
    ids: () => [...jobs.keys()].sort().reverse(),
    read: async (jobId) => jobs.get(jobId) ?? null,
    create: async (job) => {
      failOnce('create');
      onWrite(`job ${job.jobId}`);
      jobs.set(job.jobId, job);
    },
    note: async (jobId, note) => {
      const job = jobs.get(jobId);
      if (job) jobs.set(jobId, noted(job, note));
    },
    close: async (job) => {
      failOnce('close');
      onWrite(`job ${job.jobId} ${job.end?.reason}`);
      jobs.set(job.jobId, job);
    },
  };
}

export type MemoryRequestBox = RequestBox & {
  /** A request from another terminal; false if no one listens. */
  ask(type: JobRequest['type'], jobId: string): boolean;
};

export function createMemoryRequestBox(): MemoryRequestBox {
  const listeners = new Set<(request: JobRequest) => boolean>();
  const deliver = (request: JobRequest) => [...listeners].some((listener) => listener(request));
  return {
    send: async (request) => (deliver(request) ? 'taken' : 'open'),
    isTaken: (name) => name === 'taken',
    withdraw: (name) => name !== 'taken',
    ask: (type, jobId) => deliver({schemaVersion: 1, type, jobId, requestedAt: ''}),
    watch: (jobId, onRequest) => {
      const listener = (request: JobRequest) => {
        if (request.jobId !== jobId()) return false;
        onRequest(request);
        return true;
      };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
