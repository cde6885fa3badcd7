import {fromPromise} from 'xstate';
import type {Plan} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {SelectedTask, SelectTaskInput} from '../policies/job/execution-steps.ts';
import {nextTask} from '../policies/plan/readiness.ts';
import {agentMissing, namedAgents} from '../policies/run/agent-choice.ts';
import {nothingToRun} from '../policies/run/run-refusals.ts';
import type {TaskFacts} from '../policies/run/task-options.ts';
import {tellingRun} from '../policies/run/task-runs.ts';
import {pendingOf} from './pending-feedback.ts';
import {factsHere} from './run-situation.ts';

/** Reads the plan again before every task, so that edits made while it runs count. */
export function defineSelectTaskActor(services: Services) {
  return fromPromise<SelectedTask | null, SelectTaskInput>(async ({input}) => {
    const plan = await services.plans.read();
    if (input.isFirst) await requireNamedAgents(services, plan, input);
    const task = nextTask(plan, input);
    if (task) return {taskId: task.id, hasParent: task.parentId != null};
    if (input.isFirst && input.taskIds.length > 0)
      throw nothingToRun(await factsOfNamed(services, plan, input));
    return null;
  });
}

/** An agent that some task names and nobody installed is told of in the evening, not in the middle of the night. */
async function requireNamedAgents(
  {agents}: Pick<Services, 'agents'>,
  plan: Plan,
  input: SelectTaskInput,
): Promise<void> {
  for (const [agent, taskId] of namedAgents(plan, input.taskIds, input)) {
    await agents.check(agent).catch((error: unknown) => {
      throw agentMissing(taskId, error);
    });
  }
}

/** What the run chart says of each decides what is told, and what can be done instead. */
async function factsOfNamed(
  services: Services,
  plan: Plan,
  {taskIds, explicitProvider}: SelectTaskInput,
): Promise<TaskFacts[]> {
  const named = taskIds.flatMap((id) => plan.items.get(id) ?? []);
  return Promise.all(
    named.map(async (task) => {
      const run = tellingRun((await services.runs.list(task.id)).runs);
      const isSentBack = (await pendingOf(services, task.id)) !== null;
      return factsHere(services, plan, task, {run, isSentBack, explicitProvider});
    }),
  );
}
