import {Low} from 'lowdb';
import {AppError} from '../contracts/errors.ts';
import type {ProcessLock} from '../contracts/lock.ts';
import {type Plan, type PlanProblem, planSchemaVersion} from '../contracts/plan.ts';
import type {PlanCheck, PlanRules, PlanStore} from '../contracts/stores.ts';
import {createBurstLock} from '../lock/burst-lock.ts';
import {DurableFile} from './durable-file.ts';
import {readPlanText, splicePlan, writePlanText} from './plan-text.ts';
import {versionOf} from './whole-file.ts';

const maxPlanBytes = 256 * 1024 * 1024;

/** How long a change waits for another process to finish its own. */
const lockWaitSeconds = 20;

/** How long a change that need not be written alone waits for another one. */
const waitMilliseconds = 20;

type Change = (plan: Plan) => Plan;

/** The plan file, changed only under `lock` and only into a valid plan. */
export function createPlanStore({
  file,
  lock,
  rules,
}: {
  file: string;
  lock: () => Promise<ProcessLock>;
  rules: PlanRules;
}): PlanStore {
  /** What is on disk. */
  let cached: {version: string; check: PlanCheck} | null = null;
  /** What is not yet, and the plan with it. */
  let waiting: {changes: readonly Change[]; base: PlanCheck; plan: Plan} | null = null;
  let timer: NodeJS.Timeout | null = null;
  const before = () => (cached && 'plan' in cached.check ? cached.check.plan : null);
  const adapter = new DurableFile<PlanCheck>({
    file,
    what: 'plan',
    maxBytes: maxPlanBytes,
    keepMode: true,
    // An agent is being started meanwhile.
    inBackground: true,
    parse: (json, text) => rules.check(readPlanText(json, text)),
    render: (next, previous) => writePlanText(planOf(next, file), previous, before()),
    splice: (next, previous) => {
      const known = before();
      return known && splicePlan(planOf(next, file), previous, known);
    },
  });
  const database = new Low<PlanCheck | null>(adapter as DurableFile<PlanCheck | null>, null);

  const load = async (): Promise<PlanCheck> => {
    const base = await loadFile();
    if (waiting === null) return base;
    if (waiting.base !== base) {
      // Somebody wrote the file without the lock: what waits is done to that, as far as it can be.
      const {changes} = waiting;
      const plan = changes.reduce(changedIfPossible, planOf(base, file));
      waiting = {changes, base, plan};
    }
    return {plan: waiting.plan};
  };

  const loadFile = async (): Promise<PlanCheck> => {
    const version = versionOf(file);
    if (version === null) throw notFound(file);
    if (cached?.version === version) return cached.check;
    cached = null;
    // Not through the database: two that read at once would find each other's data in it, or none.
    const check = await adapter.read();
    if (check === null) throw notFound(file);
    cached = {version, check};
    return check;
  };

  const save = async (plan: Plan) => {
    database.data = {plan};
    try {
      await database.write();
    } catch (error) {
      cached = null;
      throw error;
    }
    const version = versionOf(file);
    cached = version === null ? null : {version, check: {plan}};
    waiting = null;
    if (timer) clearTimeout(timer);
    timer = null;
  };

  const writeWaiting = async () => {
    if (waiting !== null) await save(planOf(await load(), file));
  };
  // Fails again, and is told, with whatever is written next.
  const tryWaiting = () => writeWaiting().catch(() => {});

  const lockedJob = createBurstLock(lock, tryWaiting);
  const underLock = <T>(job: () => Promise<T>) =>
    lockedJob(
      lockWaitSeconds,
      (attempt) => busy(file, attempt.acquired ? undefined : attempt.holder?.pid),
      job,
    );

  const changed = async (change: Change) => {
    const before = planOf(await load(), file);
    const after = change(before);
    const problems = after === before ? [] : rules.checkChange(before, after);
    if (problems.length > 0) throw refusedChange(problems);
    return {before, after};
  };

  return {
    file,
    inspect: load,
    read: async () => planOf(await load(), file),
    create: () =>
      underLock(async () => {
        if (versionOf(file) !== null) return false;
        await save({schemaVersion: planSchemaVersion, items: new Map()});
        return true;
      }),
    update: (change) =>
      underLock(async () => {
        const {before, after} = await changed(change);
        if (after !== before) await save(after);
        return {before, after};
      }),
    updateSoon: (change) =>
      underLock(async () => {
        const base = await loadFile();
        const {before, after} = await changed(change);
        if (after === before) return;
        waiting = {changes: [...(waiting?.changes ?? []), change], base, plan: after};
        timer ??= setTimeout(() => {
          timer = null;
          void underLock(tryWaiting).catch(() => {});
        }, waitMilliseconds);
      }),
    flush: async () => {
      if (waiting !== null) await underLock(writeWaiting);
    },
  };
}

function changedIfPossible(plan: Plan, change: Change): Plan {
  try {
    return change(plan);
  } catch {
    // The records say what happened; the next start tells the plan.
    return plan;
  }
}

function planOf(check: PlanCheck, file: string): Plan {
  if ('plan' in check) return check.plan;
  throw new AppError('E_PLAN_INVALID', `plan is invalid: ${file}`, {
    details: firstOf(check.problems),
    next: [{command: 'blackbird validate', why: 'see everything that is wrong'}],
  });
}

function refusedChange(problems: readonly PlanProblem[]): AppError {
  const message = 'this change would make the plan invalid; nothing was written';
  return new AppError('E_PLAN_EDIT', message, {details: firstOf(problems)});
}

function firstOf(problems: readonly PlanProblem[]): Array<readonly [string, string]> {
  const shown = problems.slice(0, 5).map(({path, message}) => [path, message] as const);
  const left = problems.length - shown.length;
  return left > 0 ? [...shown, ['…', `and ${left} more`]] : shown;
}

function notFound(file: string): AppError {
  return new AppError('E_PLAN_NOT_FOUND', `plan file not found: ${file}`, {
    next: [{command: 'blackbird init', why: 'create an empty plan here'}],
  });
}

function busy(file: string, pid: number | undefined): AppError {
  const holder = pid === undefined ? 'another process' : `process ${pid}`;
  const message = `${holder} has held the lock of the plan for more than ${lockWaitSeconds} seconds`;
  return new AppError('E_LOCK_TIMEOUT', message, {details: [['plan', file]]});
}
