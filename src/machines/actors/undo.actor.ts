import {fromPromise} from 'xstate';
import {AppError, messageOf, shellWord} from '../../services/contracts/errors.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {requireTask} from '../policies/plan/plan-graph.ts';
import {setStatus} from '../policies/plan/plan-status.ts';
import {type TakenBack, withTakenBack} from '../policies/review/effect-words.ts';
import {leaveParents} from '../policies/review/parent-review.ts';
import {takeBackEdits} from '../policies/review/plan-take-back.ts';
import {namedRun} from '../policies/run/named-run.ts';
import {refusalOf} from '../policies/run/run-refusals.ts';
import {taskObstacle} from '../policies/run/task-options.ts';
import {chainTo, latestDeliveredRun} from '../policies/run/task-runs.ts';
import {
  builtOn,
  statusAfterUndo,
  type UndoProposal,
  type UndoRequest,
  undone,
  undoRecord,
  undoRefusal,
} from '../policies/run/undo.ts';
import {mostNamed, startedBelow, undoOfParent} from '../policies/run/undo-of-parent.ts';
import type {UndoStep} from '../undo.machine.ts';
import {recordBroken} from './recover-runs.actor.ts';
import {reinstate} from './reinstate.ts';
import {factsHere} from './run-situation.ts';
import {takeBackSettings} from './take-back-settings.ts';
import {notRecorded, spansNow} from './task-change.ts';

type Looking = Pick<Services, 'plans' | 'runs' | 'changes' | 'project' | 'agents' | 'isSessionRef'>;

/** What an undo would do. Changes nothing, so it needs no project lock. */
export async function proposeUndo(services: Looking, request: UndoRequest): Promise<UndoProposal> {
  const plan = await services.plans.read();
  const task = requireTask(plan, request.taskId);
  const {runs} = await services.runs.list(task.id);
  const telling = latestDeliveredRun(runs);
  const named = request.runId === null ? null : runOf(runs, request.taskId, request.runId);
  const isOfUndo = named?.run_type === 'undo';
  // A change that is already undone can only be reached by naming the undo or an earlier run.
  const facts = factsHere(services, plan, task, {run: telling, isSentBack: false, explicitProvider: null});
  const obstacle = taskObstacle(facts, 'undo');
  if (obstacle === 'children' || obstacle === 'reviewDue')
    throw undoOfParent(task, await undoableBelow(services, plan, task));
  if (obstacle !== null && (named === null || obstacle !== 'replaced'))
    throw refusalOf(facts, 'undo', obstacle);
  if (telling === null) throw refusalOf(facts, 'undo', 'neverRan');
  const undoes = named === null ? chainTo(telling, runs) : [named];
  const change = await changeOf(services, undoes);
  return {
    request,
    task: {id: task.id, title: task.title, status: task.status},
    run: telling,
    undoes,
    isRedo: isOfUndo && named.undo?.is_redo !== true,
    files: await services.changes.planUndo(change, {isForced: request.isForced}),
    dependents: builtOn(plan, task.id),
  };
}

/** A task that was set to done by hand has no run, and nothing to undo. */
async function undoableBelow({runs}: Looking, plan: Plan, parent: Task): Promise<Task[]> {
  const found: Task[] = [];
  for (const task of startedBelow(plan, parent)) {
    if (found.length === mostNamed) break;
    const run = latestDeliveredRun((await runs.list(task.id)).runs);
    if (run !== null && run.superseded_by_run_id === undefined) found.push(task);
  }
  return found;
}

async function changeOf({changes}: Looking, undoes: readonly RunRecord[]) {
  const [first] = undoes;
  if (first?.run_type === 'undo') {
    const {baseline_tree: from, result_tree: to} = first;
    if (from === undefined || to === undefined) throw notRecorded(undoes);
    return {from, to};
  }
  const {spans} = await spansNow(changes, undoes);
  if (spans.length === 0) throw notRecorded(undoes);
  return changes.compose(spans);
}

