import {Command, CommanderError} from 'commander';
import {AppError} from '../services/contracts/errors.ts';
import {normalizedArguments} from './arguments.ts';
import {Cli} from './cli.ts';
import {addCommand} from './commands/add.ts';
import {agentsCommand} from './commands/agents.ts';
import {bundleCommand} from './commands/bundle.ts';
import {complete, completionCommand} from './commands/completion.ts';
import {configCommand} from './commands/config.ts';
import {deleteCommand} from './commands/delete.ts';
import {demoCommand} from './commands/demo.ts';
import {depsCommand} from './commands/deps.ts';
import {diffCommand} from './commands/diff.ts';
import {doctorCommand} from './commands/doctor.ts';
import {editCommand} from './commands/edit.ts';
import {executeCommand} from './commands/execute.ts';
import {feedbackCommand} from './commands/feedback.ts';
import {initCommand} from './commands/init.ts';
import {inspectCommand} from './commands/inspect.ts';
import {listCommand} from './commands/list.ts';
import {logsCommand} from './commands/logs.ts';
import {machinesCommand} from './commands/machines.ts';
import {mcpCommand} from './commands/mcp.ts';
import {moveCommand} from './commands/move.ts';
import {nextCommand} from './commands/next.ts';
import {pauseCommand, stopCommand} from './commands/pause-stop.ts';
import {pickCommand} from './commands/pick.ts';
import {planCommand} from './commands/plan/index.ts';
import {reportCommand} from './commands/report.ts';
import {restartCommand} from './commands/restart.ts';
import {resumeCommand} from './commands/resume.ts';
import {retryCommand} from './commands/retry.ts';
import {reviewCommand} from './commands/review.ts';
import {runsCommand} from './commands/runs.ts';
import {sessionCommand, sessionCommands} from './commands/session/index.ts';
import {setStatusCommand} from './commands/set-status.ts';
import {showCommand} from './commands/show.ts';
import {simulateCommand} from './commands/simulate.ts';
import {statusCommand} from './commands/status.ts';
import {undoCommand} from './commands/undo.ts';
import {validateCommand} from './commands/validate.ts';
import {whyCommand} from './commands/why.ts';
import type {CliContext} from './context.ts';
import {exitCodeOf, exitCodes, exitCodesHelp} from './exit-codes.ts';
import {inspectOption, withInspectValue} from './inspect/inspect-option.ts';
import {folded} from './terminal/fold.ts';
import {reportError} from './terminal/report-error.ts';

