import type {ProviderId} from '../../../services/contracts/agent.ts';
import type {SettingKey} from '../../../services/contracts/config.ts';
import type {ProviderChoice} from '../../../services/contracts/project.ts';
import {type ResolvedConfig, requireGates, settingOf} from '../config-resolution.ts';
import {type JobWishes, jobWishes} from '../run/agent-choice.ts';
import {type Budgets, type BudgetWishes, budgetsOf} from '../run/budget.ts';
import type {CheckRules} from '../run/verification.ts';
import {type Patience, patienceOf} from './waiting.ts';

/** What one job is asked for beside its steps; the settings say the rest. */
export type JobOptions = {
  /** The agent named for this job only. */
  readonly agent?: string;
  /** With or without checkpoints. */
  readonly isReviewed?: boolean;
  /** Somebody is there to decide; else a checkpoint is left open. */
  readonly isAttended?: boolean;
  readonly stopOnFailure?: boolean;
  /** The model, and how hard it thinks, for this job only. */
  readonly model?: string;
  readonly effort?: string;
  readonly maxTasks?: number;
  /** Waits for nothing: what only time mends stops the job. */
  readonly isImpatient?: boolean;
  readonly budget?: BudgetWishes;
};

/** What holds from the beginning of a job to its end, whoever edits the settings meanwhile. */
export type JobRules = {
  readonly provider: ProviderId;
  /** Named for this job, by an option, a command or the environment; null for the saved choice. */
  readonly explicitProvider: ProviderId | null;
  readonly graceMilliseconds: number;
  /** Every run ends at a checkpoint; without it, a run that goes on keeps to how it began. */
  readonly isReviewed?: boolean;
  readonly isAttended: boolean;
  /** What a task changed becomes a commit before the plan says that it is done. */
  readonly commits?: true;
  readonly wishes?: JobWishes;
  readonly checks?: CheckRules;
  readonly stopOnFailure: boolean;
  readonly maxTasks: number | null;
  /** Parents are done when their review passed; else as soon as their children are. */
  readonly reviewsParents: boolean;
  /** So many reviews may send tasks back before a person decides. */
  readonly maxReviewCycles: number;
  /** A review that takes longer is stopped. */
  readonly reviewMinutes: number;
  readonly patience: Patience;
  /** An agent that prints nothing for so long is interrupted. */
  readonly stallMilliseconds: number;
  /** So often the quality gate sends a proposed plan back by itself. */
  readonly maxRefinements: number;
  /** So many new runs a task gets whose agent failed. */
  readonly retries: number;
  /** Absent where nothing is limited. */
  readonly budgets?: Budgets;
};

/** Refuses settings that are gates and cannot be read. */
export function jobRules(
  config: ResolvedConfig,
  choice: ProviderChoice,
  options: JobOptions,
  now: string,
): JobRules {
  requireGates(config, toldIn(options));
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
    ...jobWishes(config, options),
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

function toldIn({isReviewed, stopOnFailure, budget = {}}: JobOptions): ReadonlySet<SettingKey> {
  return new Set<SettingKey>([
    ...(isReviewed === undefined ? [] : (['execution.stopAfterEachTask'] as const)),
    ...(stopOnFailure === undefined ? [] : (['execution.stopOnFailure'] as const)),
    ...(Object.keys(budget) as SettingKey[]),
  ]);
}
