import type {PlanData} from '../planning/plan-job.ts';
import type {Overrun} from '../run/budget.ts';
import type {Obstacle} from './obstacles.ts';
import type {Standing} from './standings.ts';
import type {StopReason} from './stop-reason.ts';
import type {UndoData} from './undo-lines.ts';

/** How a job ended, in the same words for every view. */
export type JobSummary = {
  readonly reason: StopReason;
  /** The task that is paused or waiting, if there is one. */
  readonly taskId?: string;
  /** One sentence. */
  readonly headline: string;
  /** The same for a shell, with the commands that continue from there. */
  readonly lines: readonly string[];
  /** Set if the job undid changes. */
  readonly undo?: UndoData;
  /** Set if the job worked on the plan. */
  readonly plan?: PlanData;
  /** The job budget that is used up. */
  readonly overrun?: Overrun;
  /** The task whose changes were rejected but are still in the files. */
  readonly rejected?: string;
  /** What keeps the plan from being done, if that was asked for. */
  readonly obstacles?: readonly Obstacle[];
  /** When it can continue, if it only needs time. */
  readonly retryAt?: string;
  /** What is needed now: nothing, another try, a person, or only time. */
  readonly standing: Standing;
};