/** Parses, runs and reports; resolves to an exit code and never ends the process. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const cli = new Cli(context);
  // Determined before parsing, because parse errors must be reported in the requested format, too.
  const json = args.includes('--json');
  let failed: Command | undefined;
  let running: Command | undefined;
  try {
    const program = context.name === 'agency' ? agencyProgram(cli) : blackbirdProgram(cli, args[0] ?? '');
    prepare(program, context, (command) => {
      failed = command;
    });
    if (args.some((arg) => arg === 'help' || arg === '--help' || arg === '-h')) {
      await addExamples(program);
    }
    program.hook('preAction', (_program, command) => {
      running = command;
    });
    if (args[0] === '__complete') await complete(cli, program, args.slice(1));
    else await program.parseAsync(withInspectValue(normalizedArguments(args)), {from: 'user'});
    return cli.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(withUsage(error, running), context, {json});
    if (error.exitCode === 0) return exitCodes.done;
    // Commander fails without a command: open the TUI then, or show help if there is no terminal.
    if (error.code === 'commander.help' && failed?.parent === null && failed.args.length === 0) {
      return withoutCommand(cli, failed, {json});
    }
    return reportError(await usageError(error, failed), context, {json});
  }
}

async function withoutCommand(cli: Cli, program: Command, {json}: {json: boolean}): Promise<number> {
  const {context} = cli;
  if (json || !context.screen || context.name === 'agency') {
    program.outputHelp();
    return exitCodes.done;
  }
  try {
    const {openTui} = await import('./tui/open-tui.ts');
    await openTui(cli, program, context.screen);
    return cli.exitCode;
  } catch (error) {
    return reportError(error, context, {json});
  }
}

type Commands = Readonly<Record<string, (cli: Cli) => Command>>;

const commandGroups: Readonly<Record<string, Commands>> = {
  'Look at the plan:': {
    list: listCommand,
    show: showCommand,
    why: whyCommand,
    next: nextCommand,
    pick: pickCommand,
    validate: validateCommand,
    plan: planCommand,
    simulate: simulateCommand,
  },
  'Change the plan:': {
    init: initCommand,
    add: addCommand,
    edit: editCommand,
    move: moveCommand,
    delete: deleteCommand,
    deps: depsCommand,
    'set-status': setStatusCommand,
  },
  'Run tasks:': {
    execute: executeCommand,
    status: statusCommand,
    pause: pauseCommand,
    stop: stopCommand,
    report: reportCommand,
    review: reviewCommand,
    resume: resumeCommand,
    restart: restartCommand,
    retry: retryCommand,
    undo: undoCommand,
    runs: runsCommand,
    logs: logsCommand,
    diff: diffCommand,
    feedback: feedbackCommand,
    session: sessionCommand,
    demo: demoCommand,
  },
  'Look inside:': {inspect: inspectCommand, machines: machinesCommand, bundle: bundleCommand},
  'Set up:': {
    agents: agentsCommand,
    mcp: mcpCommand,
    config: configCommand,
    doctor: doctorCommand,
    completion: completionCommand,
  },
};

function blackbirdProgram(cli: Cli, first: string): Command {
  const program = baseProgram(cli, 'blackbird')
    .description('Runs a plan of tasks with the coding agents you already have, and never loses the thread.')
    .addHelpText(
      'after',
      `
Examples:
  $ blackbird                     the terminal UI; --inspect shows its machines
  $ blackbird demo                watch a sample plan run; no account needed
  $ blackbird init                create an empty plan here
  $ blackbird plan generate "a REST API for refunds, with tests"
  $ blackbird add "Refund e2e test" --id e2e --prompt "Refund an order twice"
  $ blackbird execute --review    run the plan, and decide after each task
  $ blackbird report              what happened, and what needs you

Run "blackbird <command> --help" for the options of one command.
${exitCodesHelp}`,
    );
  const isKnown = Object.values(commandGroups).some((commands) => Object.hasOwn(commands, first));
  // For the TUI; commands that run something have their own, and the others do not support it.
  if (!isKnown) program.addOption(inspectOption().hideHelp());
  for (const [title, commands] of Object.entries(commandGroups)) {
    for (const [name, makeCommand] of Object.entries(commands)) {
      // The others are needed only to list or suggest commands; creating all of them takes a while.
      if (!isKnown || name === first) program.addCommand(makeCommand(cli).helpGroup(title));
    }
  }
  return program;
}

function agencyProgram(cli: Cli): Command {
  const program = baseProgram(cli, 'agency')
    .description('Interactive agent sessions in tmux and git worktrees.')
    .addHelpText(
      'after',
      `
Examples:
  $ agency run --name refunds  a branch, a worktree and Claude Code in it
  $ agency ls                  list the sessions and what is running
  $ agency resume refunds      back to the session; creates it if it is gone
  $ agency clean refunds       remove the worktree; branch and record stay

The same commands are in "blackbird session". Exit codes: 0 done, 1 error, 2 usage.`,
    );
  for (const command of [...sessionCommands(cli), completionCommand(cli)]) program.addCommand(command);
  return program;
}

function baseProgram(cli: Cli, name: string): Command {
  return new Command(name)
    .version(cli.context.version, '-v, --version', 'print the version')
    .option('--json', 'print data as JSON')
    .option('--cwd <dir>', 'work in this folder')
    .configureHelp({showGlobalOptions: true, minWidthToWrap: 20})
    .allowExcessArguments(false);
}

/** Configures every command the same way: our output, errors as exceptions, global options in the help. */
function prepare(command: Command, context: CliContext, onFailure: (command: Command) => void): void {
  const program = rootOf(command);
  const helpWidth = Math.min(context.stdout.columns, 100);
  command
    .configureOutput({
      writeOut: (text) => context.out(folded(text.trimEnd(), helpWidth, 0)),
      // Commander prints errors itself; ours are reported in one place, in one format.
      writeErr: () => {},
      getOutHelpWidth: () => helpWidth,
      getOutHasColors: () => context.stdout.hasColor,
    })
    .configureHelp(program.configureHelp())
    .helpOption('-h, --help', 'show help')
    .description(command.description() || sentence(command.summary()))
    .exitOverride((error) => {
      onFailure(command);
      throw error;
    });
  if (command.commands.length > 0) command.addHelpCommand(helpCommandOf(command));
  for (const child of command.commands) prepare(child.allowExcessArguments(false), context, onFailure);
}

