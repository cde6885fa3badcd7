import {isCheckCommand} from '../../../services/contracts/check-command.ts';
import {isModelText} from '../../../services/contracts/model-choice.ts';
import type {PlanProblem, Task} from '../../../services/contracts/plan.ts';
import {taskStatuses} from '../../../services/contracts/task-status.ts';
import {isTimestamp} from '../text/timestamps.ts';

/** The problems of one field, with paths relative to it; empty if it is valid. */
type FieldCheck = (value: unknown, path: string) => readonly PlanProblem[];

/**
 * The problems of a task's fields, in the order below. Hand-written instead of a zod schema: every command reads the
 * whole plan, and loading zod and calling it a thousand times costs more than the rest of `list`.
 */
export function taskFieldProblems(task: Readonly<Record<string, unknown>>): readonly PlanProblem[] {
  let problems: readonly PlanProblem[] = fine;
  // Thousands of tasks are checked before the JIT warms up, so nothing is allocated for valid ones.
  for (let index = 0; index < fieldChecks.length; index++) {
    const {name, path, check} = fieldChecks[index] as (typeof fieldChecks)[number];
    const found = check(task[name], path);
    if (found !== fine) problems = [...problems, ...found];
  }
  return problems;
}

const fine: readonly PlanProblem[] = [];

const requiredText: FieldCheck = (value, path) =>
  typeof value === 'string' && value.trim() !== '' ? fine : [{path, message: 'required'}];

const optionalText: FieldCheck = (value, path) =>
  value == null || typeof value === 'string' ? fine : [{path, message: 'must be a string'}];

/** It becomes an argument of an agent. */
const optionalWord: FieldCheck = (value, path) =>
  value == null || value === '' || (typeof value === 'string' && isModelText(value))
    ? fine
    : [{path, message: 'must be one word'}];

const textList: FieldCheck = (value, path) => {
  if (!Array.isArray(value)) return [{path, message: 'required (use [] if none)'}];
  if (value.every((entry) => typeof entry === 'string')) return fine;
  return value.flatMap((entry, index) =>
    typeof entry === 'string' ? [] : [{path: `${path}[${index}]`, message: 'must be a string'}],
  );
};

const checkList: FieldCheck = (value, path) => {
  if (value == null) return fine;
  if (!Array.isArray(value)) return [{path, message: 'must be a list of commands'}];
  if (value.every(isCheckCommand)) return fine;
  return value.flatMap((entry, index) =>
    isCheckCommand(entry) ? [] : [{path: `${path}[${index}]`, message: 'must be a command on one line'}],
  );
};

const timestamp: FieldCheck = (value, path) =>
  typeof value === 'string' && isTimestamp(value) ? fine : [{path, message: 'required (RFC3339 timestamp)'}];

const parentId: FieldCheck = (value, path) =>
  value == null || (typeof value === 'string' && value !== '')
    ? fine
    : [{path, message: 'must be null or a non-empty ID'}];

const status: FieldCheck = (value, path) => {
  if (statuses.has(value)) return fine;
  const found =
    typeof value === 'string' ? JSON.stringify(value) : `of type ${value === null ? 'null' : typeof value}`;
  return [{path, message: `invalid status ${found}`}];
};

const textByKey: FieldCheck = (value, path) => {
  if (value == null) return fine;
  if (typeof value !== 'object' || Array.isArray(value)) return [{path, message: 'must be an object/map'}];
  const wrong = Object.entries(value).filter(([, text]) => typeof text !== 'string');
  if (wrong.length === 0) return fine;
  return wrong.map(([key]) => ({path: `${path}[${JSON.stringify(key)}]`, message: 'must be a string'}));
};

const sourceOfTask: FieldCheck = (value, path) => {
  if (value == null) return fine;
  const {key, digest, fields} = value as {key?: unknown; digest?: unknown; fields?: unknown};
  return typeof key === 'string' && key !== '' && typeof digest === 'string'
    ? textByKey(fields, `${path}.fields`)
    : [{path, message: 'must be an object with key and digest'}];
};

const statuses: ReadonlySet<unknown> = new Set(taskStatuses);

/** Compiles only if every field of a task has its check. */
const checksByField = {
  id: requiredText,
  title: requiredText,
  description: optionalText,
  acceptanceCriteria: textList,
  prompt: optionalText,
  parentId,
  childIds: textList,
  deps: textList,
  status,
  createdAt: timestamp,
  updatedAt: timestamp,
  notes: optionalText,
  agent: optionalText,
  model: optionalWord,
  effort: optionalWord,
  verify: checkList,
  depRationale: textByKey,
  source: sourceOfTask,
} satisfies Record<keyof Task, FieldCheck>;

const fieldChecks = Object.entries(checksByField).map(([name, check]) => ({name, path: `.${name}`, check}));