function runOf(runs: readonly RunRecord[], taskId: string, runId: string): RunRecord {
  const run = namedRun(runs, taskId, runId);
  if (run.run_type !== 'review') return run;
  throw new AppError(
    'E_RUN_NOT_FOUND',
    `task ${taskId} has no run ${JSON.stringify(runId)} that can be undone`,
    {
      next: [{command: `blackbird runs ${shellWord(taskId)}`, why: 'see its runs'}],
    },
  );
}

function defineProposeUndoActor(services: Looking) {
  return fromPromise<UndoProposal, UndoRequest>(async ({input}) => {
    const proposal = await proposeUndo(services, input);
    const refusal = undoRefusal(proposal);
    if (refusal !== null) throw refusal;
    return proposal;
  });
}

function defineRecordUndoActor({runs, project, self, now, newRunId}: Services) {
  return fromPromise<RunRecord, {readonly proposal: UndoProposal}>(async ({input: {proposal}}) => {
    const {id} = proposal.task;
    const attempt = Math.max(0, ...(await runs.list(id)).runs.map((run) => run.attempt)) + 1;
    const place = {runId: newRunId(id, attempt), attempt, repoRoot: project.root, owner: self, now: now()};
    const record = undoRecord(proposal, place);
    await runs.insert(record);
    return record;
  });
}

function defineWriteFilesActor({changes}: Pick<Services, 'changes'>) {
  return fromPromise<void, UndoStep>(async ({input: {proposal}}) => {
    const {from, to} = proposal.files;
    if (from !== to) await changes.applyUndo({from, to});
  });
}

/** The plan first, then the record: while that says running, the undo is not over. */
function defineSettleUndoActor(
  services: Pick<Services, 'plans' | 'runs' | 'changes' | 'settings' | 'writeSetting' | 'now'>,
) {
  const {plans, runs, changes, now} = services;
  return fromPromise<RunRecord, UndoStep>(async ({input: {proposal, run}}) => {
    const {task, files, isRedo, run: telling, undoes} = proposal;
    const isCurrent =
      telling.superseded_by_run_id === undefined || telling.superseded_by_run_id === undoes[0]?.run_id;
    if (isRedo)
      await reinstate(
        {runs, now},
        {task_id: task.id, restart_of_run_id: telling.run_id, run_id: undoes[0]?.run_id ?? ''},
      );
    const status = isCurrent || !isRedo ? statusAfterUndo(proposal) : task.status;
    const effects = isRedo ? [] : undoes.flatMap(({side_effects = []}) => side_effects);
    // Before the plan: once the plan is updated, nobody restores the settings any more.
    const settings = await takeBackSettings(services, effects);
    let back: TakenBack = {taken: [], left: [], settings};
    await plans.update((plan) => {
      const {plan: without, ...edits} = takeBackEdits(plan, effects, now());
      back = {...edits, settings};
      return without.items.has(task.id) ? setStatus(without, task.id, status, now(), leaveParents) : without;
    });
    const summary = await changes.summarize(files.from, files.to);
    return runs.update(task.id, run.run_id, (current) =>
      withTakenBack(undone(current, files.to, summary, now()), back),
    );
  });
}

function defineRecordBrokenUndoActor({runs, changes, now}: Pick<Services, 'runs' | 'changes' | 'now'>) {
  return fromPromise<RunRecord, UndoStep & {readonly error: unknown}>(({input: {run, error}}) =>
    recordBroken({runs, changes, now}, run, messageOf(error)),
  );
}

/** The actors of the undo chart. */
export const defineUndoActors = (services: Services) => ({
  proposeUndo: defineProposeUndoActor(services),
  recordUndo: defineRecordUndoActor(services),
  writeFiles: defineWriteFilesActor(services),
  settleUndo: defineSettleUndoActor(services),
  recordBrokenUndo: defineRecordBrokenUndoActor(services),
});
