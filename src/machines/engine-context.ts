import type {JobOptions, JobProgress, JobResult} from './policies/job/job-steps.ts';

export type EngineContext = JobProgress & {
  options: JobOptions;
  /** How many steps were done at the last look at parents. */
  reviewed: number;
  /** The result, once nothing more starts. */
  result: JobResult | null;
};

export const noJob: EngineContext = {
  steps: [],
  options: {},
  rules: null,
  done: [],
  reviewed: 0,
  review: null,
  wanted: null,
  obstacles: null,
  handedOver: null,
  result: null,
  error: undefined,
};
