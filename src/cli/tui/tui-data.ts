import {realpathSync} from 'node:fs';
import path from 'node:path';
import {resolveConfig, settingOf} from '../../machines/policies/config-resolution.ts';
import {latestDeliveredRun} from '../../machines/policies/run/task-runs.ts';
import {livingProcesses} from '../../services/agents/orphans.ts';
import {isSessionRef} from '../../services/agents/run-provider.ts';
import {AppError, messageOf} from '../../services/contracts/errors.ts';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import type {PlanStore} from '../../services/contracts/stores.ts';
import {watchProject} from '../../services/stores/project-watch.ts';
import {createRunIndex} from '../../services/stores/run-index.ts';
import {taskFolderName} from '../../services/stores/task-folder.ts';
import {versionOf} from '../../services/stores/whole-file.ts';
import {isOnPath} from '../../services/system/executables.ts';
import type {PlanView, ProjectData} from '../../ui/ports.ts';
import type {Project} from '../composition.ts';
import {chooseAgent} from '../job/choose-agent.ts';
import {listFeedback} from '../job/feedback-operations.ts';
import {withKnownEnds} from '../job/last-sign-of-life.ts';
import {openJobs} from '../job/other-job.ts';
import {liveEngine} from '../job/running-task.ts';
import {programsIn} from '../plan/read-task-facts.ts';

/** A failed read is retried. */
const secondsAfterFailure = 1;

type Env = Readonly<Record<string, string | undefined>>;

/** The state of a project on disk, read after changes and periodically. */
export function createProjectReader({
  project,
  runs,
  env,
  isOwnJob,
}: {
  readonly project: Project;
  readonly runs: RunStore;
  readonly env: Env;
  /** A job of this process holds the lock. */
  readonly isOwnJob: () => boolean;
}) {
  const {folder, plans, config} = project;
  const place = {repoRoot: realpathSync(folder.root), ...programsIn(env), isSessionRef};
  const index = createRunIndex({folder: folder.runsFolder, runs, digest: digestRuns});
  const jobs = openJobs(project);

  // If the holder cannot be determined, none is shown; starting a job reports why it is refused.
  const otherEngine = async () => (isOwnJob() ? null : liveEngine(folder).catch(() => null));

  const read = async (): Promise<ProjectData> => {
    const plan = await readPlanAgain();
    const ids = plan.type === 'plan' ? plan.plan.items.keys() : [];
    const digests = await index.read(ids);
    const layers = await config.layers();
    const holder = await otherEngine();
    const isLive = holder !== null || isOwnJob();
    const told = [...digests.values()].flatMap(({run}) => run ?? []);
    const known = await withKnownEnds({runs, jobs: await jobs}, told, isLive);
    const provider = await chooseAgent({folder, env}).catch((error: unknown) => ({
      problem: messageOf(error),
    }));
    const costs = [...digests.values()].map(({cost}) => cost).filter((cost) => cost > 0);
    return {
      plan,
      runs: new Map(known.map((run) => [run.task_id, run])),
      reviews: new Map([...digests].flatMap(([id, {review}]) => (review ? [[id, review] as const] : []))),
      pendingFeedback: await pendingFeedback(),
      orphans: isLive ? [] : orphansAmong(digests.values()),
      cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
      otherEngine: holder?.pid ?? null,
      provider,
      isAgentInstalled: 'id' in provider && isOnPath(provider.id, env.PATH ?? ''),
      place,
      config: resolveConfig(layers),
      layers,
    };
  };

  let lastPlan: {readonly version: string | null; readonly view: PlanView} | null = null;
  /** Read again only if the file changed: polling an unchanged plan is free. */
  const readPlanAgain = async (): Promise<PlanView> => {
    const version = versionOf(folder.planFile);
    if (lastPlan === null || lastPlan.version !== version || lastPlan.view.type === 'problem') {
      lastPlan = {version, view: await readPlan(plans)};
    }
    return lastPlan.view;
  };

  const pendingFeedback = async (): Promise<ReadonlyMap<string, PendingFeedback>> => {
    const {pending} = await listFeedback(project).catch(() => ({pending: []}));
    return new Map(pending.map((each) => [each.childTaskId, each]));
  };

  /** Reports the state now and after every change; returns a function to unsubscribe. */
  const watch = (listener: (data: ProjectData) => void): (() => void) => {
    let isReading = false;
    let isAskedAgain = false;
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    let told = '';
    let toldPlan: PlanView | null = null;
    let planNumber = 0;

    const look = async (): Promise<void> => {
      if (isReading) {
        isAskedAgain = true;
        return;
      }
      isReading = true;
      do {
        isAskedAgain = false;
        // The screen keeps what it has; the next read follows shortly.
        const data = await read().catch(() => null);
        if (isOver) break;
        if (data === null) {
          lookAgainIn(secondsAfterFailure);
          break;
        }
        watcher.watchTasks(busyFolders(data));
        again(data);
        // Without changes an idle screen is not redrawn.
        if (data.plan !== toldPlan && data.plan.type === 'plan') planNumber++;
        toldPlan = data.plan;
        const now = fingerprint(data, planNumber);
        if (now !== told) listener(data);
        told = now;
      } while (isAskedAgain);
      isReading = false;
    };
    const again = ({config: resolved}: ProjectData) => {
      lookAgainIn(
        Math.min(
          settingOf(resolved, 'tui.runDataRefreshIntervalSeconds'),
          settingOf(resolved, 'tui.planDataRefreshIntervalSeconds'),
        ),
      );
    };
    const lookAgainIn = (seconds: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => void look(), seconds * 1000);
      timer.unref();
    };
    const busyFolders = ({plan}: ProjectData): string[] => {
      if (plan.type !== 'plan') return [];
      return [...plan.plan.items.values()]
        .filter(({status}) => status === 'in_progress' || status === 'waiting_user')
        .map(({id}) => path.join(folder.runsFolder, taskFolderName(id)));
    };
    const watcher = watchProject(folder, () => void look(), [project.userConfigFile]);
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
      watcher.close();
    };
  };

  /** Every run of a task, and how long it worked. */
  const history = async (taskId: string) => {
    const {runs: all, broken} = await runs.list(taskId);
    const isLive = isOwnJob() || (await otherEngine()) !== null;
    return {runs: await withKnownEnds({runs, jobs: await jobs}, all, isLive), broken};
  };

  return {read, watch, history};
}

