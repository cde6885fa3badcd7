import {Argument, Command} from 'commander';
import {type TaskStatus, taskStatuses} from '../../services/contracts/task-status.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {setTaskStatus} from '../plan/plan-operations.ts';

export function setStatusCommand(cli: Cli): Command {
  return new Command('set-status')
    .summary('set the status of a task by hand; parents follow their children')
    .addArgument(taskArgument())
    .addArgument(new Argument('<status>', 'the new status').choices(taskStatuses))
    .action(async (id: string, status: TaskStatus, _options, command: Command) => {
      const {before, after} = await setTaskStatus(await cli.project(command), id, status, cli.context.now());
      // Parents that were completed or reopened by this change.
      const followed = [...after.items.values()].filter(
        (task) => task.id !== id && before.items.get(task.id)?.status !== task.status,
      );
      const data = {
        id,
        status,
        changed: after !== before,
        parents: followed.map((task) => ({id: task.id, status: task.status})),
      };
      const lines = [
        `updated ${id} status to ${status}`,
        ...followed.map((task) => `updated ${task.id} status to ${task.status}`),
      ];
      cli.print(command, data, lines.join('\n'));
    });
}
