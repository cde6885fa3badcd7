import {seenTask} from '../../machines/policies/plan/plan-conflict.ts';
import {childrenOf, parentOf, rootTasks} from '../../machines/policies/plan/plan-graph.ts';
import type {Facts} from '../model/facts.ts';
import {applyChange, redoEdit, undoEdit} from '../plan-change.ts';
import {type Command, changeable, planPanes, planRefusal, withTask} from './command.ts';
import {statusRefusal} from './task-refusals.ts';

const section = 'Change the plan';

/** Changes to the plan: most of them start with a dialog. */
export const planCommands: readonly Command[] = [
  {
    id: 'plan.create',
    keys: ['c'],
    label: 'create a plan',
    hint: 'first',
    at: ['home'],
    refusal: (_, {data}) => (data?.plan.type === 'none' ? null : 'there is a plan'),
    run: ({core, ports, fail}) => {
      ports.createPlan().then(() => core.send({type: 'screen.plan'}), fail);
    },
  },
  {
    id: 'plan.status',
    keys: ['s'],
    label: 'status',
    hint: 'more',
    at: planPanes,
    section,
    refusal: statusRefusal,
    run: withTask(({open}, taskId) => open({type: 'status', taskId})),
  },
  {
    id: 'plan.add',
    keys: ['a'],
    label: 'add after',
    called: ({entries}) => (entries.length === 0 ? 'add a task' : 'add after'),
    hint: 'more',
    at: planPanes,
    section,
    refusal: planRefusal,
    run: ({core, open}) => open({type: 'add', ...placeAfter(core.facts())}),
  },
  {
    id: 'plan.addChild',
    keys: ['A'],
    label: 'add child',
    at: planPanes,
    section,
    refusal: changeable('add'),
    run: ({core, open}) => {
      const {plan, task} = core.facts();
      if (plan && task) open({type: 'add', parentId: task.id, index: childrenOf(plan, task).length});
    },
  },
  {
    id: 'plan.edit',
    keys: ['i'],
    label: 'edit',
    hint: 'more',
    at: planPanes,
    section,
    refusal: changeable('edit'),
    run: withTask(({open}, taskId) => open({type: 'fields', taskId})),
  },
  {
    id: 'plan.deps',
    keys: ['b'],
    label: 'dependencies',
    at: planPanes,
    section,
    refusal: changeable('deps'),
    run: withTask(({open}, taskId) => open({type: 'deps', taskId})),
  },
  {
    id: 'plan.move',
    keys: ['m'],
    label: 'move under another task',
    at: planPanes,
    section,
    refusal: changeable('move'),
    run: withTask(({open}, taskId) => open({type: 'move', taskId})),
  },
  {
    id: 'plan.moveUp',
    keys: ['K', 'shift+up'],
    label: 'move up',
    at: planPanes,
    section,
    refusal: changeable('move'),
    run: moveBy(-1),
  },
  {
    id: 'plan.moveDown',
    keys: ['J', 'shift+down'],
    label: 'move down',
    at: planPanes,
    section,
    refusal: changeable('move'),
    run: moveBy(1),
  },
  {
    id: 'plan.delete',
    keys: ['D'],
    label: 'delete',
    at: planPanes,
    section,
    refusal: changeable('delete'),
    run: withTask(({open}, taskId) => open({type: 'delete', taskId})),
  },
  {
    id: 'plan.undo',
    keys: ['z'],
    label: 'undo',
    hint: 'more',
    at: planPanes,
    section,
    refusal: (_, {edits}) => (edits.done.length > 0 ? null : 'there is nothing to undo'),
    run: ({core, ports, fail}) => void undoEdit(core, ports).catch(fail),
  },
  {
    id: 'plan.redo',
    keys: ['Z', 'ctrl+r'],
    label: 'redo',
    at: planPanes,
    section,
    refusal: (_, {edits}) => (edits.undone.length > 0 ? null : 'there is nothing to redo'),
    run: ({core, ports, fail}) => void redoEdit(core, ports).catch(fail),
  },
];

/** Moves among its siblings; at either end nothing happens. */
function moveBy(by: number): Command['run'] {
  return ({core, ports, fail}) => {
    const {plan, task} = core.facts();
    if (!plan || !task) return;
    const {parentId, index} = placeAfter(core.facts());
    const parent = parentOf(plan, task);
    const last = (parent ? childrenOf(plan, parent) : rootTasks(plan)).length - 1;
    const target = index - 1 + by;
    if (target < 0 || target > last) return;
    const place = {parentId, index: target};
    const edit = {type: 'move', taskId: task.id, place, seen: [seenTask(task, 'parentId')]} as const;
    applyChange(core, `moved ${task.id}`, ports.edit(edit)).catch(fail);
  };
}

/** Where a new task goes: after the selected one, or at the end of the plan. */
function placeAfter({plan, task}: Facts): {parentId: string | null; index: number} {
  if (!plan || !task) return {parentId: null, index: plan ? rootTasks(plan).length : 0};
  const parent = parentOf(plan, task);
  const siblings = parent ? childrenOf(plan, parent) : rootTasks(plan);
  return {parentId: parent?.id ?? null, index: siblings.findIndex(({id}) => id === task.id) + 1};
}
