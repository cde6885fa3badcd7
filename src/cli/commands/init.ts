import {Command} from 'commander';
import {unrecordedWarning} from '../../machines/policies/job/repository-warnings.ts';
import {emptyPlanText} from '../../machines/policies/plan/empty-plan.ts';
import {repositoryOf} from '../../services/git/find-repository.ts';
import type {Cli} from '../cli.ts';

export function initCommand(cli: Cli): Command {
  return new Command('init')
    .summary('create an empty plan in this folder')
    .action(async (_options, command: Command) => {
      const {plans, folder} = await cli.project(command, {here: true});
      const created = await plans.create();
      const text = created ? `created plan: ${plans.file}` : `plan already exists: ${plans.file}`;
      cli.print(command, {created, file: plans.file}, text);
      if (!created || cli.isJson(command)) return;
      cli.context.err(emptyPlanText);
      if (repositoryOf(folder.root) === null) cli.context.err(`warning: ${unrecordedWarning}`);
    });
}
