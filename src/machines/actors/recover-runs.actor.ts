import {fromPromise} from 'xstate';
import {AppError} from '../../services/contracts/errors.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {isLeaf} from '../policies/plan/plan-graph.ts';
import {type CompletionRule, setStatus} from '../policies/plan/plan-status.ts';
import {leaveParents, parentsBefore} from '../policies/review/parent-review.ts';
import {applyRunStep} from '../policies/run/run-record.ts';
import type {RunStep} from '../policies/run/run-step.ts';
import {identityOf} from '../policies/run/run-step.ts';
import {isResting, isTakenBack, latestDeliveredRun, runBefore, statusOf} from '../policies/run/task-runs.ts';
import {undoBroken} from '../policies/run/undo.ts';
import {isVerifying} from '../policies/run/verification.ts';
import {compareTimestamps} from '../policies/text/timestamps.ts';
import {stillAlive} from './agent.actor.ts';
import {checksAround} from './checks-around.ts';
import {cleanDrafts} from './clean-drafts.ts';
import {commitTask} from './commit-task.actor.ts';
import {workOf} from './record-run.actor.ts';
import {reinstate} from './reinstate.ts';
import {createSideEffectWatch} from './side-effect-watch.ts';

/** Whether a finished task is committed before the plan is updated. */
export type RecoverRunsInput = {readonly commits?: true};

/**
 * Repairs what a dead Blackbird left behind, before anything else starts. Needs the project lock: under it, a record
 * that says `running` has no live owner. Idempotent.
 */
export function defineRecoverRunsActor(
  services: Services,
  onRecovered: (run: RunRecord) => void = () => {},
  onResting: (run: RunRecord) => void = () => {},
) {
  return fromPromise<readonly RunRecord[], RecoverRunsInput>(async ({input: {commits}}) => {
    const plan = await services.plans.read();
    const recovered: RunRecord[] = [];
    // The plan is not enough: it can be edited, restored or replaced while an agent is alive.
    const running = await services.runs.runningTaskIds();
    for (const taskId of new Set([...openTasks(plan).map(({id}) => id), ...running])) {
      const {runs, broken} = await services.runs.list(taskId);
      // A lost review is repeated, and a planner is reported by its draft.
      for (const run of runs) if (isAside(run) && run.state === 'running') await repair(services, run);
      for (const run of runs)
        if (run.run_type === 'undo' && run.state === 'running') await repairUndo(services, run);
      // Withdrawn by a Blackbird that died before it could update the run to be replaced.
      for (const run of runs) if (isTakenBack(run)) await reinstate(services, run);
      const latest = runs.findLast((run) => run.run_type === 'execute');
      if (!latest) continue;
      const wasRunning = latest.state === 'running';
      const run = wasRunning ? await repair(services, latest) : latest;
      if (wasRunning) recovered.push(run);
      // A run that never started or was not delivered changed nothing: the previous run determines the task.
      const standing = isBegunAfresh(run)
        ? run
        : (latestDeliveredRun(runs.map((each) => (each === latest ? run : each))) ?? run);
      const task = plan.items.get(taskId);
      // With an unreadable record the state of the task is unknown.
      if (task && isOpenTask(task) && broken.length === 0)
        await settleStatus(
          services,
          task,
          {...standing, updated_at: run.updated_at},
          {wasRunning, commits: commits === true},
          standing.run_id === run.run_id ? leaveParents : parentsBefore(run),
        );
      if (wasRunning) onRecovered(standing);
      else if (isResting(latest) && task && isOpenTask(task)) onResting(latest);
    }
    await cleanDrafts(services, plan);
    return recovered;
  });
}

/** Not an attempt at a task. */
const isAside = ({run_type}: RunRecord) => run_type === 'review' || run_type === 'plan';

/** It never started and followed no other run: its task was ready, whatever earlier runs did. */
const isBegunAfresh = (run: RunRecord) =>
  run.state === 'canceled' && run.segments.length === 0 && runBefore(run) === undefined;

const openTasks = (plan: Plan): Task[] => [...plan.items.values()].filter(isOpenTask);

/** Only these statuses come from a run; all others were set by a person. */
const isOpenTask = (task: Task): boolean =>
  isLeaf(task) && (task.status === 'in_progress' || task.status === 'waiting_user');

