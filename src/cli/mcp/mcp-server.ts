import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import type {CliContext} from '../context.ts';
import {argvOf, type McpTool, mcpTools} from './mcp-tools.ts';

type RunCli = (args: readonly string[], context: CliContext) => Promise<number>;

/** More than an agent can read at once; it is told how to ask for less. */
const answerLimit = 400_000;

/** Every tool is a command, run as from a script: the same locks, the same refusals, no prompts. */
export async function openMcpServer(
  transport: Transport,
  {context, folder, runCli}: {readonly context: CliContext; readonly folder: string; readonly runCli: RunCli},
): Promise<McpServer> {
  const server = new McpServer({name: 'blackbird', version: context.version});
  for (const tool of mcpTools) {
    const {name, description, input, isReadOnly, isAdding = false} = tool;
    const annotations = {
      readOnlyHint: isReadOnly,
      destructiveHint: !isReadOnly && !isAdding,
      openWorldHint: false,
    };
    server.registerTool(
      name,
      {description, inputSchema: input, annotations},
      async (given: Record<string, unknown>) => {
        const {code, out, err} = await runQuietly(argvOf(tool.command(given), folder), context, runCli);
        return code === 0
          ? answerOf(tool, out)
          : {isError: true, content: [{type: 'text', text: err.trim()}]};
      },
    );
  }
  await server.connect(transport);
  return server;
}

function answerOf({answer, name}: McpTool, out: string) {
  const whole = answer ? `${JSON.stringify(answer(JSON.parse(out)), null, 2)}\n` : out;
  if (whole.length <= answerLimit) return {content: [{type: 'text' as const, text: whole}]};
  const text = `${name} has ${whole.length} characters of output; ask for less`;
  return {isError: true, content: [{type: 'text' as const, text}]};
}

/** stdout belongs to the protocol, so the command's output is captured. */
async function runQuietly(args: readonly string[], context: CliContext, runCli: RunCli) {
  const printed = {out: '', err: ''};
  const {screen: _screen, askDecision: _askDecision, ...rest} = context;
  const surface = {isTerminal: false, columns: Number.POSITIVE_INFINITY, hasColor: false};
  const code = await runCli(args, {
    ...rest,
    out: (text) => {
      printed.out += `${text}\n`;
    },
    err: (text) => {
      printed.err += `${text}\n`;
    },
    write: (text) => {
      printed.out += text;
    },
    writeErr: (text) => {
      printed.err += text;
    },
    ask: async () => null,
    readAll: async () => '',
    isInteractive: false,
    stdout: surface,
    stderr: surface,
  });
  return {code, ...printed};
}
