import * as z from 'zod';
import {processIdentitySchema} from './process.ts';
import {pauseReasons} from './run.ts';

export const jobSchemaVersion = 1;

/** One part of what was asked for. What was said with it (answers, feedback) is on the runs. */
const jobStepSchema = z.looseObject({
  type: z.string(),
  taskIds: z.array(z.string()).optional(),
  taskId: z.string().optional(),
  mode: z.string().optional(),
});

const jobRunSchema = z.looseObject({taskId: z.string(), runId: z.string(), startedAt: z.string()});
export type JobRun = z.infer<typeof jobRunSchema>;

/** A rest that the job itself ended by going on. */
const jobWaitSchema = z.looseObject({
  taskId: z.string(),
  runId: z.string(),
  reason: z.enum(pauseReasons),
  startedAt: z.string(),
  endedAt: z.string(),
});
export type JobWait = z.infer<typeof jobWaitSchema>;

/** A rest that lasts: until a limit or an outage is over. `runId` is null where nothing began yet. */
const openWaitSchema = z.looseObject({
  taskId: z.string(),
  runId: z.string().nullable(),
  provider: z.string(),
  reason: z.enum(pauseReasons),
  since: z.string(),
  until: z.string(),
});

/** One call of the engine, from what was asked to how it ended. Fields this version does not know are kept. */
export const jobRecordSchema = z.looseObject({
  schemaVersion: z.literal(jobSchemaVersion),
  jobId: z.string().min(1),
  steps: z.array(jobStepSchema),
  agent: z.string(),
  /** The rules it began with, which hold until it ends. */
  settings: z.record(z.string(), z.unknown()),
  /** The Blackbird that works on it; null where the system does not tell who it is. */
  owner: processIdentitySchema.extend({host: z.string()}).nullable(),
  startedAt: z.string(),
  endedAt: z.string().optional(),
  /** What it started or went on with, in this order. */
  runs: z.array(jobRunSchema),
  waits: z.array(jobWaitSchema),
  /** What it waits for since it last began or went on with anything. */
  waiting: openWaitSchema.optional(),
  /** Somebody wants it to begin nothing more after the task at work. */
  stopAskedAt: z.string().optional(),
  /** Absent while it works. */
  end: z
    .looseObject({
      /** Why it stopped; `lost`: its Blackbird ended unexpectedly. */
      reason: z.string(),
      /** What was needed then: nothing, another try, a person, or only time. */
      standing: z.string().optional(),
      message: z.string(),
    })
    .optional(),
});
export type JobRecord = z.infer<typeof jobRecordSchema>;

/** Something that happened in a job, added to its record at small cost. */
export const jobNoteSchema = z.looseObject({
  run: jobRunSchema.optional(),
  wait: jobWaitSchema.optional(),
  waiting: openWaitSchema.optional(),
  stopAskedAt: z.string().optional(),
});
export type JobNote = z.infer<typeof jobNoteSchema>;

export interface JobStore {
  /** Newest first. Reads names only, and ids sort by time. */
  ids(): readonly string[];
  /** Null where there is none. */
  read(jobId: string): Promise<JobRecord | null>;
  create(job: JobRecord): Promise<void>;
  note(jobId: string, note: JobNote): Promise<void>;
  /** Writes the whole record, with all that was noted. */
  close(job: JobRecord): Promise<void>;
}

/** What another terminal may ask of the job that works. */
export const jobRequestSchema = z.looseObject({
  schemaVersion: z.literal(1),
  jobId: z.string(),
  type: z.enum(['pause', 'stop']),
  requestedAt: z.string(),
});
export type JobRequest = z.infer<typeof jobRequestSchema>;

/** From another terminal to the job that works: each request is taken once, and is gone then. */
export interface RequestBox {
  /** The name under which it can be asked about. */
  send(request: JobRequest): Promise<string>;
  isTaken(name: string): boolean;
  /** Takes a request back; false where it was taken before. */
  withdraw(name: string): boolean;
  /** Takes what is for the job. What is for another is left to whoever sent it, or is old. Returns how to stop. */
  watch(jobId: () => string | null, onRequest: (request: JobRequest) => void): () => void;
}
