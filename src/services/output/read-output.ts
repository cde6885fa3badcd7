import type {Readable} from 'node:stream';
import {StringDecoder} from 'node:string_decoder';
import {setImmediate as nextTurn, setTimeout as sleep} from 'node:timers/promises';
import type {LineSplitter} from './line-splitter.ts';
import type {LogFile} from './log-file.ts';
import type {Tail} from './tail.ts';

export type OutputSinks = {
  readonly log: LogFile;
  readonly tail: Tail;
  readonly lines?: LineSplitter | undefined;
  readonly onText?: ((text: string) => void) | undefined;
};

export type OutputReader = {
  readonly ended: Promise<void>;
  readonly bytes: number;
  /** Emits no further line, and reads hardly more, until `readOn`. */
  hold(): void;
  readOn(): void;
  /** The writer is gone: read what is left in the pipe, however far behind the disk is. */
  hurry(): void;
  /** Stops reading, emits an incomplete last line and closes the log. */
  close(): Promise<void>;
};

// More than a pipe or socket can hold.
const hurriedBytes = 1024 * 1024;

/** Feeds a stream to its sinks, no faster than the log can be written. */
export function readOutput(stream: Readable, {log, tail, lines, onText}: OutputSinks): OutputReader {
  const decoder = onText && new StringDecoder('utf8');
  let bytes = 0;
  let unpaused = 0;
  let isHeld = false;

  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    unpaused -= chunk.length;
    tail.push(chunk);
    const keepsUp = log.write(chunk);
    lines?.push(chunk);
    if (decoder) onText?.(decoder.write(chunk));
    if (keepsUp || unpaused > 0) return;
    stream.pause();
    void log.drained().then(() => {
      if (!isHeld) stream.resume();
    });
  });

  return {
    ended: new Promise((resolve) => {
      stream.once('end', resolve).once('close', resolve).on('error', resolve);
    }),
    get bytes() {
      return bytes;
    },
    hold: () => {
      isHeld = true;
      lines?.hold();
      stream.pause();
    },
    readOn: () => {
      isHeld = false;
      stream.resume();
      lines?.readOn();
    },
    hurry: () => {
      unpaused = hurriedBytes;
      stream.resume();
    },
    close: async () => {
      stream.destroy();
      lines?.end();
      const rest = decoder?.end();
      if (rest) onText?.(rest);
      await log.close();
    },
  };
}

/** Waits until all output was read, or until `window` ms passed and no more arrives. */
export async function drainOutput(readers: readonly OutputReader[], window: number): Promise<void> {
  const done = new AbortController();
  const ended = Promise.all(readers.map((reader) => reader.ended)).then(() => done.abort());
  for (const reader of readers) reader.hurry();
  await Promise.race([ended, sleep(window, undefined, {signal: done.signal}).catch(() => {})]);

  // After our own process was suspended, the timer fires before pending output arrives: check once more.
  const received = () => readers.reduce((sum, reader) => sum + reader.bytes, 0);
  for (let turn = 0; turn < maxTurns && !done.signal.aborted; turn++) {
    const before = received();
    await nextTurn();
    if (received() === before) return;
  }
}

const maxTurns = 20;

/** Output that is paused until `readOn`, which may never be called once the writer is being ended. */
export function heldOutput(output: Pick<OutputReader, 'hold' | 'readOn'>) {
  let held: {readonly over: Promise<void>; readonly end: () => void} | null = null;
  let isGivenUp = false;

  const readOn = () => {
    const ending = held;
    held = null;
    // What arrives now may call `hold` again.
    output.readOn();
    ending?.end();
  };

  return {
    hold: () => {
      if (isGivenUp || held) return;
      let end = () => {};
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      held = {over, end};
      output.hold();
    },
    readOn,
    /** Resumes reading for good. */
    giveUp: () => {
      isGivenUp = true;
      if (held) readOn();
    },
    isOver: async () => {
      while (held) await held.over;
    },
  };
}
