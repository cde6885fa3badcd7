import type {ProviderId} from '../../../services/contracts/agent.ts';
import type {SettingKey} from '../../../services/contracts/config.ts';
import type {ProviderChoice} from '../../../services/contracts/project.ts';
import {type ResolvedConfig, requireGates, settingOf} from '../config-resolution.ts';

/** What one job is asked for beside its steps; the settings say the rest. */
export type JobOptions = {
  /** The agent named for this job only. */
  readonly agent?: string;
  /** With or without checkpoints. */
  readonly isReviewed?: boolean;
  /** Somebody is there to decide; else a checkpoint is left open. */
  readonly isAttended?: boolean;
  readonly stopOnFailure?: boolean;
  readonly maxTasks?: number;
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
  readonly stopOnFailure: boolean;
  readonly maxTasks: number | null;
  /** Parents are done when their review passed; else as soon as their children are. */
  readonly reviewsParents: boolean;
  /** So many reviews may send tasks back before a person decides. */
  readonly maxReviewCycles: number;
};

/** Refuses settings that are gates and cannot be read. */
export function jobRules(config: ResolvedConfig, choice: ProviderChoice, options: JobOptions): JobRules {
  requireGates(config, toldIn(options));
  const isExplicit = choice.source !== 'saved' && choice.source !== 'default';
  const isReviewed = options.isReviewed ?? (settingOf(config, 'execution.stopAfterEachTask') || undefined);
  return {
    provider: choice.id,
    explicitProvider: isExplicit ? choice.id : null,
    graceMilliseconds: settingOf(config, 'execution.pauseGraceSeconds') * 1000,
    ...(isReviewed === undefined ? {} : {isReviewed}),
    isAttended: options.isAttended ?? false,
    stopOnFailure: options.stopOnFailure ?? settingOf(config, 'execution.stopOnFailure'),
    maxTasks: options.maxTasks ?? null,
    reviewsParents: settingOf(config, 'execution.parentReviewEnabled'),
    maxReviewCycles: settingOf(config, 'execution.maxReviewCycles'),
  };
}

function toldIn({isReviewed, stopOnFailure}: JobOptions): ReadonlySet<SettingKey> {
  return new Set<SettingKey>([
    ...(isReviewed === undefined ? [] : (['execution.stopAfterEachTask'] as const)),
    ...(stopOnFailure === undefined ? [] : (['execution.stopOnFailure'] as const)),
  ]);
}
