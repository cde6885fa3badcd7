import {type TaskStatus, taskStatuses} from '../../../services/contracts/task-status.ts';
import {parseCsv, readCell} from './csv.ts';
import {
  type ImportedFields,
  type ImportList,
  type ImportProblem,
  ownKey,
  titleKeys,
} from './imported-task.ts';
import {slug} from './new-ids.ts';

/** The columns of an export, with common aliases. */
export const csvColumns = [
  'id',
  'parent',
  'title',
  'status',
  'deps',
  'description',
  'acceptance_criteria',
  'prompt',
  'notes',
  'verify',
  'agent',
  'model',
  'effort',
] as const;

export type CsvColumn = (typeof csvColumns)[number];

const otherNames: Readonly<Record<string, CsvColumn>> = {
  name: 'title',
  summary: 'title',
  task: 'title',
  key: 'id',
  body: 'description',
  parent_id: 'parent',
  parentid: 'parent',
  dependencies: 'deps',
  dependency: 'deps',
  dep: 'deps',
  depends_on: 'deps',
  waits_for: 'deps',
  state: 'status',
  criteria: 'acceptance_criteria',
  acceptancecriteria: 'acceptance_criteria',
};

/** The tasks of a table whose first row names the columns. Unknown columns are ignored and reported. */
export function csvTasks(text: string, digest: (text: string) => string): ImportList {
  const [head = [], ...rows] = parseCsv(text);
  const columns = head.map(columnOf);
  if (!columns.includes('title')) {
    return {problems: [{at: 'row 1', message: `no column "title" (known: ${csvColumns.join(', ')})`}]};
  }
  const problems: ImportProblem[] = [];
  const keyOf = titleKeys(digest);
  const titles = new Set(rows.map((cells) => readCell(cells[columns.indexOf('title')] ?? '').trim()));
  const tasks = rows.map((cells, index) => {
    const at = `row ${index + 2}`;
    const isShifted = cells.length > head.length;
    if (isShifted) {
      const message = `${cells.length} fields, but the header has ${head.length}; put a field that holds a comma in "quotes"`;
      problems.push({at, message});
    }
    const has = (column: CsvColumn) => columns.includes(column);
    const value = (column: CsvColumn) => readCell(cells[columns.indexOf(column)] ?? '');
    const text = (column: CsvColumn & keyof ImportedFields) => (has(column) ? {[column]: value(column)} : {});
    const word = (column: CsvColumn & keyof ImportedFields) =>
      has(column) ? {[column]: value(column).trim() || null} : {};
    const title = value('title');
    if (!isShifted && title.trim() === '') problems.push({at, message: 'title is required'});
    const id = value('id').trim() || null;
    const parent = value('parent').trim();
    const status = statusOf(value('status'));
    if (!isShifted && status === undefined)
      problems.push({at, message: `unknown status ${JSON.stringify(value('status'))}`});
    const verify = linesOf(value('verify'));
    return {
      key: id === null ? keyOf(parent, title) : ownKey(id),
      at,
      id,
      idWish: slug(title),
      parentKey: parent === '' ? null : parent,
      title,
      fields: {
        ...text('description'),
        ...text('prompt'),
        ...(has('notes') ? {notes: value('notes') || null} : {}),
        ...(has('acceptance_criteria') ? {acceptanceCriteria: linesOf(value('acceptance_criteria'))} : {}),
        ...(has('verify') ? {verify: verify.length === 0 ? null : verify} : {}),
        ...word('agent'),
        ...word('model'),
        ...word('effort'),
      },
      deps: has('deps') ? namesIn(value('deps'), titles) : null,
      status: status ?? null,
    };
  });
  const ignored = head.flatMap((name, index) => (columns[index] === null ? ignoredColumn(name) : []));
  const own = new Set(tasks.flatMap(({id}) => id ?? []));
  const keyed = (name: string) => (own.has(name) ? ownKey(name) : name);
  return problems.length > 0
    ? {problems}
    : {
        tasks: tasks.map((task) => ({
          ...task,
          parentKey: task.parentKey === null ? null : keyed(task.parentKey),
          deps: task.deps?.map(keyed) ?? null,
        })),
        ...(ignored.length > 0 && {ignored}),
      };
}

/** Ids, or titles exactly as in the table: only those may contain spaces. */
const namesIn = (text: string, titles: ReadonlySet<string>): string[] =>
  text
    .split(/[,;\n]+/)
    .flatMap((part) => (titles.has(part.trim()) ? [part.trim()] : part.split(/\s+/)))
    .filter((name) => name !== '');

/** Suggests the known column that was probably meant. Unnamed columns are ignored silently. */
function ignoredColumn(name: string): string[] {
  const plain = plainName(name);
  if (plain === '') return [];
  const near = nearestColumn(plain);
  const hint = near === null ? `known: ${csvColumns.join(', ')}` : `did you mean ${near}?`;
  return [`the column ${JSON.stringify(name.trim())} is not read (${hint})`];
}

function nearestColumn(plain: string): CsvColumn | null {
  const known = [...csvColumns, ...Object.keys(otherNames)];
  const part = known.find((name) => name.startsWith(plain) || plain.startsWith(`${name}_`));
  const near = plain.length < 3 ? undefined : (part ?? known.find((name) => isNearly(name, plain)));
  return near === undefined ? null : columnOf(near);
}

/** One letter added, missing or different, or two swapped. */
function isNearly(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [left, right] = [one.slice(start), other.slice(start)];
  return (
    left.slice(1) === right ||
    left === right.slice(1) ||
    left.slice(1) === right.slice(1) ||
    (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2))
  );
}

const plainName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');

function columnOf(name: string): CsvColumn | null {
  const plain = plainName(name);
  return (
    csvColumns.find((column) => column === plain) ??
    (Object.hasOwn(otherNames, plain) ? (otherNames[plain] ?? null) : null)
  );
}

const otherStatuses: Readonly<Record<string, TaskStatus>> = {
  open: 'todo',
  to_do: 'todo',
  closed: 'done',
  completed: 'done',
  complete: 'done',
  cancelled: 'skipped',
  canceled: 'skipped',
};

/** Null if empty, undefined if unknown. */
function statusOf(text: string): TaskStatus | null | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  if (plain === '') return null;
  return (
    taskStatuses.find((status) => status === plain) ??
    (Object.hasOwn(otherStatuses, plain) ? otherStatuses[plain] : undefined)
  );
}

const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== '');
