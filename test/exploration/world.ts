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
import {type AgentTale, type History, storeSessions} from './history.ts';

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
export type Orphan = {readonly run: RunRecord; readonly tale: number};

export type World = FakeServices & {
  readonly services: Services;
  readonly clock: {milliseconds: number};
  readonly history: History;
  /** The current agents with what they did, newest last. */
  readonly cast: Map<FakeAgent, AgentTale>;
  /** Live Blackbird processes, by pid. */
  readonly living: Set<number>;
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
  const living = new Set<number>();
  for (const each of disk.feedback) fake.feedback.entries.set(each.childTaskId, each);
  for (const [provider, limit] of disk.limits) fake.limits.limits.set(provider, limit);
  for (const job of disk.jobs) void fake.jobs.create(job);
  for (const draft of disk.drafts) void fake.drafts.save(draft);
  fake.changes.tree = disk.tree;
  fake.changes.commits.push(...disk.commits);
  fake.agents.choosesSession = choosesSession;
  const cast = new Map<FakeAgent, AgentTale>();
  for (const tale of history.tales) if (tale.isStored) fake.storedSessions.add(tale.runId);

  const services: Services = {
    ...fake.services,
    now: () => new Date(clock.milliseconds).toISOString(),
    monotonicNow: () => clock.milliseconds,
    newUuid: () => `00000000-0000-4000-8000-${String(++history.uuids).padStart(12, '0')}`,
    digest: (text) => createHash('sha1').update(text).digest('hex'),
    livenessOf: ({pid}) => (living.has(pid) ? 'alive' : 'dead'),
  };
  return {
    ...fake,
    services,
    clock,
    history,
    cast,
    living,
    disk: () => ({
      plan: fake.plans.plan,
      runs: [...fake.runs.texts.keys()].flatMap(fake.runs.records),
      feedback: [...fake.feedback.entries.values()],
      drafts: fake.drafts.list(),
      limits: [...fake.limits.limits],
      jobs: fake.jobs.records(),
      tree: fake.changes.tree,
      commits: [...fake.changes.commits],
      orphans: [...cast]
        .filter(([{isAlive}]) => isAlive)
        .flatMap(([agent, tale]) => {
          const run = fake.runs.records(agent.taskId).find(({run_id}) => run_id === agent.runId);
          return run ? [{run, tale: history.tales.indexOf(tale)}] : [];
        }),
      milliseconds: clock.milliseconds,
      history: structuredClone(history),
    }),
  };
}

/** Agents that a dead Blackbird left, alive again in this world. */
export async function wakeOrphans(world: World, orphans: readonly Orphan[]): Promise<void> {
  for (const {run, tale} of orphans) {
    const known = world.history.tales[tale];
    const launched = await world.agents.launch({
      run,
      request: {kind: 'start', prompt: '', sessionRef: null, access: 'edit', isGitRepository: true},
      onEvent: () => {},
    });
    launched.go();
    if (known) world.cast.set(world.agents.agent, known);
  }
  world.violations.length = 0;
}

/** What a Blackbird that dies now leaves. With a guardian its agents end with it. */
export function diskAfterDeath(world: World, {hasGuardian}: {readonly hasGuardian: boolean}): Disk {
  const disk = world.disk();
  const {history, milliseconds} = disk;
  history.crashes += 1;
  storeSessions(history, milliseconds);
  const living = new Set(
    hasGuardian
      ? []
      : [...world.cast]
          .filter(([each]) => each.isAlive && each.hasGone)
          .map(([, tale]) => world.history.tales.indexOf(tale)),
  );
  history.tales.forEach((tale, place) => {
    tale.isAlive = living.has(place);
    if (hasGuardian) tale.hasRemains = false;
    noteLoss(tale, disk.runs, history);
  });
  return {...disk, orphans: disk.orphans.filter(({tale}) => living.has(tale))};
}

/** What was not recorded is unknown: the agent is told again. */
export function noteLoss(tale: AgentTale, runs: readonly RunRecord[], history: History): void {
  if (tale.isLost || runs.find(({run_id}) => run_id === tale.runId)?.state !== 'running') return;
  tale.isLost = true;
  history.limitedUntil = 0;
}
