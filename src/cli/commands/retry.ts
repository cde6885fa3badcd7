import {Command} from 'commander';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {isReady} from '../../machines/policies/plan/readiness.ts';
import {shellWord} from '../../services/contracts/errors.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {retryTask} from '../plan/plan-operations.ts';

export function retryCommand(cli: Cli): Command {
  return new Command('retry')
    .summary('make a failed, blocked or lost task ready again')
    .addArgument(taskArgument())
    .action(async (taskId: string, _options, command: Command) => {
      const {after} = await retryTask(await cli.project(command), taskId, cli.context.now());
      const next = isReady(after, requireTask(after, taskId))
        ? `Run it in a new conversation with: blackbird execute ${shellWord(taskId)}`
        : `It waits for others: blackbird why ${shellWord(taskId)}`;
      cli.print(command, {id: taskId, status: 'todo'}, `reset ${taskId} to todo\n${next}`);
    });
}
