import {AppError} from '../../src/services/contracts/errors.ts';
import type {ProcessIdentity} from '../../src/services/contracts/process.ts';
import type {Services} from '../../src/services/contracts/services.ts';
import {type AgentActivity, storeSessions} from './history.ts';
import {simulateAgents, simulateChecks} from './simulated-agents.ts';
import type {World} from './world.ts';

/** A call of a contract that is pending: the boundary of an effect. */
export type Call = {
  readonly name: string;
  readonly isWrite: boolean;
  /** Performs it, and returns the result to Blackbird. */
  perform(): Promise<void>;
  /** Performs it, and Blackbird never sees the result. */
  performWithoutReply(): Promise<void>;
  fail(error: unknown): void;
};

/** Observes every effect before its result is seen. */
export type ProcessListener = {
  wrote(name: string): void;
  agentReleased(activity: AgentActivity): void;
  /** A check was released. */
  checkReleased(runId: string): void;
};

/** One Blackbird process. Its calls wait in `calls` until they are performed. */
export type BlackbirdProcess = {
  readonly services: Services;
  readonly self: ProcessIdentity;
  readonly calls: Call[];
  isDead(): boolean;
  /** From now on nothing it does has an effect. With a guardian its agents end with it. */
  die(fate: {hasGuardian: boolean}): void;
};

/** What the fakes answer at once affects no file; everything else is a call. */
const isImmediate = (method: unknown) => method?.constructor.name !== 'AsyncFunction';

/** They change nothing: dying before one of these equals dying before the write that follows it. */
const reads = new Set([
  'plans.read',
  'plans.inspect',
  'plans.watch',
  'runs.list',
  'runs.latest',
  'runs.runningTaskIds',
  'feedback.list',
  'feedback.read',
  'drafts.all',
  'drafts.read',
  'comments.list',
  'limits.read',
  'jobs.read',
  'changes.snapshot',
  'changes.compose',
  'changes.summarize',
  'changes.files',
  'changes.countLines',
  'changes.diff',
  'changes.planUndo',
  'surroundings.look',
  'surroundings.ignoredSince',
  'surroundings.standing',
  'project.isGitRepository',
  'project.snapshot',
  'settings',
  'chooseAgent',
  'agents.check',
  'hadTimeToStore',
  'plans.watched',
]);

export const diskFull = () => new AppError('E_STORE_WRITE', 'the disk is full');

export function createBlackbirdProcess(
  world: World,
  pid: number,
  listener: ProcessListener,
): BlackbirdProcess {
  const calls: Call[] = [];
  const self = {pid, startTime: String(pid), bootId: 'boot', pidNamespace: 'namespace'};
  let isDead = false;
  world.livePids.add(pid);

  type Method = (...args: unknown[]) => unknown;

  const deferred =
    (name: string, method: Method): Method =>
    (...args) =>
      new Promise((resolve, reject) => {
        if (isDead) return;
        const isWrite = !reads.has(name);
        const effect = async () => {
          world.clock.milliseconds += 10;
          const result = await method(...args);
          if (isWrite) listener.wrote(name);
          return result;
        };
        const call: Call = {
          name,
          isWrite,
          perform: () =>
            effect().then(
              (result) => (isDead ? undefined : resolve(result)),
              (error) => (isDead ? undefined : reject(error)),
            ),
          performWithoutReply: () =>
            effect().then(
              () => {},
              () => {},
            ),
          fail: reject,
        };
        calls.push(call);
      });

  const wrapped = (path: string, value: unknown): unknown => {
    if (typeof value === 'function') {
      const method = value as Method;
      return isImmediate(method) ? method : deferred(path, method);
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(Object.getOwnPropertyDescriptors(value)).map(([key, {value: own}]) => [
        key,
        typeof own === 'function' ? wrapped(`${path}.${key}`, own) : own,
      ]),
    );
  };

  const hooks = {isDead: () => isDead, listener, deferred};
  const outside: Services = {
    ...world.services,
    agents: simulateAgents(world, hooks),
    checks: simulateChecks(world, hooks),
    self,
  };
  const services = Object.fromEntries(
    Object.entries(outside).map(([key, value]) => [key, key === 'self' ? value : wrapped(key, value)]),
  ) as Services;

  return {
    services,
    self,
    calls,
    isDead: () => isDead,
    die: ({hasGuardian}) => {
      isDead = true;
      storeSessions(world.history, world.clock.milliseconds);
      for (const {isStored, runId} of world.history.activities) if (isStored) world.storedSessions.add(runId);
      calls.length = 0;
      world.livePids.delete(pid);
      world.lock.isHeld = false;
      for (const [agent, activity] of world.activityOf) {
        if (!agent.isAlive || (!hasGuardian && agent.hasGone)) continue;
        agent.exits({exitCode: null, signal: 'SIGKILL'});
        activity.isAlive = false;
      }
      for (const check of world.checks.alive()) check.exits({exitCode: null, signal: 'SIGKILL'});
      if (hasGuardian) for (const activity of world.history.activities) activity.hasProcesses = false;
    },
  };
}
