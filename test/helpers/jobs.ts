import type {Engine} from '../../src/machines/engine.ts';
import type {ParentReviewOutput} from '../../src/machines/parent-review.machine.ts';
import type {
  Job,
  JobOptions,
  JobResult,
  JobStep,
  StepResult,
} from '../../src/machines/policies/job/job-steps.ts';
import type {ProviderId} from '../../src/services/contracts/agent.ts';

/** `saved` is the project's agent, `agent` one named for the job. */
export type JobFields = JobOptions & {readonly saved?: ProviderId};

/** Jobs in tests do not wait unless they say so. */
export const jobOf = (steps: readonly JobStep[], {saved, ...options}: JobFields = {}): Job => ({
  steps,
  options: {isImpatient: true, ...options, ...(saved === undefined ? {} : {agent: `saved:${saved}`})},
});

export const executeJob = ({
  taskIds = [],
  ...fields
}: JobFields & {readonly taskIds?: readonly string[]} = {}): Job =>
  jobOf([{type: 'execute', taskIds}], fields);

export const taskJob = (
  taskId: string,
  mode: Extract<JobStep, {type: 'task'}>['mode'],
  fields: JobFields = {},
): Job => jobOf([{type: 'task', taskId, mode}], fields);

/** The last step of a job, with the review after it; a job that never started has only its reason. */
export type JobOutcome =
  | (StepResult & {readonly review?: ParentReviewOutput})
  | Pick<JobResult, 'reason' | 'error'>;

export async function startJob(engine: Engine, job: Job): Promise<JobOutcome> {
  return outcomeOf(await engine.start(job));
}

export function outcomeOf({steps, review, reason, error}: JobResult): JobOutcome {
  const last = steps.at(-1);
  if (!last) return {reason, ...(error === undefined ? {} : {error})};
  const isSilent = review?.outcome === 'settled' && review.reviews.length === 0;
  return {...last, ...(review && !isSilent ? {review} : {})};
}
