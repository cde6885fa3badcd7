import type {Answer, RunRecord} from '../../../services/contracts/run.ts';
import type {SurveyPlanInput} from '../../actors/survey-plan.actor.ts';
import type {UndoOutput} from '../../undo.machine.ts';
import {type PlanStep, planStopReason} from '../planning/plan-job.ts';
import type {PlanGenerationInput, PlanOutput} from '../planning/plan-steps.ts';
import type {CheckpointAnswer} from '../review/decisions.ts';
import type {ParentReviewInput, ParentReviewOutput} from '../review/review-steps.ts';
import type {TaskInput, TaskMode} from '../run/task-input.ts';
import type {TaskOutput} from '../run/task-outcome.ts';
import type {UndoRequest} from '../run/undo.ts';
import {dueReviewInput, type ExecutorInput, type ExecutorOutput, nextTaskInput} from './execution-steps.ts';
import {type JobOptions, type JobRules, jobRules} from './job-rules.ts';
import type {Obstacle} from './obstacles.ts';
import {type StopReason, stopReasonAfter, stopReasonAfterReview} from './stop-reason.ts';

export {type JobOptions, type JobRules, jobRules};

/** One part of a job: the plan, or a single task. */
export type JobStep =
  /** Only these tasks; empty for every ready one. */
  | {readonly type: 'execute'; readonly taskIds: readonly string[]; readonly isReviewed?: boolean}
  | {
      readonly type: 'task';
      readonly taskId: string;
      readonly mode: TaskMode;
      /** It continues by itself once its time has come. */
      readonly isRetry?: true;
    }
  | ({readonly type: 'undo'} & UndoRequest)
  | PlanStep;

export type JobTask = Extract<JobStep, {type: 'task'}>;

/** A request to the engine: steps run in order under one lock until one of them ends the job. */
export type Job = {readonly steps: readonly JobStep[]; readonly options: JobOptions};

export type StepResult =
  | {readonly type: 'execute'; readonly output: ExecutorOutput}
  | {readonly type: 'task'; readonly output: TaskOutput}
  | {readonly type: 'undo'; readonly output: UndoOutput}
  | {readonly type: 'plan'; readonly output: PlanOutput};

/** How a job ended. `error` has the details if `reason` is `error`. */
export type JobResult = {
  readonly reason: StopReason;
  readonly steps: readonly StepResult[];
  /** The reviews of parents that single tasks made due. */
  readonly review?: ParentReviewOutput;
  /** The steps left when the user has to answer something first; the answer and these steps form the next job. */
  readonly left: readonly JobStep[];
  /** The user asked to stop after the current task, and it did. */
  readonly isStopAsked: boolean;
  /** Its one decision was handed to the Blackbird that waited for it and continues from there. */
  readonly handedOver?: RunRecord;
  /** What keeps the plan from being done, if that was asked for. */
  readonly obstacles?: readonly Obstacle[];
  /** The user asked for a pause. */
  readonly isPauseAsked: boolean;
  /** The step that was next when the pause came. */
  readonly next?: JobStep;
  readonly error?: unknown;
};

export const resumeStep = (taskId: string, answers: readonly Answer[] = []): JobStep => ({
  type: 'task',
  taskId,
  mode: {type: 'resume', answers, feedback: null},
});

/** Answers a checkpoint that no job waits at. */
export const checkpointStep = (taskId: string, answer: CheckpointAnswer): JobStep => ({
  type: 'task',
  taskId,
  mode: answer.state === 'retry' ? {type: 'restart', isReviewed: true} : {type: 'review', decision: answer},
});

/** Carries out an undelivered decision, or asks for one. */
export const reviewStep = (taskId: string): JobStep => ({
  type: 'task',
  taskId,
  mode: {type: 'review', decision: null},
});

/** Undoes the change of a task; after a step that rejects the task, the job continues to it. */
export const undoStep = (taskId: string, options: Partial<UndoRequest> = {}): JobStep => ({
  type: 'undo',
  runId: null,
  isForced: false,
  ...options,
  taskId,
});

export const executeAll = {type: 'execute', taskIds: []} as const satisfies JobStep;

/**
 * The steps left after a task. "Approve and continue" continues the plan with the same checkpoints as before; a
 * checkpoint forced by side effects asks for no others.
 */
