import type {PlanChange} from './ports.ts';
import type {TuiCore} from './tui.ts';

type Shown = Pick<TuiCore, 'patch' | 'get'>;

/** Waits for a change, says what it was, and remembers it for undo. */
export async function applyChange(core: Shown, label: string, change: Promise<PlanChange>): Promise<void> {
  const done = await change;
  if (done.after === done.before) {
    core.patch({notice: {tone: 'accent', text: 'nothing was changed'}});
    return;
  }
  showChange(core, done);
  core.patch({lastEdit: {label, change: done}, notice: {tone: 'good', text: `${label} (z undoes it)`}});
}

/** What was written is shown at once: the next look at the disk comes a moment later. */
export function showChange({get, patch}: Shown, {after}: PlanChange): void {
  const {data} = get();
  if (data) patch({data: {...data, plan: {type: 'plan', plan: after}}});
}
