import type {ProviderId} from '../../src/services/contracts/agent.ts';
import type {LaunchedAgent} from '../../src/services/contracts/agent-runner.ts';
import type {RunningCheck} from '../../src/services/contracts/check-runner.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import type {Services} from '../../src/services/contracts/services.ts';
import {createMemoryComments} from '../../src/services/memory/memory-stores.ts';
import {now, planOf} from '../helpers/plans.ts';
import {createFakeAgentRunner, type FakeAgentRunner} from './fake-agent-runner.ts';
import {createFakeChanges, type FakeChanges} from './fake-changes.ts';
import {createFakeCheckRunner, type FakeCheckRunner} from './fake-check-runner.ts';
import {createFakeSurroundings, type FakeSurroundings} from './fake-surroundings.ts';

import {createMemoryDraftStore, type MemoryDraftStore} from './memory-draft-store.ts';
import {createMemoryFeedbackStore, type MemoryFeedbackStore} from './memory-feedback-store.ts';
import {createMemoryInbox} from './memory-inbox.ts';
import {
  createMemoryJobStore,
  createMemoryRequestBox,
  type MemoryJobStore,
  type MemoryRequestBox,
} from './memory-job-store.ts';
import {createMemoryLimitStore, type MemoryLimitStore} from './memory-limit-store.ts';
import {createMemoryPlanDrafts} from './memory-plan-drafts.ts';
import {createMemoryPlanStore, type MemoryPlanStore} from './memory-plan-store.ts';
import {createMemoryRunStore, deferred, type MemoryRunStore} from './memory-run-store.ts';

export type FakeServices = {
  readonly services: Services;
  readonly runs: MemoryRunStore;
  readonly plans: MemoryPlanStore;
  readonly agents: FakeAgentRunner;
  readonly checks: FakeCheckRunner;
  readonly feedback: MemoryFeedbackStore;
  readonly drafts: MemoryDraftStore;
  readonly jobs: MemoryJobStore;
  readonly requests: MemoryRequestBox;
  readonly limits: MemoryLimitStore;
  readonly changes: FakeChanges;
  readonly surroundings: FakeSurroundings;
  /** Everything that happened, in order: writes, commands, exits, locks. */
  readonly log: string[];
  /** Broken invariants: an agent without a record, a record at rest with a live agent, two agents. */
  readonly violations: string[];
  readonly time: {now: string; milliseconds: number; isAwake: boolean};
  readonly lock: {
    isHeld: boolean;
    holder: string | null;
    hold(): () => void;
    failRelease(error: unknown): void;
  };
  /** Lost runs whose output shows that their session was stored. */
  readonly storedSessions: Set<string>;
};

