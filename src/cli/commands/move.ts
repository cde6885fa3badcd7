import {Command} from 'commander';
import {moveTask} from '../../machines/policies/plan-edits.ts';
import {type Cli, taskArgument, wholeNumber} from '../cli.ts';

export function moveCommand(cli: Cli): Command {
  return new Command('move')
    .summary('move a task, with all below it, to another parent or place')
    .addArgument(taskArgument())
    .requiredOption('--parent <parentId>', 'the new parent, or root')
    .option('--index <n>', 'the place among its new siblings, from 0', wholeNumber)
    .action(async (id: string, options: {parent: string; index?: number}, command: Command) => {
      const {plans} = await cli.project(command);
      const parentId = options.parent === 'root' ? null : options.parent;
      const target = {parentId, ...(options.index === undefined ? {} : {index: options.index})};
      await plans.update((plan) => moveTask(plan, id, target, cli.context.now()));
      cli.print(command, {id, parentId}, `moved ${id}`);
    });
}
