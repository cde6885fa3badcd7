import {Command} from 'commander';
import type {Cli} from '../cli.ts';

export function mcpCommand(cli: Cli): Command {
  return new Command('mcp')
    .summary('the plan for the agent you already talk to: an MCP server on stdin and stdout')
    .addHelpText(
      'after',
      `
The agent can list, show, explain, add, edit, move and connect tasks, set a status, and read runs
and reports, with the locks and refusals of the commands. It can start nothing and decide nothing.

Connect it, in the folder of the project.
Examples:
  $ claude mcp add blackbird -- blackbird mcp
  $ codex mcp add blackbird -- blackbird mcp`,
    )
    .action(async (_options, command: Command) => {
      const {folder} = await cli.project(command);
      const {serveOnStdio} = await import('../mcp/serve-on-stdio.ts');
      await serveOnStdio(cli.context, folder.root);
    });
}
