import {Argument, Command} from 'commander';
import {addDep, removeDep, setDeps} from '../../machines/policies/plan/plan-edits.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {changePlan} from '../plan/plan-operations.ts';
import {inferCommand} from './plan/generate.ts';

export function depsCommand(cli: Cli): Command {
  const change = async (
    command: Command,
    id: string,
    edit: (plan: Plan) => Plan,
    text: (changed: boolean, deps: readonly string[]) => string,
  ) => {
    const {before, after} = await changePlan(await cli.project(command), edit);
    const deps = after.items.get(id)?.deps ?? [];
    const changed = before !== after;
    cli.print(command, {id, deps, changed}, text(changed, deps));
  };

  const oneDep = (
    name: string,
    summary: string,
    edit: typeof addDep,
    text: (changed: boolean, id: string, dep: string) => string,
  ) =>
    new Command(name)
      .summary(summary)
      .addArgument(taskArgument())
      .addArgument(taskArgument('depId', 'the task it waits for'))
      .action((id: string, dep: string, _options, command: Command) =>
        change(
          command,
          id,
          (plan) => edit(plan, id, dep, cli.context.now()),
          (changed) => text(changed, id, dep),
        ),
      );

  const add = oneDep('add', 'make a task wait for another', addDep, (changed, id, dep) =>
    changed ? `added dep ${id} -> ${dep}` : `${id} already depends on ${dep}`,
  );
  const remove = oneDep('remove', 'stop a task from waiting for another', removeDep, (changed, id, dep) =>
    changed ? `removed dep ${id} -> ${dep}` : `${id} does not depend on ${dep}`,
  );

  const set = new Command('set')
    .summary('replace all dependencies of a task; without ids, remove them')
    .addArgument(taskArgument())
    .addArgument(new Argument('[depId...]', 'the tasks it waits for'))
    .action((id: string, deps: readonly string[], _options, command: Command) =>
      change(
        command,
        id,
        (plan) => setDeps(plan, id, deps, cli.context.now()),
        (_changed, now) => `set ${id} deps (${now.length})`,
      ),
    );

  return new Command('deps')
    .summary('change what a task waits for')
    .addCommand(add)
    .addCommand(remove)
    .addCommand(set)
    .addCommand(inferCommand(cli));
}
