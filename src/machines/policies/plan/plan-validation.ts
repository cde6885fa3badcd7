import {
  type Plan,
  type PlanCheck,
  type PlanProblem,
  planSchemaVersion,
  type Task,
} from '../../../services/contracts/plan.ts';
import type {RawPlan} from '../../../services/contracts/stores.ts';
import {compareTimestamps} from '../text/timestamps.ts';
import {findCycles, indexHierarchy} from './plan-graph.ts';
import {taskFieldProblems} from './task-fields.ts';

/** Turns the content of a plan file into a plan, or into a list of all its problems in file order. */
export function checkRawPlan(raw: RawPlan): PlanCheck {
  const {schemaVersion} = raw.root;
  const problems: PlanProblem[] = [];
  if (schemaVersion === undefined || schemaVersion === 0) {
    problems.push({path: '$.schemaVersion', message: 'required'});
  } else if (schemaVersion !== planSchemaVersion) {
    const found = typeof schemaVersion === 'number' ? schemaVersion : JSON.stringify(schemaVersion);
    const message = `unsupported schemaVersion ${found} (expected ${planSchemaVersion})`;
    problems.push({path: '$.schemaVersion', message});
  }
  if (raw.items === null) {
    return {problems: [...problems, {path: '$.items', message: 'required (must be an object/map)'}]};
  }

  const items = new Map<string, Task>();
  for (const [key, value] of raw.items) {
    if (items.has(key)) problems.push({path: itemPath(key), message: 'duplicate item key'});
    const shape = shapeProblems(key, value);
    // One by one: the number of arguments of a call is limited, the number of problems is not.
    for (const problem of shape) problems.push(problem);
    // A malformed task is kept, so that references to it are not reported as well.
    items.set(key, shape.length === 0 ? (value as Task) : standIn(key, value));
  }
  const broken = new Set(problems.map(({path}) => path).filter((path) => path !== '$.items'));
  const plan: Plan = {...raw.root, schemaVersion: planSchemaVersion, items};
  const all = [...problems, ...relationProblems(plan).filter(({path}) => !broken.has(path))];
  return all.length === 0 ? {plan} : {problems: all};
}

/** The problems that a change introduced. Looks only at what differs, unless a relation changed. */
export function checkPlanChange(before: Plan, after: Plan): PlanProblem[] {
  const changed = changedTasks(before, after);
  const shape = changed.flatMap(([id, task]) => shapeProblems(id, task));
  if (shape.length > 0) return shape;
  const sameRelations =
    before.items.size === after.items.size &&
    changed.every(([id, task]) => hasSameRelations(before.items.get(id), task));
  return sameRelations ? [] : relationProblems(after);
}

/**
 * Compared in step, because every status of a job comes here and almost always all tasks are at their old places; a task
 * is looked up only where they are not.
 */
function changedTasks(before: Plan, after: Plan): Array<readonly [string, Task]> {
  const changed: Array<readonly [string, Task]> = [];
  const old = before.items.entries();
  for (const [id, task] of after.items) {
    const was = old.next().value;
    if (was?.[0] === id && was[1] === task) continue;
    if (before.items.get(id) !== task) changed.push([id, task]);
  }
  return changed;
}

/** A longer id, or one with control characters, is an accident or an attack. */
const idLimit = 256;

function shapeProblems(key: string, value: unknown): PlanProblem[] {
  if (key === '') return [{path: '$.items', message: 'item key must be non-empty'}];
  const problems: PlanProblem[] = [];
  const report = (at: string, message: string) => problems.push({path: itemPath(key) + at, message});
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    report('', 'must be an object');
    return problems;
  }
  if (key.length > idLimit) report('', `id is longer than ${idLimit} characters`);
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(key)) report('', 'id contains a control character');
  const fields = taskFieldProblems(value as Record<string, unknown>);
  for (const {path, message} of fields) report(path, message);
  const task = value as Partial<Task>;
  if (typeof task.id === 'string' && task.id !== '' && task.id !== key) {
    report('.id', `must match map key ${JSON.stringify(key)}`);
  }
  if (
    fields.length === 0 &&
    task.createdAt &&
    task.updatedAt &&
    compareTimestamps(task.updatedAt, task.createdAt) < 0
  ) {
    report('.updatedAt', 'must be >= createdAt');
  }
  return problems;
}

