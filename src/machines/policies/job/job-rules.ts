import type {ProviderId} from '../../../services/contracts/agent.ts';
import type {SettingKey} from '../../../services/contracts/config.ts';
import type {ProviderChoice} from '../../../services/contracts/project.ts';
import {type ResolvedConfig, requireGates, settingOf} from '../config-resolution.ts';
import {type ModelChoices, modelChoicesIn} from '../run/agent-choice.ts';
import {type BudgetOverrides, type Budgets, budgetsOf} from '../run/budget.ts';
import type {CheckRules} from '../run/verification.ts';
import {type Patience, patienceOf} from './waiting.ts';

/** The options of one job besides its steps; the settings provide the rest. */
export type JobOptions = {
  /** The agent for this job only. */
  readonly agent?: string;
  /** With or without checkpoints. */
  readonly isReviewed?: boolean;
  /** Someone is there to decide; otherwise a checkpoint is left open. */
  readonly isAttended?: boolean;
  readonly stopOnFailure?: boolean;
  /** The model and its effort for this job only. */
  readonly model?: string;
  readonly effort?: string;
  readonly maxTasks?: number;
  /** Never waits: anything that only needs time stops the job. */
  readonly isImpatient?: boolean;
  readonly budget?: BudgetOverrides;
};

/** Fixed from the start of a job to its end, even if the settings are edited meanwhile. */
export type JobRules = {
  readonly provider: ProviderId;
  /** Named for this job by an option, a command or the environment; null for the saved choice. */
  readonly explicitProvider: ProviderId | null;
  readonly graceMilliseconds: number;
  /** Every run ends at a checkpoint; without it, a continued run keeps what it started with. */
  readonly isReviewed?: boolean;
  readonly isAttended: boolean;
  /** A task's change is committed before the plan marks it done. */
  readonly commits?: true;
  readonly modelChoices?: ModelChoices;
  readonly checks?: CheckRules;
  readonly stopOnFailure: boolean;
  readonly maxTasks: number | null;
  /** Parents are done when their review passes; otherwise as soon as their children are. */
  readonly reviewsParents: boolean;
  /** How many reviews may send tasks back before the user has to decide. */
  readonly maxReviewCycles: number;
  /** A review that takes longer is stopped. */
  readonly reviewMinutes: number;
  readonly patience: Patience;
  /** An agent that prints nothing for this long is interrupted. */
  readonly stallMilliseconds: number;
  /** How often the quality gate sends a proposed plan back by itself. */
  readonly maxRefinements: number;
  /** How many new runs a task gets after its agent failed. */
  readonly retries: number;
  /** Absent if nothing is limited. */
  readonly budgets?: Budgets;
};

/** Refuses if a setting that gates the job cannot be read. */
export function jobRules(
  config: ResolvedConfig,
  choice: ProviderChoice,
  options: JobOptions,
  now: string,
): JobRules {
  requireGates(config, settingsGiven(options));
  const isExplicit = !['saved', 'installed', 'default', 'none'].includes(choice.source);
  const budgets = budgetsOf(config, options.budget);
  const isReviewed = options.isReviewed ?? (settingOf(config, 'execution.stopAfterEachTask') || undefined);
  return {
    provider: choice.id,
    explicitProvider: isExplicit ? choice.id : null,
    graceMilliseconds: settingOf(config, 'execution.pauseGraceSeconds') * 1000,
    ...(isReviewed === undefined ? {} : {isReviewed}),
    isAttended: options.isAttended ?? false,
    ...(settingOf(config, 'execution.commit') === 'task' ? {commits: true} : {}),
    ...modelChoicesIn(config, options),
    stopOnFailure: options.stopOnFailure ?? settingOf(config, 'execution.stopOnFailure'),
    maxTasks: options.maxTasks ?? null,
    reviewsParents: settingOf(config, 'execution.parentReviewEnabled'),
    maxReviewCycles: settingOf(config, 'execution.maxReviewCycles'),
    reviewMinutes: settingOf(config, 'execution.reviewMinutes'),
    patience: patienceOf(config, options, now),
    stallMilliseconds: settingOf(config, 'execution.stallMinutes') * 60_000,
    retries: settingOf(config, 'execution.retries'),
    ...(budgets && {budgets}),
    maxRefinements: settingOf(config, 'planning.maxPlanAutoRefinePasses'),
    checks: {
      commands: settingOf(config, 'execution.verify'),
      milliseconds: settingOf(config, 'execution.verifyMinutes') * 60_000,
      rounds: settingOf(config, 'execution.verifyRounds'),
    },
  };
}

function settingsGiven({isReviewed, stopOnFailure, budget = {}}: JobOptions): ReadonlySet<SettingKey> {
  return new Set<SettingKey>([
    ...(isReviewed === undefined ? [] : (['execution.stopAfterEachTask'] as const)),
    ...(stopOnFailure === undefined ? [] : (['execution.stopOnFailure'] as const)),
    ...(Object.keys(budget) as SettingKey[]),
  ]);
}
