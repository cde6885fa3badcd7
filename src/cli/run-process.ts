import {systemErrorCode} from '../services/contracts/errors.ts';
import type {CliContext} from './context.ts';
import {createLineReader} from './line-reader.ts';
import {runCli} from './program.ts';
import {version} from './version.ts';

/** Connects the command line to this process: its streams, its environment, its exit code. */
export async function runProcess(name: CliContext['name'], args: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      // The reader went away (`| head`, a closed terminal); there is nobody left to tell.
      if (systemErrorCode(error) !== 'EPIPE' && systemErrorCode(error) !== 'EIO') throw error;
      process.exitCode ??= 0;
    });
  }
  const reader = createLineReader(process.stdin, process.stderr);
  const context: CliContext = {
    name,
    version,
    cwd: process.cwd(),
    env: process.env,
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    ask: reader.ask,
    isInteractive: Boolean(process.stdin.isTTY && process.stderr.isTTY),
    stdout: surfaceOf(process.stdout),
    stderr: surfaceOf(process.stderr),
    now: () => new Date().toISOString(),
  };
  try {
    process.exitCode = await runCli(args, context);
  } finally {
    reader.close();
  }
}

function surfaceOf(stream: NodeJS.WriteStream): CliContext['stdout'] {
  const isTerminal = Boolean(stream.isTTY);
  const {NO_COLOR, TERM} = process.env;
  return {
    isTerminal,
    columns: isTerminal ? stream.columns : Number.POSITIVE_INFINITY,
    hasColor: isTerminal && !NO_COLOR && TERM !== 'dumb',
  };
}
