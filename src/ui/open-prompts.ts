import {select} from './model/browse.ts';
import type {TaskState} from './model/task-state.ts';
import type {TuiPorts} from './ports.ts';
import type {TuiCore} from './tui-core.ts';

const prompts = {asks: 'questions', decision: 'checkpoint', feedback: 'feedback'} as const satisfies Partial<
  Record<TaskState, string>
>;

export type PromptState = keyof typeof prompts;

/** What waits for a person opens by itself, once for each round of a run; of one review, once for all it sent back. */
export function openPrompts(core: TuiCore, ports: TuiPorts, kinds: readonly PromptState[]): void {
  const {ui, data, browse} = core.get();
  const {summary, plan, stateOf} = core.facts();
  if (ui.context.dialog || !plan || !data || !summary) return;
  for (const id of summary.attention) {
    const task = plan.items.get(id);
    const run = data.runs.get(id);
    const state = kinds.find((kind) => task && stateOf(task) === kind);
    if (!state || !run) continue;
    const review = state === 'feedback' ? data.pendingFeedback.get(id)?.reviewRunId : undefined;
    const round = state === 'asks' ? run.segments.length : '';
    const key = `${review ?? run.run_id} ${state}${round}`;
    if (core.asked.has(key)) continue;
    core.asked.add(key);
    ports.notify(`${id} needs you`);
    core.patch({browse: select(browse, id)});
    if (core.facts().screen !== 'plan') core.send({type: 'screen.plan'});
    core.dialogs.ask({type: prompts[state], taskId: id});
    return;
  }
}
