import type {Plan, Task, TaskStatus} from '../../../services/contracts/plan.ts';
import {childrenOf, rootTasks, tasksInTreeOrder} from './plan-graph.ts';
import {longestRise} from './sibling-order.ts';

export type DiffTask = {readonly id: string; readonly title: string};
/** The position of a task: its parent or the root (null), and the sibling before it or none (null). */
export type DiffPlace = {readonly parentId: string | null; readonly after: string | null};
export type FieldChange = {readonly field: string; readonly before: unknown; readonly after: unknown};

/** The difference between two plans in tree order, without derived fields (`childIds`, `updatedAt`). */
export type PlanDiff = {
  readonly added: ReadonlyArray<
    DiffTask &
      DiffPlace & {
        readonly deps: readonly string[];
        /** Set if it is not `todo`. */
        readonly status?: TaskStatus;
        /** Set if it has checks of its own. */
        readonly verify?: readonly string[];
      }
  >;
  readonly changed: ReadonlyArray<DiffTask & {readonly fields: readonly FieldChange[]}>;
  readonly moved: ReadonlyArray<DiffTask & {readonly from: DiffPlace; readonly to: DiffPlace}>;
  readonly deps: ReadonlyArray<
    DiffTask & {
      readonly added: readonly string[];
      readonly removed: readonly string[];
      /** New reasons for dependencies; empty text if a reason was removed. */
      readonly reasons?: Readonly<Record<string, string>>;
    }
  >;
  readonly removed: readonly DiffTask[];
};

export function diffPlans(before: Plan, after: Plan): PlanDiff {
  const kept = tasksInTreeOrder(after).flatMap(({task}) => {
    const old = before.items.get(task.id);
    return old ? [{old, task}] : [];
  });
  const from = placesIn(before);
  const to = placesIn(after);
  const placeOf = (places: Places, {id}: Task) => places.get(id) ?? {parentId: null, after: null};
  const moved = movedTasks(before, after);
  return {
    added: tasksInTreeOrder(after).flatMap(({task}) =>
      before.items.has(task.id)
        ? []
        : [{...named(task), ...placeOf(to, task), deps: task.deps, ...unusual(task)}],
    ),
    changed: kept.flatMap(({old, task}) => {
      const fields = old === task ? [] : changedFields(old, task);
      return fields.length === 0 ? [] : [{...named(task), fields}];
    }),
    moved: kept.flatMap(({old, task}) =>
      moved.has(task.id) ? [{...named(task), from: placeOf(from, old), to: placeOf(to, task)}] : [],
    ),
    deps: kept.flatMap(({old, task}) => {
      if (old.deps === task.deps && old.depRationale === task.depRationale) return [];
      const had = new Set(old.deps);
      const has = new Set(task.deps);
      const added = task.deps.filter((dep) => !had.has(dep));
      const removed = old.deps.filter((dep) => !has.has(dep));
      const reasons = newReasons(old, task);
      return added.length + removed.length + reasons.length === 0
        ? []
        : [
            {
              ...named(task),
              added,
              removed,
              ...(reasons.length > 0 && {reasons: Object.fromEntries(reasons)}),
            },
          ];
    }),
    removed: tasksInTreeOrder(before).flatMap(({task}) => (after.items.has(task.id) ? [] : [named(task)])),
  };
}

export const isEmptyDiff = (diff: PlanDiff): boolean =>
  Object.values(diff).every((entries) => entries.length === 0);

const unusual = ({status, verify}: Task) => ({
  ...(status !== 'todo' && {status}),
  ...(verify && verify.length > 0 && {verify}),
});

const named = ({id, title}: Task): DiffTask => ({id, title});

/** Shown as moves and dependencies, or derived. */
const toldElsewhere: ReadonlySet<string> = new Set([
  'id',
  'parentId',
  'childIds',
  'deps',
  'depRationale',
  'createdAt',
  'updatedAt',
]);

function changedFields(old: Task, task: Task): FieldChange[] {
  const was = old as Readonly<Record<string, unknown>>;
  const is = task as Readonly<Record<string, unknown>>;
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((field) => !toldElsewhere.has(field) && !isSame(was[field], is[field]))
    .map((field) => ({field, before: was[field] ?? null, after: is[field] ?? null}));
}

/** Missing, null and empty text are equivalent. */
const isSame = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one || null) === JSON.stringify(other || null);

/** Only for current dependencies: a reason goes away with its dependency. */
function newReasons(old: Task, task: Task): ReadonlyArray<readonly [dep: string, reason: string]> {
  const reasonIn = ({depRationale}: Task, dep: string) =>
    depRationale && Object.hasOwn(depRationale, dep) ? (depRationale[dep] ?? '') : '';
  return task.deps
    .filter((dep) => reasonIn(old, dep) !== reasonIn(task, dep))
    .map((dep) => [dep, reasonIn(task, dep)]);
}

type Places = ReadonlyMap<string, DiffPlace>;

function placesIn(plan: Plan): Places {
  const places = new Map<string, DiffPlace>();
  for (const {parentId, children} of familiesOf(plan)) {
    children.forEach((id, index) => {
      places.set(id, {parentId, after: children[index - 1] ?? null});
    });
  }
  return places;
}

type Family = {readonly parentId: string | null; readonly children: readonly string[]};

function familiesOf(plan: Plan): Family[] {
  const idsOf = (tasks: readonly Task[]) => tasks.map(({id}) => id);
  return [
    {parentId: null, children: idsOf(rootTasks(plan))},
    ...[...plan.items.values()].flatMap((task) =>
      task.childIds.length === 0 ? [] : [{parentId: task.id, children: idsOf(childrenOf(plan, task))}],
    ),
  ];
}

/** Tasks with another parent, and the smallest set that explains the new order of the remaining siblings. */
function movedTasks(before: Plan, after: Plan): ReadonlySet<string> {
  const moved = new Set<string>();
  const oldFamilies = new Map(familiesOf(before).map(({parentId, children}) => [parentId, children]));
  const oldParents = new Map([...oldFamilies].flatMap(([parent, ids]) => ids.map((id) => [id, parent])));
  for (const {parentId, children} of familiesOf(after)) {
    const position = new Map((oldFamilies.get(parentId) ?? []).map((id, index) => [id, index]));
    const stayed = children.filter((id) => position.has(id));
    for (const id of children) if (before.items.has(id) && oldParents.get(id) !== parentId) moved.add(id);
    const still = longestRise(stayed.map((id) => position.get(id) ?? 0));
    stayed.forEach((id, index) => {
      if (!still.has(index)) moved.add(id);
    });
  }
  return moved;
}
