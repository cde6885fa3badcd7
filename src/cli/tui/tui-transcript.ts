import {open} from 'node:fs/promises';
import {conversationOf, type LogEvent} from '../../machines/policies/run/conversation.ts';
import {createLogReader} from '../../services/agents/run-provider.ts';
import {messageOf, systemErrorCode} from '../../services/contracts/errors.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import {timesIn} from '../../services/output/time-marks.ts';
import {readWholeFile} from '../../services/stores/whole-file.ts';
import type {Conversation, Transcript} from '../../ui/ports.ts';

/** How much of a log a screen reads; `blackbird logs` shows all of it. */
const tailBytes = 512 * 1024;

/** The end of an agent's raw output. */
export async function readTranscript(runs: RunStore, run: RunRecord): Promise<Transcript> {
  const tail = await readTail(runs, run);
  if ('problem' in tail) return {lines: [tail.problem], isCut: false};
  const lines = tail.text.split('\n');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return {lines: lines.slice(0, last + 1), isCut: tail.isCut};
}

/** At most one line per second. */
const maxTimesBytes = 16 * 1024 * 1024;

function timesText(file: string): string {
  try {
    return readWholeFile(file, 'list of times', maxTimesBytes) ?? '';
  } catch {
    // Without it the times are unknown; the text is still shown.
    return '';
  }
}

/** The end of a run's conversation, each message with its time. */
export async function readConversation(
  runs: RunStore,
  run: RunRecord,
  maxBytes = tailBytes,
): Promise<Conversation> {
  const tail = await readTail(runs, run, maxBytes);
  if ('problem' in tail) return {talks: [{at: null, kind: 'notice', text: tail.problem}], isCut: false};
  const {times} = runs.files(run.task_id, run.run_id);
  const timeAt = timesIn(timesText(times));
  const read = createLogReader(run);
  let offset = tail.start;
  const events = tail.text.split('\n').flatMap((line): LogEvent[] => {
    const at = timeAt(offset);
    offset += Buffer.byteLength(line) + 1;
    const events = read(line);
    if (events.length > 0) return events.map((event) => ({at, event}));
    return line.trim() === '' || line.trimStart().startsWith('{')
      ? []
      : [{at, event: {type: 'line', text: line}}];
  });
  return {talks: conversationOf(run, events), isCut: tail.isCut};
}

type Tail =
  | {readonly text: string; readonly start: number; readonly isCut: boolean}
  | {readonly problem: string};

/** Complete lines only. */
async function readTail(runs: RunStore, run: RunRecord, maxBytes = tailBytes): Promise<Tail> {
  const {stdout} = runs.files(run.task_id, run.run_id);
  try {
    const {buffer, start} = await tailOf(stdout, maxBytes);
    if (start === 0) return {text: buffer.toString('utf8'), start, isCut: false};
    const line = buffer.indexOf('\n') + 1;
    return {text: buffer.toString('utf8', line), start: start + line, isCut: true};
  } catch (error) {
    return {problem: `the output cannot be read: ${messageOf(error)}`};
  }
}

async function tailOf(file: string, maxBytes: number): Promise<{buffer: Buffer; start: number}> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    // An agent that printed nothing has no file.
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return {buffer: Buffer.alloc(0), start: 0};
  try {
    const {size} = await handle.stat();
    const start = Math.max(0, size - maxBytes);
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    const {bytesRead} = await handle.read(buffer, 0, buffer.length, start);
    return {buffer: buffer.subarray(0, bytesRead), start};
  } finally {
    await handle.close();
  }
}