type Digest = {
  readonly run: RunRecord | null;
  readonly review: RunRecord | null;
  readonly cost: number;
};

/** Output is read on demand; otherwise the latest run is enough. */
function digestRuns(all: readonly RunRecord[]): Digest {
  const cost = all.reduce((sum, {usage}) => sum + (usage?.cost_usd ?? 0), 0);
  const review = all.findLast(({run_type}) => run_type === 'review') ?? null;
  return {run: withoutOutput(latestDeliveredRun(all)), review: withoutOutput(review), cost};
}

/** Processes are searched only for a run that says running while no one works on the project. */
const orphansAmong = (digests: Iterable<Digest>): string[] =>
  [...digests].flatMap(({run}) =>
    run?.state === 'running' && livingProcesses(run).length > 0 ? [run.task_id] : [],
  );

const withoutOutput = (run: RunRecord | null): RunRecord | null => run && {...run, stdout: '', stderr: ''};

async function readPlan(plans: PlanStore): Promise<PlanView> {
  try {
    const check = await plans.inspect();
    if ('plan' in check) return {type: 'plan', plan: check.plan};
    const shown = check.problems.slice(0, 20).map(({path: at, message}) => `${at}: ${message}`);
    return {type: 'problem', lines: shown};
  } catch (error) {
    if (error instanceof AppError && error.code === 'E_PLAN_NOT_FOUND') return {type: 'none'};
    return {type: 'problem', lines: [messageOf(error)]};
  }
}

/** Equal if nothing changed between two reads. */
function fingerprint(
  {plan, runs, reviews, pendingFeedback, config: _, ...rest}: ProjectData,
  planNumber: number,
): string {
  return JSON.stringify([
    planNumber,
    plan.type === 'problem' ? plan : plan.type,
    [...runs.values(), ...reviews.values()].map((run) => [
      run.run_id,
      run.state,
      run.updated_at,
      run.phase,
      run.decision_state,
    ]),
    [...pendingFeedback.values()],
    rest,
  ]);
}
