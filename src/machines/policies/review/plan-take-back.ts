import {AppError} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {PlanFieldEdit, SideEffect} from '../../../services/contracts/side-effects.ts';
import {setDeps} from '../plan/plan-edits.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {setStatus, touch, withTask} from '../plan/plan-status.ts';
import {checkPlanChange} from '../plan/plan-validation.ts';
import {editName, type TakenBack} from './effect-words.ts';
import {leaveParents} from './parent-review.ts';

/** Independent fields: they can be restored whatever else has changed. */
const plainFields: ReadonlySet<string> = new Set(
  'title description acceptanceCriteria prompt notes agent model effort verify'.split(' '),
);
/** They do not affect what will run. */
const timeFields: ReadonlySet<string> = new Set(['updatedAt', 'createdAt']);

/**
 * The plan without an agent's edits. A field is restored only while it has the agent's value; anything that cannot be
 * restored, or was changed since, is kept and reported.
 */
export function takeBackEdits(
  plan: Plan,
  effects: readonly SideEffect[] = [],
  now: string,
): TakenBack & {readonly plan: Plan} {
  const ofAgent = effects.filter(({kind}) => kind === 'plan');
  const taken: string[] = [];
  const left = ofAgent.flatMap(({edits, more_edits: more = 0}) => {
    if (edits === undefined) return ['what it changed is not known'];
    return more > 0 ? [`${more} more`] : [];
  });
  let next = plan;
  for (const edits of byField(ofAgent.flatMap(({edits = []}) => edits))) {
    const [{task: id, field}] = edits;
    if (timeFields.has(field)) continue;
    const task = next.items.get(id);
    const back = task && valueBefore(task[field as keyof Task], edits);
    const restored = task && back && withValue(next, task, field, back.value, now);
    if (restored) {
      next = restored;
      taken.push(editName(edits[0]));
    } else if (isStillEdited(task, edits)) left.push(editName(edits[0]));
  }
  // The restored fields together must leave a valid plan: all of them or none.
  if (next !== plan && checkPlanChange(plan, next).length > 0)
    return {plan, taken: [], left: [...taken, ...left]};
  return {plan: next, taken, left};
}

type EditsOfField = readonly [PlanFieldEdit, ...PlanFieldEdit[]];

function byField(edits: readonly PlanFieldEdit[]): EditsOfField[] {
  const groups = new Map<string, EditsOfField>();
  for (const edit of edits) {
    const key = JSON.stringify([edit.task, edit.field]);
    const group = groups.get(key);
    groups.set(key, group ? [...group, edit] : [edit]);
  }
  return [...groups.values()];
}

/** The value of a field before the agents' edits that led to its current value; null if none did. */
export function valueBefore(
  now: unknown,
  edits: readonly Pick<PlanFieldEdit, 'before' | 'after' | 'is_cut'>[],
): {readonly value: unknown} | null {
  let back: {readonly value: unknown} | null = null;
  for (const {before, after, is_cut: isCut} of edits.toReversed()) {
    if (isCut || !isSame(after, back === null ? now : back.value)) continue;
    back = {value: before};
  }
  return back !== null && isSame(back.value, now) ? null : back;
}

function withValue(plan: Plan, task: Task, field: string, value: unknown, now: string): Plan | null {
  if (field === 'status')
    return value === 'done' || !isLeaf(task)
      ? null
      : setStatus(plan, task.id, value as Task['status'], now, leaveParents);
  if (field === 'deps') return withDeps(plan, task.id, value as Task['deps'], now);
  if (!plainFields.has(field)) return null;
  const {[field as keyof Task]: _, ...others} = task;
  const set = value === undefined ? others : {...task, [field]: value};
  return withTask(plan, {...(set as Task), updatedAt: touch(task, now)});
}

/** Null if the current tasks do not allow them. */
function withDeps(plan: Plan, id: string, deps: Task['deps'], now: string): Plan | null {
  try {
    return setDeps(plan, id, deps, now);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function isStillEdited(task: Task | undefined, edits: EditsOfField): boolean {
  const [{field, before, is_cut: isCut}] = edits;
  if (field === 'added') return task !== undefined;
  if (field === 'removed') return task === undefined;
  return task !== undefined && (isCut === true || !isSame(task[field as keyof Task], before));
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