/** A project in memory. The log and the violations cover all of it in one order. */
export function createFakeServices({
  plan = planOf(),
  runs: records = [],
  settings = {},
  hooks = {},
}: {
  plan?: Plan;
  runs?: readonly RunRecord[];
  /** In the section `execution`. */
  settings?: Readonly<Record<string, unknown>>;
  hooks?: Readonly<Record<string, string>>;
} = {}): FakeServices {
  const log: string[] = [];
  const violations: string[] = [];
  const time = {now, milliseconds: 0, isAwake: false};
  const storedSessions = new Set<string>();
  let uuids = 0;
  let jobCount = 0;

  const agents = createFakeAgentRunner(
    (entry) => {
      log.push(entry);
      checkAgents(entry);
    },
    (runId) => {
      for (const check of checks.alive()) {
        if (check.runId === runId) check.exits({exitCode: null, signal: 'SIGKILL'});
      }
    },
  );
  const checks = createFakeCheckRunner((entry) => {
    log.push(entry);
    checkChecks(entry);
  });
  const runs = createMemoryRunStore({
    runs: records,
    onWrite: (run) => {
      log.push(recordEntry(run));
      if (run.state !== 'running' && agents.alive().some(({runId}) => runId === run.run_id)) {
        violations.push(`${run.run_id} is recorded as ${run.state} while its agent lives`);
      }
      if (run.phase !== 'verifying' && checks.alive().some(({runId}) => runId === run.run_id)) {
        violations.push(`${run.run_id} is recorded as ${run.phase ?? run.state} while its check lives`);
      }
    },
  });
  const plans = createMemoryPlanStore(plan, (taskId, status) => log.push(`plan ${taskId} ${status}`));

  const feedback = createMemoryFeedbackStore((entry) => log.push(entry));

  const drafts = createMemoryDraftStore();
  const planDrafts = createMemoryPlanDrafts((entry) => log.push(entry));
  const comments = createMemoryComments();
  const jobs = createMemoryJobStore();
  const requests = createMemoryRequestBox();
  const limits = createMemoryLimitStore();

  const checkAgents = (entry: string) => {
    const [verb, runId = ''] = entry.split(' ');
    if (agents.alive().length > 1) violations.push(`two agents live at "${entry}"`);
    if (verb !== 'launch' && verb !== 'go') return;
    const record = [...runs.texts.keys()].flatMap(runs.records).find(({run_id}) => run_id === runId);
    if (record?.state !== 'running') violations.push(`${entry} without a record that says running`);
    if (verb === 'go' && record?.phase !== 'active') violations.push(`${entry} before its pid was recorded`);
    if (!lock.isHeld && lock.isUsed) violations.push(`${entry} without the project lock`);
  };

  const checkChecks = (entry: string) => {
    const [verb, runId = ''] = entry.split(' ');
    if (checks.alive().length + agents.alive().length > 1)
      violations.push(`two processes live at "${entry}"`);
    if (verb !== 'check-go') return;
    const record = [...runs.texts.keys()].flatMap(runs.records).find(({run_id}) => run_id === runId);
    if (record?.phase !== 'verifying' || record.check === undefined)
      violations.push(`${entry} before its pid was recorded`);
  };

  const changes = createFakeChanges();
  const surroundings = createFakeSurroundings();

  let lockHold: Promise<void> | undefined;
  let releaseFailure: unknown;
  const lock = {
    isHeld: false,
    isUsed: false,
    holder: null as string | null,
    hold: () => {
      const {promise, resolve} = deferred();
      lockHold = promise;
      return resolve;
    },
    failRelease: (error: unknown) => {
      releaseFailure = error;
    },
  };

  const services: Services = {
    plans,
    runs,
    feedback,
    drafts,
    planDrafts,
    comments,
    inbox: createMemoryInbox(),
    jobs,
    requests,
    limits,
    agents,
    checks,
    changes,
    surroundings,
    project: {
      root: '/project',
      isGitRepository: async () => true,
      snapshot: async () => null,
    },
    settings: async () => [
      {
        name: 'project',
        file: 'config.json',
        content: {execution: {pauseGraceSeconds: 60, ...settings}, hooks},
      },
    ],
    writeSetting: async (key, value, seen) => {
      log.push(`setting ${key} ${JSON.stringify(seen.value)} → ${JSON.stringify(value)}`);
    },
    watchSettings: () => () => null,
    chooseAgent: async (named = 'saved:claude') => {
      const [, isSaved, id] = /^(saved:)?(.+)$/.exec(named) ?? [];
      return {id: id as ProviderId, source: isSaved ? 'saved' : 'option'};
    },
    lock: {
      acquire: async () => {
        lock.isUsed = true;
        const waiting = lockHold;
        lockHold = undefined;
        await waiting;
        if (lock.holder !== null) throw new AppError('E_REPO_LOCKED', `process ${lock.holder} works here`);
        log.push('lock');
        lock.isHeld = true;
      },
      release: async () => {
        if (releaseFailure !== undefined) throw releaseFailure;
        log.push('unlock');
        lock.isHeld = false;
      },
    },
    hooks: {
      run: async (command, data) => {
        log.push(`hook ${command} ${JSON.stringify(data)}`);
        return command.startsWith('fail') ? 'exit code 1' : null;
      },
      stop: () => log.push('stop hooks'),
    },
    keepAwake: () => {
      time.isAwake = true;
      return () => {
        time.isAwake = false;
      };
    },
    isSessionRef: (_, ref) => /^(session-|[0-9a-f-]{36}$)/.test(ref),
    hadTimeToStore: async ({run_id}) => storedSessions.has(run_id),
    lastSignOfLife: async () => null,
    host: 'here',
    self: null,
    livenessOf: () => 'dead',
    now: () => time.now,
    monotonicNow: () => time.milliseconds,
    chance: () => 0.5,
    newUuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
    newRunId: (taskId, attempt) => `${taskId.replace(':', '_')}-${attempt}`,
    newJobSuffix: () => String(++jobCount).padStart(6, '0'),
    digest: (text) => `digest of ${text.length <= 40 ? text : `${text.length} characters`}`,
  };
  return {
    services,
    runs,
    plans,
    feedback,
    drafts,
    jobs,
    requests,
    limits,
    agents,
    checks,
    changes,
    surroundings,
    log,
    violations,
    time,
    lock,
    storedSessions,
  };
}

