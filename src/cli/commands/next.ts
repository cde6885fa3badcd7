import {Command} from 'commander';
import {tasksInTreeOrder} from '../../machines/policies/plan/plan-graph.ts';
import {isReady} from '../../machines/policies/plan/readiness.ts';
import type {Cli} from '../cli.ts';
import {summarize} from '../plan/task-view.ts';
import {painter} from '../terminal/paint.ts';
import {renderTask} from './show.ts';

export function nextCommand(cli: Cli): Command {
  return new Command('next')
    .summary('the task that execute would start with')
    .action(async (_options, command: Command) => {
      const {plans} = await cli.project(command);
      const plan = await plans.read();
      const found = tasksInTreeOrder(plan).find(({task}) => isReady(plan, task));
      if (found === undefined && !cli.isJson(command)) {
        cli.context.err('No task is ready. See: blackbird list --all');
        return;
      }
      cli.print(command, {task: found ? summarize(plan, found.task) : null}, () =>
        found ? renderTask(plan, found.task, painter(cli.context.stdout)) : '',
      );
    });
}
