import type {PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {ancestorsOf, childrenOf, isLeaf, subtreeOf} from '../plan/plan-graph.ts';
import {type CompletionRule, setStatus} from '../plan/plan-status.ts';
import {compareTimestamps} from '../text/timestamps.ts';

/** All children are done and the parent is not: a review decides whether it is. */
export function isReviewDue(plan: Plan, task: Task): boolean {
  if (isLeaf(task) || task.status === 'done') return false;
  return childrenOf(plan, task).every((child) => child.status === 'done');
}

/** The parent that is due when this task ends: the nearest one that is not done, or none. */
export function dueParentOf(plan: Plan, taskId: string): Task | null {
  const task = plan.items.get(taskId);
  // Most tasks have no parent; this keeps the common case cheap.
  if (!task || task.parentId == null) return null;
  const open = ancestorsOf(plan, task).find(({status}) => status !== 'done');
  return open && isReviewDue(plan, open) ? open : null;
}

/** The same for several tasks, each parent once. */
export function dueParentsOf(plan: Plan, taskIds: readonly string[]): Task[] {
  return [...new Set(taskIds.flatMap((id) => dueParentOf(plan, id) ?? []))];
}

/** Every parent that is due, in plan order. None of them is an ancestor of another. */
export function dueParents(plan: Plan): Task[] {
  return [...plan.items.values()].filter((task) => isReviewDue(plan, task));
}

/** The leaves below a parent: what a review looks at and can send back. */
export const reviewedTasks = (plan: Plan, parent: Task): Task[] =>
  subtreeOf(plan, parent).filter((task) => isLeaf(task) && task.id !== parent.id);

/** Parents that the next execution reviews: agents worked below them, and no review feedback is pending. */
export function dueReviews(
  plan: Plan,
  factsOf: (task: Task) => {readonly isSentBack: boolean; readonly run: RunRecord | null},
): Task[] {
  return dueParents(plan).filter((parent) => {
    const facts = reviewedTasks(plan, parent).map(factsOf);
    return facts.some(({run}) => run !== null) && !facts.some(({isSentBack}) => isSentBack);
  });
}

/** What a parent that is due needs. */
export type ReviewNeed =
  /** A review of its children. */
  | 'review'
  /** Answers to pending feedback of its children. */
  | 'answer'
  /** Nothing: it passed, all feedback was dismissed, or no agent worked below it. */
  | 'nothing';

export function reviewNeed({
  parentId,
  signature,
  reviews,
  pending,
  hasRuns,
}: {
  readonly parentId: string;
  readonly signature: string;
  /** Every run of the parent, oldest first. */
  readonly reviews: readonly RunRecord[];
  readonly pending: readonly PendingFeedback[];
  /** Some task below it has a run. */
  readonly hasRuns: boolean;
}): ReviewNeed {
  if (pending.some((each) => each.parentTaskId === parentId)) return 'answer';
  if (!hasRuns) return 'nothing';
  // A review that failed or was invalid has no verdict, so it is repeated.
  const isJudged = reviews.some(
    (run) =>
      run.run_type === 'review' &&
      run.parent_review_passed !== undefined &&
      run.parent_review_completion_signature === signature,
  );
  return isJudged ? 'nothing' : 'review';
}

/** How many reviews of a parent sent tasks back since the last one that passed. */
export function cyclesOf(reviews: readonly RunRecord[]): number {
  const passed = reviews.findLastIndex(({parent_review_passed}) => parent_review_passed === true);
  return reviews.slice(passed + 1).filter(({parent_review_passed}) => parent_review_passed === false).length;
}

/** Marks these parents done if they are still due. Their ancestors get their own review. */
export function completeParents(
  plan: Plan,
  parentIds: readonly string[],
  now: string,
  completes: CompletionRule = leaveParents,
): Plan {
  return parentIds.reduce((current, id) => {
    const parent = current.items.get(id);
    return parent && isReviewDue(current, parent) ? setStatus(current, id, 'done', now, completes) : current;
  }, plan);
}

/** For changes made by a run: a parent is done when its review says so. */
export const leaveParents: CompletionRule = () => false;

/** For a run that was withdrawn: a parent that was done before the run is done again. */
export const parentsBefore =
  ({created_at}: Pick<RunRecord, 'created_at'>): CompletionRule =>
  ({updatedAt}) =>
    compareTimestamps(updatedAt, created_at) >= 0;

/**
 * For changes made by hand: reopens parents that the change completed if an agent has worked below them, because they
 * need a review. `named` is the task whose status the user set, which is final.
 */
export function leaveForReview(
  before: Plan,
  after: Plan,
  {named, hasRuns}: {readonly named?: string; readonly hasRuns: (taskId: string) => boolean},
): Plan {
  const completed = [...after.items.values()].filter(
    (task) =>
      !isLeaf(task) &&
      task.id !== named &&
      task.status === 'done' &&
      (before.items.get(task.id)?.status ?? 'done') !== 'done',
  );
  const worked = parentsOfWork(after, completed, hasRuns);
  const open = completed.filter(({id}) => worked.has(id));
  if (open.length === 0) return after;
  const items = new Map(after.items);
  for (const {id} of open) {
    const {status, updatedAt} = before.items.get(id) ?? {};
    const task = items.get(id);
    if (task && status && updatedAt) items.set(id, {...task, status, updatedAt});
  }
  return {...after, items};
}

/** Those of these parents that have a run below them, found in one walk. */
function parentsOfWork(
  plan: Plan,
  parents: readonly Task[],
  hasRuns: (taskId: string) => boolean,
): ReadonlySet<string> {
  const meant = new Set(parents.map(({id}) => id));
  const tops = parents.filter(({parentId}) => parentId == null || !meant.has(parentId));
  const worked = new Set<string>();
  for (const top of tops) {
    // Children come after their parents, so going backwards every child is known before its parent.
    for (const task of subtreeOf(plan, top).toReversed()) {
      const hasWork = isLeaf(task) ? hasRuns(task.id) : task.childIds.some((id) => worked.has(id));
      if (hasWork) worked.add(task.id);
    }
  }
  return worked;
}
