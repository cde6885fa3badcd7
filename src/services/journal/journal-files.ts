import {messageOf} from '../contracts/errors.ts';
import {
  type JournalCut,
  type JournalEntry,
  type JournalHeader,
  type JournalSink,
  journalFormat,
} from '../contracts/journal.ts';
import {appendLines, appendLinesInBackground, type LinesFor} from './line-file.ts';

/** Far more than a normal run needs; a loop must not fill the disk. */
const mostBytes = 4 * 1024 * 1024;
/** Written after a quiet moment, and after a second at the latest: creating a file slows every sync. */
const quietMilliseconds = 100;
const holdMilliseconds = 2_000;
const mostHeld = 2_000;
/** Batches whose file could not be opened yet. */
const mostPending = 1_000;

export type JournalFilesOptions = {
  readonly fileOf: (taskId: string, runId: string) => string;
  readonly version: string;
  readonly now: () => string;
  /** Called once; nothing is journalled after it. */
  readonly onFailure: (reason: string) => void;
  readonly maxBytes?: number;
};

type Run = Parameters<JournalSink['append']>[0];
type Batch = {readonly file: string; readonly run: Run; readonly entries: JournalEntry[]};

/**
 * One journal file per run, beside its record. Entries are buffered and written in batches, without waiting
 * for the disk. A file error ends the journal, never the work.
 */
export function createJournalFiles(options: JournalFilesOptions): JournalSink {
  const {fileOf, onFailure, maxBytes = mostBytes} = options;
  /** Incoming entries, by file. */
  let held = new Map<string, Batch>();
  let heldEntries = 0;
  /** Batches being written, one after another. */
  let pending: Batch[] = [];
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  let heldSince = 0;
  let isLost = false;
  /** The files that have our header. */
  const begun = new Set<string>();

  const lose = (error: unknown) => {
    held.clear();
    pending = [];
    if (isLost) return;
    isLost = true;
    process.off('exit', flush);
    onFailure(messageOf(error));
  };

  const linesOf = ({file, run, entries}: Batch): LinesFor => {
    const lines = [...(begun.has(file) ? [] : [headerOf(options, run, entries)]), ...entries];
    return (size) => {
      begun.add(file);
      return fitting(lines, size, maxBytes, options.now());
    };
  };

  const takeHeld = () => {
    clearTimeout(timer);
    timer = undefined;
    pending.push(...held.values());
    held = new Map();
    heldEntries = 0;
    if (pending.length > mostPending) lose(new Error('the disk does not answer'));
  };

  const writeNext = () => {
    const [batch] = pending;
    if (isWriting) return;
    if (!batch) {
      // Entries that arrived during the last write still wait, and must not be lost on exit.
      if (held.size === 0) process.off('exit', flush);
      return;
    }
    isWriting = true;
    const done = (error: unknown) => {
      isWriting = false;
      if (pending[0] === batch) pending.shift();
      if (error) lose(error);
      writeNext();
    };
    // It may have been flushed synchronously in the meantime.
    const lines = () => (pending[0] === batch ? linesOf(batch) : null);
    try {
      appendLinesInBackground(batch.file, lines, done);
    } catch (error) {
      done(error);
    }
  };

  const writeHeld = () => {
    takeHeld();
    writeNext();
  };

  const wait = () => {
    if (timer === undefined) {
      heldSince = performance.now();
      timer = setTimeout(writeHeld, quietMilliseconds).unref();
      process.off('exit', flush).once('exit', flush);
    } else if (performance.now() - heldSince < holdMilliseconds) {
      timer.refresh();
    }
  };

  const flush = () => {
    takeHeld();
    process.off('exit', flush);
    const batches = pending;
    pending = [];
    try {
      for (const batch of batches) {
        appendLines(batch.file, linesOf(batch));
      }
    } catch (error) {
      lose(error);
    }
  };

  return {
    append: (run, entries) => {
      if (isLost) return;
      const file = fileOf(run.task_id, run.run_id);
      const batch = held.get(file) ?? {file, run, entries: []};
      batch.entries.push(...entries);
      held.set(file, batch);
      heldEntries += entries.length;
      wait();
      if (heldEntries >= mostHeld) writeHeld();
    },
    flush,
  };
}

function headerOf(
  {version, now}: JournalFilesOptions,
  {run_id, task_id}: Run,
  entries: readonly JournalEntry[],
): JournalHeader {
  const machines = [...new Set(entries.map(({machine}) => machine))];
  return {kind: 'header', format: journalFormat, blackbird: version, at: now(), run_id, task_id, machines};
}

/** As many whole lines as fit, and a line saying that it was cut; nothing if the file was already full. */
function fitting(
  lines: ReadonlyArray<JournalHeader | JournalEntry>,
  size: number,
  maxBytes: number,
  at: string,
): string {
  if (size >= maxBytes) return '';
  let text = '';
  let end = size;
  for (const line of lines) {
    const next = `${JSON.stringify(line)}\n`;
    end += Buffer.byteLength(next);
    if (end > maxBytes) {
      const cut: JournalCut = {kind: 'truncated', at, bytes: maxBytes};
      // Padded, so that the next Blackbird can tell from the size that this file is full.
      const last = JSON.stringify(cut);
      const room = maxBytes - size - Buffer.byteLength(text) - Buffer.byteLength(last) - 1;
      return `${text}${last}${' '.repeat(Math.max(0, room))}\n`;
    }
    text += next;
  }
  return text;
}
