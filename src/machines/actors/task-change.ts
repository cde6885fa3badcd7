import type {ChangedFile, ChangeTracker, ReviewSummary, TreeSpan} from '../../services/contracts/changes.ts';
import {AppError, messageOf, shellWord} from '../../services/contracts/errors.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import type {SideEffect} from '../../services/contracts/side-effects.ts';
import type {PlanStore} from '../../services/contracts/stores.ts';
import {requireTask} from '../policies/plan/plan-graph.ts';
import {effectKey} from '../policies/review/effect-words.ts';
import {reviewedTasks} from '../policies/review/parent-review.ts';
import {inOrder, isUnfinished, spansOf, type TimedSpan} from '../policies/run/change-spans.ts';
import {chainTo, latestDeliveredRun, runBefore, sinceReview} from '../policies/run/task-runs.ts';

/** The run and those before it. The first of a chain needs no other record. */
export async function chainOf(runs: Pick<RunStore, 'list'>, run: RunRecord): Promise<RunRecord[]> {
  return runBefore(run) === undefined ? [run] : chainTo(run, (await runs.list(run.task_id)).runs);
}

/** The changes of one chain of runs; an unfinished one ends at the current files. */
export async function spansNow(
  changes: Pick<ChangeTracker, 'snapshot'>,
  chain: readonly RunRecord[],
): Promise<{readonly spans: readonly TimedSpan[]; readonly isSoFar: boolean}> {
  const latest = chain.at(-1);
  const isOpen = latest?.state === 'running' || latest?.state === 'paused' || latest?.state === 'waiting';
  const isSoFar = isOpen && isUnfinished(chain);
  const now = isSoFar ? await changes.snapshot(latest?.baseline_tree) : null;
  return {spans: spansOf(chain, now), isSoFar};
}

export type Chains = ReadonlyArray<readonly RunRecord[]>;

/** The run that tells of a task's files: the latest that reached its agent, or else the latest there is. */
export const lastWork = (runs: readonly RunRecord[]): RunRecord | undefined =>
  latestDeliveredRun(runs) ?? runs.findLast((each) => each.run_type === 'execute');

/** The runs of all tasks below a parent. */
export async function chainsBelow(
  {plans, runs}: {readonly plans: Pick<PlanStore, 'read'>; readonly runs: Pick<RunStore, 'list'>},
  parentId: string,
): Promise<Chains> {
  const plan = await plans.read();
  const chains: Array<readonly RunRecord[]> = [];
  for (const {id} of reviewedTasks(plan, requireTask(plan, parentId))) {
    const {runs: below} = await runs.list(id);
    const last = lastWork(below);
    if (last) chains.push(chainTo(last, below));
  }
  return chains;
}

/** Both ends of the combined change, and the runs that are still unfinished; null if nothing was recorded. */
export async function combinedChange(
  changes: Pick<ChangeTracker, 'snapshot' | 'compose'>,
  chains: Chains,
): Promise<(TreeSpan & {readonly isSoFar: readonly RunRecord[]}) | null> {
  const found = [];
  for (const chain of chains) found.push({chain, ...(await spansNow(changes, chain))});
  const spans = inOrder(found.flatMap((each) => each.spans));
  if (spans.length === 0) return null;
  return {
    ...(await changes.compose(spans)),
    isSoFar: found.flatMap(({chain, isSoFar}) => (isSoFar ? chain.slice(-1) : [])),
  };
}

/** The side effects of these runs, without duplicates. */
export function effectsIn(chains: Chains): SideEffect[] {
  const all = chains.flat().flatMap((run) => run.side_effects ?? []);
  return [...new Map(all.map((effect) => [effectKey(effect), effect])).values()];
}

/** A change for a reviewer: of a task, or of all tasks below a parent. */
export type TaskDiff = {
  readonly task: string;
  /** What came after the last decision; null if there was none. */
  readonly sinceReview: string | null;
  /** For a parent: those of the tasks below it. */
  readonly sideEffects?: readonly SideEffect[];
};

export async function reviewDiff(
  changes: Pick<ChangeTracker, 'snapshot' | 'compose' | 'diff'>,
  chains: Chains,
): Promise<TaskDiff> {
  const patchOf = async (shown: Chains) => {
    const change = await combinedChange(changes, shown);
    return change && changes.diff(change.from, change.to, {stat: false});
  };
  const task = await patchOf(chains);
  if (task === null) throw notRecorded(chains.at(-1) ?? []);
  const since = chains.map(sinceReview);
  const isPart = since.flat().length < chains.flat().length;
  return {task, sinceReview: isPart ? ((await patchOf(since)) ?? '') : null};
}

/** The whole change of a task, with all its files. */
export async function taskFiles(
  changes: Pick<ChangeTracker, 'snapshot' | 'compose' | 'files'>,
  chain: readonly RunRecord[],
): Promise<TreeSpan & {readonly files: readonly ChangedFile[]}> {
  const {spans} = await spansNow(changes, chain);
  if (spans.length === 0) throw notRecorded(chain);
  const {from, to} = await changes.compose(spans);
  return {from, to, files: await changes.files(from, to)};
}

/** The summary of the task when an agent ended; if there is no tree, it says why. */
export async function summaryOf(
  changes: Pick<ChangeTracker, 'compose' | 'summarize'>,
  chain: readonly RunRecord[],
  tree: string | null,
): Promise<ReviewSummary> {
  const spans = tree === null ? [] : spansOf(chain, tree);
  if (spans.length === 0) return changes.summarize(null, null);
  try {
    const {from, to} = await changes.compose(spans);
    return await changes.summarize(from, to);
  } catch (error) {
    return {files: [], diffstat: '', snippets: [], note: messageOf(error)};
  }
}

/** The error if there is nothing to compare. */
export function notRecorded(chain: readonly RunRecord[]): AppError {
  const run = chain.at(-1);
  const reason = run?.review_summary?.note;
  return new AppError('E_DIFF_UNAVAILABLE', `the files of run ${run?.run_id} were not recorded`, {
    details: reason === undefined ? [] : [['reason', reason]],
    next: [{command: `blackbird runs ${shellWord(run?.task_id ?? '')}`, why: 'see its other runs'}],
  });
}
