import {open} from 'node:fs/promises';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {createLogReader} from '../../services/agents/run-provider.ts';
import {messageOf, systemErrorCode} from '../../services/contracts/errors.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import type {Transcript} from '../../ui/ports.ts';
import {readable} from '../job/readable-lines.ts';

/** So much of a log a screen looks at; `blackbird logs` shows all of it. */
const tailBytes = 512 * 1024;

/** The end of what an agent printed, as a person reads it or as it came. */
export async function readTranscript(
  runs: RunStore,
  run: RunRecord,
  form: 'readable' | 'raw',
): Promise<Transcript> {
  const {stdout} = runs.files(run.task_id, run.run_id);
  const tail = await tailOf(stdout).catch((error: unknown) => messageOf(error));
  if (typeof tail === 'string') return {lines: [`the output cannot be read: ${tail}`], isCut: false};
  const {text, isCut} = tail;
  const read = createLogReader(run);
  const raw = text.split('\n').slice(isCut ? 1 : 0);
  const lines = form === 'raw' ? raw : raw.flatMap((line) => readable(read(line), line));
  const shown = trimmed(lines);
  const failure =
    run.failure && run.state !== 'running'
      ? ['', `${run.state} (${run.failure.kind}): ${displayLine(run.failure.message)}`]
      : [];
  return {lines: form === 'raw' ? shown : [...shown, ...failure], isCut};
}

async function tailOf(file: string): Promise<{text: string; isCut: boolean}> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    // An agent that printed nothing has no file.
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return {text: '', isCut: false};
  try {
    const {size} = await handle.stat();
    const start = Math.max(0, size - tailBytes);
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    const {bytesRead} = await handle.read(buffer, 0, buffer.length, start);
    return {text: buffer.toString('utf8', 0, bytesRead), isCut: start > 0};
  } finally {
    await handle.close();
  }
}

const trimmed = (lines: readonly string[]): readonly string[] => {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, last + 1);
};
