import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {ForeignPlanEdit, SideEffect, Surroundings} from '../../services/contracts/side-effects.ts';
import {sideEffectsOf} from '../policies/review/side-effects.ts';

type Watched = {
  readonly before: Surroundings;
  readonly planEdit: () => Promise<ForeignPlanEdit | null>;
  readonly since: string;
};

/** Remembers what is around the files when an agent is told to go, out of the agent's reach. */
export type SideEffectWatch = {
  begin(run: RunRecord): Promise<void>;
  /** What has changed since; nothing for an agent that was never told to go. */
  end(run: RunRecord): Promise<readonly SideEffect[]>;
};

export function createSideEffectWatch({
  plans,
  surroundings,
  now,
}: Pick<Services, 'plans' | 'surroundings' | 'now'>): SideEffectWatch {
  const watched = new Map<string, Watched>();
  return {
    begin: async ({run_id}) => {
      const [before, planEdit] = await Promise.all([surroundings.look(), plans.watch()]);
      watched.set(run_id, {before, planEdit, since: now()});
    },
    end: async ({run_id}) => {
      const begun = watched.get(run_id);
      if (begun === undefined) return [];
      watched.delete(run_id);
      const [after, plan, ignored] = await Promise.all([
        surroundings.look(),
        begun.planEdit(),
        surroundings.ignoredSince(begun.since),
      ]);
      return sideEffectsOf({before: begun.before, after, plan, ignored});
    },
  };
}
