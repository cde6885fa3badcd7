import {Command, Option} from 'commander';
import {editTask, type TaskEdit} from '../../machines/policies/plan/plan-edits.ts';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {keptChecks, keptChecksWords} from '../../machines/policies/plan/task-checks.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {Task} from '../../services/contracts/plan.ts';
import {type Cli, collect, taskArgument} from '../cli.ts';
import type {CliContext} from '../context.ts';
import {changePlan} from '../plan/plan-operations.ts';
import {effortOption, modelOption, taskAgentOption, verifyOption} from './execute.ts';

type Options = {
  title?: string;
  description?: string;
  clearDescription?: true;
  prompt?: string;
  clearPrompt?: true;
  notes?: string;
  clearNotes?: true;
  ac?: readonly string[];
  acClear?: true;
  agent?: string;
  clearAgent?: true;
  model?: string;
  clearModel?: true;
  effort?: string;
  clearEffort?: true;
  verify?: readonly string[];
  clearVerify?: true;
};

export function editCommand(cli: Cli): Command {
  return new Command('edit')
    .summary('change the text of a task; without options it asks for each field')
    .addArgument(taskArgument())
    .option('--title <text>', 'its title')
    .option('--description <text>', 'what it is about')
    .addOption(new Option('--clear-description', 'remove the description').conflicts('description'))
    .option('--prompt <text>', 'what to tell the agent')
    .addOption(new Option('--clear-prompt', 'remove the prompt').conflicts('prompt'))
    .option('--notes <text>', 'notes for people')
    .addOption(new Option('--clear-notes', 'remove the notes').conflicts('notes'))
    .option('--ac <text>', 'an acceptance criterion; all of them together replace the old list', collect)
    .addOption(new Option('--ac-clear', 'remove all acceptance criteria').conflicts('ac'))
    .addOption(taskAgentOption())
    .addOption(new Option('--clear-agent', 'use the agent of the job').conflicts('agent'))
    .addOption(modelOption())
    .addOption(new Option('--clear-model', 'use the model from the settings').conflicts('model'))
    .addOption(effortOption())
    .addOption(new Option('--clear-effort', 'use the effort from the settings').conflicts('effort'))
    .addOption(verifyOption('a command that must succeed; all of them together replace the old list'))
    .addOption(new Option('--clear-verify', 'remove all its checks').conflicts('verify'))
    .action(async (id: string, options: Options, command: Command) => {
      const project = await cli.project(command);
      const task = requireTask(await project.plans.read(), id);
      const isAsked = Object.keys(command.opts()).length === 0;
      const edit = isAsked ? await askForEdit(task, cli.context) : editFrom(options);
      const {before, after} = await changePlan(project, (plan) =>
        editTask(plan, id, edit, cli.context.now()),
      );
      const changed = before !== after;
      const kept = keptChecks(before, after, id);
      cli.print(
        command,
        {id, changed, ...(kept.length > 0 && {keeps_checks: kept})},
        [changed ? `updated ${id}` : `${id} is unchanged`, keptChecksWords(kept)].join('\n').trimEnd(),
      );
    });
}

function editFrom(options: Options): TaskEdit {
  const {title, description, prompt, notes, ac, agent, model, effort, verify} = options;
  if (title?.trim() === '') throw new AppError('E_USAGE', 'title cannot be empty');
  return {
    ...(title === undefined ? {} : {title}),
    ...(options.clearDescription ? {description: ''} : description === undefined ? {} : {description}),
    ...(options.clearPrompt ? {prompt: ''} : prompt === undefined ? {} : {prompt}),
    ...(options.clearNotes ? {notes: null} : notes === undefined ? {} : {notes}),
    ...(options.acClear ? {acceptanceCriteria: []} : ac === undefined ? {} : {acceptanceCriteria: ac}),
    ...(options.clearAgent ? {agent: null} : agent === undefined ? {} : {agent}),
    ...(options.clearModel ? {model: null} : model === undefined ? {} : {model}),
    ...(options.clearEffort ? {effort: null} : effort === undefined ? {} : {effort}),
    ...(options.clearVerify ? {verify: null} : verify === undefined ? {} : {verify}),
  };
}

/** A blank answer keeps a field; end of input keeps the rest. */
async function askForEdit(task: Task, {ask}: CliContext): Promise<TaskEdit> {
  const fields = ['title', 'description', 'prompt', 'notes'] as const;
  const edit: {-readonly [K in keyof TaskEdit]: TaskEdit[K]} = {};
  for (const field of fields) {
    const hint = field === 'notes' ? '; CLEAR removes them' : '';
    const answer = await ask(`${field} [${displayLine(task[field] ?? '')}] (blank keeps it${hint}): `);
    if (answer === null) break;
    if (answer.trim() === '') continue;
    if (field === 'notes' && answer === 'CLEAR') edit.notes = null;
    else edit[field] = answer;
  }
  return edit;
}
