import {fromPromise} from 'xstate';
import type {ProviderId} from '../../services/contracts/agent.ts';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {limitWait, type Patience, runWait, type Wait} from '../policies/job/waiting.ts';
import {
  completeParents,
  cyclesOf,
  dueParents,
  dueParentsOf,
  reviewNeed,
} from '../policies/review/parent-review.ts';
import {isTimeNeeded} from '../policies/run/failure-table.ts';
import {timeFacts} from './held-runs.ts';
import {pendingIn} from './pending-feedback.ts';
import {completionsBelow, readableRuns} from './readable-runs.ts';

export type ReviewScope = {
  /** Only parents due because of these tasks; null for the whole plan. */
  readonly taskIds: readonly string[] | null;
  /** With reviews off, parents that are due are simply done. */
  readonly isEnabled: boolean;
  /** How many reviews of one parent may send tasks back; after that the user decides. */
  readonly maxCycles: number;
  readonly patience: Patience;
};

export type SelectReviewInput = ReviewScope & {
  /** Reviews without a verdict; the next execution repeats them. */
  readonly tried: readonly string[];
  /** The reviewer. */
  readonly provider: ProviderId;
};

export type ReviewStep =
  | {readonly type: 'none'}
  | {readonly type: 'answer'; readonly pending: readonly PendingFeedback[]}
  | {readonly type: 'complete'; readonly parentIds: readonly string[]}
  | {readonly type: 'review'; readonly parentId: string}
  | {readonly type: 'held'; readonly wait: Wait}
  | {readonly type: 'decide'; readonly parentId: string; readonly cycles: number};

/** Selects what comes next for the parents of a freshly read plan, from the bottom up. */
export function defineSelectReviewActor(services: ReviewServices) {
  return fromPromise<ReviewStep, SelectReviewInput>(
    async ({input: {taskIds, isEnabled, tried, ...rules}}) => {
      const plan = await services.plans.read();
      const found = taskIds === null ? dueParents(plan) : dueParentsOf(plan, taskIds);
      const due = found.filter(({id}) => !tried.includes(id));
      if (!isEnabled) {
        return due.length === 0 ? {type: 'none'} : {type: 'complete', parentIds: due.map(({id}) => id)};
      }
      // All pending feedback has to be answered before the plan continues.
      const pending = taskIds === null || due.length > 0 ? await pendingIn(services, plan) : [];
      if (taskIds === null && pending.length > 0) return {type: 'answer', pending};
      const [parent] = due;
      return parent ? stepFor(services, plan, parent, {...rules, pending}) : {type: 'none'};
    },
  );
}

type ReviewServices = Pick<Services, 'plans' | 'runs' | 'feedback' | 'digest' | 'limits' | 'now'>;
type ReviewRules = Pick<SelectReviewInput, 'maxCycles' | 'patience' | 'provider'>;

async function stepFor(
  services: ReviewServices,
  plan: Plan,
  parent: Task,
  {pending, maxCycles, ...rules}: ReviewRules & {readonly pending: readonly PendingFeedback[]},
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
      if (cycles >= maxCycles) return {type: 'decide', parentId: parent.id, cycles};
      const wait = await reviewWait(services, parent, reviews, rules);
      return wait ? {type: 'held', wait} : {type: 'review', parentId: parent.id};
    }
  }
}

/** A reviewer that met a limit or an outage is not started again before its time. */
async function reviewWait(
  services: ReviewServices,
  {id}: Task,
  reviews: readonly RunRecord[],
  {patience, provider}: Pick<ReviewRules, 'patience' | 'provider'>,
): Promise<Wait | null> {
  const last = reviews.findLast(({run_type}) => run_type === 'review');
  const facts = await timeFacts(services, patience, [provider]);
  return last?.provider === provider && isTimeNeeded(last)
    ? runWait(last, facts)
    : limitWait(provider, id, facts);
}

export type CompleteParentsInput = {readonly parentIds: readonly string[]; readonly isEnabled: boolean};

/** Marks parents done that need no review. */
export function defineCompleteParentsActor({plans, now}: Pick<Services, 'plans' | 'now'>) {
  return fromPromise<void, CompleteParentsInput>(async ({input: {parentIds, isEnabled}}) => {
    await plans.update((plan) =>
      isEnabled
        ? completeParents(plan, parentIds, now())
        : completeParents(plan, parentIds, now(), () => true),
    );
  });
}
