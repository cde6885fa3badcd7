import {fromPromise} from 'xstate';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {
  completeParents,
  cyclesOf,
  dueParents,
  dueParentsOf,
  reviewNeed,
} from '../policies/review/parent-review.ts';
import {pendingIn} from './pending-feedback.ts';
import {completionsBelow, readableRuns} from './readable-runs.ts';

export type ReviewScope = {
  /** Only what the end of these tasks made due; null for the whole plan. */
  readonly taskIds: readonly string[] | null;
  /** Where reviews are off, what is due is simply done. */
  readonly isEnabled: boolean;
  /** So many reviews of one parent may send tasks back; what comes then is for a person. */
  readonly maxCycles: number;
};

export type SelectReviewInput = ReviewScope & {
  /** Reviews that came to nothing; the next execution tries them again. */
  readonly tried: readonly string[];
};

export type ReviewStep =
  | {readonly type: 'none'}
  | {readonly type: 'answer'; readonly pending: readonly PendingFeedback[]}
  | {readonly type: 'complete'; readonly parentIds: readonly string[]}
  | {readonly type: 'review'; readonly parentId: string}
  | {readonly type: 'decide'; readonly parentId: string; readonly cycles: number};

/** What comes next for the parents of a freshly read plan, from the bottom up. */
export function defineSelectReviewActor(services: Pick<Services, 'plans' | 'runs' | 'feedback' | 'digest'>) {
  return fromPromise<ReviewStep, SelectReviewInput>(
    async ({input: {taskIds, isEnabled, maxCycles, tried}}) => {
      const plan = await services.plans.read();
      const found = taskIds === null ? dueParents(plan) : dueParentsOf(plan, taskIds);
      const due = found.filter(({id}) => !tried.includes(id));
      if (!isEnabled) {
        return due.length === 0 ? {type: 'none'} : {type: 'complete', parentIds: due.map(({id}) => id)};
      }
      // Before the plan goes on, feedback is answered, whoever's it is.
      const pending = taskIds === null || due.length > 0 ? await pendingIn(services, plan) : [];
      if (taskIds === null && pending.length > 0) return {type: 'answer', pending};
      const [parent] = due;
      return parent ? stepFor(services, plan, parent, {pending, maxCycles}) : {type: 'none'};
    },
  );
}

async function stepFor(
  services: Pick<Services, 'runs' | 'digest'>,
  plan: Plan,
  parent: Task,
  {pending, maxCycles}: {readonly pending: readonly PendingFeedback[]; readonly maxCycles: number},
): Promise<ReviewStep> {
  const reviews = await readableRuns(services, parent.id);
  const need = reviewNeed({
    parentId: parent.id,
    reviews,
    pending,
    ...(await completionsBelow(services, plan, parent)),
  });
  switch (need) {
    case 'answer':
      return {type: 'answer', pending: pending.filter(({parentTaskId}) => parentTaskId === parent.id)};
    case 'nothing':
      return {type: 'complete', parentIds: [parent.id]};
    case 'review': {
      const cycles = cyclesOf(reviews);
      return cycles < maxCycles
        ? {type: 'review', parentId: parent.id}
        : {type: 'decide', parentId: parent.id, cycles};
    }
  }
}

export type CompleteParentsInput = {readonly parentIds: readonly string[]; readonly isEnabled: boolean};

/** Lets the plan say that parents which need no review are done. */
export function defineCompleteParentsActor({plans, now}: Pick<Services, 'plans' | 'now'>) {
  return fromPromise<void, CompleteParentsInput>(async ({input: {parentIds, isEnabled}}) => {
    await plans.update((plan) =>
      isEnabled
        ? completeParents(plan, parentIds, now())
        : completeParents(plan, parentIds, now(), () => true),
    );
  });
}
