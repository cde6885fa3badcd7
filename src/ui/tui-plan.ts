import {childrenOf, parentOf, rootTasks} from '../machines/policies/plan/plan-graph.ts';
import type {Dialog} from '../machines/tui.machine.ts';
import type {Command} from './model/commands.ts';
import type {PlanChange, TuiPorts} from './ports.ts';
import type {TuiCore} from './tui.ts';

type Means = {
  readonly open: (dialog: Dialog) => void;
  readonly failed: (error: unknown) => void;
  readonly withTask: (act: (taskId: string) => void) => void;
};

type PlanCommand = Extract<Command, `plan.${string}`>;

/** Changes of the plan by keys: most of them begin with a dialog. */
export function createPlanCommands(
  core: TuiCore,
  ports: TuiPorts,
  {open, failed, withTask}: Means,
): Record<PlanCommand, () => void> {
  /** Among its siblings; at an end nothing happens. */
  const moveBy = (by: number) => {
    const {plan, task} = core.facts();
    if (!plan || !task) return;
    const {parentId, index} = placeAfter(core);
    const parent = parentOf(plan, task);
    const last = (parent ? childrenOf(plan, parent) : rootTasks(plan)).length - 1;
    const target = index - 1 + by;
    if (target < 0 || target > last) return;
    const place = {parentId, index: target};
    applyChange(core, `moved ${task.id}`, ports.edit({type: 'move', taskId: task.id, place})).catch(failed);
  };

  return {
    'plan.status': () => withTask((taskId) => open({type: 'status', taskId})),
    'plan.add': () => open({type: 'add', ...placeAfter(core)}),
    'plan.addChild': () => {
      const {plan, task} = core.facts();
      if (plan && task) open({type: 'add', parentId: task.id, index: childrenOf(plan, task).length});
    },
    'plan.edit': () => withTask((taskId) => open({type: 'fields', taskId})),
    'plan.deps': () => withTask((taskId) => open({type: 'deps', taskId})),
    'plan.move': () => withTask((taskId) => open({type: 'move', taskId})),
    'plan.moveUp': () => moveBy(-1),
    'plan.moveDown': () => moveBy(1),
    'plan.delete': () => withTask((taskId) => open({type: 'delete', taskId})),
    'plan.undo': () => {
      const {lastEdit} = core.get();
      if (!lastEdit) return;
      core.patch({lastEdit: null});
      ports.undo(lastEdit.change).then((change) => {
        showChange(core, change);
        core.say({tone: 'good', text: `taken back: ${lastEdit.label}`});
      }, failed);
    },
    'plan.create': () => {
      ports.createPlan().then(() => core.send({type: 'screen.plan'}), failed);
    },
  };
}

/** Waits for a change, says what it was, and remembers it for `z`. */
export async function applyChange(
  core: Pick<TuiCore, 'patch' | 'get'>,
  label: string,
  change: Promise<PlanChange>,
): Promise<void> {
  const done = await change;
  if (done.after === done.before) {
    core.patch({notice: {tone: 'accent', text: 'nothing was changed'}});
    return;
  }
  showChange(core, done);
  core.patch({lastEdit: {label, change: done}, notice: {tone: 'good', text: `${label} (z takes it back)`}});
}

/** What was written is seen at once: the next look at the disk comes a moment later. */
function showChange({get, patch}: Pick<TuiCore, 'patch' | 'get'>, {after}: PlanChange): void {
  const {data} = get();
  if (data) patch({data: {...data, plan: {type: 'plan', plan: after}}});
}

/** Where a new task goes: behind the selected one, or at the end of the plan. */
function placeAfter(core: TuiCore): {parentId: string | null; index: number} {
  const {plan, task} = core.facts();
  if (!plan || !task) return {parentId: null, index: plan ? rootTasks(plan).length : 0};
  const parent = parentOf(plan, task);
  const siblings = parent ? childrenOf(plan, parent) : rootTasks(plan);
  return {parentId: parent?.id ?? null, index: siblings.findIndex(({id}) => id === task.id) + 1};
}
