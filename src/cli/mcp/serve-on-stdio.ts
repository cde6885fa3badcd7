import {StdioServerTransport} from '@modelcontextprotocol/sdk/server/stdio.js';
import type {CliContext} from '../context.ts';
import {openMcpServer} from './mcp-server.ts';

/** Serves until the client closes stdin. */
export async function serveOnStdio(context: CliContext, folder: string): Promise<void> {
  const {runCli} = await import('../program.ts');
  const closed = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  const server = await openMcpServer(new StdioServerTransport(), {context, folder, runCli});
  await closed;
  await server.close();
}
