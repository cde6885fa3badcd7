import {AppError, type NextStep, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {
  ancestorsOf,
  findCycles,
  indexHierarchy,
  isLeaf,
  parentOf,
  requireTask,
  rootTasks,
  subtreeOf,
} from './plan-graph.ts';
import {settleParents, touch, withTask} from './plan-status.ts';
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

export type {NewTask, Place, TaskEdit};

export function addTask(plan: Plan, task: NewTask, now: string): Plan {
  const twin = [...plan.items.keys()].find((id) => foldedId(id) === foldedId(task.id));
  refuseId(task.id, plan.items.has(task.id) ? task.id : twin);
  if (task.title.trim() === '') throw refusal('title is required');
  // Checked before the task is in the plan, or it could be its own parent.
  if (task.parentId !== null) requireParent(plan, task.parentId);
  const item = newTask(task, now);
  return settleParents(place(withTask(plan, item), item, task, now), task.id, now);
}

/** Returns the same plan if nothing changes, so that no file is written. */
export function editTask(plan: Plan, id: string, edit: TaskEdit, now: string): Plan {
  const task = requireTask(plan, id);
  const edited = editedTask(task, edit, now);
  return edited === task ? plan : withTask(plan, edited);
}

/** Moves a task with its subtasks. The index counts siblings without the task itself. */
export function moveTask(plan: Plan, id: string, target: Place, now: string): Plan {
  const task = requireTask(plan, id);
  if (target.parentId !== null) {
    const parent = requireParent(plan, target.parentId);
    const lineage = [parent, ...ancestorsOf(plan, parent)];
    const ids = lineage.map((ancestor) => ancestor.id);
    const loop = ids.indexOf(id);
    if (loop >= 0) {
      throw refusal(`hierarchy cycle detected: ${[id, ...ids.slice(0, loop + 1)].join(' -> ')}`, seeTree);
    }
    refuseDepsAlong(lineage, subtreeOf(plan, task));
  }
  const formerParent = parentOf(plan, task);
  const moved: Task = {...task, parentId: target.parentId, updatedAt: touch(task, now)};
  let next = place(withTask(detach(plan, task, now), moved), moved, target, now);
  next = settleParents(next, id, now);
  return formerParent ? settleAbove(next, formerParent.id, now) : next;
}

/** A task must not end up above or below one of its dependencies. */
function refuseDepsAlong(lineage: readonly Task[], moved: readonly Task[]): void {
  const refuse = (kind: string, from: readonly Task[], to: readonly Task[]) => {
    const targets = new Set(to.map((each) => each.id));
    for (const task of from) {
      const dep = task.deps.find((each) => targets.has(each));
      if (dep === undefined) continue;
      const reason = `${JSON.stringify(task.id)} cannot depend on its own ${kind} ${JSON.stringify(dep)}`;
      throw refusal(`invalid move (would violate plan invariants): ${reason}`, seeTree);
    }
  };
  refuse('ancestor', moved, lineage);
  refuse('descendant', lineage, moved);
}

export type Deletion = {readonly plan: Plan; readonly deleted: string[]; readonly detached: string[]};

/** Deletes a task; children and dependents are only touched if the caller asked for it. */
export function deleteTask(
  plan: Plan,
  id: string,
  {cascade, force}: {cascade: boolean; force: boolean},
  now: string,
): Deletion {
  const task = requireTask(plan, id);
  if (!isLeaf(task) && !cascade) {
    throw refusal(`refusing to delete ${JSON.stringify(id)}: has children (use --cascade-children)`, {
      command: `blackbird delete ${shellWord(id)} --cascade-children`,
      why: 'delete them with it',
    });
  }
  const deleted = subtreeOf(plan, task).map((each) => each.id);
  const gone = new Set(deleted);
  const affected = [...plan.items.values()].filter(
    (other) => !gone.has(other.id) && other.deps.some((dep) => gone.has(dep)),
  );
  if (affected.length > 0 && !force) {
    const dependentsOf = new Map(deleted.map((each): [string, string[]] => [each, []]));
    for (const other of affected) for (const dep of other.deps) dependentsOf.get(dep)?.push(other.id);
    const broken = [...dependentsOf].flatMap(([each, dependents]) =>
      dependents.length === 0 ? [] : [`${each} (dependents: ${dependents.join(', ')})`],
    );
    throw refusal(
      `refusing to delete: would break dependents (${broken.join('; ')}). Use --force to remove those dep edges`,
      {
        command: `blackbird delete ${shellWord(id)}${cascade ? ' --cascade-children' : ''} --force`,
        why: 'remove it from what they wait for, too',
      },
    );
  }
  const formerParent = parentOf(plan, task);
  const items = new Map(detach(plan, task, now).items);
  for (const each of deleted) items.delete(each);
  for (const other of affected) {
    const deps = other.deps.filter((dep) => !gone.has(dep));
    items.set(other.id, withDeps(other, deps, now));
  }
  const next = {...plan, items};
  return {
    plan: formerParent ? settleAbove(next, formerParent.id, now) : next,
    deleted,
    detached: affected.map((other) => other.id),
  };
}

/** Adding an existing dependency changes nothing. */
export function addDep(plan: Plan, id: string, dep: string, now: string): Plan {
  const task = requireTask(plan, id);
  return task.deps.includes(dep) ? plan : changeDeps(plan, task, [...task.deps, dep], now);
}

/** Removing a missing dependency changes nothing. */
export function removeDep(plan: Plan, id: string, dep: string, now: string): Plan {
  const task = requireTask(plan, id);
  if (!task.deps.includes(dep)) return plan;
  return changeDeps(
    plan,
    task,
    task.deps.filter((each) => each !== dep),
    now,
  );
}

export function setDeps(plan: Plan, id: string, deps: readonly string[], now: string): Plan {
  const task = requireTask(plan, id);
  const unique = [...new Set(deps)];
  return JSON.stringify(unique) === JSON.stringify(task.deps) ? plan : changeDeps(plan, task, unique, now);
}

function changeDeps(plan: Plan, task: Task, deps: readonly string[], now: string): Plan {
  const {isAncestor} = indexHierarchy(plan);
  for (const dep of deps) {
    const relation = `${JSON.stringify(task.id)} cannot depend on its own`;
    if (dep === task.id) throw refusal(`cannot add self-dependency: ${JSON.stringify(dep)}`, seeDeps(dep));
    if (!plan.items.has(dep)) throw refusal(`unknown dep id ${JSON.stringify(dep)}`, seeTree);
    if (isAncestor(dep, task.id)) throw refusal(`${relation} ancestor ${JSON.stringify(dep)}`, seeTree);
    if (isAncestor(task.id, dep)) throw refusal(`${relation} descendant ${JSON.stringify(dep)}`, seeTree);
  }
  const next = withTask(plan, withDeps(task, deps, now));
  const [cycle] = findCycles([task.id], (each) => next.items.get(each)?.deps ?? []);
  if (cycle) throw refusal(`dependency cycle detected: ${cycle.join(' -> ')}`, seeDeps(task.id));
  return next;
}

/** Puts a task that is in the plan, but in no list yet, in its place. */
function place(plan: Plan, task: Task, {parentId, index}: Place, now: string): Plan {
  if (parentId === null) return index === undefined ? plan : placeAtRoot(plan, task, index);
  const parent = requireParent(plan, parentId);
  const childIds = inserted(parent.childIds, task.id, index ?? parent.childIds.length);
  return withTask(plan, {...parent, childIds, updatedAt: touch(parent, now)});
}

/** Root tasks are ordered as in the file. */
function placeAtRoot(plan: Plan, task: Task, index: number): Plan {
  const others = rootTasks(plan).filter((root) => root.id !== task.id);
  inserted(others, task, index);
  const before = others[index]?.id;
  if (before === undefined) {
    const items = new Map(plan.items);
    items.delete(task.id);
    return {...plan, items: items.set(task.id, task)};
  }
  const items = new Map<string, Task>();
  for (const [id, each] of plan.items) {
    if (id === before) items.set(task.id, task);
    if (id !== task.id) items.set(id, each);
  }
  return {...plan, items};
}

function inserted<T>(list: readonly T[], entry: T, index: number): T[] {
  if (!Number.isInteger(index) || index < 0 || index > list.length) {
    throw refusal(`index out of range: ${index} (valid: 0..${list.length})`, seeTree);
  }
  return list.toSpliced(index, 0, entry);
}

function detach(plan: Plan, task: Task, now: string): Plan {
  const parent = parentOf(plan, task);
  if (!parent) return plan;
  const childIds = parent.childIds.filter((id) => id !== task.id);
  return withTask(plan, {...parent, childIds, updatedAt: touch(parent, now)});
}

/** Updates the status of a parent that lost a child, and of its ancestors. */
function settleAbove(plan: Plan, id: string, now: string): Plan {
  const task = plan.items.get(id);
  const child = task?.childIds[0];
  return settleParents(plan, child ?? id, now);
}

function requireParent(plan: Plan, id: string): Task {
  const parent = plan.items.get(id);
  if (!parent) throw refusal(`unknown parent id ${JSON.stringify(id)}`, seeTree);
  return parent;
}

const refusal = (message: string, ...next: readonly NextStep[]) =>
  new AppError('E_PLAN_EDIT', message, {next});

const seeTree: NextStep = {command: 'blackbird list --tree', why: 'see every task and where it stands'};
const seeDeps = (id: string): NextStep => ({
  command: `blackbird show ${shellWord(id)}`,
  why: 'see what it waits for',
});
