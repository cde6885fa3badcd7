import {Command} from 'commander';
import {requireTask} from '../../../machines/policies/plan/plan-graph.ts';
import {displayLine} from '../../../machines/policies/text/display-text.ts';
import {AppError} from '../../../services/contracts/errors.ts';
import type {Cli} from '../../cli.ts';
import {type PlanJobOptions, runPlanJob, wantedText, withPlannerOptions} from '../../plan/planner-command.ts';

type Options = PlanJobOptions & {from?: string};

export function generateCommand(cli: Cli): Command {
  const command = new Command('generate')
    .summary('have your agent propose tasks for what you want')
    .argument('[text...]', 'what you want, in your own words')
    .option('--from <file>', 'read it from a file; - for stdin');
  return withPlannerOptions(command)
    .addHelpText(
      'after',
      `
The agent may read the repository but not change it. It may ask you questions. Its proposal is checked, shown, and saved once you agree. Until then it is a draft: see plan drafts.
Existing tasks stay as they are; use plan refine to change them.

Examples:
  $ blackbird plan generate "a REST API for refunds, with tests"
  $ blackbird plan generate --from docs/spec.md --agent codex
  $ gh issue view 12 | blackbird plan generate --from - --yes`,
    )
    .action(async (words: readonly string[], options: Options, self: Command) => {
      const text = await wantedText(cli, self, words.join(' '), options.from, 'What do you want?');
      if (text.trim() === '') throw missing('say what you want, or name a file with --from');
      // This may create the project's first plan.
      const {plans} = await cli.project(self);
      const isFirst = await plans.create();
      if (isFirst && !cli.isJson(self)) cli.context.out(`created an empty plan: ${displayLine(plans.file)}`);
      await runPlanJob(cli, self, {type: 'new', wish: {kind: 'generate', text, taskIds: []}}, options);
    });
}

export function refineCommand(cli: Cli): Command {
  const command = new Command('refine')
    .summary('have your agent change the plan as you describe')
    .argument('<text>', 'what should change, in your own words; - for stdin')
    .argument('[taskId...]', 'only these tasks and those below them');
  return withPlannerOptions(command)
    .addHelpText(
      'after',
      `
Statuses, runs and times of tasks stay as they are; a running task is never touched.

Examples:
  $ blackbird plan refine "split the API task into read and write" api
  $ blackbird plan refine "every task names the command that verifies it"`,
    )
    .action(async (typed: string, taskIds: readonly string[], options: Options, self: Command) => {
      const text = typed === '-' ? await wantedText(cli, self, '', '-', '') : typed;
      if (text.trim() === '') throw missing('say what should change');
      const plan = await (await cli.project(self)).plans.read();
      for (const id of taskIds) requireTask(plan, id);
      await runPlanJob(cli, self, {type: 'new', wish: {kind: 'refine', text, taskIds}}, options);
    });
}

export function inferCommand(cli: Cli): Command {
  const command = new Command('infer')
    .summary('have your agent find what depends on what')
    .argument('[hint...]', 'anything it should know, in your own words');
  return withPlannerOptions(command)
    .addHelpText(
      'after',
      `
Only dependencies change, each with its reason. They are shown, and saved once you agree.

Examples:
  $ blackbird deps infer
  $ blackbird deps infer "the schema comes before what stores data" --yes`,
    )
    .action(async (words: readonly string[], options: Options, self: Command) => {
      const {items} = await (await cli.project(self)).plans.read();
      if (items.size < 2)
        throw new AppError('E_PLAN_EDIT', 'the plan has no two tasks that could depend on each other', {
          next: [{command: 'blackbird add', why: 'add another one'}],
        });
      await runPlanJob(
        cli,
        self,
        {type: 'new', wish: {kind: 'deps', text: words.join(' '), taskIds: []}},
        options,
      );
    });
}

const missing = (message: string) => new AppError('E_NO_INPUT', message);
