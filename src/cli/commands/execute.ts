import {Command, InvalidArgumentError, Option} from 'commander';
import {isLeaf, requireTask, subtreeOf} from '../../machines/policies/plan/plan-graph.ts';
import {isCheckCommand} from '../../services/contracts/check-command.ts';
import {isModelText} from '../../services/contracts/model-choice.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import {providerIds, providerNames} from '../../services/contracts/provider-table.ts';
import {type Cli, countingNumber} from '../cli.ts';
import {inspectOption} from '../inspect/inspect-option.ts';
import {withBudgetOptions} from '../job/budget-options.ts';
import {type JobCommandOptions, openEngineFor, runSteps} from '../job/job.ts';

type Options = JobCommandOptions & {dryRun?: true};

export const agentOption = () => new Option('--agent <provider>', `${providerNames}, for this command only`);
/** Applies to a task and everything below it. */
export const taskAgentOption = () =>
  new Option('--agent <provider>', `the agent for this task and those below it`).choices(providerIds);
/** A word that can be passed to an agent. */
function modelWord(text: string): string {
  if (isModelText(text)) return text;
  throw new InvalidArgumentError('It must be one word.');
}
export const modelOption = () =>
  new Option('--model <name>', 'the model, as the agent calls it').argParser(modelWord);
export const effortOption = () =>
  new Option('--effort <word>', 'the reasoning effort: low, medium, high …').argParser(modelWord);
/** Applies to a task and everything below it. */
export const verifyOption = (about: string) =>
  new Option('--verify <command>', about).argParser((text: string, earlier: readonly string[] = []) => {
    if (isCheckCommand(text)) return [...earlier, text];
    throw new InvalidArgumentError('It must be a command on one line.');
  });
export const reviewOption = () => new Option('--review', 'stop after each task and ask for a decision');
export const noReviewOption = () => new Option('--no-review', 'no checkpoints, regardless of the settings');
const noWaitOption = () => new Option('--no-wait', 'stop at a limit or an outage instead of waiting');
/** Naming one task and refusing to wait means trying it, whatever limit is known. */
export const tryNowOption = () => new Option('--no-wait', 'try at once; stop at a limit or an outage');
export const streamOption = () =>
  new Option('--stream', "show the agent's messages and tools as they arrive");

export function executeCommand(cli: Cli): Command {
  return withBudgetOptions(
    new Command('execute')
      .summary('run the ready tasks, one after another, until none is left')
      .argument('[taskId...]', 'only these tasks; a parent means its children')
      .addOption(agentOption())
      .addOption(modelOption())
      .addOption(effortOption())
      .addOption(reviewOption())
      .addOption(noReviewOption())
      .option('--stop-on-failure', 'stop the plan when a task fails')
      .option('--max-tasks <n>', 'stop after this many tasks', countingNumber)
      .addOption(noWaitOption())
      .option('--dry-run', 'only show what would run, in what order and why')
      .addOption(streamOption())
      .addOption(inspectOption())
      .addHelpText(
        'after',
        `
An open decision comes first. Without a terminal nothing is asked; the commands to decide with are printed instead.
Ctrl+C pauses: it asks the agent to stop, a second Ctrl+C forces it. Continue with "blackbird resume".`,
      )
      .action(async (taskIds: readonly string[], options: Options, command: Command) => {
        const project = await cli.project(command);
        const plan = await project.plans.read();
        const wanted = leavesOf(plan, taskIds);
        if (options.dryRun) {
          const {dryRun, dryRunLines} = await import('../job/dry-run.ts');
          const found = await dryRun(project, plan, cli.context, {taskIds: wanted, options});
          cli.print(command, found, () => dryRunLines(found, cli.context.now()).join('\n'));
          return;
        }
        await executePlan(cli, command, options, wanted);
      }),
  );
}

/** Runs the whole plan, or only these tasks. */
export async function executePlan(
  cli: Cli,
  command: Command,
  options: JobCommandOptions,
  taskIds: readonly string[],
): Promise<void> {
  const opened = await openEngineFor(cli, command, options);
  await runSteps(cli, command, opened, [{type: 'execute', taskIds}], options);
}

function leavesOf(plan: Plan, taskIds: readonly string[]): string[] {
  const leaves = taskIds.flatMap((id) => subtreeOf(plan, requireTask(plan, id)).filter(isLeaf));
  return [...new Set(leaves.map(({id}) => id))];
}
