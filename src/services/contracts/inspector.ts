import type {InspectionSource} from './journal.ts';

/** What the inspector's page asks for first: everything that does not change while it is open. */
export type InspectorFacts = {
  /** What is looked at: a project, a run, a process. */
  readonly title: string;
  readonly version: string;
  /** What a reader should know before they trust what they see. */
  readonly notices: readonly string[];
  /** What the page opens with. A process or a bundle has machines of its own. */
  readonly opens: 'job' | 'machines' | {readonly task_id: string; readonly run_id: string};
  /** Which job is opened; null for the newest one. */
  readonly job_id: string | null;
  /** The page can show the machines of the process that serves it. */
  readonly has_process: boolean;
};

export type Inspected = {
  /** Asked for when a page opens, so that a process nobody looks at draws nothing. */
  readonly facts: () => InspectorFacts;
  /** The machines of the process that serves the page, or of a bundle; null where there is only what is on disk. */
  readonly source: InspectionSource | null;
  /** The project that is looked at; null for a bundle, which has none. */
  readonly project: InspectedProject | null;
};

/** Which rows of a job the page shows now. */
export type RowQuery = {
  readonly from: number;
  readonly count: number;
  /** `all`: the whole plan; `job`: what the job worked on; `attention`: what somebody should look at. */
  readonly show: string;
  readonly find: string;
  /** Tasks whose children are not shown. */
  readonly closed: readonly string[];
};

/**
 * Jobs and runs as they are on disk, as the policies in `machines/policies/inspect` make them; the server only passes
 * them on. Null where there is no such job or run.
 */
export interface InspectedProject {
  jobs(): Promise<unknown>;
  job(jobId: string): Promise<unknown>;
  rows(jobId: string, query: RowQuery): Promise<unknown>;
  /** How often the machines of a job were in which state, and for how long. */
  visits(jobId: string): Promise<unknown>;
  run(taskId: string, runId: string): Promise<unknown>;
  journal(taskId: string, runId: string): Promise<InspectionSource | null>;
}

/** A page that is being served. */
export interface Inspector {
  readonly url: string;
  readonly port: number;
  /** Random for every server; whoever does not know it reads nothing. */
  readonly token: string;
  close(): void;
}
