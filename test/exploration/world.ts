import {createHash} from 'node:crypto';
import type {Draft} from '../../src/services/contracts/draft.ts';
import type {PendingFeedback} from '../../src/services/contracts/feedback.ts';
import type {JobRecord} from '../../src/services/contracts/job.ts';
import type {SeenLimit} from '../../src/services/contracts/limits.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {ProviderId} from '../../src/services/contracts/provider-table.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import type {Services} from '../../src/services/contracts/services.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import {createFakeServices, type FakeServices} from '../fakes/services.ts';
import {type AgentActivity, type History, storeSessions} from './history.ts';

/** Everything that outlives a Blackbird: its files, agents that were not ended, and what really happened. */
export type Disk = {
  readonly plan: Plan;
  readonly runs: readonly RunRecord[];
  readonly feedback: readonly PendingFeedback[];
  readonly drafts: readonly Draft[];
  readonly limits: ReadonlyArray<readonly [ProviderId, SeenLimit]>;
  readonly jobs: readonly JobRecord[];
  readonly tree: string | null;
  readonly commits: readonly string[];
  readonly orphans: readonly Orphan[];
  readonly milliseconds: number;
  readonly history: History;
};

/** An agent that is alive without its Blackbird. */
export type Orphan = {readonly run: RunRecord; readonly activity: number};

export type World = FakeServices & {
  readonly services: Services;
  readonly clock: {milliseconds: number};
  readonly history: History;
  /** The current agents with what they did, newest last. */
  readonly activityOf: Map<FakeAgent, AgentActivity>;
  /** Live Blackbird processes, by pid. */
  readonly livePids: Set<number>;
  disk(): Disk;
};

export type WorldOptions = {
  /** Settings in the section `execution`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Blackbird chooses the session ref. */
  readonly choosesSession?: boolean;
};

/** The project on this disk, over the fakes that the other tests use for services. */
export function openWorld(disk: Disk, {settings = {}, choosesSession = false}: WorldOptions): World {
  const {milliseconds} = disk;
  const fake = createFakeServices({
    plan: disk.plan,
    runs: disk.runs,
    settings: {pauseGraceSeconds: 60, ...settings},
  });
  const clock = {milliseconds};
  const history = structuredClone(disk.history);
  const livePids = new Set<number>();
  for (const each of disk.feedback) fake.feedback.entries.set(each.childTaskId, each);
  for (const [provider, limit] of disk.limits) fake.limits.limits.set(provider, limit);
  for (const job of disk.jobs) void fake.jobs.create(job);
  for (const draft of disk.drafts) void fake.drafts.save(draft);
  fake.changes.tree = disk.tree;
  fake.changes.commits.push(...disk.commits);
  fake.agents.choosesSession = choosesSession;
  const activityOf = new Map<FakeAgent, AgentActivity>();
  for (const activity of history.activities) if (activity.isStored) fake.storedSessions.add(activity.runId);

  const services: Services = {
    ...fake.services,
    now: () => new Date(clock.milliseconds).toISOString(),
    monotonicNow: () => clock.milliseconds,
    newUuid: () => `00000000-0000-4000-8000-${String(++history.uuids).padStart(12, '0')}`,
    digest: (text) => createHash('sha1').update(text).digest('hex'),
    livenessOf: ({pid}) => (livePids.has(pid) ? 'alive' : 'dead'),
  };
  return {
    ...fake,
    services,
    clock,
    history,
    activityOf,
    livePids,
    disk: () => ({
      plan: fake.plans.plan,
      runs: [...fake.runs.texts.keys()].flatMap(fake.runs.records),
      feedback: [...fake.feedback.entries.values()],
      drafts: fake.drafts.list(),
      limits: [...fake.limits.limits],
      jobs: fake.jobs.records(),
      tree: fake.changes.tree,
      commits: [...fake.changes.commits],
      orphans: [...activityOf]
        .filter(([{isAlive}]) => isAlive)
        .flatMap(([agent, activity]) => {
          const run = fake.runs.records(agent.taskId).find(({run_id}) => run_id === agent.runId);
          return run ? [{run, activity: history.activities.indexOf(activity)}] : [];
        }),
      milliseconds: clock.milliseconds,
      history: structuredClone(history),
    }),
  };
}

/** Agents that a dead Blackbird left, alive again in this world. */
export async function restoreOrphans(world: World, orphans: readonly Orphan[]): Promise<void> {
  for (const {run, activity} of orphans) {
    const known = world.history.activities[activity];
    const launched = await world.agents.launch({
      run,
      request: {kind: 'start', prompt: '', sessionRef: null, access: 'edit', isGitRepository: true},
      onEvent: () => {},
    });
    launched.go();
    if (known) world.activityOf.set(world.agents.agent, known);
  }
  world.violations.length = 0;
}

/** What a Blackbird that dies now leaves. With a guardian its agents end with it. */
export function diskAfterDeath(world: World, {hasGuardian}: {readonly hasGuardian: boolean}): Disk {
  const disk = world.disk();
  const {history, milliseconds} = disk;
  history.crashes += 1;
  storeSessions(history, milliseconds);
  const survivors = new Set(
    hasGuardian
      ? []
      : [...world.activityOf]
          .filter(([each]) => each.isAlive && each.hasGone)
          .map(([, activity]) => world.history.activities.indexOf(activity)),
  );
  history.activities.forEach((activity, place) => {
    activity.isAlive = survivors.has(place);
    if (hasGuardian) activity.hasProcesses = false;
    markLost(activity, disk.runs, history);
  });
  return {...disk, orphans: disk.orphans.filter(({activity}) => survivors.has(activity))};
}

/** What was not recorded is unknown: the agent is told again. */
export function markLost(activity: AgentActivity, runs: readonly RunRecord[], history: History): void {
  if (activity.isLost || runs.find(({run_id}) => run_id === activity.runId)?.state !== 'running') return;
  activity.isLost = true;
  history.limitedUntil = 0;
}
