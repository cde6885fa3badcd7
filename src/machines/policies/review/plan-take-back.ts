import {AppError} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {PlanFieldEdit, SideEffect} from '../../../services/contracts/side-effects.ts';
import {setDeps} from '../plan/plan-edits.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {setStatus, touch, withTask} from '../plan/plan-status.ts';
import {checkPlanChange} from '../plan/plan-validation.ts';
import {editName, type TakenBack} from './effect-words.ts';
import {leaveParents} from './parent-review.ts';

/** Fields that mean something for their task alone: they can be set back whatever else was changed. */
const plainFields: ReadonlySet<string> = new Set(
  'title description acceptanceCriteria prompt notes agent model effort verify'.split(' '),
);
/** They say nothing of what will run. */
const timeFields: ReadonlySet<string> = new Set(['updatedAt', 'createdAt']);

/**
 * The plan without what an agent made of it. A field goes back only while it has the agent's value; whatever cannot
 * go back, or was changed by somebody else since, stays and is named.
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
  // The edits together must leave a plan that can be used: nothing goes back by halves.
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

/** What a field was before the agents' edits that led to what it is; null where none did. */
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

/** Null where the tasks of today do not allow them. */
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
