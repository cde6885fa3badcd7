import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  open,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';

// A link or pipe planted in place of the file is refused, not followed or waited for.
const flags =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The lines to add to a file of this size. */
export type LinesFor = (size: number) => string;

/**
 * Appends lines to a private file. A last line torn by a crash is removed first; a failed write leaves the
 * file unchanged. Does not wait for the disk.
 */
export function appendLines(file: string, linesFor: LinesFor): void {
  appendTo(openSync(file, flags, 0o600), file, linesFor);
}

/**
 * The same, but opens the file asynchronously, the one step that can take long: other writes delay a new
 * file.
 */
export function appendLinesInBackground(
  file: string,
  linesFor: () => LinesFor | null,
  done: (error: unknown) => void,
): void {
  open(file, flags, 0o600, (error, handle) => {
    if (error) return done(error);
    const lines = linesFor();
    try {
      if (lines) appendTo(handle, file, lines);
      else closeSync(handle);
    } catch (failure) {
      return done(failure);
    }
    done(null);
  });
}

function appendTo(handle: number, file: string, linesFor: LinesFor): void {
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw new Error(`${file} is not a regular file`);
    if ((found.mode & 0o077) !== 0) fchmodSync(handle, 0o600);
    const size = found.size === 0 ? 0 : sizeOfWholeLines(handle, found.size);
    if (size < found.size) ftruncateSync(handle, size);
    const bytes = Buffer.from(linesFor(size), 'utf8');
    try {
      for (let offset = 0; offset < bytes.length; ) offset += writeSync(handle, bytes, offset);
    } catch (error) {
      ftruncateSync(handle, size);
      throw error;
    }
  } finally {
    closeSync(handle);
  }
}

const chunk = 64 * 1024;

/** The size of all complete lines: everything, unless the last line has no newline. */
function sizeOfWholeLines(handle: number, size: number): number {
  const buffer = Buffer.alloc(Math.min(chunk, size));
  // The last byte first, which is nearly always enough.
  if (readSync(handle, buffer, 0, 1, size - 1) === 1 && buffer[0] === 0x0a) return size;
  for (let end = size; end > 0; end -= Math.min(chunk, end)) {
    const start = Math.max(0, end - chunk);
    const read = readSync(handle, buffer, 0, end - start, start);
    const last = buffer.subarray(0, read).lastIndexOf(0x0a);
    if (last >= 0) return start + last + 1;
  }
  return 0;
}
