import type {TuiPorts} from './ports.ts';
import type {TuiCore} from './tui.ts';

/** One run further back in the history of the selected task. */
export async function goOlder(core: TuiCore, ports: TuiPorts): Promise<void> {
  const {task} = core.facts();
  const {past} = core.get();
  if (!task) return;
  const known = past?.taskId === task.id ? past : null;
  const runs = known?.runs ?? (await ports.history(task.id)).runs;
  const index = (known?.index ?? runs.length - 1) - 1;
  if (index < 0) core.say({tone: 'accent', text: 'there is no older run'});
  else core.patch({past: {taskId: task.id, runs, index}});
}

/** One run forward; the latest is where one began. */
export function goNewer(core: TuiCore): void {
  const {past} = core.get();
  if (!past) return;
  const index = past.index + 1;
  core.patch({past: index >= past.runs.length - 1 ? null : {...past, index}});
}
