import {AppError} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {walkTree} from '../plan/plan-graph.ts';
import {displayLine, displayText} from '../text/display-text.ts';
import type {ImportedTask} from './imported-task.ts';
import {labels, markdownTasks} from './markdown-tasks.ts';

/** Deeper lists would be indented beyond reading. */
const depthLimit = 100;

/**
 * The plan as a Markdown list that `plan import` restores exactly. Anything that Markdown cannot hold verbatim, or a
 * terminal should not print, goes into a comment as JSON.
 */
export function markdownPlan(plan: Plan): string {
  const lines: string[] = [];
  for (const {task, depth} of walkTree(plan)) {
    if (depth >= depthLimit) {
      throw new AppError('E_USAGE', `a Markdown list cannot hold more than ${depthLimit} levels of tasks`, {
        next: [{command: 'blackbird plan export --format json', why: 'any depth'}],
      });
    }
    const indent = '  '.repeat(depth);
    for (const line of taskLines(task)) lines.push(line === '' ? '' : indent + line);
  }
  return lines.join('\n');
}

/** Writes everything as plain text, parses it again, and puts what differs into JSON. */
function taskLines(task: Task): string[] {
  const plain = plainLines(task);
  const lost = lostFields(task, plain);
  if (lost.size === 0) return plain;
  const rest = plainLines(without(task, lost));
  // The rest may have been misread because of what was removed; then nothing is written as plain text.
  const all = new Set(sayings(task).map(({name}) => name));
  const isRight = [...lostFields(task, rest)].every((name) => lost.has(name));
  const [shown, told] = isRight ? [rest, lost] : [plainLines(without(task, all)), all];
  const missing = Object.fromEntries([...told].map((name) => [name, task[name] ?? null]));
  return [...shown, '', `  <!-- blackbird: ${commentJson(missing)} -->`];
}

function lostFields(task: Task, lines: readonly string[]): ReadonlySet<Field> {
  const [read] = markdownTasks(lines.join('\n'), (text) => text);
  const said = new Map(sayings(task).map(({name, value}) => [name, value]));
  return new Set(
    fields.filter((name) => {
      const value = said.get(name);
      return !isSafe(value) || JSON.stringify(value) !== JSON.stringify(readBack(read, name));
    }),
  );
}

type Field =
  | 'id'
  | 'title'
  | 'deps'
  | 'depRationale'
  | (typeof textFields)[number]
  | (typeof listFields)[number];
const textFields = ['description', 'prompt', 'notes', 'agent', 'model', 'effort'] as const;
const listFields = ['acceptanceCriteria', 'verify'] as const;

const fields: readonly Field[] = ['id', 'title', ...textFields, ...listFields, 'deps', 'depRationale'];

/** The fields of a task that are not empty. */
function sayings(task: Task): Array<{name: Field; value: unknown}> {
  return fields.flatMap((name) => {
    const value = task[name];
    const isEmpty =
      value == null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
    return isEmpty ? [] : [{name, value}];
  });
}

function readBack(read: ImportedTask | undefined, name: Field): unknown {
  if (name === 'id' || name === 'title') return read?.[name];
  return name === 'deps' ? (read?.deps ?? undefined) : read?.fields[name];
}

const isSafe = (value: unknown): boolean =>
  typeof value === 'string'
    ? displayText(value) === value
    : Array.isArray(value)
      ? value.every(isSafe)
      : Object.entries(value ?? {}).every(isSafe);

/** Fields in the comment need not be repeated above it; id and title are shown as far as possible. */
function without(task: Task, names: ReadonlySet<Field>): Task {
  const kept = Object.entries(task).filter(([name]) => !names.has(name as Field)) as Array<[string, never]>;
  const {id, title} = task;
  const shown = (name: 'id' | 'title', text: string, other: string) =>
    names.has(name)
      ? displayLine(text)
          .replace(/[^\p{L}\p{N} .,_-]/gu, '')
          .trim() || other
      : text;
  return {
    ...Object.fromEntries(kept),
    id: shown('id', id, 'task'),
    title: shown('title', title, 'untitled'),
  } as Task;
}

const boxes: Partial<Record<Task['status'], string>> = {done: 'x', skipped: '-', todo: ' '};

function plainLines(task: Task): string[] {
  const {id, title, status, agent, model, effort} = task;
  const marks = Object.entries({id, status: status in boxes ? null : status, agent, model, effort}).flatMap(
    ([name, value]) => (value ? [`${name}: ${value}`] : []),
  );
  const quote = (text: string) => text.split('\n').map((line) => (line === '' ? '  >' : `  > ${line}`));
  const items = (list: readonly string[]) => list.map((entry) => `  - ${entry}`);
  const block = (label: string | null, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', ...(label === null ? [] : [`  ${label}`, '']), ...lines];
  const {description, prompt, notes, acceptanceCriteria = [], verify, deps = []} = task;
  return [
    `- [${boxes[status] ?? ' '}] ${title} <!-- ${marks.join('; ')} -->`,
    ...block(null, description ? quote(description) : []),
    ...block(null, items(acceptanceCriteria)),
    ...block(null, deps.length === 0 ? [] : [`  ${labels.deps} ${deps.join(', ')}`]),
    ...block(labels.prompt, prompt ? quote(prompt) : []),
    ...block(labels.verify, items(verify ?? [])),
    ...block(labels.notes, notes ? quote(notes) : []),
  ];
}

/** Escaped so that it cannot end the comment or control a terminal. */
function commentJson(value: unknown): string {
  return JSON.stringify(value).replace(/--|[\u007f-\uffff]/g, (found) =>
    found === '--' ? '-\\u002d' : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
