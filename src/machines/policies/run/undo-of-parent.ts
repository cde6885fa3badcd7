import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {isLeaf, subtreeOf} from '../plan/plan-graph.ts';

/** The maximum number of children to name. */
export const mostNamed = 5;

const hasRun = ({status}: Task) =>
  status === 'done' || status === 'in_progress' || status === 'waiting_user' || status === 'failed';

/** The tasks below a parent that have started according to the plan, latest first. */
export const startedBelow = (plan: Plan, parent: Task): Task[] =>
  subtreeOf(plan, parent)
    .filter((task) => isLeaf(task) && hasRun(task))
    .toReversed();

/** A parent has no change of its own: its children's are undone, latest first. */
export function undoOfParent(parent: Task, begun: ReadonlyArray<Pick<Task, 'id'>>): AppError {
  const steps = begun
    .slice(0, mostNamed)
    .map(({id}) => ({command: `blackbird undo ${shellWord(id)}`, why: 'undo its change'}));
  const what = steps.length === 0 ? 'none of them has run' : 'each of them is undone by itself';
  return new AppError('E_TASK_NOT_READY', `${parent.id} has children; ${what}`, {
    next: steps.length > 0 ? steps : [{command: `blackbird show ${shellWord(parent.id)}`, why: 'see them'}],
  });
}