function stepsAfterTask(left: readonly JobStep[], output: TaskOutput): readonly JobStep[] {
  const isContinued = 'run' in output && output.run.decision_state === 'approved_continue';
  if (!isContinued || left.some(({type}) => type === 'execute')) return left;
  return [...left, output.run.decision_forced ? executeAll : {...executeAll, isReviewed: true}];
}

export function executorInput(step: JobStep | undefined, rules: JobRules): ExecutorInput {
  if (step?.type !== 'execute') throw new Error('The next step is not the plan');
  const {type: _, ...own} = step;
  return {...rules, ...own};
}

export function planInput(step: JobStep | undefined, rules: JobRules): PlanGenerationInput {
  if (step?.type !== 'plan') throw new Error('The next step is not a change of the plan');
  const {provider, explicitProvider, graceMilliseconds, stallMilliseconds, patience, modelChoices} = rules;
  return {
    request: step.request,
    provider,
    explicitProvider,
    graceMilliseconds,
    stallMilliseconds,
    patience,
    ...(modelChoices && {modelChoices}),
    maxRefinements: rules.maxRefinements,
    isAttended: rules.isAttended,
    isAccepted: step.isAccepted ?? false,
  };
}

export function undoInput(step: JobStep | undefined): UndoRequest {
  if (step?.type !== 'undo') throw new Error('The next step is not an undo');
  const {taskId, runId, isForced} = step;
  return {taskId, runId, isForced};
}

export function jobTaskIn([step]: readonly JobStep[]): JobTask {
  if (step?.type !== 'task') throw new Error('The next step is not a task');
  return step;
}

export const taskInput = ({taskId, mode}: JobTask, rules: JobRules): TaskInput =>
  nextTaskInput({...rules, taskId}, mode);

/** Reviews the parents of single tasks with the agent that did the work. */
export function reviewInput(done: readonly StepResult[], rules: JobRules): ParentReviewInput {
  const runs = succeededRuns(done);
  const {explicitProvider, provider} = rules;
  const reviewer = explicitProvider ?? runs.at(-1)?.provider ?? provider;
  return dueReviewInput(
    {...rules, provider: reviewer},
    runs.map(({task_id}) => task_id),
  );
}

/** Tasks that may have made their parent due. After "approve and quit" nothing more starts. */
export function succeededRuns(done: readonly StepResult[]) {
  return done.flatMap(({type, output}) =>
    type === 'task' && output.outcome === 'succeeded' && output.run.decision_state !== 'approved_quit'
      ? [output.run]
      : [],
  );
}

/** Why no step follows this one; null if the job continues. */
function stopReasonOf(step: StepResult, rules: Pick<JobRules, 'stopOnFailure'>): StopReason | null {
  if (step.type === 'task') return stopReasonAfter(step.output, rules);
  if (step.type === 'undo') return step.output.outcome === 'error' ? 'error' : null;
  if (step.type === 'plan') return planStopReason[step.output.outcome];
  return step.output.reason === 'completed' ? null : step.output.reason;
}

/** The parent reviews ended the job. */
export const isReviewEnded = (progress: JobProgress): boolean =>
  progress.review !== null && stopReasonAfterReview(progress.review, rulesOf(progress)) !== null;

/** The last step ended the job: a person is needed, or the next step would fail as well. */
export function isJobEnded({steps: [next], done, ...progress}: JobProgress): boolean {
  const last = done.at(-1);
  if (last === undefined || (next?.type === 'undo' && last.type !== 'undo' && isRejected(last, next.taskId)))
    return false;
  return stopReasonOf(last, rulesOf({steps: [], done, ...progress})) !== null;
}

/** Rejected at its checkpoint: an undo may follow before the job ends. */
function isRejected(step: Exclude<StepResult, {type: 'undo'}>, taskId: string): boolean {
  const runs = step.type === 'task' ? ('run' in step.output ? [step.output.run] : []) : [];
  const attempted = step.type === 'execute' ? step.output.attempted.at(-1) : undefined;
  const isIn = runs.some((run) => run.task_id === taskId && run.decision_state === 'rejected');
  return isIn || (attempted?.taskId === taskId && attempted.decision_state === 'rejected');
}

