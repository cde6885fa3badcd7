import {fromPromise} from 'xstate';
import type {CommitOutcome} from '../../services/contracts/commit.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {spansOf} from '../policies/run/change-spans.ts';
import {commitRequest} from '../policies/run/commit-message.ts';
import {chainTo, uncommittedUndos} from '../policies/run/task-runs.ts';

type Committing = Pick<Services, 'plans' | 'runs' | 'changes' | 'now'>;

/** Commits the task's change and records the result before the plan is updated. */
export function defineCommitTaskActor(services: Committing, onRecorded: (run: RunRecord) => void) {
  return fromPromise<RunRecord, {readonly run: RunRecord}>(async ({input: {run}}) => {
    const recorded = await commitTask(services, run);
    onRecorded(recorded);
    return recorded;
  });
}

/** A commit made by a Blackbird that died before recording it is found by its trailer. */
export async function commitTask(
  {plans, runs, changes, now}: Committing,
  run: RunRecord,
): Promise<RunRecord> {
  if (run.commit !== undefined) return run;
  const commit = await outcomeOf({plans, runs, changes}, run);
  return runs.update(run.task_id, run.run_id, (current) => ({...current, commit, updated_at: now()}));
}

async function outcomeOf(
  {plans, runs, changes}: Omit<Committing, 'now'>,
  run: RunRecord,
): Promise<CommitOutcome> {
  const all = (await runs.list(run.task_id)).runs;
  const chain = chainTo(run, all);
  // What an earlier run of the chain committed is not committed again.
  const fresh = chain.slice(chain.findLastIndex(({commit}) => commit?.sha !== undefined) + 1);
  const spans = spansOf(fresh);
  const [first] = spans;
  if (first === undefined) return {skipped: run.review_summary?.note ?? 'its files were not recorded'};
  const {id, title = '', description} = (await plans.read()).items.get(run.task_id) ?? {id: run.task_id};
  const request = commitRequest({id, title, ...(description && {description})}, run.run_id);
  const undos = spansOf(uncommittedUndos(fresh[0] ?? run, all));
  try {
    const change = await changes.compose(spans);
    if (undos.length === 0) return await changes.commit(change, request);
    return await changes.commit(change, request, {...(await changes.compose(undos)), now: first.from});
  } catch (error) {
    return {skipped: messageOf(error)};
  }
}
