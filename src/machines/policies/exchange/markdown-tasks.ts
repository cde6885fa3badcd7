import {type TaskStatus, taskStatuses} from '../../../services/contracts/task-status.ts';
import {type ImportedFields, type ImportedTask, ownKey, titleKeys} from './imported-task.ts';
import {slug} from './new-ids.ts';

/** Labels for fields other than the description, each on its own line. */
export const labels = {prompt: 'Prompt:', notes: 'Notes:', verify: 'Verify:', deps: 'Waits for:'} as const;

type Part = 'description' | 'acceptanceCriteria' | keyof typeof labels;

/** A task while its lines are being parsed. */
type OpenTask = {
  readonly line: number;
  readonly column: number;
  readonly parent: OpenTask | null;
  readonly status: TaskStatus;
  title: string;
  marks: ReadonlyMap<string, string>;
  /** Fields that Markdown cannot express. */
  extra: Readonly<Record<string, unknown>>;
  part: Part;
  readonly texts: Map<Part, string[]>;
};

/**
 * The tasks of a Markdown list. Items with a checkbox are tasks, nested by indentation; without any checkbox all items
 * are. Below a task come its description (plain or quoted verbatim), its acceptance criteria (items without a checkbox)
 * and the labelled fields. `<!-- id: x -->` after a title sets the id.
 */
export function markdownTasks(text: string, digest: (text: string) => string): ImportedTask[] {
  const tasks = readTasks(text);
  const keyOf = titleKeys(digest);
  const keys = new Map<OpenTask, string>();
  for (const task of tasks) {
    const id = idOf(task);
    const parentKey = task.parent ? (keys.get(task.parent) ?? null) : null;
    keys.set(task, id === null ? keyOf(parentKey, task.title) : ownKey(id));
  }
  const ids = new Set(tasks.flatMap((task) => idOf(task) ?? []));
  return tasks.map((task) => {
    const {deps: said, ...fields} = fieldsOf(task);
    const {deps: extra} = task.extra;
    const deps = isTexts(extra) ? extra : said;
    return {
      key: keys.get(task) as string,
      at: `line ${task.line}`,
      id: idOf(task),
      idWish: slug(task.title),
      parentKey: task.parent ? (keys.get(task.parent) ?? null) : null,
      title: typeof task.extra.title === 'string' ? task.extra.title : task.title,
      fields,
      deps: deps?.map((dep) => (ids.has(dep) ? ownKey(dep) : dep)) ?? null,
      status: statusOf(task),
    };
  });
}

