import {Command} from 'commander';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import {type Cli, taskArgument} from '../cli.ts';
import type {Project} from '../composition.ts';
import {inspectOption} from '../inspect/inspect-option.ts';
import {withBudgetOptions} from '../job/budget-options.ts';
import {type JobCommandOptions, openEngineFor, runSteps} from '../job/job.ts';
import {
  agentOption,
  effortOption,
  modelOption,
  noReviewOption,
  reviewOption,
  streamOption,
} from './execute.ts';

export function restartCommand(cli: Cli): Command {
  return withBudgetOptions(
    new Command('restart')
      .summary('run a task again from scratch, in a new session; its history is kept')
      .addArgument(taskArgument())
      .option('--yes', 'do not ask')
      .addOption(agentOption())
      .addOption(modelOption())
      .addOption(effortOption())
      .addOption(reviewOption())
      .addOption(noReviewOption())
      .addOption(streamOption())
      .addOption(inspectOption())
      .action(async (taskId: string, options: JobCommandOptions & {yes?: true}, command: Command) => {
        const project = await cli.project(command);
        const plan = await project.plans.read();
        requireTask(plan, taskId);
        const opened = await openEngineFor(cli, command, options);
        const latest = await opened.runs.latest(taskId);
        const canAsk = cli.context.isInteractive && !cli.isJson(command);
        const isAsked = options.yes !== true && (await isRestartable(project, plan, taskId, options.agent));
        if (latest?.state === 'succeeded' && isAsked && !canAsk) {
          const standing = latest.decision_state === 'pending' ? 'waits for your decision' : 'is done';
          throw new AppError('E_CONFIRMATION_REQUIRED', `${taskId} ${standing}; pass --yes to run it again`, {
            next: [
              {
                command: `blackbird restart ${shellWord(taskId)} --yes`,
                why: 'start again; its history is kept',
              },
            ],
          });
        }
        if (latest && isAsked && canAsk) {
          // A run that can be restarted is not running: its process is gone, which every view calls paused.
          const state = latest.state === 'running' ? 'paused' : latest.state;
          const run = `Run ${displayLine(latest.run_id)} (${state})`;
          cli.context.err(`${run} stays in the history, and its changes stay in the files.`);
          const answer = (await cli.context.ask(`Restart ${displayLine(taskId)}? [y/N]: `))
            ?.trim()
            .toLowerCase();
          if (answer !== 'y' && answer !== 'yes')
            throw new AppError('E_CANCELED', 'not restarted; nothing was changed');
        }
        await runSteps(cli, command, opened, [{type: 'task', taskId, mode: {type: 'restart'}}], options);
      }),
  );
}

/** Do not ask about what would be refused anyway. */
async function isRestartable(
  project: Project,
  plan: Plan,
  taskId: string,
  agent: string | undefined,
): Promise<boolean> {
  const {taskObstacle} = await import('../../machines/policies/run/task-options.ts');
  const {taskFacts} = await import('../plan/read-task-facts.ts');
  return taskObstacle(await taskFacts(project, plan, taskId, agent), 'restart') === null;
}
