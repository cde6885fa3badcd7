import type {PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {ancestorsOf, childrenOf, isLeaf, subtreeOf} from '../plan/plan-graph.ts';
import {type CompletionRule, setStatus} from '../plan/plan-status.ts';
import {compareTimestamps} from '../text/timestamps.ts';

/** All its children are done and it is not: whether it is done is for a review to say. */
export function isReviewDue(plan: Plan, task: Task): boolean {
  if (isLeaf(task) || task.status === 'done') return false;
  return childrenOf(plan, task).every((child) => child.status === 'done');
}

/** The parent that the end of this task makes due: the nearest one that is not done, or none. */
export function dueParentOf(plan: Plan, taskId: string): Task | null {
  const task = plan.items.get(taskId);
  // Most tasks of most plans have no parent, and none of them shall pay for those that have.
  if (!task || task.parentId == null) return null;
  const open = ancestorsOf(plan, task).find(({status}) => status !== 'done');
  return open && isReviewDue(plan, open) ? open : null;
}

/** The same for several tasks, each parent once. */
export function dueParentsOf(plan: Plan, taskIds: readonly string[]): Task[] {
  return [...new Set(taskIds.flatMap((id) => dueParentOf(plan, id) ?? []))];
}

/** Every parent that is due, in the order of the plan. None of them is above another. */
export function dueParents(plan: Plan): Task[] {
  return [...plan.items.values()].filter((task) => isReviewDue(plan, task));
}

/** The tasks below a parent that agents work on: what a review looks at and can send back. */
export const reviewedTasks = (plan: Plan, parent: Task): Task[] =>
  subtreeOf(plan, parent).filter((task) => isLeaf(task) && task.id !== parent.id);

/** Parents that the next execution reviews: agents worked below them, and no review waits for an answer. */
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
  /** An agent looks at its children. */
  | 'review'
  /** Its children have feedback that nobody has answered. */
  | 'answer'
  /** Nothing: it passed, every feedback of its review was dismissed, or no agent worked below it. */
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
  // A review that failed or made no sense judged nothing, so it is done again.
  const isJudged = reviews.some(
    (run) =>
      run.run_type === 'review' &&
      run.parent_review_passed !== undefined &&
      run.parent_review_completion_signature === signature,
  );
  return isJudged ? 'nothing' : 'review';
}

/** How many reviews of a parent sent tasks back since one passed. */
export function cyclesOf(reviews: readonly RunRecord[]): number {
  const passed = reviews.findLastIndex(({parent_review_passed}) => parent_review_passed === true);
  return reviews.slice(passed + 1).filter(({parent_review_passed}) => parent_review_passed === false).length;
}

/** The plan with these parents done, as far as they are still due. Those above them are for their own review. */
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

/** For changes that a run makes: a parent is done when its review says so. */
export const leaveParents: CompletionRule = () => false;

/** For a run that came to nothing: a parent that was done before the run began is done again. */
export const parentsBefore =
  ({created_at}: Pick<RunRecord, 'created_at'>): CompletionRule =>
  ({updatedAt}) =>
    compareTimestamps(updatedAt, created_at) >= 0;

/**
 * A change made by hand, with the parents it completed on the way open again where an agent has worked
 * below them: these are for a review. `named` is the task whose status was set, which is a person's word.
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

/** Those of these parents below which a task has runs, after one walk over all of them. */
function parentsOfWork(
  plan: Plan,
  parents: readonly Task[],
  hasRuns: (taskId: string) => boolean,
): ReadonlySet<string> {
  const meant = new Set(parents.map(({id}) => id));
  const tops = parents.filter(({parentId}) => parentId == null || !meant.has(parentId));
  const worked = new Set<string>();
  for (const top of tops) {
    // Children come behind their parents, so from the end every child is known before its parent.
    for (const task of subtreeOf(plan, top).toReversed()) {
      const hasWork = isLeaf(task) ? hasRuns(task.id) : task.childIds.some((id) => worked.has(id));
      if (hasWork) worked.add(task.id);
    }
  }
  return worked;
}
