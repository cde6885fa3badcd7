import type {ChangedFile, ChangeTracker, ReviewSummary, TreeSpan} from '../../services/contracts/changes.ts';
import {AppError, messageOf, shellWord} from '../../services/contracts/errors.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import {isUnfinished, spansOf, type TimedSpan} from '../policies/run/change-spans.ts';
import {chainTo, runBefore, sinceReview} from '../policies/run/task-runs.ts';

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

/** The whole change of a task up to a run, as a patch. */
async function taskDiff(
  changes: Pick<ChangeTracker, 'snapshot' | 'compose' | 'diff'>,
  chain: readonly RunRecord[],
): Promise<string> {
  const {spans} = await spansNow(changes, chain);
  if (spans.length === 0) throw notRecorded(chain);
  const {from, to} = await changes.compose(spans);
  return changes.diff(from, to, {stat: false});
}

/** The change of a task for a reviewer. */
export type TaskDiff = {
  readonly task: string;
  /** What came after the last decision; null if there was none. */
  readonly sinceReview: string | null;
};

export async function reviewDiff(
  changes: Pick<ChangeTracker, 'snapshot' | 'compose' | 'diff'>,
  chain: readonly RunRecord[],
): Promise<TaskDiff> {
  const task = await taskDiff(changes, chain);
  const since = sinceReview(chain);
  if (since.length === chain.length) return {task, sinceReview: null};
  const {spans} = await spansNow(changes, since);
  return {task, sinceReview: spans.length === 0 ? '' : await taskDiff(changes, since)};
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
