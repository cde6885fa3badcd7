import {fromPromise} from 'xstate';
import type {Task} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {isLeaf} from '../policies/plan-graph.ts';
import {setStatus} from '../policies/plan-status.ts';
import {applyRunChange, type RunChange} from '../policies/run-record.ts';
import {statusAfter} from '../policies/run-status.ts';
import {compareTimestamps} from '../policies/timestamps.ts';

/**
 * Repairs what a Blackbird that died has left, before anything else is started. Needs the project lock:
 * with it, a record that says `running` has no live owner. Running it twice is running it once.
 */
export function defineRecoverRunsActor(services: Services, onRecovered: (run: RunRecord) => void = () => {}) {
  return fromPromise<readonly RunRecord[], void>(async () => {
    const plan = await services.plans.read();
    const recovered: RunRecord[] = [];
    for (const task of plan.items.values()) {
      if (!isLeaf(task) || (task.status !== 'in_progress' && task.status !== 'waiting_user')) continue;
      const {runs} = await services.runs.list(task.id);
      const latest = runs.findLast((run) => run.run_type === 'execute');
      if (!latest) continue;
      const wasRunning = latest.state === 'running';
      const run = wasRunning ? await repair(services, latest) : latest;
      if (wasRunning) recovered.push(run);
      // Feedback of which nothing began changed nothing: the run before it still says how the task stands.
      const before = runs.find(({run_id}) => run_id === run.resumed_from_run_id);
      const {state} = run.state === 'canceled' && before ? before : run;
      await settleStatus(services, task, {...run, state}, wasRunning);
      if (wasRunning) onRecovered(run);
    }
    return recovered;
  });
}

/** The latest run of a task, repaired where its Blackbird died. */
export async function recoverTask(services: Services, taskId: string): Promise<RunRecord | null> {
  const latest = await services.runs.latest(taskId);
  return latest?.state === 'running' ? repair(services, latest) : latest;
}

async function repair(services: Services, run: RunRecord): Promise<RunRecord> {
  const {remaining} = await services.agents.sweep(run);
  if (remaining.length > 0) {
    throw new Error(
      `processes ${remaining.join(', ')} of run ${run.run_id} are still alive and cannot be ended`,
    );
  }
  const change = await lossOf(services, run);
  return services.runs.update(run.task_id, run.run_id, (current) =>
    applyRunChange(current, change, services.now()),
  );
}

async function lossOf(services: Services, run: RunRecord): Promise<RunChange> {
  if (run.segments.length === 0) return {type: 'neverStarted'};
  // What an earlier segment or an earlier run worked in was stored, and so was what is not resumed yet.
  const wasStored =
    run.segments.length > 1 || run.resumed_from_run_id !== undefined || run.phase === 'launching';
  const isStored = wasStored || (await services.hadTimeToStore(run));
  return {type: 'paused', reason: 'process_lost', resumable: run.resumable && isStored, end: null};
}

/** The plan says what the run says, unless somebody changed the task after the run ended. */
async function settleStatus(
  services: Services,
  task: Task,
  run: RunRecord,
  wasRunning: boolean,
): Promise<void> {
  if (!wasRunning && compareTimestamps(run.updated_at, task.updatedAt) < 0) return;
  const status = statusAfter(run.state);
  if (status === task.status) return;
  await services.plans.update((plan) => setStatus(plan, task.id, status, services.now()));
}