function relationProblems(plan: Plan): PlanProblem[] {
  const problems: PlanProblem[] = [];
  const childSets = new Map<string, ReadonlySet<string>>();
  for (const [key, {childIds}] of plan.items) if (childIds.length > 0) childSets.set(key, new Set(childIds));
  const {isAncestor} = indexHierarchy(plan);

  for (const [key, task] of plan.items) {
    const report = (at: string, message: string) => problems.push({path: itemPath(key) + at, message});
    if (task.parentId != null) {
      if (!plan.items.has(task.parentId)) {
        report('.parentId', `unknown parent id ${JSON.stringify(task.parentId)}`);
      } else if (!childSets.get(task.parentId)?.has(key)) {
        report(
          '.parentId',
          `parent ${JSON.stringify(task.parentId)} must include ${JSON.stringify(key)} in childIds`,
        );
      }
    }
    eachId(task.childIds, 'child', (at, id, message) => {
      if (message) report(`.childIds[${at}]`, message);
      else if (!plan.items.has(id)) report(`.childIds[${at}]`, `unknown child id ${JSON.stringify(id)}`);
      else if (plan.items.get(id)?.parentId !== key) {
        report(`.childIds[${at}]`, `child ${JSON.stringify(id)} must have parentId ${JSON.stringify(key)}`);
      }
    });
    eachId(task.deps, 'dep', (at, id, message) => {
      if (message) report(`.deps[${at}]`, message);
      else if (!plan.items.has(id)) report(`.deps[${at}]`, `unknown dep id ${JSON.stringify(id)}`);
      else if (isAncestor(id, key))
        report(`.deps[${at}]`, `cannot depend on its own ancestor ${JSON.stringify(id)}`);
      else if (isAncestor(key, id))
        report(`.deps[${at}]`, `cannot depend on its own descendant ${JSON.stringify(id)}`);
    });
    const deps = task.depRationale && new Set(task.deps);
    for (const id in task.depRationale) {
      if (!plan.items.has(id)) report('.depRationale', `unknown dep id ${JSON.stringify(id)}`);
      else if (!deps?.has(id)) {
        report('.depRationale', `depRationale key ${JSON.stringify(id)} must also appear in deps`);
      }
    }
  }
  const known = (ids: readonly string[]) => (ids.length === 0 ? ids : ids.filter((id) => plan.items.has(id)));
  const cycles = (name: string, edgesOf: (task: Task) => readonly string[]) => {
    for (const cycle of findCycles(plan.items.keys(), (id) => known(edgesOf(plan.items.get(id) as Task)))) {
      problems.push({path: '$.items', message: `${name} cycle detected: ${cycle.join(' -> ')}`});
    }
  };
  cycles('hierarchy', (task) => (task.parentId == null ? [] : [task.parentId]));
  cycles('dependency', (task) => task.deps);
  return problems;
}

function eachId(
  ids: readonly string[],
  kind: 'child' | 'dep',
  visit: (index: number, id: string, message: string | null) => void,
): void {
  if (ids.length === 0) return;
  const seen = new Set<string>();
  ids.forEach((id, index) => {
    if (id === '') visit(index, id, `${kind} id must be non-empty`);
    else if (seen.has(id)) visit(index, id, `duplicate ${kind} id ${JSON.stringify(id)}`);
    else visit(index, id, null);
    seen.add(id);
  });
}

function hasSameRelations(before: Task | undefined, after: Task): boolean {
  return (
    before !== undefined &&
    before.parentId === after.parentId &&
    before.childIds === after.childIds &&
    before.deps === after.deps &&
    before.depRationale === after.depRationale
  );
}

function standIn(key: string, value: unknown): Task {
  // Anything that is not text becomes an empty string, so that the others keep their positions.
  const strings = (list: unknown) =>
    Array.isArray(list) ? list.map((entry) => (typeof entry === 'string' ? entry : '')) : [];
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const {parentId} = given;
  return {
    id: key,
    title: key,
    acceptanceCriteria: [],
    parentId: typeof parentId === 'string' && parentId !== '' ? parentId : null,
    childIds: strings(given.childIds),
    deps: strings(given.deps),
    status: 'todo',
    createdAt: '',
    updatedAt: '',
  };
}

const itemPath = (key: string) => `$.items[${JSON.stringify(key)}]`;
