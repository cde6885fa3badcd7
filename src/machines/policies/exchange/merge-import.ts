import {AppError} from '../../../services/contracts/errors.ts';
import type {Plan, Task, TaskSource, TaskStatus} from '../../../services/contracts/plan.ts';
import {applyPatch, type PatchOperation} from '../plan/plan-patch.ts';
import {type ImportedTask, type ImportProblem, ownKey} from './imported-task.ts';
import {fieldOf, isAsImported, isSameField, type KeptField} from './kept-fields.ts';
import {meantTask, titleFinder} from './meant-task.ts';
import {idMaker} from './new-ids.ts';

export type ImportFrom = {
  /** Distinguishes lists that use the same keys: the path of a file, or `issues`. */
  readonly source: string;
  readonly digest: (text: string) => string;
};

/** `kept`: fields where the plan won over a change in the list. */
export type Merged = {readonly plan: Plan; readonly kept: readonly KeptField[]};

/**
 * Merges a list into the plan. Known tasks are updated where the list changed since the last import and the plan did
 * not; new ones are added after the sibling they follow. A status set here is never overwritten. Returns the same plan
 * if nothing is new.
 */
export function mergeImport(
  plan: Plan,
  list: readonly ImportedTask[],
  {source, digest}: ImportFrom,
  now: string,
): Merged {
  const ids = matchIds(plan, list, source);
  const idOf = (key: string) => ids.get(key) ?? (plan.items.has(key) ? key : undefined);
  const imported = new Set(ids.values());
  const problems: ImportProblem[] = [];
  const tasks = byKeys(list, plan, (key) => imported.has(key) || idOf(key) !== undefined, problems);
  const byKey = new Map(tasks.map((each) => [each.key, each]));
  const operations: PatchOperation[] = [];
  const kept: KeptField[] = [];
  const digestOf = shortDigest(digest);
  const namesOf = namesIn(plan, ids, source);
  const areDepsAsImported = ({deps, depRationale}: Task, before: string | undefined) => {
    // Dependencies that the list does not have were added here; ones it dropped may be either.
    const listed = deps.filter((dep) => imported.has(dep));
    const ever = deps.filter((dep) => imported.has(dep) || namesOf(dep).length > 1);
    const named = [listed, ever].map((each) => each.map((dep) => namesOf(dep)[0]));
    const sayings = [listed, ever, ...named, ...(listed.length === 0 ? [null] : [])];
    return sayings.some((names) =>
      [undefined, depRationale].some((reasons) => digestOf([names, reasons]) === before),
    );
  };
  const previous = new Map<string | null, string>();

  for (const each of tasks) {
    const id = ids.get(each.key) as string;
    const parentId = each.parentKey === null ? null : (idOf(each.parentKey) ?? null);
    if (each.parentKey !== null && parentId === null) problems.push(unknown(each, 'parent', each.parentKey));
    const deps = each.deps?.map((key) => idOf(key) ?? key) ?? null;
    for (const dep of deps ?? []) {
      if (plan.items.has(dep) || imported.has(dep)) continue;
      // A hint that is not shown need not be computed.
      const hint = problems.length < problemLimit ? meantTask(dep, tasks, plan) : '';
      const {at, message} = unknown(each, 'dependency', dep);
      problems.push({at, message: `${message}${hint}`});
    }
    const after = previous.get(parentId);
    previous.set(parentId, id);
    const place = {parentId, ...(after === undefined ? {} : {after})};
    // Tasks with an id of their own need no other mark.
    const whole = each.id === null ? digest(saying(each)) : null;
    const known = plan.items.get(id);
    if (known && whole !== null && whole === known.source?.digest) continue;
    const mark =
      whole === null
        ? {}
        : {
            source: {
              key: `${source}#${each.key}`,
              digest: whole,
              fields: {...known?.source?.fields, ...fieldDigests(each, digestOf)},
            },
          };
    if (!known) {
      const {depRationale, ...fields} = each.fields;
      const given = withoutNulls(fields);
      const status = newStatus(each.status);
      const reasons = depRationale == null ? {} : {depRationale};
      operations.push({
        type: 'add',
        task: {
          id,
          title: each.title,
          ...given,
          ...place,
          status,
          ...mark,
          ...(deps ? {deps, ...reasons} : {}),
        },
      });
      continue;
    }
    const {depRationale, ...fields} = each.fields;
    const isNews = newsSince(known.source?.fields, mark.source?.fields);
    const before = each.id === null ? known.source?.fields : null;
    const keep = (field: string, here: unknown, list: unknown) =>
      kept.push({id, at: each.at, field, here: here ?? null, list: list ?? null});
    const said = Object.fromEntries(
      Object.entries({title: each.title, ...fields}).filter(([name, value]) => {
        if (!isNews(name)) return false;
        const here = fieldOf(known, name);
        if (before == null || isSameField(here, value) || isAsImported(here, before[name], digestOf))
          return true;
        keep(name, here, value);
        return false;
      }),
    );
    const status = laterStatus(known, each.status);
    operations.push({type: 'edit', taskId: id, fields: {...said, ...mark, ...status}});
    const isElsewhere = (known.parentId ?? null) !== parentId;
    if (isElsewhere && isNews('parent')) {
      const names = known.parentId == null ? [null] : namesOf(known.parentId);
      if (before == null || names.some((name) => digestOf(name) === before.parent))
        operations.push({type: 'move', taskId: id, place});
      else keep('parent', known.parentId, parentId);
    }
    if (deps && isNews('deps')) {
      // Keeps dependencies that were added here on tasks the list does not know.
      const own = each.id === null ? known.deps.filter((dep) => !imported.has(dep)) : [];
      const reasons = depRationale == null ? {} : {depRationale};
      const wanted = [...new Set([...deps, ...own])];
      if (before == null || isSameField(wanted, known.deps) || areDepsAsImported(known, before.deps))
        operations.push({type: 'deps', taskId: id, deps: wanted, ...reasons});
      else keep('deps', known.deps, wanted);
    }
  }
  if (problems.length > 0) throw importRefusal(problems);
  const result = applyPatch(plan, operations, now);
  if ('plan' in result) return {plan: result.plan, kept};
  const rows = new Map([...ids].map(([key, id]) => [id, byKey.get(key)?.at]));
  const place = (path: string, message: string) => {
    const at = /^\$\.operations\[(\d+)\]/.exec(path)?.[1];
    const operation = at === undefined ? undefined : operations[Number(at)];
    const id = operation?.type === 'add' ? operation.task.id : operation?.taskId;
    const named = id === undefined ? idsInCycle(message) : [id];
    return [...new Set(named.flatMap((each) => rows.get(each) ?? []))].join(', ') || path;
  };
  const told = result.problems
    .slice(0, problemLimit)
    .map(({path, message}) => ({at: place(path, message), message}));
  throw importRefusal(told, result.problems.length);
}

