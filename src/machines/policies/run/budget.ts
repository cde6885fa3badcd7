import type {Failure, ProviderId} from '../../../services/contracts/agent.ts';
import type {SettingKey} from '../../../services/contracts/config.ts';
import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import {providerTable} from '../../../services/contracts/provider-table.ts';
import type {Spent} from '../../../services/contracts/usage.ts';
import {type ResolvedConfig, settingOf} from '../config-resolution.ts';
import {counted} from '../text/counted.ts';
import {dollars, duration, tokenWords} from '../text/durations.ts';

/** The upper limits; null means unlimited. */
export type Budget = Readonly<Record<keyof Spent, number | null>>;
/** `turns` limits one agent process. */
export type Budgets = {readonly job: Budget; readonly task: Budget; readonly turns: number | null};
export type Spending = {readonly job: Spent; readonly task: Spent};

/** A budget that is used up. */
export type Overrun = {
  readonly whose: 'job' | 'task';
  readonly setting: BudgetKey;
  readonly what: keyof Spent;
  readonly spent: number;
  readonly limit: number;
};

const minute = 60_000;

/** Every budget: its flag, its scope and what it counts. */
export const budgetTable = {
  'execution.maxCostUsd': {flag: 'max-cost', unit: 'usd', whose: 'job', what: 'cost_usd', scale: 1},
  'execution.maxTokens': {flag: 'max-tokens', unit: 'n', whose: 'job', what: 'tokens', scale: 1},
  'execution.maxMinutes': {flag: 'max-minutes', unit: 'n', whose: 'job', what: 'milliseconds', scale: minute},
  'execution.maxTaskCostUsd': {flag: 'max-task-cost', unit: 'usd', whose: 'task', what: 'cost_usd', scale: 1},
  'execution.maxTaskTokens': {flag: 'max-task-tokens', unit: 'n', whose: 'task', what: 'tokens', scale: 1},
  'execution.maxTaskMinutes': {
    flag: 'max-task-minutes',
    unit: 'n',
    whose: 'task',
    what: 'milliseconds',
    scale: minute,
  },
} as const satisfies Partial<Record<SettingKey, BudgetEntry>>;
type BudgetEntry = {
  readonly flag: string;
  readonly unit: string;
  readonly whose: Overrun['whose'];
  readonly what: keyof Spent;
  readonly scale: number;
};

export type BudgetKey = keyof typeof budgetTable;
const entries = Object.entries(budgetTable) as ReadonlyArray<readonly [BudgetKey, BudgetEntry]>;
export const turnsKey = 'execution.maxTurns';

/** Budgets given on the command line, by the setting they override; null lifts the limit. */
export type BudgetOverrides = Readonly<Partial<Record<BudgetKey | typeof turnsKey, number | null>>>;

/** Undefined if nothing is limited. */
export function budgetsOf(config: ResolvedConfig, overrides: BudgetOverrides = {}): Budgets | undefined {
  const limitOf = (key: BudgetKey | typeof turnsKey) => {
    const given = overrides[key];
    return given === undefined ? settingOf(config, key) : given;
  };
  const budgetOf = (whose: Overrun['whose']): Budget =>
    Object.fromEntries(
      entries
        .filter(([, entry]) => entry.whose === whose)
        .map(([key, {what, scale}]) => {
          const limit = limitOf(key);
          return [what, limit === null ? null : limit * scale];
        }),
    ) as Budget;
  const budgets = {job: budgetOf('job'), task: budgetOf('task'), turns: limitOf(turnsKey)};
  const isLimited = [...Object.values(budgets.job), ...Object.values(budgets.task), budgets.turns].some(
    (limit) => limit !== null,
  );
  return isLimited ? budgets : undefined;
}

/** The first budget that is used up; the job's comes first. */
export function overrunOf(budgets: Budgets, spending: Spending): Overrun | null {
  for (const [setting, {whose, what}] of entries) {
    const limit = budgets[whose][what];
    const spent = spending[whose][what];
    if (limit !== null && spent >= limit) return {whose, setting, what, spent, limit};
  }
  return null;
}

