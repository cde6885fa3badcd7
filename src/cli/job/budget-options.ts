import {type Command, InvalidArgumentError, Option} from 'commander';
import type {JobOptions} from '../../machines/policies/job/job-rules.ts';
import {type BudgetKey, budgetTable, turnsKey} from '../../machines/policies/run/budget.ts';
import {acceptedFor, parsedAs} from '../../machines/policies/setting-types.ts';
import {type SettingKey, settings} from '../../services/contracts/config.ts';

// Commander turns a parsed null into '', which counts as 0.
type Limit = number | 'none';

/** Each flag overrides a setting for this command only. */
export type BudgetOptions = {
  maxCost?: Limit;
  maxTokens?: Limit;
  maxMinutes?: Limit;
  maxTaskCost?: Limit;
  maxTaskTokens?: Limit;
  maxTaskMinutes?: Limit;
  maxTurns?: Limit;
};

const options: Readonly<Record<keyof BudgetOptions, BudgetKey | typeof turnsKey>> = {
  maxCost: 'execution.maxCostUsd',
  maxTokens: 'execution.maxTokens',
  maxMinutes: 'execution.maxMinutes',
  maxTaskCost: 'execution.maxTaskCostUsd',
  maxTaskTokens: 'execution.maxTaskTokens',
  maxTaskMinutes: 'execution.maxTaskMinutes',
  maxTurns: turnsKey,
};

export function withBudgetOptions(command: Command): Command {
  for (const key of Object.values(options)) {
    const {flag, unit} = key === turnsKey ? {flag: 'max-turns', unit: 'n'} : budgetTable[key];
    command.addOption(
      new Option(`--${flag} <${unit}>`, `${settings[key].about} (${key})`).argParser((text) =>
        limitFor(key, text),
      ),
    );
  }
  return command;
}

function limitFor(key: SettingKey, text: string): Limit {
  const value = parsedAs(settings[key], text);
  if (value === null) return 'none';
  if (typeof value === 'number') return value;
  throw new InvalidArgumentError(`It must be ${acceptedFor(settings[key])}.`);
}

export function budgetOverrides(given: BudgetOptions): Pick<JobOptions, 'budget'> {
  const overrides = Object.entries(options).flatMap(([name, key]) => {
    const value = given[name as keyof BudgetOptions];
    return value === undefined ? [] : [[key, value === 'none' ? null : value] as const];
  });
  return overrides.length === 0 ? {} : {budget: Object.fromEntries(overrides)};
}
