import type {ProviderId} from '../../../services/contracts/agent.ts';
import type {Task} from '../../../services/contracts/plan.ts';
import type {PauseReason, RunRecord} from '../../../services/contracts/run.ts';
import type {PreparedTask, PrepareRunInput, RunMode} from '../../actors/run-situation.ts';
import type {ReviewGateInput} from '../../review-gate.machine.ts';
import type {RunInput} from '../../run.machine.ts';
import type {VerificationInput} from '../../verification.machine.ts';
import type {Decision} from '../review/decisions.ts';
import type {ModelChoices} from './agent-choice.ts';
import type {Budgets} from './budget.ts';
import {agentTimes} from './silence.ts';
import {type CheckRules, usualChecks, type VerificationOutput} from './verification.ts';

/** What to do with a task: run it, or only ask at its checkpoint. */
export type TaskMode = RunMode | {readonly type: 'review'; readonly decision: Decision | null};

export type TaskInput = {
  readonly taskId: string;
  readonly mode: TaskMode;
  readonly provider: ProviderId;
  readonly explicitProvider: ProviderId | null;
  readonly graceMilliseconds: number;
  /** An agent that prints nothing for this long is interrupted; without it, none is. */
  readonly stallMilliseconds?: number;
  /** Whether the run ends at a checkpoint; without it, as when it began. */
  readonly isReviewed?: boolean;
  /** Someone is there to decide; otherwise a checkpoint is left open. */
  readonly isAttended?: boolean;
  /** The change is committed before the plan marks the task done. */
  readonly commits?: true;
  readonly modelChoices?: ModelChoices;
  readonly checks?: CheckRules;
  readonly budgets?: Budgets;
};

/** The progress of a task, as far as its next step depends on it. */
export type TaskProgress = TaskInput & {
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly prepared: PreparedTask | null;
  /** The run as last seen. */
  readonly run: RunRecord | null;
  /** Why its run was asked to pause. */
  readonly pauseReason: PauseReason | null;
};

export function prepareInput({
  taskId,
  mode,
  provider,
  explicitProvider,
  isReviewed,
  modelChoices,
  checks = usualChecks,
  budgets,
}: TaskInput): PrepareRunInput {
  if (mode.type === 'review') throw new Error('A review without a decision has no run');
  const common = {
    taskId,
    mode,
    provider,
    explicitProvider,
    ...(modelChoices && {modelChoices}),
    ...(budgets && {budgets}),
    checks: checks.commands,
  };
  return isReviewed === undefined ? common : {...common, isReviewed};
}

/** The user's message to the agent, apart from answers. */
export const feedbackIn = (mode: TaskMode): string | null => (mode.type === 'resume' ? mode.feedback : null);

/** Feedback to a run at its checkpoint. */
export function decisionMode(mode: TaskMode): TaskMode {
  const feedback = feedbackIn(mode);
  return feedback === null ? mode : {type: 'review', decision: {state: 'changes_requested', feedback}};
}

export function gateInput(progress: TaskProgress): ReviewGateInput {
  const {task, mode, isAttended = false, explicitProvider} = progress;
  const decision = mode.type === 'review' ? mode.decision : null;
  return {task, run: lastRun(progress), decision, isAttended, explicitProvider};
}

export function runInput(progress: TaskProgress): RunInput {
  const {run, order, circumstances} = preparedRun(progress);
  return {run, order, ...agentTimes(progress), ...(circumstances && {circumstances})};
}

export function verificationInput(progress: TaskProgress): VerificationInput {
  const {checks = usualChecks, graceMilliseconds, pauseReason} = progress;
  const {milliseconds: limitMilliseconds, rounds} = checks;
  return {run: lastRun(progress), pauseReason, graceMilliseconds, limitMilliseconds, rounds};
}

/** The same run continues, with a prompt about the failed check. */
export function sentBack(progress: TaskProgress, output: VerificationOutput): Partial<TaskProgress> {
  if (output.outcome !== 'sentBack') throw new Error('Nobody was sent back');
  const {run, request} = output;
  const order = {type: 'run.launch', request} as const;
  return {run, prepared: {task: progress.task, run, order, status: 'in_progress', replaces: null}};
}

/** For the run that the prepared one replaces. */
export function restartInput(progress: TaskProgress): RunInput {
  const {run, replaces} = preparedRun(progress);
  if (replaces === null) throw new Error('There is no run to replace');
  const order = {type: 'run.restart', byRunId: run.run_id} as const;
  return {run: replaces, order, graceMilliseconds: progress.graceMilliseconds};
}

export function preparedRun({prepared}: Pick<TaskProgress, 'prepared'>): PreparedTask {
  if (prepared === null) throw new Error('A run must be prepared before it runs');
  return prepared;
}

export function lastRun({run}: Pick<TaskProgress, 'run'>): RunRecord {
  if (run === null) throw new Error('No run has ended');
  return run;
}