/** How long an agent may keep working before a time budget is used up. */
export function timeLeft(budgets: Budgets, spending: Spending): number {
  const left = (['job', 'task'] as const).map(
    (whose) => (budgets[whose].milliseconds ?? Number.POSITIVE_INFINITY) - spending[whose].milliseconds,
  );
  return Math.max(0, Math.min(...left));
}

/** The limits that the agent can enforce itself. */
export function agentLimits(
  {job, task, turns}: Budgets,
  spending: Spending,
): {readonly maxCostUsd?: number; readonly maxTurns?: number} {
  const left = Math.min(
    (job.cost_usd ?? Number.POSITIVE_INFINITY) - spending.job.cost_usd,
    (task.cost_usd ?? Number.POSITIVE_INFINITY) - spending.task.cost_usd,
  );
  return {
    ...(Number.isFinite(left) && {maxCostUsd: Math.max(left, 0.000_001)}),
    ...(turns !== null && {maxTurns: turns}),
  };
}

const amounts: Readonly<Record<keyof Spent, (amount: number) => string>> = {
  cost_usd: dollars,
  tokens: tokenWords,
  milliseconds: duration,
};

/** `$10.00 a job, 200k tokens a task`. */
export const budgetWords = ({job, task, turns}: Budgets): string =>
  [
    ...limitsIn(job).map((text) => `${text} a job`),
    ...limitsIn(task).map((text) => `${text} a task`),
    ...(turns === null ? [] : [counted(turns, 'turn')]),
  ].join(', ');

const limitsIn = (budget: Budget): string[] =>
  (Object.keys(amounts) as Array<keyof Spent>).flatMap((what) => {
    const limit = budget[what];
    return limit === null ? [] : [amounts[what](limit)];
  });

/** `$10.02 of $10.00`. */
export const amountText = ({what, spent, limit}: Overrun): string =>
  `${amounts[what](spent)} of ${amounts[what](limit)}`;

const overrunText = (overrun: Overrun): string =>
  `the budget of the ${overrun.whose} is used up: ${amountText(overrun)}`;

/** The reason recorded for the pause. */
export const budgetFailure = (overrun: Overrun): Failure => ({
  kind: 'own_limit',
  message: overrunText(overrun),
  setting: overrun.setting,
});

/** The flag that raises the task's own budget, if that is what stopped it. */
export function budgetFlag(setting: string | undefined): string {
  const entry = entries.find(([key]) => key === setting)?.[1];
  return entry?.whose === 'task' ? ` --${entry.flag} <${entry.unit}>` : '';
}

/** Warns at the start of a job about a budget that cannot be enforced. */
export function costWarning({
  provider,
  budgets,
}: {
  readonly provider: ProviderId;
  readonly budgets?: Budgets;
}): string[] {
  const isLimited = budgets && (budgets.job.cost_usd !== null || budgets.task.cost_usd !== null);
  if (!isLimited || provider === 'custom' || providerTable[provider].tellsCost) return [];
  return [`${providerTable[provider].title} does not report its cost: limit its tokens or minutes instead`];
}

/** No run starts on a budget that is used up. */
export class BudgetError extends AppError {
  readonly overrun: Overrun;

  /** `asked` is the command that was refused. Only `resume` continues a paused task. */
  constructor(overrun: Overrun, taskId: string, asked: 'execute' | 'resume' | 'restart' = 'execute') {
    const task = shellWord(taskId);
    const goOn = asked === 'execute' ? 'blackbird execute' : `blackbird ${asked} ${task}`;
    super('E_BUDGET', `${taskId} was not started: ${overrunText(overrun)}`, {
      details: [
        ['task', taskId],
        ['setting', overrun.setting],
      ],
      next:
        overrun.whose === 'job'
          ? [{command: goOn, why: 'continue with a new budget'}]
          : [
              {
                command: `blackbird resume ${task}${budgetFlag(overrun.setting)}`,
                why: 'continue with a larger budget',
              },
              {
                command: `blackbird restart ${task}`,
                why: 'or start again; the conversation is forgotten, and the budget is new',
              },
            ],
    });
    this.overrun = overrun;
  }
}

/** The budget an error is about; null for any other error. */
export const overrunIn = (error: unknown): Overrun | null =>
  error instanceof BudgetError ? error.overrun : null;
