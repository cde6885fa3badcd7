import {Command, Option} from 'commander';
import {settingOf} from '../../machines/policies/config-resolution.ts';
import {explainOrder} from '../../machines/policies/plan/execution-order.ts';
import {isLeaf, requireTask, subtreeOf} from '../../machines/policies/plan/plan-graph.ts';
import {readyTasks} from '../../machines/policies/plan/readiness.ts';
import {dueParents} from '../../machines/policies/review/parent-review.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import {providerNames} from '../../services/contracts/provider-table.ts';
import type {RunStore} from '../../services/contracts/run.ts';
import {type Cli, countingNumber} from '../cli.ts';
import {inspectOption} from '../inspect/inspect-option.ts';
import {
  type AgentOptions,
  agentInput,
  finishJob,
  openEngineFor,
  type ReviewOptions,
  reviewInput,
  runJob,
} from '../job/job.ts';
import {continueCommand, reportJob} from '../job/job-report.ts';
import {runStandings} from '../plan/run-standings.ts';

type Options = AgentOptions & ReviewOptions & {stopOnFailure?: true; maxTasks?: number; dryRun?: true};

export const agentOption = () => new Option('--agent <provider>', `${providerNames}, for this call only`);
export const reviewOption = () => new Option('--review', 'stop after each task and ask for a decision');
export const noReviewOption = () => new Option('--no-review', 'no checkpoints, whatever the settings say');
export const streamOption = () => new Option('--stream', "show the agent's words and tools as they come");

export function executeCommand(cli: Cli): Command {
  return new Command('execute')
    .summary('run the ready tasks, one after another, until none is left')
    .argument('[taskId...]', 'only these tasks; a parent stands for its children')
    .addOption(agentOption())
    .addOption(reviewOption())
    .addOption(noReviewOption())
    .option('--stop-on-failure', 'stop the plan when a task fails')
    .option('--max-tasks <n>', 'stop after so many tasks', countingNumber)
    .option('--dry-run', 'only say what would run, in which order and why')
    .addOption(streamOption())
    .addOption(inspectOption())
    .addHelpText(
      'after',
      `
A decision that was left open comes first. Without a terminal nothing is asked:
the commands that decide are printed.
Ctrl+C pauses: the agent is asked to stop, a second Ctrl+C forces it.
Continue with "blackbird resume".
Exit codes: 0 done or nothing ready, 1 error, 3 a task failed, 4 a person is needed, 130 paused.`,
    )
    .action(async (taskIds: readonly string[], options: Options, command: Command) => {
      const {plans, folder} = await cli.project(command);
      const plan = await plans.read();
      const wanted = leavesOf(plan, taskIds);
      if (options.dryRun) {
        const steps = explainOrder(plan, wanted).slice(0, options.maxTasks);
        const standingOf = await runStandings(plan.items.values(), folder);
        const decisions = [...plan.items.keys()].filter((id) => standingOf(id) === 'decision');
        cli.print(command, {decisions, steps}, () =>
          [
            ...decisions.map((id) => `first: ${displayLine(id)} waits for your decision`),
            ...(steps.length === 0 ? ['no ready tasks'] : []),
            ...steps.map(
              ({id, title, why}, index) =>
                `${index + 1}. ${displayLine(id)}  ${displayLine(title)}  (${displayLine(why)})`,
            ),
          ].join('\n'),
        );
        return;
      }
      await executePlan(cli, command, options, wanted);
    });
}

/** The job itself; `resume --execute` goes on with it. */
export async function executePlan(
  cli: Cli,
  command: Command,
  options: Options,
  taskIds: readonly string[],
): Promise<void> {
  const opened = await openEngineFor(cli, command, options);
  const project = await cli.project(command);
  const {plans} = project;
  const plan = await plans.read();
  const {findDecision} = await import('../../machines/actors/decision.actor.ts');
  const decision = await findDecision({plans, runs: opened.runs});
  const {listFeedback} = await import('../job/feedback-operations.ts');
  const isLeftOpen =
    decision !== null ||
    dueParents(plan).length > 0 ||
    (taskIds.length > 0 && (await listFeedback(project)).pending.length > 0);
  if (!isLeftOpen && taskIds.length > 0 && !readyTasks(plan).some(({id}) => taskIds.includes(id))) {
    throw new AppError(
      'E_TASK_NOT_READY',
      `nothing to run: ${taskIds.join(', ')} ${taskIds.length === 1 ? 'is' : 'are'} not ready`,
      {
        next: taskIds
          .slice(0, 3)
          .map((id) => ({command: `blackbird why ${shellWord(id)}`, why: 'see what it waits for'})),
      },
    );
  }
  if (!cli.isJson(command)) for (const line of await restingLines(plan, opened.runs)) cli.context.out(line);
  const {result} = await runJob(cli, command, opened, {
    type: 'execute',
    input: {
      taskIds,
      ...agentInput(opened),
      ...reviewInput(cli, command, opened, options),
      stopOnFailure: options.stopOnFailure === true || settingOf(opened.config, 'execution.stopOnFailure'),
      maxTasks: options.maxTasks ?? null,
    },
  });
  finishJob(cli, command, reportJob(result, await plans.read()));
}

function leavesOf(plan: Plan, taskIds: readonly string[]): string[] {
  const leaves = taskIds.flatMap((id) => subtreeOf(plan, requireTask(plan, id)).filter(isLeaf));
  return [...new Set(leaves.map(({id}) => id))];
}

/** What execute does not touch: tasks that are paused or wait for an answer. */
async function restingLines(plan: Plan, runs: RunStore): Promise<string[]> {
  const {latestRun} = await import('../../services/contracts/run.ts');
  const lines: string[] = [];
  for (const task of plan.items.values()) {
    if (!isLeaf(task) || (task.status !== 'in_progress' && task.status !== 'waiting_user')) continue;
    const {runs: history} = await runs.list(task.id);
    const latest = latestRun(history);
    const id = displayLine(task.id);
    if (latest?.state === 'paused') lines.push(`Ⅱ ${id} is paused: ${continueCommand(latest)}`);
    else if (latest?.state === 'waiting')
      lines.push(`? ${id} waits for your answer: ${continueCommand(latest)}`);
  }
  return lines;
}
