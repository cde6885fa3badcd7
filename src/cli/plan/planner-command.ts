import path from 'node:path';
import type {Command} from 'commander';
import type {PlanRequest} from '../../machines/policies/planning/plan-draft.ts';
import {AppError} from '../../services/contracts/errors.ts';
import {readGivenFile} from '../../services/stores/given-file.ts';
import type {Cli} from '../cli.ts';
import {agentOption, effortOption, modelOption, streamOption, tryNowOption} from '../commands/execute.ts';
import {inspectOption} from '../inspect/inspect-option.ts';
import {type JobCommandOptions, openEngineFor, runSteps} from '../job/job.ts';

export type PlanJobOptions = JobCommandOptions & {yes?: true};

/** The options of every command that asks a planner for a proposal. */
export function withPlannerOptions(command: Command): Command {
  return takingSentences(command)
    .option('--yes', 'save without asking, unless something blocks it')
    .addOption(agentOption())
    .addOption(modelOption())
    .addOption(effortOption())
    .addOption(tryNowOption())
    .addOption(streamOption())
    .addOption(inspectOption());
}

/**
 * A text may begin with a dash, as in a list: no option contains a space, so that is text. A leading space
 * hides the dash.
 */
function takingSentences(command: Command): Command {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const {operands, unknown} = parse(args.map((arg) => (/^-[^\s=]*\s/.test(arg) ? ` ${arg}` : arg)));
    return {operands: operands.map((text) => text.replace(/^ -/, '-')), unknown};
  };
  return command;
}

/** Runs a planning job: propose, show and decide. */
export async function runPlanJob(
  cli: Cli,
  command: Command,
  request: PlanRequest,
  options: PlanJobOptions,
): Promise<void> {
  const opened = await openEngineFor(cli, command, options);
  const step = {type: 'plan', request, isAccepted: options.yes === true} as const;
  await runSteps(cli, command, opened, [step], options);
}

/** The request: typed with the command, in a file, on stdin, or asked for. */
export async function wantedText(
  cli: Cli,
  command: Command,
  typed: string,
  from: string | undefined,
  question: string,
): Promise<string> {
  const read = from === undefined ? '' : await textFrom(cli, command, from);
  const given = [typed, read].filter((text) => text.trim() !== '').join('\n\n');
  if (given !== '') return given;
  if (from === undefined && cli.context.isInteractive && !cli.isJson(command))
    return cli.context.readAll(`${question} End with Ctrl+D.`);
  return '';
}

const maxBytes = 1024 * 1024;

async function textFrom(cli: Cli, command: Command, from: string): Promise<string> {
  const isStdin = from === '-';
  const text = isStdin
    ? await cli.context.readAll('What do you want? End with Ctrl+D.')
    : readGivenFile(path.resolve(cli.folder(command), from), from, maxBytes);
  const name = isStdin ? 'stdin' : from;
  if (text.includes('\0')) throw new AppError('E_USAGE', `${name} cannot be read: it is not text`);
  if (Buffer.byteLength(text) > maxBytes) throw new AppError('E_USAGE', `${name} is larger than 1 MiB`);
  return text;
}
