import type {Plan} from '../../../services/contracts/plan.ts';
import {requireSeen, type SeenTask} from './plan-conflict.ts';
import {
  addTask,
  deleteTask,
  editTask,
  moveTask,
  type NewTask,
  type Place,
  setDeps,
  type TaskEdit,
} from './plan-edits.ts';

/** An edit made on a screen, with the old values that the user saw. */
export type PlanEdit =
  | {readonly type: 'add'; readonly task: NewTask}
  | (Seen & {readonly type: 'edit'; readonly taskId: string; readonly fields: TaskEdit})
  | (Seen & {readonly type: 'move'; readonly taskId: string; readonly place: Place})
  | (Seen & {readonly type: 'delete'; readonly taskId: string})
  | (Seen & {readonly type: 'deps'; readonly taskId: string; readonly deps: readonly string[]});

type Seen = {readonly seen: readonly SeenTask[]};

/** Refuses the edit if someone else changed those values since the user saw them. */
export function applyEdit(plan: Plan, edit: PlanEdit, now: string): Plan {
  if (edit.type === 'add') return addTask(plan, edit.task, now);
  requireSeen(plan, edit.seen);
  switch (edit.type) {
    case 'edit':
      return editTask(plan, edit.taskId, edit.fields, now);
    case 'move':
      return moveTask(plan, edit.taskId, edit.place, now);
    case 'delete':
      return deleteTask(plan, edit.taskId, {cascade: true, force: true}, now).plan;
    case 'deps':
      return setDeps(plan, edit.taskId, edit.deps, now);
  }
}
