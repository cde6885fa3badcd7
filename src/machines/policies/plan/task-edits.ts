import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Task} from '../../../services/contracts/plan.ts';
import {isPlainTaskId, taskIdRule} from '../../../services/contracts/task-id.ts';
import {touch} from './plan-status.ts';

/** The position of a task: under a parent or at the root, and its index among the siblings. */
export type Place = {readonly parentId: string | null; readonly index?: number};

export type NewTask = Place & {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly prompt?: string;
  readonly notes?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly verify?: readonly string[];
  readonly acceptanceCriteria?: readonly string[];
};

/** A complete task, as in the file. */
export function newTask(task: NewTask, now: string): Task {
  return {
    id: task.id,
    title: task.title,
    description: task.description ?? '',
    acceptanceCriteria: task.acceptanceCriteria ?? [],
    prompt: task.prompt ?? '',
    parentId: task.parentId,
    childIds: [],
    deps: [],
    status: 'todo',
    createdAt: now,
    updatedAt: now,
    ...(task.notes === undefined ? {} : {notes: task.notes}),
    ...(task.agent === undefined ? {} : {agent: task.agent}),
    ...(task.model === undefined ? {} : {model: task.model}),
    ...(task.effort === undefined ? {} : {effort: task.effort}),
    ...(task.verify === undefined ? {} : {verify: task.verify}),
  };
}

/** Refuses an invalid id for a new task; `twin` is an existing id that differs only in case. */
export function refuseId(id: string, twin: string | undefined): void {
  if (id === '') throw refusal('id is required');
  if (!isPlainTaskId(id)) {
    const message = `${JSON.stringify(id)} cannot be a task id`;
    throw new AppError('E_TASK_ID', message, {details: [['allowed', taskIdRule]]});
  }
  // `root` names the top level on the command line.
  if (id === 'root') throw new AppError('E_TASK_ID', '"root" cannot be a task id: it means the top level');
  if (twin === id) throw taken(`id already exists: ${JSON.stringify(id)}`, twin);
  if (twin !== undefined) {
    throw taken(`id ${JSON.stringify(id)} differs from ${JSON.stringify(twin)} only in case`, twin);
  }
}

/** The plain text fields of a task. `null` removes an optional one. */
export type TaskEdit = {
  readonly title?: string;
  readonly description?: string;
  readonly prompt?: string;
  readonly notes?: string | null;
  readonly agent?: string | null;
  readonly model?: string | null;
  readonly effort?: string | null;
  readonly verify?: readonly string[] | null;
  readonly acceptanceCriteria?: readonly string[];
};

/** Returns the same task if nothing changes. */
export function editedTask(task: Task, edit: Partial<Omit<Task, 'id'>>, now: string): Task {
  if (edit.title !== undefined && edit.title.trim() === '') throw refusal('title cannot be empty');
  const said = Object.entries(edit).filter(([, value]) => value !== undefined);
  const dropped = said.filter(([name, value]) => value === null && task[name as keyof Task] != null);
  const changed = said.filter(
    ([name, value]) => value !== null && JSON.stringify(task[name as keyof Task]) !== JSON.stringify(value),
  );
  if (changed.length + dropped.length === 0) return task;
  const gone = new Set(dropped.map(([name]) => name));
  const kept = Object.fromEntries(Object.entries(task).filter(([name]) => !gone.has(name))) as Task;
  return {...kept, ...Object.fromEntries(changed), updatedAt: touch(task, now)};
}

/** The rationale of a removed dependency goes with it. */
export function withDeps(task: Task, deps: readonly string[], now: string): Task {
  const {depRationale, ...rest} = task;
  const present = new Set(deps);
  const kept = Object.entries(depRationale ?? {}).filter(([dep]) => present.has(dep));
  return {
    ...rest,
    deps,
    updatedAt: touch(task, now),
    ...(depRationale == null ? {} : {depRationale: Object.fromEntries(kept)}),
  };
}

/** Normalised so that ids stay distinct on every file system. */
export const foldedId = (id: string) => id.normalize('NFC').toLowerCase();

const refusal = (message: string) => new AppError('E_PLAN_EDIT', message);

const taken = (message: string, twin: string) =>
  new AppError('E_PLAN_EDIT', message, {
    next: [{command: `blackbird show ${shellWord(twin)}`, why: 'see the task that has it'}],
  });
