import {Low} from 'lowdb';
import {AppError, messageOf} from '../contracts/errors.ts';
import type {ProcessLock} from '../contracts/lock.ts';
import {type Plan, type PlanCheck, type PlanProblem, planSchemaVersion} from '../contracts/plan.ts';
import type {PlanRules, PlanStore} from '../contracts/stores.ts';
import {createLingeringLock} from '../lock/lingering-lock.ts';
import {DurableFile} from './durable-file.ts';
import {readPlanText, splicePlan, writePlanText} from './plan-text.ts';
import {versionOf} from './whole-file.ts';
import {createWriteTrail, type WriteTrail} from './write-trail.ts';

const maxPlanBytes = 256 * 1024 * 1024;

/** How long a change waits for another process to finish its own. */
const lockWaitSeconds = 20;

/** The plan file, changed only under `lock` and only into a valid plan. */
export function createPlanStore({
  file,
  lock,
  rules,
  trail = createWriteTrail(null),
}: {
  file: string;
  lock: () => Promise<ProcessLock>;
  rules: PlanRules;
  trail?: WriteTrail;
}): PlanStore {
  /** What is on disk. */
  let cached: {version: string; check: PlanCheck} | null = null;
  const before = () => (cached && 'plan' in cached.check ? cached.check.plan : null);
  const adapter = new DurableFile<PlanCheck>({
    file,
    what: 'plan',
    maxBytes: maxPlanBytes,
    keepMode: true,
    parse: (json, text) => rules.check(readPlanText(json, text)),
    render: (next, previous) => writePlanText(planOf(next, file), previous, before()),
    splice: (next, previous) => {
      const known = before();
      return known && splicePlan(planOf(next, file), previous, known);
    },
  });
  const database = new Low<PlanCheck | null>(adapter as DurableFile<PlanCheck | null>, null);

  const load = async (): Promise<PlanCheck> => {
    const version = versionOf(file);
    if (version === null) throw notFound(file);
    if (cached?.version === version) return cached.check;
    cached = null;
    // Not through the database: two concurrent reads would see each other's data in it, or none.
    const check = await adapter.read();
    if (check === null) throw notFound(file);
    cached = {version, check};
    return check;
  };

  const save = async (plan: Plan) => {
    database.data = {plan};
    const before = cached?.version ?? null;
    await database.write();
    const version = versionOf(file);
    cached = version === null ? null : {version, check: {plan}};
    trail.note(before, version);
  };

  /** An unreadable plan is a plan with a problem. */
  const checked = (): Promise<PlanCheck> =>
    load().catch((error: unknown) => ({problems: [{path: file, message: messageOf(error)}]}));

  const lockedJob = createLingeringLock(lock);
  const underLock = <T>(job: () => Promise<T>) =>
    lockedJob(
      lockWaitSeconds,
      (attempt) => busy(file, attempt.acquired ? undefined : attempt.holder?.pid),
      job,
    );

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
    watch: async (known) => {
      const version = known === undefined ? versionOf(file) : known;
      const before = known === undefined ? await checked() : {problems: []};
      return {
        version,
        edit: async () => {
          const now = versionOf(file);
          const way = trail.leads(version, now);
          if (way === 'here') return null;
          return {before, after: await checked(), ...(way && {isByBlackbird: true})};
        },
      };
    },
    update: (change) =>
      underLock(async () => {
        const before = planOf(await load(), file);
        const after = change(before);
        if (after === before) return {before, after};
        const problems = rules.checkChange(before, after);
        if (problems.length > 0) throw refusedChange(problems);
        await save(after);
        return {before, after};
      }),
  };
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
