import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';
import {systemErrorCode} from '../contracts/errors.ts';
import {
  type InspectedEntry,
  type InspectionSource,
  type JournalHeader,
  type JournalLine,
  journalFormat,
} from '../contracts/journal.ts';
import {corrupt, readFailure} from '../stores/store-errors.ts';
import {isJournalLine} from './journal-line.ts';

/** More than all journals of a bundle together. */
const mostBytes = 64 * 1024 * 1024;

/** What a journal contains besides entries. */
export type JournalSummary = {
  /** One for each Blackbird that worked on the run. */
  readonly headers: readonly JournalHeader[];
  /** It reached the size limit; the run went on. */
  readonly isCut: boolean;
  /** Lines this version does not understand, counted from 1. */
  readonly broken: readonly number[];
};

/** Parses a journal incrementally, as it grows. */
function createJournalParser(onLine: (line: JournalLine) => void = () => {}) {
  const headers: JournalHeader[] = [];
  const broken: number[] = [];
  let isCut = false;
  let lines = 0;
  let count = 0;
  return {
    /** Complete lines only: a last one without a newline is still being written, or was torn. */
    push: (text: string): InspectedEntry[] => {
      const entries: InspectedEntry[] = [];
      for (const part of text.split('\n').slice(0, -1)) {
        lines++;
        const line = parsed(part);
        // Before the first header it is not known who wrote an entry.
        if (!line || (line.kind !== 'header' && headers.length === 0)) broken.push(lines);
        else {
          onLine(line);
          if (line.kind === 'header') headers.push(line);
          else if (line.kind === 'truncated') isCut = true;
          else entries.push({...line, seq: ++count, session: headers.length});
        }
      }
      return entries;
    },
    summary: () => ({headers, isCut, broken}),
  };
}

function parsed(text: string) {
  try {
    const line: unknown = JSON.parse(text);
    if (!isJournalLine(line)) return null;
    return line.kind === 'header' && line.format !== journalFormat ? null : line;
  } catch {
    return null;
  }
}

/** The raw lines of a journal, to be passed on. */
export function readJournalLines(
  file: string,
): {readonly lines: readonly JournalLine[]; readonly broken: readonly number[]} | null {
  const found = readLines(file, 0);
  if (!found) return null;
  const lines: JournalLine[] = [];
  const {push, summary} = createJournalParser((line) => lines.push(line));
  push(found.text);
  return {lines, broken: summary().broken};
}

export type RecordedSource = InspectionSource & {readonly summary: () => JournalSummary};

export type JournalOptions = {
  readonly pollMilliseconds?: number;
  /** Whether someone still writes it; the file alone does not say. */
  readonly standing?: InspectionSource['standing'];
};

/** A recorded run as an inspection source. Followed while it has listeners, and never keeps a process alive. */
export function inspectJournal(
  file: string,
  {pollMilliseconds = 250, standing = () => 'ended'}: JournalOptions = {},
): RecordedSource {
  const {push, summary} = createJournalParser();
  const entries: InspectedEntry[] = [];
  const listeners = new Set<(entry: InspectedEntry) => void>();
  let position = 0;
  let timer: NodeJS.Timeout | undefined;

  const read = () => {
    const found = readLines(file, position);
    if (!found) return;
    position = found.end;
    for (const entry of push(found.text)) {
      entries.push(entry);
      for (const listener of listeners) listener(entry);
    }
  };
  const readQuietly = () => {
    try {
      read();
    } catch {
      // Unreadable for now; keep what was read.
    }
  };
  read();

  return {
    summary,
    standing,
    entries: () => entries,
    subscribe: (listener) => {
      listeners.add(listener);
      timer ??= setInterval(readQuietly, pollMilliseconds).unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

/** The complete lines from an offset, and where they end; null if there is no file. */
function readLines(file: string, from: number): {text: string; end: number} | null {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw readFailure(file, 'journal', error);
  }
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw corrupt(file, 'journal', 'it is not a regular file');
    if (found.size > mostBytes) throw corrupt(file, 'journal', 'it is too large');
    const bytes = Buffer.alloc(Math.max(0, found.size - from));
    const read = bytes.length === 0 ? 0 : readSync(handle, bytes, 0, bytes.length, from);
    const end = bytes.subarray(0, read).lastIndexOf(0x0a) + 1;
    return {text: bytes.toString('utf8', 0, end), end: from + end};
  } finally {
    closeSync(handle);
  }
}