/** If commands are grouped, `help` goes into the last group instead of one of its own. */
function helpCommandOf({commands}: Command): Command {
  const help = new Command('help').argument('[command]').helpOption(false);
  return help.description('show help for a command').helpGroup(commands.at(-1)?.helpGroup() ?? '');
}

/** Loaded only when help is shown. */
async function addExamples(program: Command): Promise<void> {
  const {helpFor} = await import('./help-examples.ts');
  const add = (command: Command): void => {
    const text = helpFor(fullName(command).split(' '));
    if (text !== '') command.addHelpText('after', text);
    for (const child of command.commands) add(child);
  };
  add(program);
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function rootOf(command: Command): Command {
  let root = command;
  while (root.parent) root = root.parent;
  return root;
}

async function usageError(error: CommanderError, command: Command | undefined): Promise<AppError> {
  const message =
    error.code === 'commander.help'
      ? subcommandProblem(command)
      : // The option as typed, without the value we added.
        error.message.replace(/^error: (command-argument )?/, '').replace("'--inspect='", "'--inspect'");
  const [text = '', found] = message.split('\n');
  // After `help`, commander does not tell an unknown command from a missing one.
  const hint = text.startsWith('unknown command') ? await meantCommand(text, command) : found;
  const details = hint ? [['hint', hint.replace(/^\(|\)$/g, '')] as const] : [];
  return withUsage(new AppError('E_USAGE', text, {details}), command);
}

async function meantCommand(message: string, command: Command | undefined): Promise<string | null> {
  const word = /'(.*)'/.exec(message)?.[1] ?? '';
  const {suggestionFor} = await import('./suggestion.ts');
  const meant = suggestionFor(
    word,
    (command?.commands ?? []).map((each) => each.name()),
  );
  return meant && `Did you mean ${meant}?`;
}

/** Commander only reports that it showed help: without a subcommand, or after `help` with a wrong one. */
function subcommandProblem(command: Command | undefined): string {
  const [, unknown] = command?.args ?? [];
  if (unknown !== undefined) return `unknown command '${unknown}'`;
  const subcommands = (command?.commands ?? []).map((each) => each.name()).join('|');
  return `${fullName(command)} requires a subcommand: ${subcommands}`;
}

/** A usage error is shown with the usage of its command. */
function withUsage<T>(error: T, command: Command | undefined): T | AppError {
  if (!(error instanceof AppError) || exitCodeOf(error.code) !== exitCodes.usage) return error;
  const name = fullName(command);
  const help = {command: `${name} --help`, why: 'see what it takes'};
  return new AppError(error.code, error.message, {
    details: [...error.details, ['usage', `${name} ${command?.usage() ?? ''}`]],
    next: error.next.length > 0 ? error.next : [help],
    cause: error.cause,
  });
}

function fullName(command: Command | undefined): string {
  const names: string[] = [];
  for (let each: Command | null | undefined = command; each; each = each.parent) names.unshift(each.name());
  return names.join(' ');
}
