import {Argument, Command} from 'commander';
import {addDep, removeDep, setDeps} from '../../machines/policies/plan/plan-edits.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import {type Cli, taskArgument} from '../cli.ts';

export function depsCommand(cli: Cli): Command {
  const depArgument = () => taskArgument('depId', 'the task it waits for');

  const change = async (
    command: Command,
    id: string,
    edit: (plan: Plan) => Plan,
    text: (changed: boolean, deps: readonly string[]) => string,
  ) => {
    const {plans} = await cli.project(command);
    const {before, after} = await plans.update(edit);
    const deps = after.items.get(id)?.deps ?? [];
    const changed = before !== after;
    cli.print(command, {id, deps, changed}, text(changed, deps));
  };

  const add = new Command('add')
    .summary('let a task wait for another')
    .addArgument(taskArgument())
    .addArgument(depArgument())
    .action((id: string, dep: string, _options, command: Command) =>
      change(
        command,
        id,
        (plan) => addDep(plan, id, dep, cli.context.now()),
        (changed) => (changed ? `added dep ${id} -> ${dep}` : `${id} already depends on ${dep}`),
      ),
    );

  const remove = new Command('remove')
    .summary('let a task no longer wait for another')
    .addArgument(taskArgument())
    .addArgument(depArgument())
    .action((id: string, dep: string, _options, command: Command) =>
      change(
        command,
        id,
        (plan) => removeDep(plan, id, dep, cli.context.now()),
        (changed) => (changed ? `removed dep ${id} -> ${dep}` : `${id} does not depend on ${dep}`),
      ),
    );

  const set = new Command('set')
    .summary('replace all dependencies of a task; none removes them')
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
    .addCommand(set);
}
