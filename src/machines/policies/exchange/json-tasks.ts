import type {ImportList} from './imported-task.ts';
import {issueTasks} from './issue-tasks.ts';
import {isRecord} from './json-values.ts';
import {taskMasterTasks} from './task-master-tasks.ts';

export type JsonKind = 'task-master' | 'issues';

/** The kind of list; null for unknown JSON. */
export function kindOfJson(value: unknown): JsonKind | null {
  if (Array.isArray(value)) return value.every(isIssue) ? 'issues' : null;
  if (!isRecord(value)) return null;
  const lists = [value, ...Object.values(value)].filter(
    (each) => isRecord(each) && Array.isArray(each.tasks),
  );
  return lists.length > 0 ? 'task-master' : null;
}

export function jsonTasks(value: unknown, kind: JsonKind, tag: string | undefined): ImportList {
  return kind === 'issues' ? issueTasks(value) : taskMasterTasks(value, tag);
}

const isIssue = (value: unknown) => isRecord(value) && typeof value.number === 'number';
