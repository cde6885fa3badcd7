import {AppError} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';

/**
 * The plan with one change taken back. Only the tasks that the change touched are touched again, and only
 * while they are as the change left them: what somebody else did since is never undone with it.
 */
export function undoChange(plan: Plan, {before, after}: {readonly before: Plan; readonly after: Plan}): Plan {
  const touched = [...new Set([...before.items.keys(), ...after.items.keys()])].filter(
    (id) => !isSame(before.items.get(id), after.items.get(id)),
  );
  const changedSince = touched.filter((id) => !isSame(plan.items.get(id), after.items.get(id)));
  if (changedSince.length > 0) {
    throw new AppError('E_PLAN_EDIT', 'the plan was changed since; nothing was taken back', {
      details: [['changed', changedSince.join(', ')]],
    });
  }
  if (touched.length === 0) return plan;
  const back = new Set(touched);
  const restored = (id: string): Task | undefined =>
    back.has(id) ? before.items.get(id) : plan.items.get(id);
  // The order of before, then whatever came since.
  const ids = [...before.items.keys(), ...[...plan.items.keys()].filter((id) => !before.items.has(id))];
  const items = new Map<string, Task>();
  for (const id of ids) {
    const task = restored(id);
    if (task) items.set(id, task);
  }
  return {...plan, items};
}

/** Plans read at different times share no objects; what they say is compared. */
const isSame = (a: Task | undefined, b: Task | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
