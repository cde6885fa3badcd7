import {open, stat} from 'node:fs/promises';
import {setTimeout as delay} from 'node:timers/promises';
import type {Command} from 'commander';
import {transcriptLines} from '../../machines/policies/run/transcript-lines.ts';
import {displayText} from '../../machines/policies/text/display-text.ts';
import {createLogReader} from '../../services/agents/run-provider.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import {createLineSplitter} from '../../services/output/line-splitter.ts';
import type {Cli} from '../cli.ts';
import {printableJson} from '../terminal/printable-json.ts';
import {readConversation} from '../tui/tui-transcript.ts';
import {readable} from './readable-lines.ts';

const pollMilliseconds = 200;

/** Prints the log of a run from the start, and with `follow` continues while the run does. */
export async function printTranscript({
  cli,
  command,
  runs,
  run,
  options,
  isEngineAlive,
}: {
  cli: Cli;
  command: Command;
  runs: RunStore;
  run: RunRecord;
  isEngineAlive: () => Promise<boolean>;
  options: {follow?: true; raw?: true; stderr?: true};
}): Promise<void> {
  const {context} = cli;
  const files = runs.files(run.task_id, run.run_id);
  const isConversation = !(options.follow || options.raw || options.stderr || cli.isJson(command));
  if (isConversation && ((await stat(files.stdout).catch(() => null))?.size ?? 0) > 0)
    return printConversation(cli, runs, run);
  const read = createLogReader(run);
  const isPlain = options.raw === true || options.stderr === true;
  const safe = (text: string) => (context.stdout.isTerminal ? displayText(text) : text);
  const splitter = createLineSplitter((line) => {
    if (cli.isJson(command)) context.out(printableJson({run_id: run.run_id, line}));
    else if (isPlain) context.out(safe(line));
    else for (const text of readable(read(line), line)) context.out(text);
  });
  let offset = 0;
  let latest = run;
  for (;;) {
    const {runs: history} = await runs.list(run.task_id);
    const current = history.find(({run_id}) => run_id === run.run_id);
    latest = current ?? latest;
    // A running record without a live engine belongs to a Blackbird that died.
    const isOver = current?.state !== 'running' || !(await isEngineAlive());
    offset = await readFrom(options.stderr ? files.stderr : files.stdout, offset, (chunk) =>
      splitter.push(chunk),
    );
    if (!options.follow || isOver) break;
    await delay(pollMilliseconds);
  }
  // If the log is gone, the record still has the end of it.
  if (offset === 0) splitter.push(Buffer.from(options.stderr ? latest.stderr : latest.stdout));
  splitter.end();
  if (splitter.dropped > 0) {
    const count = splitter.dropped === 1 ? 'a line' : `${splitter.dropped} lines`;
    context.err(
      `${count} of more than 1 MiB left out; all of it is in ${options.stderr ? files.stderr : files.stdout}`,
    );
  }
  const {state, failure} = latest;
  if (!isPlain && !cli.isJson(command) && failure && state !== 'running') {
    context.out(`${state} (${failure.kind}): ${displayText(failure.message)}`);
  }
}

/** More than anyone reads. */
const maxConversationBytes = 64 * 1024 * 1024;

/** The whole conversation of a run, both sides. */
async function printConversation({context}: Cli, runs: RunStore, run: RunRecord): Promise<void> {
  const {talks, isCut} = await readConversation(runs, run, maxConversationBytes);
  if (isCut) context.err('the beginning is left out here; --raw shows all of it');
  for (const line of transcriptLines(talks)) context.out(line);
}

async function readFrom(file: string, offset: number, onChunk: (chunk: Buffer) => void): Promise<number> {
  const size = (await stat(file).catch(() => null))?.size ?? 0;
  if (size <= offset) return offset;
  const handle = await open(file, 'r');
  try {
    let position = offset;
    const buffer = Buffer.alloc(64 * 1024);
    for (;;) {
      const {bytesRead} = await handle.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return position;
      onChunk(Buffer.from(buffer.subarray(0, bytesRead)));
      position += bytesRead;
    }
  } finally {
    await handle.close();
  }
}
