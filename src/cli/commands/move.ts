import {Command} from 'commander';
import {moveTask} from '../../machines/policies/plan/plan-edits.ts';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {AppError} from '../../services/contracts/errors.ts';
import {type Cli, taskArgument, wholeNumber} from '../cli.ts';
import {changeByHand} from '../plan/plan-operations.ts';

export function moveCommand(cli: Cli): Command {
  return new Command('move')
    .summary('move a task and everything below it to another parent or position')
    .addArgument(taskArgument())
    .option('--parent <parentId>', 'the new parent, or root (default: its current parent)')
    .option('--index <n>', 'the position among its new siblings, from 0', wholeNumber)
    .action(async (id: string, {parent, index}: {parent?: string; index?: number}, command: Command) => {
      if (parent === undefined && index === undefined) {
        throw new AppError('E_USAGE', 'move requires --parent <parentId|root>, --index <n> or both');
      }
      const {after} = await changeByHand(await cli.project(command), (plan) => {
        const parentId =
          parent === undefined ? (requireTask(plan, id).parentId ?? null) : parent === 'root' ? null : parent;
        return moveTask(plan, id, {parentId, ...(index === undefined ? {} : {index})}, cli.context.now());
      });
      cli.print(command, {id, parentId: after.items.get(id)?.parentId ?? null}, `moved ${id}`);
    });
}
