import {closeSync, constants, fstatSync, openSync, readFileSync, statSync} from 'node:fs';
import {AppError, messageOf, systemErrorCode} from '../contracts/errors.ts';
import {isDeeperThan} from './json-text.ts';
import {corrupt, readFailure} from './store-errors.ts';

/** Deeper JSON can be read but never written back: `JSON.stringify` overflows. */
const depthLimit = 64;

/** The text of a file, or null if there is none. */
export function readWholeFile(file: string, what: string, maxBytes: number): string | null {
  const bytes = readWholeBytes(file, what, maxBytes);
  try {
    return bytes && new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw corrupt(file, what, 'it is not UTF-8 text');
    throw readFailure(file, what, error);
  }
}

/** The content of a file, or null if there is none. Never blocks on a pipe, never reads without a limit. */
export function readWholeBytes(file: string, what: string, maxBytes: number): Buffer | null {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw readFailure(file, what, error);
  }
  try {
    try {
      const found = fstatSync(handle);
      if (!found.isFile()) throw corrupt(file, what, 'it is not a regular file');
      if (found.size > maxBytes) {
        throw corrupt(file, what, `it is larger than ${Math.round(maxBytes / 1024 / 1024)} MiB`);
      }
      return readFileSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw readFailure(file, what, error);
  }
}

/** JSON that can be written back: an object, and not too deep. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw new Error('it is empty');
  if (text.startsWith('\ufeff')) throw new Error('it begins with a byte order mark');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not valid JSON: ${messageOf(error)}${placeOf(error, text)}`);
  }
  if (value === null) throw new Error('it contains null');
  if (isDeeperThan(value, depthLimit)) throw new Error(`it is nested deeper than ${depthLimit} levels`);
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error('it does not contain a JSON object');
  return value;
}

/** Identifies the version of a file without reading it; null if there is none. */
export function versionOf(file: string): string | null {
  try {
    const found = statSync(file, {throwIfNoEntry: false});
    if (!found) return null;
    // Precise to a quarter of a microsecond, far finer than file system timestamps.
    const {dev, ino, size, mtimeMs, ctimeMs} = found;
    return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch (error) {
    throw readFailure(file, 'file', error);
  }
}

/** " (line 3, column 5)" if the parser reports only a position, as before Node 22. */
function placeOf(error: unknown, text: string): string {
  const position = /position (\d+)(?! \(line)/.exec(messageOf(error))?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`;
}
