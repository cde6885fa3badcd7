import {select} from './model/browse.ts';
import type {TaskState} from './model/task-state.ts';
import type {TuiPorts} from './ports.ts';
import type {TuiCore} from './tui-core.ts';

const prompts = {asks: 'questions', decision: 'checkpoint', feedback: 'feedback'} as const satisfies Partial<
  Record<TaskState, string>
>;

type PromptState = keyof typeof prompts;

const promptStates = Object.keys(prompts) as PromptState[];

/**
 * Questions open by themselves if the UI chart allows it, once per round of a run and once per review. What
 * is still open after a pause or stop counts as asked.
 */
export function openPrompts(core: TuiCore, ports: TuiPorts): void {
  const {ui, browse} = core.get();
  if (core.facts().isBusy) return;
  if (ui.hasTag('quiet')) {
    for (const {key} of openQuestions(core)) core.asked.add(key);
    return;
  }
  if (ui.context.dialog) return;
  const next = openQuestions(core).find(
    ({state, key}) => (state === 'decision' || ui.hasTag('asksAll')) && !core.asked.has(key),
  );
  if (!next) return;
  core.asked.add(next.key);
  ports.notify(`${next.taskId} needs you`);
  core.patch({browse: select(browse, next.taskId)});
  if (core.facts().screen !== 'plan') core.send({type: 'screen.plan'});
  core.dialogs.ask({type: prompts[next.state], taskId: next.taskId});
}

type OpenQuestion = {readonly taskId: string; readonly state: PromptState; readonly key: string};

function openQuestions(core: TuiCore): OpenQuestion[] {
  const {data} = core.get();
  const {summary, plan, stateOf} = core.facts();
  return (summary?.attention ?? []).flatMap((taskId) => {
    const task = plan?.items.get(taskId);
    const run = data?.runs.get(taskId);
    const state = promptStates.find((each) => task && stateOf(task) === each);
    if (!state || !run) return [];
    const review = state === 'feedback' ? data?.pendingFeedback.get(taskId)?.reviewRunId : undefined;
    const round = state === 'asks' ? run.segments.length : '';
    return [{taskId, state, key: `${review ?? run.run_id} ${state}${round}`}];
  });
}
