import {Command} from 'commander';
import {type Deletion, deleteTask} from '../../machines/policies/plan/plan-edits.ts';
import {counted} from '../../machines/policies/text/counted.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {changeByHand} from '../plan/plan-operations.ts';

export function deleteCommand(cli: Cli): Command {
  return new Command('delete')
    .summary('delete a task')
    .addArgument(taskArgument())
    .option('--cascade-children', 'delete its children too')
    .option('--force', 'also remove it from the dependencies of others')
    .action(async (id: string, options: {cascadeChildren?: true; force?: true}, command: Command) => {
      const project = await cli.project(command);
      const how = {cascade: options.cascadeChildren === true, force: options.force === true};
      let deletion: Deletion | undefined;
      await changeByHand(project, (plan) => {
        deletion = deleteTask(plan, id, how, cli.context.now());
        return deletion.plan;
      });
      const {deleted = [], detached = []} = deletion ?? {};
      const lines = [
        `deleted ${counted(deleted.length, 'item')}`,
        ...(detached.length === 0 ? [] : [`detached deps from: ${detached.join(', ')}`]),
      ];
      cli.print(command, {deleted, detached}, lines.join('\n'));
    });
}
