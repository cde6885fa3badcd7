import * as z from 'zod';
import {processIdentitySchema} from './process.ts';
import {pauseReasons} from './run.ts';

export const jobSchemaVersion = 1;

/** One part of the request. Answers and feedback are on the runs. */
const jobStepSchema = z.looseObject({
  type: z.string(),
  taskIds: z.array(z.string()).optional(),
  taskId: z.string().optional(),
  mode: z.string().optional(),
});

const jobRunSchema = z.looseObject({taskId: z.string(), runId: z.string(), startedAt: z.string()});

/** A wait that the job ended by continuing. */
const jobWaitSchema = z.looseObject({
  taskId: z.string(),
  runId: z.string(),
  reason: z.enum(pauseReasons),
  startedAt: z.string(),
  endedAt: z.string(),
});

/** A wait in progress, for a limit or an outage to end. `runId` is null if nothing has started yet. */
const openWaitSchema = z.looseObject({
  taskId: z.string(),
  runId: z.string().nullable(),
  provider: z.string(),
  reason: z.enum(pauseReasons),
  since: z.string(),
  until: z.string(),
});

/** One engine job, from the request to its end. Unknown fields are kept. */
export const jobRecordSchema = z.looseObject({
  schemaVersion: z.literal(jobSchemaVersion),
  jobId: z.string().min(1),
  steps: z.array(jobStepSchema),
  agent: z.string(),
  /** The rules it started with, which hold until it ends. */
  settings: z.record(z.string(), z.unknown()),
  /** The Blackbird that runs it; null if the system cannot identify processes. */
  owner: processIdentitySchema.extend({host: z.string()}).nullable(),
  startedAt: z.string(),
  endedAt: z.string().optional(),
  /** The runs it started or continued, in this order. */
  runs: z.array(jobRunSchema),
  waits: z.array(jobWaitSchema),
  /** What it has been waiting for since its last activity. */
  waiting: openWaitSchema.optional(),
  /** When the user asked it to stop after the current task. */
  stopAskedAt: z.string().optional(),
  /** Absent while it is running. */
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

/** An event in a job, appended to its record cheaply. */
export const jobNoteSchema = z.looseObject({
  run: jobRunSchema.optional(),
  wait: jobWaitSchema.optional(),
  waiting: openWaitSchema.optional(),
  stopAskedAt: z.string().optional(),
});
export type JobNote = z.infer<typeof jobNoteSchema>;

export interface JobStore {
  /** Newest first. Reads names only; ids sort by time. */
  ids(): readonly string[];
  /** Null if there is none. */
  read(jobId: string): Promise<JobRecord | null>;
  create(job: JobRecord): Promise<void>;
  note(jobId: string, note: JobNote): Promise<void>;
  /** Writes the whole record, including all notes. */
  close(job: JobRecord): Promise<void>;
}

/** What another terminal may ask of the running job. */
export const jobRequestSchema = z.looseObject({
  schemaVersion: z.literal(1),
  jobId: z.string(),
  type: z.enum(['pause', 'stop']),
  requestedAt: z.string(),
});
export type JobRequest = z.infer<typeof jobRequestSchema>;

/** Requests from other terminals to the running job: each is taken once and then deleted. */
export interface RequestBox {
  /** Returns a name to ask about it. */
  send(request: JobRequest): Promise<string>;
  isTaken(name: string): boolean;
  /** Withdraws a request; false if it was already taken. */
  withdraw(name: string): boolean;
  /**
   * Takes requests for this job. Others are left to their sender, or are outdated. Returns a function that stops it.
   */
  watch(jobId: () => string | null, onRequest: (request: JobRequest) => void): () => void;
}
