import {closeSync, constants, fchmodSync, ftruncateSync, openSync, writeFileSync} from 'node:fs';
import {type Bundle, type BundledJournal, bundleFormat} from '../contracts/bundle.ts';
import {AppError, messageOf, shellWord, systemErrorCode} from '../contracts/errors.ts';
import type {InspectedEntry, InspectionSource, JournalLine} from '../contracts/journal.ts';
import {corrupt, writeFailure} from '../stores/store-errors.ts';
import {parseJson, readWholeFile} from '../stores/whole-file.ts';
import {isJournalLine} from './journal-line.ts';

const mostBytes = 256 * 1024 * 1024;

/** Writes a bundle readable by its owner only. Replaces an existing file only with `force`. */
export function writeBundle(file: string, bundle: Bundle, {force}: {force: boolean}): number {
  const {O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK} = constants;
  const text = `${JSON.stringify(bundle, null, 1)}\n`;
  try {
    const handle = openSync(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | (force ? 0 : O_EXCL), 0o600);
    try {
      fchmodSync(handle, 0o600);
      ftruncateSync(handle, 0);
      writeFileSync(handle, text);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw writeFailure(file, 'bundle', error);
    throw new AppError('E_STORE_WRITE', `${file} already exists`, {
      next: [
        {
          command: `blackbird bundle ${shellWord(bundle.task_id)} --output ${shellWord(file)} --force`,
          why: 'replace it; or name another file',
        },
      ],
    });
  }
  return Buffer.byteLength(text);
}

/** Reads a bundle from someone else: only its form is trusted. */
export function readBundle(file: string): Bundle {
  const text = readWholeFile(file, 'bundle', mostBytes);
  if (text === null) throw new AppError('E_STORE_READ', `there is no bundle at ${file}`);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw corrupt(file, 'bundle', messageOf(error));
  }
  if (!isBundle(value)) throw corrupt(file, 'bundle', 'it is not a bundle of Blackbird');
  if (value.format !== bundleFormat) {
    throw corrupt(file, 'bundle', `it has format ${value.format}; this Blackbird reads ${bundleFormat}`);
  }
  return value;
}

function isBundle(value: unknown): value is Bundle {
  if (typeof value !== 'object' || value === null) return false;
  const {kind, format, journals, runs, task_id, versions} = value as Record<string, unknown>;
  return (
    kind === 'blackbird-bundle' &&
    typeof format === 'number' &&
    typeof task_id === 'string' &&
    typeof versions === 'object' &&
    versions !== null &&
    Array.isArray(runs) &&
    Array.isArray(journals) &&
    journals.every(isJournal)
  );
}

function isJournal(value: unknown): value is BundledJournal {
  if (typeof value !== 'object' || value === null) return false;
  const {run_id, lines} = value as Record<string, unknown>;
  return typeof run_id === 'string' && Array.isArray(lines) && lines.every(isJournalLine);
}

/** All entries in order, each with the Blackbird that wrote it, numbered across the journals of the bundle. */
export function bundledEntries({
  journals,
}: Pick<Bundle, 'journals'>): Array<InspectedEntry & {run_id: string}> {
  const entries: Array<InspectedEntry & {run_id: string}> = [];
  let session = 0;
  for (const {run_id, lines} of journals) {
    for (const line of lines) {
      if (line.kind === 'header') session++;
      else if (isEntry(line)) entries.push({...line, seq: entries.length + 1, session, run_id});
    }
  }
  return entries;
}

const isEntry = (line: JournalLine): line is Exclude<JournalLine, {kind: 'header' | 'truncated'}> =>
  line.kind !== 'header' && line.kind !== 'truncated';

/** A bundle as an inspection source; it never grows. */
export function inspectBundle(bundle: Pick<Bundle, 'journals'>): InspectionSource {
  const entries = bundledEntries(bundle);
  return {entries: () => entries, subscribe: () => () => {}, standing: () => 'ended'};
}
