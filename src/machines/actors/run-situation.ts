import type {ProviderId} from '../../services/contracts/agent.ts';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {Plan, Task, TaskStatus} from '../../services/contracts/plan.ts';
import type {Answer, RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {OpenDecision} from '../policies/review/decisions.ts';
import type {JobWishes} from '../policies/run/agent-choice.ts';
import type {Budgets} from '../policies/run/budget.ts';
import type {RunCircumstances} from '../policies/run/run-circumstances.ts';
import type {RunOrder} from '../policies/run/run-order.ts';
import {factsAbout, type KnownOfTask, type TaskFacts} from '../policies/run/task-options.ts';

/** The run that another one is to do better than. */
export type FailedAttempt = {
  /** How many retries the task will have had. */
  readonly number: number;
  readonly failure: string;
  /** The last words of its agent. */
  readonly result: string;
};

/** How a task is run. */
export type RunMode =
  | {readonly type: 'execute'}
  | {readonly type: 'resume'; readonly answers: readonly Answer[]; readonly feedback: string | null}
  /** `isReviewed`: from a checkpoint it ends at another one, as it does where the run before was to. `retry`: Blackbird itself tries again. */
  | {readonly type: 'restart'; readonly isReviewed?: true; readonly retry?: FailedAttempt};

export type PrepareRunInput = {
  readonly taskId: string;
  readonly mode: RunMode;
  readonly provider: ProviderId;
  /** Named by the user for this very call; null for the saved choice. */
  readonly explicitProvider: ProviderId | null;
  /** Whether the run ends at a checkpoint; without it, as it began. */
  readonly isReviewed?: boolean;
  readonly wishes?: JobWishes;
  /** What every task is checked with. */
  readonly checks?: readonly string[];
  readonly budgets?: Budgets;
};

export type PreparedRun = {
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly run: RunRecord;
  readonly order: RunOrder;
};

export type PreparedTask = PreparedRun & {
  /** What the plan said of the task before. */
  readonly status: TaskStatus;
  /** The run it is a restart of. */
  readonly replaces: RunRecord | null;
  /** Of a run that goes on; a new one was made here. */
  readonly circumstances?: RunCircumstances;
};

/** All that is known of a task before a run of it begins. */
export type Situation = PrepareRunInput & {
  readonly plan: Plan;
  readonly task: Task;
  readonly runs: readonly RunRecord[];
  readonly latest: RunRecord | null;
  /** The checkpoint it stands at. */
  readonly open: OpenDecision | null;
  /** What a parent review sent it back with, and this run is to bring. */
  readonly pending: PendingFeedback | null;
  /** Feedback that a person sent, and no run of the task has in its record. */
  readonly sent: string | null;
  /** The number of the next run. */
  readonly attempt: number;
};

/** What the run chart is asked with, here and now. Whoever asks holds the project lock. */
export const factsHere = (
  {project, agents, isSessionRef}: Pick<Services, 'project' | 'agents' | 'isSessionRef'>,
  plan: Plan,
  task: Task,
  known: Pick<KnownOfTask, 'run' | 'isSentBack' | 'explicitProvider' | 'latestStart'>,
): TaskFacts =>
  factsAbout(plan, task, {
    ...known,
    repoRoot: project.root,
    customCommand: agents.customCommand,
    isEngineAlive: true,
    isSessionRef,
  });
