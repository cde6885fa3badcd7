import type {CheckpointAnswer} from '../machines/policies/review/decisions.ts';
import {AppError, messageOf, systemErrorCode} from '../services/contracts/errors.ts';
import type {CliContext, DecisionQuestion} from './context.ts';
import {exitCodes} from './exit-codes.ts';
import {runCli} from './program.ts';
import {leaveGoneTerminal} from './terminal/gone-terminal.ts';
import {createLineReader} from './terminal/line-reader.ts';
import {loadCheckpointPrompt} from './terminal/load-ui.ts';
import {reportError} from './terminal/report-error.ts';
import {listenToSignals} from './terminal/signals.ts';
import {version} from './version.ts';

/** Connects the command line to this process: its streams, environment and exit code. */
export async function runProcess(name: CliContext['name'], args: readonly string[]): Promise<void> {
  const reader = createLineReader(process.stdin, process.stderr);
  const context: CliContext = {
    name,
    version,
    cwd: process.cwd(),
    env: process.env,
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    write: (text) => void process.stdout.write(text),
    writeErr: (text) => void process.stderr.write(text),
    onSignals: listenToSignals,
    ask: reader.ask,
    readAll: reader.readAll,
    ...(process.stdin.isTTY ? {forgetTyped} : {}),
    ...(process.stdin.isTTY && process.stdout.isTTY ? {askDecision} : {}),
    isInteractive: Boolean(process.stdin.isTTY && process.stderr.isTTY),
    ...(process.stdin.isTTY && process.stdout.isTTY && process.env.TERM !== 'dumb'
      ? {screen: {stdin: process.stdin, stdout: process.stdout}}
      : {}),
    stdout: surfaceOf(process.stdout),
    stderr: surfaceOf(process.stderr),
    now: () => new Date().toISOString(),
  };
  process.stdout.on('error', (error) => {
    // The reader is gone (`| head`, a closed terminal), so there is no one to tell.
    if (['EPIPE', 'EIO'].includes(systemErrorCode(error) ?? '')) return;
    if (process.exitCode === exitCodes.error) return;
    const message = `cannot write the output: ${messageOf(error)}`;
    process.exitCode = reportError(new AppError('E_STORE_WRITE', message), context, {json: false});
  });
  process.stderr.on('error', () => {});
  // Node has loaded what this needs if there is one.
  if ([process.stdin, process.stdout, process.stderr].some(({isTTY}) => isTTY)) await leaveGoneTerminal();
  try {
    const exitCode = await runCli(args, context);
    process.exitCode ||= exitCode;
  } finally {
    reader.close();
  }
}

/** Ctrl+C is a key in raw mode, and means what it means before and after. */
async function forgetTyped(): Promise<void> {
  const [{typedBefore}, {stopReading}] = await Promise.all([
    import('../ui/screen/typed-before.ts'),
    import('../ui/screen/stop-reading.ts'),
  ]);
  const typed = await typedBefore(process.stdin);
  process.stdin.setRawMode(false);
  await stopReading(process.stdin);
  if (typed.includes('\x03')) process.kill(process.pid, 'SIGINT');
}

/** Ink is loaded when there is something to decide. */
async function askDecision({obstacle, ...question}: DecisionQuestion): Promise<CheckpointAnswer | null> {
  const {runCheckpointPrompt} = await loadCheckpointPrompt();
  const {stdin, stdout} = process;
  const {hasColor} = surfaceOf(stdout);
  return runCheckpointPrompt({...question, changesRefused: obstacle, stdin, stdout, hasColor});
}

function surfaceOf(stream: NodeJS.WriteStream): CliContext['stdout'] {
  const isTerminal = Boolean(stream.isTTY);
  const {NO_COLOR, TERM} = process.env;
  return {
    isTerminal,
    // Terminals without a known size report 0.
    columns: isTerminal ? stream.columns || 80 : Number.POSITIVE_INFINITY,
    hasColor: isTerminal && !NO_COLOR && TERM !== 'dumb',
  };
}
