import {AppError} from '../../../services/contracts/errors.ts';
import type {Plan, Task, TaskSource, TaskStatus} from '../../../services/contracts/plan.ts';
import {applyPatch, type PatchOperation} from '../plan/plan-patch.ts';
import {type ImportedTask, type ImportProblem, ownKey} from './imported-task.ts';
import {idMaker} from './new-ids.ts';

export type ImportFrom = {
  /** Tells lists apart that know the same keys: the path of a file, `issues`. */
  readonly source: string;
  readonly digest: (text: string) => string;
};

/**
 * The plan with every task of the list: known ones are updated where the list changed since the last import, new ones
 * are added behind the sibling they follow. A status that somebody gave a task here is never taken back. The same plan
 * when the list says nothing new.
 */
export function mergeImport(
  plan: Plan,
  tasks: readonly ImportedTask[],
  {source, digest}: ImportFrom,
  now: string,
): Plan {
  const ids = matchIds(plan, tasks, source);
  const byKey = new Map(tasks.map((each) => [each.key, each]));
  const idOf = (key: string) => ids.get(key) ?? (plan.items.has(key) ? key : undefined);
  const imported = new Set(ids.values());
  const problems: ImportProblem[] = [];
  const operations: PatchOperation[] = [];
  const previous = new Map<string | null, string>();

  for (const each of tasks) {
    const id = ids.get(each.key) as string;
    const parentId = each.parentKey === null ? null : (idOf(each.parentKey) ?? null);
    if (each.parentKey !== null && parentId === null) problems.push(unknown(each, 'parent', each.parentKey));
    const deps = each.deps?.map((key) => idOf(key) ?? key) ?? null;
    for (const dep of deps ?? []) {
      if (!plan.items.has(dep) && !imported.has(dep)) problems.push(unknown(each, 'dependency', dep));
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
        : {source: {key: `${source}#${each.key}`, digest: whole, fields: fieldDigests(each, digest)}};
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
    const said = Object.fromEntries(
      Object.entries({title: each.title, ...fields}).filter(([name]) => isNews(name)),
    );
    const status = laterStatus(known, each.status);
    operations.push({type: 'edit', taskId: id, fields: {...said, ...mark, ...status}});
    const isElsewhere = (known.parentId ?? null) !== parentId;
    if (isElsewhere && isNews('parent')) operations.push({type: 'move', taskId: id, place});
    if (deps && isNews('deps')) {
      // Those that somebody added here, on tasks the list does not know, stay.
      const own = each.id === null ? known.deps.filter((dep) => !imported.has(dep)) : [];
      const reasons = depRationale == null ? {} : {depRationale};
      operations.push({type: 'deps', taskId: id, deps: [...new Set([...deps, ...own])], ...reasons});
    }
  }
  if (problems.length > 0) throw importRefusal(problems);
  const result = applyPatch(plan, operations, now);
  if ('plan' in result) return result.plan;
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

/** A cycle is a problem of the whole plan; the rows that close it are what somebody can change. */
const idsInCycle = (message: string): readonly string[] =>
  /cycle detected: (.+)$/s.exec(message)?.[1]?.split(' -> ') ?? [];

/** So many are told; the first ones explain most of the rest. */
const problemLimit = 10;

export function importRefusal(problems: readonly ImportProblem[], count = problems.length): AppError {
  const shown = problems.slice(0, problemLimit).map(({at, message}) => [at, message] as const);
  const left = count - shown.length;
  return new AppError('E_IMPORT', 'this list cannot be imported; nothing was written', {
    details: left > 0 ? [...shown, ['…', `and ${left} more`]] : shown,
  });
}

/** The id of every task of the list: its own, that of the task which came from here before, or a new one. */
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

/** Runs do not come with a list, so nothing can be under way or waiting that is new here. */
const newStatus = (status: TaskStatus | null): TaskStatus =>
  status === null || status === 'in_progress' || status === 'queued' || status === 'waiting_user'
    ? 'todo'
    : status;

/** The list may say that something nobody here has touched is done elsewhere. */
function laterStatus(task: Task, status: TaskStatus | null): {status?: TaskStatus} {
  const isOver = status === 'done' || status === 'skipped';
  return isOver && task.status === 'todo' && task.childIds.length === 0 ? {status} : {};
}

const saying = ({title, fields, parentKey, deps, status}: ImportedTask) =>
  JSON.stringify([title, Object.entries(fields).toSorted(), parentKey, deps, status]);

function fieldDigests(
  {title, fields, parentKey, deps}: ImportedTask,
  digest: ImportFrom['digest'],
): Readonly<Record<string, string>> {
  const {depRationale, ...others} = fields;
  const said = {title, ...others, parent: parentKey, deps: [deps, depRationale]};
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [name, digest(JSON.stringify(value) ?? '').slice(0, 12)]),
  );
}

/** Whether the list says something else of a field than the last time. Where that is not known, it does. */
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