/** References by title are replaced by keys, so that the next import compares the same thing. */
function byKeys(
  tasks: readonly ImportedTask[],
  plan: Plan,
  isKnown: (key: string) => boolean,
  problems: ImportProblem[],
): readonly ImportedTask[] {
  let find: ReturnType<typeof titleFinder> | null = null;
  return tasks.map((task) => {
    if (task.deps === null || task.deps.every(isKnown)) return task;
    const deps = task.deps.flatMap((name) => {
      if (isKnown(name)) return [name];
      find ??= titleFinder(tasks, plan);
      const found = find(name);
      if (found.type === 'unknown') return [name];
      if (found.type === 'found') return [found.key];
      problems.push({at: task.at, message: ambiguous(name, found.at)});
      return [];
    });
    return {...task, deps};
  });
}

const ambiguous = (name: string, at: readonly string[]) =>
  `dependency ${JSON.stringify(name)} is the title of more than one task (${at.join(', ')}): give the one you mean an id (<!-- id: x --> behind its title in Markdown, the column id in a CSV) and name that`;

/** A cycle is a problem of the whole plan, but the rows that close it are what the user can change. */
const idsInCycle = (message: string): readonly string[] =>
  /cycle detected: (.+)$/s.exec(message)?.[1]?.split(' -> ') ?? [];

