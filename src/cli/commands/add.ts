import {Command} from 'commander';
import {newTaskId} from '../../machines/policies/plan/new-task-id.ts';
import {addTask, type NewTask, setDeps} from '../../machines/policies/plan/plan-edits.ts';
import {AppError} from '../../services/contracts/errors.ts';
import {type Cli, collect, wholeNumber} from '../cli.ts';
import {changePlan} from '../plan/plan-operations.ts';
import {effortOption, modelOption, taskAgentOption, verifyOption} from './execute.ts';

type Options = {
  id?: string;
  title?: string;
  description?: string;
  prompt?: string;
  notes?: string;
  ac?: readonly string[];
  dep?: readonly string[];
  parent: string;
  index?: number;
  agent?: string;
  model?: string;
  effort?: string;
  verify?: readonly string[];
};

export function addCommand(cli: Cli): Command {
  return new Command('add')
    .summary('add a task')
    .argument('[title]', 'its title; if you leave it out, you are asked for it')
    .option('--id <id>', 'its id (default: made from the title)')
    .option('--title <text>', 'its title, if it begins with a dash')
    .option('--description <text>', 'what it is about')
    .option('--prompt <text>', 'what to tell the agent')
    .option('--notes <text>', 'notes for people')
    .option('--ac <text>', 'an acceptance criterion; may be repeated', collect)
    .addOption(taskAgentOption())
    .addOption(modelOption())
    .addOption(effortOption())
    .addOption(verifyOption('a command that must succeed before it is done; may be repeated'))
    .option('--dep <taskId>', 'a task it waits for; may be repeated', collect)
    .option('--parent <parentId>', 'the task it belongs to, or root', 'root')
    .option('--index <n>', 'its position among its siblings, from 0', wholeNumber)
    .action(async (name: string | undefined, options: Options, command: Command) => {
      if (name !== undefined && options.title !== undefined)
        throw new AppError('E_USAGE', 'the title is given twice');
      const project = await cli.project(command);
      await project.plans.read();
      const title = name ?? options.title ?? (await cli.context.ask('Title: '));
      if (title === null || title.trim() === '') {
        throw new AppError('E_NO_INPUT', 'title is required (use --title or enter it interactively)');
      }
      const {description, prompt, notes, ac, dep, index, agent, model, effort, verify} = options;
      const now = cli.context.now();
      const task: Omit<NewTask, 'id'> = {
        title,
        parentId: options.parent === 'root' ? null : options.parent,
        ...(description === undefined ? {} : {description}),
        ...(prompt === undefined ? {} : {prompt}),
        ...(notes === undefined ? {} : {notes}),
        ...(ac === undefined ? {} : {acceptanceCriteria: ac}),
        ...(index === undefined ? {} : {index}),
        ...(agent === undefined ? {} : {agent}),
        ...(model === undefined ? {} : {model}),
        ...(effort === undefined ? {} : {effort}),
        ...(verify === undefined ? {} : {verify}),
      };
      let id = '';
      await changePlan(project, (plan) => {
        // Computed from the plan under the lock: another process may have taken the same id.
        id = options.id ?? newTaskId(plan, title);
        const added = addTask(plan, {id, ...task}, now);
        return dep === undefined ? added : setDeps(added, id, dep, now);
      });
      cli.print(command, {id}, `added ${id}`);
    });
}