const listItem = /^([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/;
const checkbox = /^\[([^\]])\](?:[ \t]+(.*))?$/;

function readTasks(text: string): OpenTask[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const hasCheckboxes = lines.some((line) => checkbox.test(listItem.exec(line.trim())?.[2] ?? ''));
  const tasks: OpenTask[] = [];
  const open: OpenTask[] = [];
  let fence: string | null = null;
  lines.forEach((whole, index) => {
    const line = whole.trimEnd();
    const column = columnOf(line);
    const rest = line.trimStart();
    const quoted = rest.startsWith('>') || fence !== null;
    const mark = rest.startsWith('>') ? null : (/^(`{3,}|~{3,})/.exec(rest)?.[1] ?? null);
    if (mark !== null && (fence === null || mark.startsWith(fence))) fence = fence === null ? mark : null;
    const item = quoted || mark !== null ? null : listItem.exec(rest);
    const box = item && checkbox.exec(item[2] ?? '');
    while (rest !== '' && (open.at(-1)?.column ?? -1) >= column) open.pop();
    const parent = open.at(-1) ?? null;
    if (item && (box || !hasCheckboxes)) {
      const task = newTask(index + 1, column, parent, box?.[1] ?? ' ', (box ? box[2] : item[2]) ?? '');
      tasks.push(task);
      open.push(task);
    } else if (parent) {
      addLine(parent, rest, whole.slice(indentOf(whole, parent.column + 2)), item?.[2] ?? null, quoted);
    }
  });
  return tasks.filter((task) => task.title !== '');
}

function newTask(line: number, column: number, parent: OpenTask | null, box: string, text: string): OpenTask {
  const status = box === 'x' || box === 'X' ? 'done' : box === '-' ? 'skipped' : 'todo';
  const comment = /^(.*?)\s*<!--\s*((?:id|status|agent|model|effort):\s.*?)\s*-->$/.exec(text);
  const pairs = comment?.[2]?.split(';').map((pair) => /^\s*(\w+):\s*(.*?)\s*$/.exec(pair)) ?? [];
  const marks = new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? '']] : [])));
  const title = (comment ? (comment[1] ?? '') : text).trim();
  return {line, column, parent, status, title, marks, extra: {}, part: 'description', texts: new Map()};
}

function addLine(task: OpenTask, line: string, raw: string, item: string | null, quoted: boolean): void {
  const label = Object.entries(labels).find(([, text]) => line.startsWith(text));
  const extra = /^<!-- blackbird: (\{.*\}) -->$/.exec(line)?.[1];
  if (extra !== undefined && !quoted) {
    task.extra = parsedObject(extra);
  } else if (label && !quoted) {
    task.part = label[0] as Part;
    const rest = line.slice(label[1].length).trim();
    const list = textsOf(task, task.part);
    if (rest !== '') list.push(...(task.part === 'deps' ? rest.split(/\s*,\s*/) : [rest]));
  } else if (item !== null) {
    const isList = task.part === 'deps' || task.part === 'verify' || task.part === 'acceptanceCriteria';
    if (!isList) task.part = 'acceptanceCriteria';
    textsOf(task, task.part).push(item);
  } else if (line.startsWith('>') && quoted) {
    textsOf(task, task.part).push(raw.trimStart().replace(/^> ?/, ''));
  } else {
    if (task.part === 'acceptanceCriteria') task.part = 'description';
    const list = textsOf(task, task.part);
    if (line !== '' || list.length > 0) list.push(quoted ? raw.trimEnd() : line);
  }
}

function textsOf(task: OpenTask, part: Part): string[] {
  const list = task.texts.get(part) ?? [];
  task.texts.set(part, list);
  return list;
}

function fieldsOf(task: OpenTask): ImportedFields & {deps?: readonly string[]} {
  const {marks, texts, extra} = task;
  const text = (part: Part) => {
    const said = (texts.get(part) ?? []).join('\n').replace(/\n+$/, '');
    return said === '' ? {} : {[part]: said};
  };
  const list = (part: Part) => {
    const said = (texts.get(part) ?? []).filter((entry) => entry !== '');
    return said.length === 0 ? {} : {[part]: said};
  };
  const word = (name: string) => (marks.has(name) ? {[name]: marks.get(name)} : {});
  return {
    ...text('description'),
    ...list('acceptanceCriteria'),
    ...text('prompt'),
    ...text('notes'),
    ...list('verify'),
    ...word('agent'),
    ...word('model'),
    ...word('effort'),
    ...list('deps'),
    ...Object.fromEntries(extraFields.flatMap((name) => (name in extra ? [[name, extra[name]]] : []))),
  };
}

/** Not validated here: the resulting plan is checked as a whole. */
const extraFields = [
  'description',
  'acceptanceCriteria',
  'prompt',
  'notes',
  'verify',
  'agent',
  'model',
  'effort',
  'depRationale',
] as const;

function idOf({marks, extra}: OpenTask): string | null {
  return typeof extra.id === 'string' ? extra.id : (marks.get('id') ?? null);
}

function statusOf({marks, status}: OpenTask): TaskStatus {
  return taskStatuses.find((each) => each === marks.get('status')) ?? status;
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');

function parsedObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    // Someone edited it; then it is ignored.
    return {};
  }
}

/** A tab advances to the next multiple of four columns. */
function columnOf(line: string): number {
  let column = 0;
  for (const character of line) {
    if (character === ' ') column++;
    else if (character === '\t') column += 4 - (column % 4);
    else break;
  }
  return column;
}

/** How many whitespace characters to remove, so that the rest keeps its own indentation. */
function indentOf(line: string, columns: number): number {
  let index = 0;
  while (index < columns && (line[index] === ' ' || line[index] === '\t')) index++;
  return index;
}
