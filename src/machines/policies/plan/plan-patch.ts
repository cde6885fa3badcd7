import {AppError} from '../../../services/contracts/errors.ts';
import type {
  Plan,
  PlanCheck,
  PlanProblem,
  Task,
  TaskSource,
  TaskStatus,
} from '../../../services/contracts/plan.ts';
import {rootTasks, tasksInTreeOrder} from './plan-graph.ts';
import {settledStatus, touch} from './plan-status.ts';
import {checkPlanChange} from './plan-validation.ts';
import {withRootOrder} from './sibling-order.ts';
import {
  editedTask,
  foldedId,
  type NewTask,
  newTask,
  type Place,
  refuseId,
  type TaskEdit,
  withDeps,
} from './task-edits.ts';

export type Deps = {
  readonly deps: readonly string[];
  /** The reason for each dependency id; those not named keep theirs. */
  readonly depRationale?: Readonly<Record<string, string>>;
};

/** A position by number, or after a sibling. */
export type PatchPlace = Place & {readonly after?: string};

/** Only an import sets these: planners never set a status. */
type ImportedFields = {readonly status?: TaskStatus; readonly source?: TaskSource};

export type PatchOperation =
  | {readonly type: 'add'; readonly task: NewTask & PatchPlace & Partial<Deps> & ImportedFields}
  | {readonly type: 'edit'; readonly taskId: string; readonly fields: TaskEdit & ImportedFields}
  | {readonly type: 'move'; readonly taskId: string; readonly place: PatchPlace}
  /** With its descendants if `cascade` is set. Dependencies on it are removed. */
  | {readonly type: 'delete'; readonly taskId: string; readonly cascade?: boolean}
  | ({readonly type: 'deps'; readonly taskId: string} & Deps);

/**
 * Applies all operations or none. Only the final plan has to be valid, so a child may come before its parent and two
 * tasks may swap places. Every problem is reported with its operation. Everything not named (status, timestamps,
 * unknown fields) is kept.
 */
export function applyPatch(plan: Plan, operations: readonly PatchOperation[], now: string): PlanCheck {
  const draft = createDraft(plan, now);
  const problems: PlanProblem[] = [];
  const attempt = (index: number, apply: () => void) => {
    try {
      apply();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problems.push({path: `$.operations[${index}]`, message: error.message});
    }
  };
  const made = new Set<number>();
  operations.forEach((operation, index) => {
    if (operation.type !== 'add') return;
    attempt(index, () => {
      draft.create(operation.task);
      made.add(index);
    });
  });
  operations.forEach((operation, index) => {
    // Operations on a task that could not be added would only repeat the problem.
    if (operation.type !== 'add' || made.has(index)) attempt(index, () => applyOperation(draft, operation));
  });
  if (problems.length > 0) return {problems};
  const next = draft.finish();
  const wrong = next === plan ? [] : checkPlanChange(plan, next);
  return wrong.length > 0 ? {problems: wrong} : {plan: settled(plan, next, now)};
}

function applyOperation(draft: Draft, operation: PatchOperation): void {
  switch (operation.type) {
    case 'add':
      draft.insert(operation.task.id, operation.task);
      if (operation.task.deps) draft.setDeps(operation.task.id, {deps: [], ...operation.task});
      return;
    case 'edit':
      draft.edit(operation.taskId, operation.fields);
      return;
    case 'move':
      draft.move(operation.taskId, operation.place);
      return;
    case 'delete':
      draft.remove(operation.taskId, operation.cascade === true);
      return;
    case 'deps':
      draft.setDeps(operation.taskId, operation);
  }
}

type Draft = ReturnType<typeof createDraft>;

