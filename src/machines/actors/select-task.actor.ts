import {fromPromise} from 'xstate';
import type {Plan} from '../../services/contracts/plan.ts';
import {runProviderIds} from '../../services/contracts/provider-table.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {Selection, SelectTaskInput} from '../policies/job/execution-steps.ts';
import {type HeldRun, type NextTask, nextOf} from '../policies/job/waiting.ts';
import {namedAgents, namedAgentUnusable, providerFor} from '../policies/run/agent-choice.ts';
import {requireNothingLeft} from '../policies/run/nothing-to-run.ts';
import type {TaskFacts} from '../policies/run/task-options.ts';
import {latestDeliveredRun} from '../policies/run/task-runs.ts';
import {heldRuns, timeFacts} from './held-runs.ts';
import {pendingOf} from './pending-feedback.ts';
import {factsHere, type RunMode} from './run-situation.ts';
import {requireBudget, type SpendingTracker} from './spending.ts';

/** Reads the plan again before every task, so that edits made meanwhile count. */
export function defineSelectTaskActor(services: Services, spending: SpendingTracker) {
  return fromPromise<Selection, SelectTaskInput>(async ({input}) => {
    const {patience, passedOver} = input;
    const plan = await services.plans.read();
    if (input.isFirst) await requireNamedAgents(services, plan, input);
    const held = await heldRuns(services, plan, {...input, except: new Set(passedOver)});
    const facts = await timeFacts(services, patience, runProviderIds);
    const next = nextOf(plan, held, {...input, providerOf: (task) => providerFor(plan, task, input)}, facts);
    if (next.type !== 'none') requireBudget(spending, input.budgets, taskIdOf(next), null);
    switch (next.type) {
      case 'held':
        return selected(plan, next.held.run.task_id, modes[next.held.mode]);
      case 'ready':
        return selected(plan, next.task.id, {type: 'execute'});
      case 'wait':
        return next;
      case 'none':
        if (input.isFirst) requireNothingLeft(await factsOfNamed(services, plan, input));
        return next;
    }
  });
}

function taskIdOf(next: Exclude<NextTask, {type: 'none'}>): string {
  if (next.type === 'held') return next.held.run.task_id;
  return next.type === 'ready' ? next.task.id : next.wait.taskId;
}

const modes: Readonly<Record<HeldRun['mode'], RunMode>> = {
  resume: {type: 'resume', answers: [], feedback: null},
  restart: {type: 'restart'},
};

function selected(plan: Plan, taskId: string, mode: RunMode): Selection {
  return {type: 'task', task: {taskId, hasParent: plan.items.get(taskId)?.parentId != null, mode}};
}

/** A missing agent that some task names is reported at the start of the job, not in the middle of the night. */
async function requireNamedAgents(
  {agents}: Pick<Services, 'agents'>,
  plan: Plan,
  input: SelectTaskInput,
): Promise<void> {
  for (const [agent, taskId] of namedAgents(plan, input.taskIds, input)) {
    await agents.check(agent, 'edit').catch((error: unknown) => {
      throw namedAgentUnusable(taskId, error);
    });
  }
}

/** The facts of the named tasks decide what is reported, and what can be done instead. */
async function factsOfNamed(
  services: Services,
  plan: Plan,
  {taskIds, explicitProvider}: SelectTaskInput,
): Promise<TaskFacts[]> {
  const named = taskIds.flatMap((id) => plan.items.get(id) ?? []);
  return Promise.all(
    named.map(async (task) => {
      const run = latestDeliveredRun((await services.runs.list(task.id)).runs);
      const isSentBack = (await pendingOf(services, task.id)) !== null;
      return factsHere(services, plan, task, {run, isSentBack, explicitProvider});
    }),
  );
}
