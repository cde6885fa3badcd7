import {expect} from 'vitest';
import type {Plan, Task} from '../../src/services/contracts/plan.ts';
import type {RawPlan} from '../../src/services/contracts/stores.ts';

/** When every task of a test plan was created, and when it is changed. */
export const made = '2026-01-01T00:00:00Z';
export const now = '2026-02-02T02:02:02.000Z';

export function task(id: string, fields: Partial<Task> = {}): Task {
  return {
    id,
    title: `Task ${id}`,
    description: '',
    acceptanceCriteria: [],
    prompt: '',
    parentId: null,
    childIds: [],
    deps: [],
    status: 'todo',
    createdAt: made,
    updatedAt: made,
    ...fields,
  };
}

/** A parent followed by its children, each of which may be a family itself. */
export function family(parent: Task, ...children: ReadonlyArray<Task | readonly Task[]>): Task[] {
  const families = children.map((child) => ('id' in child ? [child] : [...child]));
  return [
    {...parent, childIds: families.flatMap(([head]) => head?.id ?? [])},
    ...families.flatMap(([head, ...rest]) => (head ? [{...head, parentId: parent.id}, ...rest] : [])),
  ];
}

export function planOf(...tasks: ReadonlyArray<Task | readonly Task[]>): Plan {
  return {schemaVersion: 1, items: new Map(tasks.flat().map((each) => [each.id, each]))};
}

/** The plan as a store passes it to the rules. */
export function rawPlan({items, ...root}: Plan): RawPlan {
  return {root, items: [...items]};
}

/** A task of a plan; fails the test if there is none. */
export function taskIn(plan: Plan, id: string): Task {
  const found = plan.items.get(id);
  if (!found) throw new Error(`the plan has no task ${JSON.stringify(id)}`);
  return found;
}

/** The plan after a manual status change, for example in a text editor. */
export function withStatus(plan: Plan, id: string, status: Task['status'], updatedAt = now): Plan {
  return {...plan, items: new Map(plan.items).set(id, {...taskIn(plan, id), status, updatedAt})};
}

export const statuses = (plan: Plan): Record<string, string> =>
  Object.fromEntries([...plan.items.values()].map(({id, status}) => [id, status]));

/** How many tasks a job takes from the plan one after another: a copy of the plan takes all of them. */
export function readsOf(plan: Plan, job: (plan: Plan) => unknown): number {
  const items = new Map(plan.items);
  let count = 0;
  const counted = function* <T>(all: Iterable<T>) {
    for (const each of all) {
      count++;
      yield each;
    }
  };
  const [entries, values] = [items.entries.bind(items), items.values.bind(items)];
  Object.assign(items, {[Symbol.iterator]: () => counted(entries()), values: () => counted(values())});
  job({...plan, items});
  return count;
}

/** The size every policy must handle with ease. */
export const hugeSize = 100_000;

const names = (count: number, prefix: string) =>
  Array.from({length: count}, (_, index) => `${prefix}${index}`);

/** t0 depends on t1, t1 on t2, and so on. */
export function hugeChain(count = hugeSize): Plan {
  const ids = names(count, 't');
  return planOf(ids.map((id, index) => task(id, {deps: ids.slice(index + 1, index + 2)})));
}

/** Every task depends on the next two, so the number of paths is astronomical. */
export function hugeLadder(count = hugeSize): Plan {
  const ids = names(count, 't');
  return planOf(ids.map((id, index) => task(id, {deps: ids.slice(index + 1, index + 3)})));
}

/** One parent with all other tasks as its children. */
export function hugeFamily(count = hugeSize): Plan {
  const ids = names(count - 1, 'c');
  return planOf(task('p', {childIds: ids}), ...ids.map((id) => task(id, {parentId: 'p'})));
}

/** Every task is the only child of the previous one. */
export function hugeLineage(count = hugeSize): Plan {
  const ids = names(count, 'g');
  return planOf(
    ids.map((id, index) =>
      task(id, {parentId: ids[index - 1] ?? null, childIds: ids.slice(index + 1, index + 2)}),
    ),
  );
}

/** The result of a job that must be cheap. Measures CPU time, so that a busy machine does not fail it. */
export function promptly<T>(job: () => T, limitMilliseconds = 5_000): T {
  const start = process.cpuUsage();
  const result = job();
  const {user, system} = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(limitMilliseconds);
  return result;
}