/** A mutable copy of the plan, validated only at the end. */
function createDraft(plan: Plan, now: string) {
  const items = new Map(plan.items);
  const folded = new Map([...items.keys()].map((id) => [foldedId(id), id]));
  /** The changed lists of children, by parent; the roots under null. */
  const lists = new Map<string | null, string[]>();
  const removed = new Set<string>();

  const taskOf = (id: string): Task => {
    const task = items.get(id);
    if (!task) throw refusal(`unknown id ${JSON.stringify(id)}`);
    return task;
  };
  const listOf = (parentId: string | null): string[] => {
    const known = lists.get(parentId);
    if (known) return known;
    const list = parentId === null ? rootTasks(plan).map(({id}) => id) : [...taskOf(parentId).childIds];
    lists.set(parentId, list);
    return list;
  };
  const parentOf = (task: Task) => (task.parentId != null && items.has(task.parentId) ? task.parentId : null);
  const takeOut = (task: Task) => {
    const list = listOf(parentOf(task));
    const at = list.indexOf(task.id);
    if (at >= 0) list.splice(at, 1);
  };
  const insert = (id: string, {parentId, index, after}: PatchPlace) => {
    if (parentId !== null && !items.has(parentId)) {
      throw refusal(`unknown parent id ${JSON.stringify(parentId)}`);
    }
    const list = listOf(parentId);
    if (index !== undefined && (!Number.isInteger(index) || index < 0 || index > list.length)) {
      throw refusal(`index out of range: ${index} (valid: 0..${list.length})`);
    }
    const behind = after === undefined || after === list.at(-1) ? -1 : list.indexOf(after);
    list.splice(index ?? (behind < 0 ? list.length : behind + 1), 0, id);
  };
  const childrenOf = (id: string) => lists.get(id) ?? items.get(id)?.childIds ?? [];

  return {
    insert,
    create: (task: NewTask & ImportedFields) => {
      refuseId(task.id, items.has(task.id) ? task.id : folded.get(foldedId(task.id)));
      if (task.title.trim() === '') throw refusal('title is required');
      const {status = 'todo', source} = task;
      items.set(task.id, {...newTask(task, now), status, ...(source === undefined ? {} : {source})});
      folded.set(foldedId(task.id), task.id);
    },
    edit: (id: string, fields: TaskEdit & ImportedFields) => {
      items.set(id, editedTask(taskOf(id), fields, now));
    },
    move: (id: string, place: PatchPlace) => {
      const task = taskOf(id);
      takeOut(task);
      insert(id, place);
      if (parentOf(task) === place.parentId) return;
      items.set(id, {...task, parentId: place.parentId, updatedAt: touch(task, now)});
    },
    remove: (id: string, cascade: boolean) => {
      const task = taskOf(id);
      if (!cascade && childrenOf(id).length > 0) {
        throw refusal(
          `${JSON.stringify(id)} has children: delete or move them too, or delete it with cascade`,
        );
      }
      takeOut(task);
      const stack = [id];
      for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
        if (!items.has(next)) continue;
        for (const child of childrenOf(next)) stack.push(child);
        items.delete(next);
        lists.delete(next);
        removed.add(next);
      }
    },
    setDeps: (id: string, {deps, depRationale = {}}: Deps) => {
      const task = taskOf(id);
      const unique = [...new Set(deps)];
      const reasons = {...task.depRationale, ...depRationale};
      const isSame =
        JSON.stringify(unique) === JSON.stringify(task.deps) &&
        unique.every(
          (dep) =>
            reasonFor(depRationale, dep) === undefined ||
            reasonFor(depRationale, dep) === reasonFor(task.depRationale, dep),
        );
      if (isSame) return;
      const known = Object.keys(reasons).length > 0 || task.depRationale != null;
      items.set(id, withDeps(known ? {...task, depRationale: reasons} : task, unique, now));
    },
    finish: (): Plan => {
      for (const [parentId, list] of lists) {
        const parent = parentId === null ? undefined : items.get(parentId);
        if (!parent || JSON.stringify(parent.childIds) === JSON.stringify(list)) continue;
        items.set(parent.id, {...parent, childIds: list, updatedAt: touch(parent, now)});
      }
      if (removed.size > 0) {
        for (const [id, task] of items) {
          if (!task.deps.some((dep) => removed.has(dep))) continue;
          const deps = task.deps.filter((dep) => !removed.has(dep));
          items.set(id, withDeps(task, deps, now));
        }
      }
      const isSame =
        items.size === plan.items.size && [...items].every(([id, task]) => plan.items.get(id) === task);
      const next = isSame ? plan : {...plan, items};
      const roots = lists.get(null);
      return roots ? withRootOrder(next, roots) : next;
    },
  };
}

/** Completes or reopens parents whose children changed, and their ancestors. */
function settled(before: Plan, plan: Plan, now: string): Plan {
  const touched = new Set<string>();
  for (const task of plan.items.values()) {
    const old = before.items.get(task.id);
    const hasOtherChildren = task.childIds.length > 0 && task.childIds !== old?.childIds;
    const start = hasOtherChildren ? task.id : old && old.status !== task.status ? task.parentId : null;
    let next = start == null ? undefined : plan.items.get(start);
    while (next && !touched.has(next.id)) {
      touched.add(next.id);
      next = next.parentId == null ? undefined : plan.items.get(next.parentId);
    }
  }
  if (touched.size === 0) return plan;
  const items = new Map(plan.items);
  const next = {...plan, items};
  for (const {task} of tasksInTreeOrder(plan).reverse()) {
    if (!touched.has(task.id)) continue;
    const status = settledStatus(next, task, () => true);
    if (status !== task.status) items.set(task.id, {...task, status, updatedAt: touch(task, now)});
  }
  return next;
}

const reasonFor = (reasons: Task['depRationale'], dep: string) =>
  reasons && Object.hasOwn(reasons, dep) ? reasons[dep] : undefined;

const refusal = (message: string) => new AppError('E_PLAN_EDIT', message);