/** The steps left after this one; a plan that waits for a person stays. */
export function stepsAfter([current, ...left]: readonly JobStep[], result: StepResult): readonly JobStep[] {
  if (result.type === 'task') return stepsAfterTask(left, result.output);
  if (result.type === 'undo' || result.type === 'plan') return left;
  return current && waiting.has(result.output.reason) ? [current, ...left] : left;
}

const waiting: ReadonlySet<StopReason> = new Set<StopReason>([
  'waiting_user',
  'decision_required',
  'parent_review_required',
]);

/** The engine's progress in a job. */
export type JobProgress = {
  /** The remaining steps; the first one is next or running. */
  readonly steps: readonly JobStep[];
  readonly done: readonly StepResult[];
  readonly rules: JobRules | null;
  readonly review: ParentReviewOutput | null;
  /** The run whose decision another Blackbird has recorded. */
  readonly handedOver: RunRecord | null;
  /** The tasks that the plan was executed for; empty for all, null if it was not. */
  readonly wanted: readonly string[] | null;
  /** What keeps the plan from being done; null until that was looked up. */
  readonly obstacles: readonly Obstacle[] | null;
  /** What prevented or broke the job. */
  readonly error: unknown;
};

/** What the user requested while it was running. */
export type Wish = 'none' | 'stop' | 'pause';

export function rulesOf({rules}: JobProgress): JobRules {
  if (rules === null) throw new Error('The rules of the job are not known yet');
  return rules;
}

/** Only a job that executed the plan reports on all of it. */
export const isSurveyDue = ({wanted, obstacles, error}: JobProgress): boolean =>
  wanted !== null && obstacles === null && error === undefined;

export const surveyInput = (progress: JobProgress): SurveyPlanInput => ({
  taskIds: progress.wanted ?? [],
  explicitProvider: rulesOf(progress).explicitProvider,
});

/** The requested tasks including one more step. */
export function wantedAfter({wanted, steps: [step]}: JobProgress): readonly string[] | null {
  if (step?.type !== 'execute') return wanted;
  const isAll = wanted?.length === 0 || step.taskIds.length === 0;
  return isAll ? [] : [...(wanted ?? []), ...step.taskIds];
}

/** The user limited the job, so parents may be left unreviewed. */
const isLimited = ({done, rules}: JobProgress, wish: Wish): boolean =>
  wish === 'stop' ||
  (rules?.maxTasks ?? null) !== null ||
  done.some(
    ({type, output}) => type === 'execute' && output.attempted.at(-1)?.decision_state === 'approved_quit',
  );

/** The result of a job, whatever its steps were. What stopped it comes first, then what failed at its end. */
export function jobResult(progress: JobProgress, wish: Wish): JobResult {
  const {steps, done, rules, review, handedOver, obstacles, error} = progress;
  const last = done.at(-1);
  const before = last?.type === 'undo' ? done.at(-2) : undefined;
  const reasonBy = (stopOnFailure: boolean) =>
    (review && stopReasonAfterReview(review, {stopOnFailure})) ??
    (last ? stopReasonOf(last, {stopOnFailure}) : null) ??
    (before ? stopReasonOf(before, {stopOnFailure}) : null);
  const stopped = reasonBy(rules?.stopOnFailure ?? false) ?? (wish === 'pause' ? 'paused' : null);
  const reason = error === undefined ? (stopped ?? reasonBy(true) ?? 'completed') : 'error';
  const told = error ?? review?.error ?? errorOf(last);
  return {
    reason,
    steps: done,
    // After a requested stop, an answer must not start another task.
    left: waiting.has(reason) && wish !== 'stop' ? steps : [],
    ...(review && {review}),
    ...(handedOver && {handedOver}),
    ...(obstacles && {
      obstacles: obstacles.filter(({isReview}) => !isReview || !isLimited(progress, wish)),
    }),
    isStopAsked: wish === 'stop',
    isPauseAsked: wish === 'pause',
    ...(wish === 'pause' && steps[0] && {next: steps[0]}),
    ...(told === undefined ? {} : {error: told}),
  };
}

function errorOf(step: StepResult | undefined): unknown {
  return step && 'error' in step.output ? step.output.error : undefined;
}
