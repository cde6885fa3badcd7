import type {TaskStatus} from '../../../services/contracts/task-status.ts';
import type {ImportedTask, ImportList, ImportProblem} from './imported-task.ts';
import {isRecord, textOf} from './json-values.ts';

/** A `tasks.json` of task-master, in the old layout (`tasks`) or with tags, one of which is imported. */
export function taskMasterTasks(value: unknown, tag: string | undefined): ImportList {
  const root = isRecord(value) ? value : {};
  const lists = new Map<string, readonly unknown[]>();
  if (Array.isArray(root.tasks)) lists.set('master', root.tasks);
  for (const [name, each] of Object.entries(root)) {
    if (isRecord(each) && Array.isArray(each.tasks)) lists.set(name, each.tasks);
  }
  const chosen =
    tag ?? (lists.has('master') || lists.size !== 1 ? 'master' : [...lists.keys()][0]) ?? 'master';
  const list = lists.get(chosen);
  if (!list) {
    const known = [...lists.keys()].join(', ');
    return {
      problems: [{at: 'tags', message: `no tag ${JSON.stringify(chosen)}; choose one with --tag: ${known}`}],
    };
  }
  return readList(list, chosen === 'master' ? '' : `${chosen}/`);
}

/** `prefix` separates the tags of one file. */
function readList(list: readonly unknown[], prefix: string): ImportList {
  const problems: ImportProblem[] = [];
  const tasks: ImportedTask[] = [];
  const read = (value: unknown, parent: string | null, siblings: ReadonlySet<string>) => {
    const task = isRecord(value) ? value : {};
    const own = textOf(task.id).trim();
    // Subtasks are numbered within their task; `1.2` means the same.
    const number = parent === null || own.startsWith(`${parent}.`) ? own : `${parent}.${own}`;
    const at = `task ${number === '' ? tasks.length + 1 : number}`;
    const title = textOf(task.title).trim();
    if (own === '') problems.push({at, message: 'no id'});
    else if (title === '') problems.push({at, message: 'no title'});
    const deps = (Array.isArray(task.dependencies) ? task.dependencies : []).map((dep: unknown) => {
      const name = textOf(dep).trim();
      return parent !== null && siblings.has(name) ? `${parent}.${name}` : name;
    });
    const testing = textOf(task.testStrategy).trim();
    tasks.push({
      key: prefix + number,
      at,
      id: null,
      idWish: `${prefix.replace('/', '-')}${number}`,
      parentKey: parent === null ? null : prefix + parent,
      title,
      fields: {
        description: textOf(task.description),
        prompt: textOf(task.details),
        ...(testing === '' ? {} : {acceptanceCriteria: [testing]}),
      },
      // Drops dependencies between a task and its own subtasks, which are implied.
      deps: [...new Set(deps)].filter((dep) => !isAlong(dep, number)).map((dep) => prefix + dep),
      status: statusOf(textOf(task.status)),
    });
    return {number, children: Array.isArray(task.subtasks) ? (task.subtasks as unknown[]) : []};
  };
  const stack = list
    .map((value) => ({value, parent: null as string | null, siblings: new Set<string>()}))
    .reverse();
  for (let next = stack.pop(); next; next = stack.pop()) {
    const {number, children} = read(next.value, next.parent, next.siblings);
    const siblings = new Set(children.map((child) => (isRecord(child) ? textOf(child.id).trim() : '')));
    for (const value of children.toReversed()) stack.push({value, parent: number, siblings});
  }
  return problems.length > 0 ? {problems} : {tasks};
}

const isAlong = (one: string, other: string) =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);

const statuses: Readonly<Record<string, TaskStatus>> = {
  done: 'done',
  completed: 'done',
  cancelled: 'skipped',
  deferred: 'skipped',
  blocked: 'blocked',
};

const statusOf = (text: string): TaskStatus =>
  Object.hasOwn(statuses, text) ? (statuses[text] ?? 'todo') : 'todo';
