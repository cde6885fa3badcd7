import type {PlanData} from '../planning/plan-job.ts';
import type {Overrun} from '../run/budget.ts';
import type {Obstacle} from './obstacles.ts';
import type {Standing} from './standings.ts';
import type {StopReason} from './stop-reason.ts';
import type {UndoData} from './undo-lines.ts';

/** How a job ended, in the same words for every view. */
export type JobSummary = {
  readonly reason: StopReason;
  /** The task that rests or waits, where it is one. */
  readonly taskId?: string;
  /** One sentence. */
  readonly headline: string;
  /** The same for a shell, with the commands that go on from there. */
  readonly lines: readonly string[];
  /** Of a job that took changes back. */
  readonly undo?: UndoData;
  /** Of a job that worked on the plan. */
  readonly plan?: PlanData;
  /** The budget of the job, used up. */
  readonly overrun?: Overrun;
  /** The task whose changes were rejected, and are still in the files. */
  readonly rejected?: string;
  /** What keeps the plan from being done, where it was asked for. */
  readonly obstacles?: readonly Obstacle[];
  /** When it can go on, where only time is needed. */
  readonly retryAt?: string;
  /** What is needed now: nothing, another try, a person, or only time. */
  readonly standing: Standing;
};
