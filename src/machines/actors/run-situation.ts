import type {ProviderId} from '../../services/contracts/agent.ts';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {Plan, Task, TaskStatus} from '../../services/contracts/plan.ts';
import type {Answer, RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {OpenDecision} from '../policies/review/decisions.ts';
import type {ModelChoices} from '../policies/run/agent-choice.ts';
import type {Budgets} from '../policies/run/budget.ts';
import type {RunCircumstances} from '../policies/run/run-circumstances.ts';
import type {RunOrder} from '../policies/run/run-order.ts';
import {factsAbout, type KnownOfTask, type TaskFacts} from '../policies/run/task-options.ts';

/** The failed run that another one follows. */
export type FailedAttempt = {
  /** How many retries the task will have had. */
  readonly number: number;
  readonly failure: string;
  /** The last message of its agent. */
  readonly result: string;
};

/** How a task is run. */
export type RunMode =
  | {readonly type: 'execute'}
  | {readonly type: 'resume'; readonly answers: readonly Answer[]; readonly feedback: string | null}
  /**
   * `isReviewed`: ends at a checkpoint, as after a checkpoint or if the previous run was to. `retry`: Blackbird itself
   * tries again.
   */
  | {readonly type: 'restart'; readonly isReviewed?: true; readonly retry?: FailedAttempt};

export type PrepareRunInput = {
  readonly taskId: string;
  readonly mode: RunMode;
  readonly provider: ProviderId;
  /** Named for this call; null for the saved choice. */
  readonly explicitProvider: ProviderId | null;
  /** Whether the run ends at a checkpoint; without it, as when it began. */
  readonly isReviewed?: boolean;
  readonly modelChoices?: ModelChoices;
  /** The checks for every task. */
  readonly checks?: readonly string[];
  readonly budgets?: Budgets;
};

export type PreparedRun = {
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly run: RunRecord;
  readonly order: RunOrder;
};

export type PreparedTask = PreparedRun & {
  /** The status of the task before. */
  readonly status: TaskStatus;
  /** The run it restarts. */
  readonly replaces: RunRecord | null;
  /** For a continued run; a new one was created here. */
  readonly circumstances?: RunCircumstances;
};

/** Everything known about a task before a run of it starts. */
export type Situation = PrepareRunInput & {
  readonly plan: Plan;
  readonly task: Task;
  readonly runs: readonly RunRecord[];
  readonly latest: RunRecord | null;
  /** The checkpoint it is at. */
  readonly open: OpenDecision | null;
  /** Parent review feedback that this run is to deliver. */
  readonly pending: PendingFeedback | null;
  /** Feedback that the user sent and no run of the task has on record. */
  readonly sent: string | null;
  /** The number of the next run. */
  readonly attempt: number;
};

/** The facts for the run chart, here and now. The caller holds the project lock. */
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