/** `record a-1 running/active session-1`: the session is shown if the run is resumable. */
function recordEntry({run_id, state, phase, resumable, provider_session_ref}: RunRecord): string {
  const where = phase ? `${state}/${phase}` : state;
  return ['record', run_id, where, ...(resumable ? [provider_session_ref] : [])].join(' ');
}

/** Lets everything happen that takes no time. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * The same project seen by a Blackbird that can die at any moment: what it started before completes, and
 * nothing it does afterwards has an effect.
 */
export function crashable(fake: FakeServices) {
  const {services, agents, checks, lock} = fake;
  let isDead = false;
  const never = new Promise<never>(() => {});

  const guarded =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (isDead) return never;
      try {
        const result = await call(...args);
        return isDead ? never : result;
      } catch (error) {
        if (isDead) return never;
        throw error;
      }
    };
  const alive = (call: () => void) => () => {
    if (!isDead) call();
  };

  const guardedProcess = <P extends LaunchedAgent | RunningCheck>(launched: P): P => {
    // Its lifeline ends with Blackbird, so it never runs.
    if (isDead) launched.kill();
    return {
      ...launched,
      go: alive(launched.go),
      interrupt: alive(launched.interrupt),
      kill: alive(launched.kill),
      endEverything: guarded(launched.endEverything),
    };
  };

  const {plans, runs, feedback, drafts, comments, jobs, limits, project, changes} = services;
  const own: Services = {
    ...services,
    plans: {...plans, read: guarded(plans.read), update: guarded(plans.update)},
    runs: {
      ...runs,
      list: guarded(runs.list),
      latest: guarded(runs.latest),
      runningTaskIds: guarded(runs.runningTaskIds),
      insert: guarded(runs.insert),
      update: guarded(runs.update),
    },
    changes: {
      ...changes,
      snapshot: guarded(changes.snapshot),
      summarize: guarded(changes.summarize),
    },
    feedback: {
      list: guarded(feedback.list),
      read: guarded(feedback.read),
      save: guarded(feedback.save),
      remove: guarded(feedback.remove),
    },
    drafts: {
      all: guarded(drafts.all),
      read: guarded(drafts.read),
      save: guarded(drafts.save),
      remove: guarded(drafts.remove),
    },
    comments: {
      list: guarded(comments.list),
      save: guarded(comments.save),
      remove: guarded(comments.remove),
    },
    limits: {
      read: guarded(limits.read),
      save: guarded(limits.save),
      clear: guarded(limits.clear),
    },
    project: {
      root: project.root,
      isGitRepository: guarded(() => project.isGitRepository()),
      snapshot: guarded(() => project.snapshot()),
    },
    settings: guarded(() => services.settings()),
    chooseAgent: guarded((named) => services.chooseAgent(named)),
    jobs: {
      ids: jobs.ids,
      read: guarded(jobs.read),
      create: guarded(jobs.create),
      note: guarded(jobs.note),
      close: guarded(jobs.close),
    },
    lock: {
      acquire: guarded(() => services.lock.acquire()),
      release: guarded(() => services.lock.release()),
    },
    checks: {
      launch: guarded(async (spec) => guardedProcess(await checks.launch(spec))),
    },
    agents: {
      customCommand: agents.customCommand,
      check: guarded(agents.check),
      sweep: guarded(agents.sweep),
      launch: guarded(async (spec) => guardedProcess(await agents.launch(spec))),
    },
  };

  return {
    services: own,
    /** With a guardian its agents die too; without one they live until they are swept. */
    die: ({hasGuardian}: {hasGuardian: boolean}) => {
      isDead = true;
      lock.isHeld = false;
      for (const agent of agents.alive()) {
        if (hasGuardian || !agent.hasGone) agent.exits({exitCode: null, signal: 'SIGKILL'});
      }
      for (const check of checks.alive()) {
        if (hasGuardian || !check.hasGone) check.exits({exitCode: null, signal: 'SIGKILL'});
      }
    },
  };
}