/** The latest run of a task, repaired if its Blackbird died. */
export async function recoverTask(services: Services, taskId: string): Promise<RunRecord | null> {
  const latest = await services.runs.latest(taskId);
  if (latest?.state !== 'running') return latest;
  await repair(services, latest);
  return services.runs.latest(taskId);
}

/** Some files may have been written. The record says so, and repeating the undo does the rest. */
async function repairUndo(services: Services, run: RunRecord): Promise<void> {
  requireAbandoned(services, run);
  await recordBroken(services, run, 'Blackbird ended in the middle of it; undo the task again');
}

/** Whatever it wrote is part of it. The run it was to undo becomes current again, so that the same undo finds it. */
export async function recordBroken(
  {runs, changes, now}: Pick<Services, 'runs' | 'changes' | 'now'>,
  run: RunRecord,
  message: string,
): Promise<RunRecord> {
  const all = (await runs.list(run.task_id)).runs;
  for (const {run_id} of all.filter((each) => each.superseded_by_run_id === run.run_id))
    await reinstate({runs, now}, {...run, restart_of_run_id: run_id});
  const tree = await changes.snapshot(run.baseline_tree);
  if (tree !== null && run.baseline_tree !== undefined) await changes.summarize(run.baseline_tree, tree);
  return runs.update(run.task_id, run.run_id, (current) => undoBroken(current, tree, message, now()));
}

async function repair(services: Services, run: RunRecord): Promise<RunRecord> {
  requireAbandoned(services, run);
  const {remaining} = await services.agents.sweep(run);
  if (remaining.length > 0) throw stillAlive(run, remaining);
  const step = await lossOf(services, run);
  if (step.type === 'neverStarted') await reinstate(services, run);
  // Later changes by others are not part of it.
  const isWork = step.type === 'paused' && run.run_type === 'execute';
  const watch = createSideEffectWatch(services);
  const work = isWork ? await workOf(services, run, watch) : undefined;
  const check =
    step.type === 'checksPaused' ? await checksAround({changes: services.changes, watch}, run) : undefined;
  return services.runs.update(run.task_id, run.run_id, (current) =>
    applyRunStep(current, step, services.now(), {...(work && {work}), ...(check && {check})}),
  );
}

/** A lock file can be deleted, so the owner of the run is checked before its agent is ended. */
function requireAbandoned({self, livenessOf}: Services, {run_id, owner}: RunRecord): void {
  if (owner === undefined) return;
  const {pid, startTime} = identityOf(owner);
  const isSelf = pid === self?.pid && startTime === self.startTime;
  if (isSelf || livenessOf(identityOf(owner)) !== 'alive') return;
  throw new AppError('E_REPO_LOCKED', `process ${pid} is already executing this plan`, {
    details: [
      ['pid', String(pid)],
      ['run', run_id],
    ],
    next: [{command: 'blackbird status', why: 'see what it is working on'}],
  });
}

async function lossOf(services: Services, run: RunRecord): Promise<RunStep> {
  if (run.segments.length === 0) return {type: 'neverStarted'};
  if (isVerifying(run)) return {type: 'checksPaused', reason: 'process_lost'};
  // A session that an agent was told to continue was stored before, and so was one that is not resumed yet.
  const {provider_session_ref: ref, resumed_from_run_id: before} = run;
  const isFirst = run.segments.length === 1 && before === undefined;
  const isResumed = !isFirst && run.segments.at(-1)?.argv.includes(ref) === true;
  const wasStored = isResumed || run.phase === 'launching';
  const isStored = wasStored || (await services.hadTimeToStore(run));
  return {type: 'paused', reason: 'process_lost', resumable: run.resumable && isStored};
}

/** Updates the plan to match the run, unless someone changed the task after the run ended. */
async function settleStatus(
  services: Services,
  task: Task,
  run: RunRecord,
  {wasRunning, commits}: {wasRunning: boolean; commits: boolean},
  completes: CompletionRule,
): Promise<void> {
  if (!wasRunning && compareTimestamps(run.updated_at, task.updatedAt) < 0) return;
  const status = statusOf(run);
  if (status === task.status) return;
  if (status === 'done' && commits) await commitTask(services, run);
  await services.plans.update((plan) => setStatus(plan, task.id, status, services.now(), completes));
}
