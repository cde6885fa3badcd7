import {AppError} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';

/**
 * The plan with one change undone. Only fields that the change touched are restored, and only while they still have its
 * values: edits made since, by anyone, are kept.
 */
export function undoChange(plan: Plan, {before, after}: {readonly before: Plan; readonly after: Plan}): Plan {
  const touched = [...new Set([...before.items.keys(), ...after.items.keys()])].filter(
    (id) => !isSame(before.items.get(id), after.items.get(id)),
  );
  const back = new Map(
    touched.map((id) => [id, takenBack(plan.items.get(id), before.items.get(id), after.items.get(id))]),
  );
  const changedSince = touched.filter((id) => back.get(id) === 'changed');
  if (changedSince.length > 0) {
    throw new AppError('E_CONFLICT', 'the plan was changed by somebody else since; nothing was written', {
      details: [['changed', changedSince.join(', ')]],
    });
  }
  if (touched.length === 0) return plan;
  // The old order, followed by whatever was added since.
  const ids = [...before.items.keys(), ...[...plan.items.keys()].filter((id) => !before.items.has(id))];
  const items = new Map<string, Task>();
  for (const id of ids) {
    const task = back.has(id) ? back.get(id) : plan.items.get(id);
    if (task && task !== 'changed') items.set(id, task);
  }
  return {...plan, items};
}

/** One task without the change; undefined if the change created it. */
function takenBack(
  now: Task | undefined,
  before: Task | undefined,
  after: Task | undefined,
): Task | undefined | 'changed' {
  // The task was added or deleted as a whole, and must be unchanged since, including its status.
  if (!before || !after || !now) return isSame(now, after) ? before : 'changed';
  const fields = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Task)[]);
  const changed = [...fields].filter((field) => !isSame(before[field], after[field]));
  const isFree = (field: keyof Task) => field === 'updatedAt' || isSame(now[field], after[field]);
  if (!changed.every(isFree)) return 'changed';
  // `updatedAt` belongs to whoever changed the task last.
  const restored = changed.filter((field) => isSame(now[field], after[field]));
  const kept = Object.fromEntries(
    Object.entries(now).filter(([name]) => !restored.includes(name as keyof Task)),
  );
  const old = Object.entries(before).filter(([name]) => restored.includes(name as keyof Task));
  return inOrderOf(before, {...kept, ...Object.fromEntries(old)} as Task);
}

/** Keeps the order of fields, so that an undone change leaves no trace in the file. */
function inOrderOf(before: Task, task: Task): Task {
  const names = [...new Set([...Object.keys(before), ...Object.keys(task)])].filter((name) => name in task);
  return Object.fromEntries(names.map((name) => [name, task[name as keyof Task]])) as Task;
}

/** Plans read at different times share no objects, so values are compared. */
const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
