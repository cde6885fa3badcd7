import {statSync} from 'node:fs';
import {type LogFile, openLogFile} from './log-file.ts';

/** Agents print no timestamps, and seconds are precise enough. */
const markEveryMilliseconds = 1_000;

/**
 * A log with an index file of write times: lines of `<milliseconds> <offset>`, at most one per second with
 * output.
 */
export function openTimedLog(file: string, timesFile: string, now: () => number = Date.now): LogFile {
  const log = openLogFile(file);
  const times = openLogFile(timesFile);
  // A resumed run appends to its log.
  let offset = statSync(file, {throwIfNoEntry: false})?.size ?? 0;
  let markedAt = Number.NEGATIVE_INFINITY;
  return {
    write: (chunk) => {
      const at = now();
      if (Math.abs(at - markedAt) >= markEveryMilliseconds) {
        markedAt = at;
        times.write(Buffer.from(`${at} ${offset}\n`));
      }
      offset += chunk.length;
      return log.write(chunk);
    },
    drained: log.drained,
    close: async () => {
      await times.close();
      await log.close();
    },
    get isTruncated() {
      return log.isTruncated;
    },
  };
}

const marksIn = (text: string) =>
  [...text.matchAll(/^(\d{1,15}) (\d{1,15})$/gm)].map(([, at, offset]) => ({
    at: Number(at),
    offset: Number(offset),
  }));

/** The offset of the first byte written from this time on; null if there is none. */
export const offsetSince = (text: string, time: number): number | null =>
  marksIn(text).find(({at}) => at >= time)?.offset ?? null;

/** When the byte at an offset was written; null if unknown. */
export function timesIn(text: string): (offset: number) => number | null {
  const marks = marksIn(text);
  return (offset) => {
    let [low, high] = [0, marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((marks[middle]?.offset ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return marks[low - 1]?.at ?? null;
  };
}
