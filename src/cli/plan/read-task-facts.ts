import {existsSync, realpathSync} from 'node:fs';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import type {ProgramChoice} from '../../machines/policies/run/agent-program.ts';
import {circumstancesAt, type RunCircumstances} from '../../machines/policies/run/run-circumstances.ts';
import type {KnownOfTask, TaskFacts} from '../../machines/policies/run/task-options.ts';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {LockHolder} from '../../services/contracts/lock.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import {customCommandIn, providerIds} from '../../services/contracts/provider-table.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Project} from '../composition.ts';
import {requireProviderId} from '../job/provider-choice.ts';
import {liveEngine} from '../job/running-task.ts';

type Place = Pick<Project, 'folder' | 'env'>;

/** The programs that the option or the environment names, found as a job would find them. */
export function programsIn(env: Project['env'], option?: string): ProgramChoice {
  const customCommand = customCommandIn(env);
  if (option !== undefined) return {explicitProvider: requireProviderId(option), customCommand};
  const named = providerIds.find((id) => id === env.BLACKBIRD_AGENT_PROVIDER?.toLowerCase()) ?? null;
  return {explicitProvider: customCommand === null ? named : 'custom', customCommand};
}

/** The facts the run chart needs about one task, as on disk now. `agent`: the value of `--agent`. */
export async function taskFacts(
  project: Place,
  plan: Plan,
  taskId: string,
  agent?: string,
): Promise<TaskFacts> {
  const task = requireTask(plan, taskId);
  return (await taskFactsIn(project, plan, [task], () => true, agent))(task);
}

/**
 * The same for these tasks. By default runs are read only for those in progress, waiting, failed or sent
 * back: for the others the status is enough, and they are the majority.
 */
export async function taskFactsIn(
  {folder, env}: Place,
  plan: Plan,
  tasks: Iterable<Task>,
  isRead: (task: Task) => boolean = needsRun,
  agent?: string,
): Promise<(task: Task) => TaskFacts> {
  const {factsAbout} = await import('../../machines/policies/run/task-options.ts');
  const sentBack = existsSync(folder.feedbackFolder)
    ? await sentBackIn(folder)
    : new Map<string, PendingFeedback>();
  const read = [...tasks].filter(
    (task) => task.childIds.length === 0 && (isRead(task) || sentBack.has(task.id)),
  );
  const {found, unreadable} =
    read.length === 0 ? {found: new Map<string, RunRecord>()} : await latestDeliveredRuns(folder, read);
  const engine = found.size > 0 ? await liveEngine(folder) : null;
  const isEngineAlive = engine !== null;
  const {isSessionRef} =
    found.size === 0 ? {isSessionRef: () => false} : await import('../../services/agents/run-provider.ts');
  const orphans = isEngineAlive ? new Set<string>() : await orphansAmong(found.values());
  const place = {
    repoRoot: found.size === 0 ? folder.root : realpathSync(folder.root),
    ...programsIn(env, agent),
    isEngineAlive,
    isSessionRef,
  };
  const latestStart = await latestStartAfter(folder, plan, found.values());
  return (task) => {
    const run = found.get(task.id) ?? null;
    const file = unreadable?.get(task.id);
    const known: KnownOfTask = {
      ...place,
      latestStart,
      run,
      isOwnerAtWork: run !== null && isOwnedBy(run, engine),
      isSentBack: sentBack.has(task.id),
      isOrphaned: orphans.has(task.id),
      ...(file === undefined ? {} : {unreadable: file}),
    };
    return factsAbout(plan, task, known);
  };
}

const isOwnedBy = ({owner}: RunRecord, engine: LockHolder | null) =>
  owner !== undefined && owner.pid === engine?.pid && owner.start_time === engine.startTime;

/** Whether a task started since an approval, if there is one. */
async function latestStartAfter(
  {runsFolder}: Project['folder'],
  plan: Plan,
  runs: Iterable<RunRecord>,
): Promise<string | null> {
  const decided = [...runs].flatMap(({decision_state, decision_resolved_at}) =>
    decision_state?.startsWith('approved') && decision_resolved_at ? [decision_resolved_at] : [],
  );
  const [first] = decided.sort();
  if (first === undefined) return null;
  const {startedSince} = await import('../../machines/actors/started-since.ts');
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  return startedSince({runs: createRunStore({folder: runsFolder})}, plan, first);
}

/** The circumstances of any run, for callers that start from runs, not tasks. */
export async function runCircumstances({folder, env}: Place): Promise<(run: RunRecord) => RunCircumstances> {
  const {isSessionRef} = await import('../../services/agents/run-provider.ts');
  const owner = (await liveEngine(folder)) === null ? 'gone' : 'alive';
  const place = {repoRoot: realpathSync(folder.root), ...programsIn(env)};
  return (run) =>
    circumstancesAt(place, run, {
      isSessionRef: isSessionRef(run.provider, run.provider_session_ref),
      owner,
      isPastCheckpoint: false,
    });
}

const needsRun = ({status}: Task) =>
  status === 'in_progress' || status === 'waiting_user' || status === 'failed';

async function sentBackIn(folder: Project['folder']): Promise<ReadonlyMap<string, PendingFeedback>> {
  const {listFeedback} = await import('../job/feedback-operations.ts');
  const {pending} = await listFeedback({folder});
  return new Map(pending.map((each) => [each.childTaskId, each]));
}

async function latestDeliveredRuns(
  folder: Project['folder'],
  tasks: readonly Task[],
): Promise<{found: ReadonlyMap<string, RunRecord>; unreadable?: ReadonlyMap<string, string>}> {
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {latestDeliveredRun} = await import('../../machines/policies/run/task-runs.ts');
  const store = createRunStore({folder: folder.runsFolder});
  const found = new Map<string, RunRecord>();
  const unreadable = new Map<string, string>();
  for (const {id} of tasks) {
    const {runs, broken} = await store.list(id);
    const run = latestDeliveredRun(runs);
    if (run) found.set(id, run);
    if (broken[0]) unreadable.set(id, broken[0].file);
  }
  return {found, unreadable};
}

/** Their Blackbird is gone, but some of their processes are alive. */
async function orphansAmong(runs: Iterable<RunRecord>): Promise<ReadonlySet<string>> {
  const lost = [...runs].filter(({state}) => state === 'running');
  if (lost.length === 0) return new Set();
  const {livingProcesses} = await import('../../services/agents/orphans.ts');
  return new Set(lost.filter((run) => livingProcesses(run).length > 0).map(({task_id}) => task_id));
}
