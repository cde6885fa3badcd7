import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {type Delivered, finishedDeps, taskPrompt} from '../policies/run/agent-prompt.ts';
import {chainTo, changedFiles} from '../policies/run/run-chain.ts';
import {tellingRun} from '../policies/run/run-status.ts';

/** Everything an agent is told that begins a task, with what the tasks before it delivered. */
export async function promptFor(
  {runs, project}: Pick<Services, 'runs' | 'project'>,
  plan: Plan,
  task: Task,
): Promise<string> {
  const delivered: Delivered[] = [];
  for (const {id, title} of finishedDeps(plan, task)) {
    const all = (await runs.list(id)).runs;
    const run = tellingRun(all);
    const files = run === null ? [] : changedFiles(chainTo(run, all));
    delivered.push({id, title, result: run?.result ?? '', files});
  }
  return taskPrompt({task, delivered, snapshot: await project.snapshot()});
}
