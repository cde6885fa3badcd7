import type {InspectionSource} from './journal.ts';

/** What the inspector's page requests first: everything that does not change while it is open. */
export type InspectorFacts = {
  /** What is shown: a project, a run, a process. */
  readonly title: string;
  readonly version: string;
  /** What readers should know before they trust what they see. */
  readonly notices: readonly string[];
  /** What the page opens with. A process or a bundle has its own machines. */
  readonly opens: 'job' | 'machines' | {readonly task_id: string; readonly run_id: string};
  /** The job to open; null for the newest one. */
  readonly job_id: string | null;
  /** The page can show the machines of the process that serves it. */
  readonly has_process: boolean;
};

export type Inspected = {
  /** Called when a page opens, so that an unwatched process does no work. */
  readonly facts: () => InspectorFacts;
  /** The machines of the serving process or of a bundle; null if there is only what is on disk. */
  readonly source: InspectionSource | null;
  /** The project to show; null for a bundle. */
  readonly project: InspectedProject | null;
};

/** The rows of a job that the page shows. */
export type RowQuery = {
  readonly from: number;
  readonly count: number;
  /** `all`: the whole plan; `job`: what the job worked on; `attention`: what needs a look. */
  readonly show: string;
  readonly find: string;
  /** Tasks whose children are collapsed. */
  readonly closed: readonly string[];
};

/**
 * Jobs and runs on disk, as built by `machines/policies/inspect`; the server only passes them on. Null if there is no
 * such job or run.
 */
export interface InspectedProject {
  jobs(): Promise<unknown>;
  job(jobId: string): Promise<unknown>;
  rows(jobId: string, query: RowQuery): Promise<unknown>;
  /** How often, and for how long, the machines of a job were in each state. */
  visits(jobId: string): Promise<unknown>;
  run(taskId: string, runId: string): Promise<unknown>;
  journal(taskId: string, runId: string): Promise<InspectionSource | null>;
}

/** A page that is being served. */
export interface Inspector {
  readonly url: string;
  readonly port: number;
  /** Random for every server; required for every request. */
  readonly token: string;
  close(): void;
}
