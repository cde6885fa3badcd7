import {fromPromise} from 'xstate';
import type {ChangeTracker} from '../../services/contracts/changes.ts';
import type {ProcessIdentity} from '../../services/contracts/process.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {mergeSideEffects} from '../policies/review/side-effects.ts';
import {retryOf} from '../policies/run/retry-time.ts';
import {applyRunStep} from '../policies/run/run-record.ts';
import type {CheckTrace, RunStep, SegmentWork} from '../policies/run/run-step.ts';
import {isTakenBack} from '../policies/run/task-runs.ts';
import type {AgentEndings} from './agent.actor.ts';
import type {CheckEndings} from './check.actor.ts';
import {aroundChecks, checksAround} from './checks-around.ts';
import {reinstate} from './reinstate.ts';
import {createSideEffectWatch, type SideEffectWatch} from './side-effect-watch.ts';
import {chainOf, summaryOf} from './task-change.ts';

export type RecordRunInput = {readonly run: RunRecord; readonly step: RunStep};

/** Writes a step to the run record; nothing else happens until it is on disk. */
export function defineRecordRunActor({
  runs,
  changes,
  plans,
  inbox,
  surroundings,
  watchSettings,
  limits,
  endings,
  checkEndings = new Map(),
  host,
  self,
  now,
  chance,
  onRecorded,
}: {
  runs: RunStore;
  changes: ChangeTracker;
  plans: Services['plans'];
  inbox: Services['inbox'];
  surroundings: Services['surroundings'];
  watchSettings: Services['watchSettings'];
  limits: Services['limits'];
  endings: AgentEndings;
  checkEndings?: CheckEndings;
  host: string;
  self: ProcessIdentity | null;
  now: () => string;
  chance: () => number;
  onRecorded: (run: RunRecord) => void;
}) {
  const watch = createSideEffectWatch({plans, runs, inbox, surroundings, watchSettings, now});
  return fromPromise<RunRecord, RecordRunInput>(async ({input: {run, step}}) => {
    const {end = null, text: result = ''} = endings.get(run.run_id) ?? {};
    // The last write of a segment: it needs a snapshot of the files, and nobody asks for the ending afterwards.
    const isLast = step.type === 'ended' || step.type === 'paused';
    const isOver = isLast || step.type === 'withdrawn';
    // A review changes nothing.
    const isWork = run.run_type === 'execute';
    const work = isLast && isWork ? await workOf({changes, runs}, run, watch) : undefined;
    const isFirst = step.type === 'segmentStarted' && isWork;
    const baselineTree = isFirst ? await baselineOf(changes, run) : null;
    const around = isFirst ? {surroundings: await watch.begin(run)} : {};
    const check = await checkTrace({changes, checkEndings, watch}, run, step);
    const trace = {
      end,
      result,
      host,
      owner: self,
      baselineTree,
      chance: chance(),
      ...around,
      ...(check && {check}),
      ...(work && {work}),
    };
    const recorded = await runs.update(run.task_id, run.run_id, (current) => {
      const next = applyRunStep(current, step, now(), trace);
      // A decision cannot be made before the checkpoint is on disk.
      if (next.decision_state === 'pending' && current.decision_state !== 'pending') inbox.discard(run);
      return next;
    });
    // The run's own end first: after a crash in between, recovery restores the old run.
    if (step.type === 'withdrawn' && isTakenBack(recorded)) await reinstate({runs, now}, run);
    if (isOver) endings.delete(run.run_id);
    if (step.type === 'ended') await noteLimit(limits, recorded, step);
    // Paused meanwhile, or given up as silent: the limit is one all the same.
    if (step.type === 'paused' && step.limit) {
      const times = {now: recorded.updated_at, chance: trace.chance, hasWorked: step.hasWorked === true};
      await noteFailure(limits, {...recorded, ...retryOf(recorded, step.limit, times), failure: step.limit});
    }
    onRecorded(recorded);
    return recorded;
  });
}

/** What only this side knows about a check when a step is written. */
async function checkTrace(
  {
    changes,
    checkEndings,
    watch,
  }: {changes: ChangeTracker; checkEndings: CheckEndings; watch: SideEffectWatch},
  run: RunRecord,
  {type}: RunStep,
): Promise<CheckTrace | null> {
  switch (type) {
    case 'checkStarted': {
      if (!watch.isWatching(run)) await watch.begin(run);
      const {baseline_tree: baseline} = run;
      return {tree: baseline === undefined ? null : await changes.snapshot(baseline)};
    }
    case 'checkEnded': {
      const ended = checkEndings.get(run.run_id);
      checkEndings.delete(run.run_id);
      // Files written by a check belong to the task if its agent continues.
      const tree = run.check?.tree && (await changes.snapshot(run.check.tree));
      return {...ended, ...(tree && {tree})};
    }
    case 'sentBack':
      return watch.isWatching(run) ? {sideEffects: await aroundChecks(run, watch)} : {};
    case 'checksPaused':
    case 'verified':
    case 'unverified':
      return watch.isWatching(run) ? checksAround({changes, watch}, run) : {};
    default:
      return null;
  }
}

/** Limits, and their end, are shared with all projects of the user. */
async function noteLimit(
  limits: Services['limits'],
  run: RunRecord,
  {verdict}: Extract<RunStep, {type: 'ended'}>,
): Promise<void> {
  if (verdict.outcome !== 'failed') {
    // A turn that started before the limit was seen says nothing about it.
    await limits.clear(run.provider, run.segments.at(-1)?.started_at ?? run.updated_at);
  } else await noteFailure(limits, run);
}

async function noteFailure(
  limits: Services['limits'],
  {provider, failure, retry_at, updated_at}: RunRecord,
): Promise<void> {
  if (failure?.kind !== 'rate_limit' || retry_at === undefined) return;
  const source = failure.reset_at === undefined ? 'estimated' : 'reported';
  await limits.save(provider, {until: retry_at, source, seenAt: updated_at});
}

/** The files before an agent is released. For a first segment they were recorded when the run was prepared. */
async function baselineOf(
  changes: ChangeTracker,
  {segments, baseline_tree}: RunRecord,
): Promise<string | null> {
  if (baseline_tree === undefined) return null;
  return segments.length === 0 ? baseline_tree : changes.snapshot(baseline_tree);
}

/** Without a starting tree there is nothing to compare with; the summary says why. */
export async function workOf(
  {changes, runs}: {changes: ChangeTracker; runs: Pick<RunStore, 'list'>},
  run: RunRecord,
  watch: SideEffectWatch,
): Promise<SegmentWork> {
  const {baseline_tree: baseline} = run;
  const [tree, around] = await Promise.all([
    baseline === undefined ? null : changes.snapshot(baseline),
    watch.end(run),
  ]);
  const chain = await chainOf(runs, run);
  const {side_effects: files = [], ...summary} = await summaryOf(changes, chain, tree);
  const earlier = chain.flatMap(({side_effects = []}) => side_effects);
  return {tree, summary, sideEffects: mergeSideEffects(earlier, around, files)};
}
