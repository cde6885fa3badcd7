import {constants} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';

export type LogFile = {
  /** False if the disk is behind: stop reading until `drained` resolves. */
  write(chunk: Buffer): boolean;
  drained(): Promise<void>;
  /** Flushes the buffer and closes the file. */
  close(): Promise<void>;
  /** A write failed; nothing was logged after it. */
  readonly isTruncated: boolean;
};

const lineBreak = 0x0a;
const highWaterMark = 256 * 1024;
// A link or pipe planted in place of the log is refused, not followed or waited for.
const flags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Appends output to a private file. A file error ends the logging, never the run. */
export function openLogFile(file: string): LogFile {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let isTruncated = false;
  let work: Promise<void> | undefined;

  const giveUp = () => {
    isTruncated = true;
    waiting = [];
    waitingBytes = 0;
  };
  // Opened with the first output: a silent agent leaves no empty files.
  let handle: ReturnType<typeof openOrGiveUp> | undefined;
  const openOrGiveUp = () => openPrivately(file).catch(giveUp);

  const flush = async () => {
    handle ??= openOrGiveUp();
    const opened = await handle;
    while (opened && waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        for (const chunk of batch) await writeWhole(opened, chunk);
      } catch {
        giveUp();
        return;
      }
      waitingBytes = waiting.reduce((sum, chunk) => sum + chunk.length, 0);
    }
  };

  const flushed = () => {
    work ??= flush().finally(() => {
      work = undefined;
    });
    return work;
  };

  return {
    write: (chunk) => {
      if (isTruncated) return true;
      waiting.push(chunk);
      waitingBytes += chunk.length;
      void flushed();
      return waitingBytes < highWaterMark;
    },

    drained: async () => {
      while (waiting.length > 0 || work) await flushed();
    },

    close: async () => {
      // Checked last: a flush in the meantime may have opened the file.
      while (waiting.length > 0 || work) await flushed();
      await (await handle)?.close().catch(giveUp);
    },

    get isTruncated() {
      return isTruncated;
    },
  };
}

async function openPrivately(file: string): Promise<FileHandle> {
  const handle = await open(file, flags, 0o600);
  try {
    const stats = await handle.stat();
    if (stats.isFile() && (stats.mode & 0o077) !== 0) await handle.chmod(0o600);
    if (stats.isFile() && (await isCutOff(file, stats.size))) await writeWhole(handle, Buffer.of(lineBreak));
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * If an agent was killed or ended without a newline, the first line of its successor must not be appended to
 * its last.
 */
async function isCutOff(file: string, size: number): Promise<boolean> {
  if (size === 0) return false;
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const {bytesRead, buffer} = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    return bytesRead === 1 && buffer[0] !== lineBreak;
  } finally {
    await handle.close();
  }
}

async function writeWhole(handle: FileHandle, chunk: Buffer): Promise<void> {
  for (let offset = 0; offset < chunk.length; ) {
    const {bytesWritten} = await handle.write(chunk, offset);
    if (bytesWritten === 0) throw new Error('The disk takes no more');
    offset += bytesWritten;
  }
}
