import {Command} from 'commander';
import type {Cli} from '../cli.ts';

export function mcpCommand(cli: Cli): Command {
  return new Command('mcp')
    .summary('an MCP server on stdin and stdout: the plan for the agent you are talking to')
    .addHelpText(
      'after',
      `
The agent can list, show, explain, add, edit, move and connect tasks, set a status, and read runs and reports, with the same locks and refusals as the commands. It cannot start or decide anything.

Connect it, in the project's folder.
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
