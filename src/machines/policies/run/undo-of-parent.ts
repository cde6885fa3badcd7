import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {isLeaf, subtreeOf} from '../plan/plan-graph.ts';

/** So many children are named. */
const most = 5;

const hasRun = ({status}: Task) =>
  status === 'done' || status === 'in_progress' || status === 'waiting_user' || status === 'failed';

/** A parent has no change of its own: that of its children is taken back, the latest first. */
export function undoOfParent(plan: Plan, parent: Task): AppError {
  const begun = subtreeOf(plan, parent).filter((task) => isLeaf(task) && hasRun(task));
  const steps = begun
    .toReversed()
    .slice(0, most)
    .map(({id}) => ({command: `blackbird undo ${shellWord(id)}`, why: 'take its change back'}));
  const what = steps.length === 0 ? 'none of them has run' : 'each of them is undone by itself';
  return new AppError('E_TASK_NOT_READY', `${parent.id} has children; ${what}`, {
    next: steps.length > 0 ? steps : [{command: `blackbird show ${shellWord(parent.id)}`, why: 'see them'}],
  });
}