/** The maximum number of problems reported; the first ones explain most of the others. */
const problemLimit = 10;

export function importRefusal(problems: readonly ImportProblem[], count = problems.length): AppError {
  const shown = problems.slice(0, problemLimit).map(({at, message}) => [at, message] as const);
  const left = count - shown.length;
  return new AppError('E_IMPORT', 'this list cannot be imported; nothing was written', {
    details: left > 0 ? [...shown, ['…', `and ${left} more`]] : shown,
  });
}

/** The id of every task in the list: its own, that of the task imported from it before, or a new one. */
function matchIds(plan: Plan, tasks: readonly ImportedTask[], source: string): ReadonlyMap<string, string> {
  const bySource = new Map(
    [...plan.items.values()].flatMap(({id, source: from}) => (from ? [[from.key, id] as const] : [])),
  );
  const own = tasks.flatMap(({id}) => (id === null ? [] : [id]));
  const newId = idMaker([...plan.items.keys(), ...own]);
  return new Map(
    tasks.map(({key, id, idWish}) => [key, id ?? bySource.get(`${source}#${key}`) ?? newId(idWish)]),
  );
}

/** Every name that the list may use for a task of the plan. */
function namesIn(plan: Plan, ids: ReadonlyMap<string, string>, source: string) {
  const keys = new Map([...ids].map(([key, id]) => [id, key]));
  const prefix = `${source}#`;
  return (id: string): string[] => {
    const from = plan.items.get(id)?.source?.key;
    const old = from?.startsWith(prefix) ? [from.slice(prefix.length)] : [];
    return [...new Set([...old, keys.get(id) ?? id, id])];
  };
}

/** Runs are not imported, so a new task cannot be in progress or waiting. */
const newStatus = (status: TaskStatus | null): TaskStatus =>
  status === null || status === 'in_progress' || status === 'queued' || status === 'waiting_user'
    ? 'todo'
    : status;

/** The list may mark a task done elsewhere if nobody touched it here. */
function laterStatus(task: Task, status: TaskStatus | null): {status?: TaskStatus} {
  const isOver = status === 'done' || status === 'skipped';
  return isOver && task.status === 'todo' && task.childIds.length === 0 ? {status} : {};
}

const saying = ({title, fields, parentKey, deps, status}: ImportedTask) =>
  JSON.stringify([title, Object.entries(fields).toSorted(), parentKey, deps, status]);

const shortDigest = (digest: ImportFrom['digest']) => (value: unknown) =>
  digest(JSON.stringify(value) ?? '').slice(0, 12);

function fieldDigests(
  {title, fields, parentKey, deps}: ImportedTask,
  digestOf: (value: unknown) => string,
): Readonly<Record<string, string>> {
  const {depRationale, ...others} = fields;
  const said = {title, ...others, parent: parentKey, deps: [deps, depRationale]};
  return Object.fromEntries(Object.entries(said).map(([name, value]) => [name, digestOf(value)]));
}

/** Whether the list changed a field since the last import; assumed if that is unknown. */
const newsSince =
  (before: TaskSource['fields'], now: TaskSource['fields']) =>
  (name: string): boolean =>
    before == null || now == null || before[name] !== now[name];

function unknown({at}: ImportedTask, what: string, key: string): ImportProblem {
  return {at, message: `unknown ${what} ${JSON.stringify(key.startsWith(ownKey('')) ? key.slice(3) : key)}`};
}

type Given<T> = {[K in keyof T]?: Exclude<T[K], null>};

const withoutNulls = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Given<T>;
