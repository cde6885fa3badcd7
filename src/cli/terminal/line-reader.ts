import type {Readable, Writable} from 'node:stream';
import {AppError, messageOf} from '../../services/contracts/errors.ts';

/** What becomes of a line that is not finished. */
export type UnfinishedLine = {
  /** With every key. */
  readonly onType: (line: string) => void;
  /** By Ctrl+C or a signal: null once it is kept, or why it is not. The process ends when it resolves. */
  readonly onLeave: () => Promise<string | null>;
  /** Told to who leaves by Ctrl+C, once it is kept. */
  readonly farewell: string;
};

export type LineReader = {
  ask(question: string, unfinished?: UnfinishedLine): Promise<string | null>;
  /** Everything up to the end of the input; whoever types it is shown the question, and ends with Ctrl+D. */
  readAll(question: string, unfinished?: UnfinishedLine): Promise<string>;
  close(): void;
};

/**
 * Asks one question at a time. At the end of the input every question is answered with null. On a terminal
 * a line can be edited; between questions the terminal is its own again, so that Ctrl+C is a signal.
 */
export function createLineReader(input: Readable & {isTTY?: boolean}, output: Writable): LineReader {
  return input.isTTY ? terminalReader(input, output) : pipeReader(input, output);
}

function terminalReader(input: Readable, output: Writable): LineReader {
  return {
    ask: async (question, unfinished) => {
      const {createInterface} = await import('node:readline');
      const reader = createInterface({input, output, terminal: true, historySize: 0});
      return new Promise((resolve) => {
        // Nobody pressed return: what comes next must not stand behind the question.
        const onClose = () => {
          output.write('\n');
          resolve(null);
        };
        reader.once('close', onClose);
        const onKey = () => unfinished?.onType(reader.line);
        if (unfinished) input.on('keypress', onKey);
        let last = '';
        const remember = (_: string | undefined, {sequence = ''}: {sequence?: string}) => {
          last = sequence;
        };
        // Before the reader hears of the key, and ends the line with it.
        input.prependListener('keypress', remember);
        reader.once('close', () => {
          input.off('keypress', onKey);
          input.off('keypress', remember);
        });
        reader.once('SIGINT', () => {
          reader.removeListener('close', onClose);
          reader.close();
          output.write('\n');
          // Whoever asked hears of it after the signal: an end of the input is not a pause.
          const onLeft = () => setImmediate(() => setImmediate(() => resolve(null)));
          leaveBy('SIGINT', unfinished, {output, onLeft});
        });
        const release = leaveOnSignals(unfinished);
        reader.once('close', release);
        reader.question(question, (line) => {
          // This one only: with a listener of its own the reader lets go of the keys.
          reader.removeListener('close', onClose);
          reader.close();
          keepTypedAhead(input, last);
          // Keys that edit nothing, such as arrows up and down in some terminals, are no answer.
          resolve(line.replace(/[\u0000-\u001f\u007f-\u009f]/g, ''));
        });
      });
    },
    // One reader for all of it: what is pasted comes at once, and the lines behind the first would be lost.
    readAll: async (question, unfinished) => {
      const {createInterface} = await import('node:readline');
      const reader = createInterface({input, output, terminal: true, historySize: 0});
      const lines: string[] = [];
      reader.on('line', (line) => lines.push(line.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')));
      output.write(`${question}\n`);
      return new Promise((resolve) => {
        const onClose = () => resolve(lines.join('\n'));
        reader.once('close', onClose);
        const onKey = () => unfinished?.onType([...lines, reader.line].join('\n').trimEnd());
        if (unfinished) input.on('keypress', onKey);
        const release = leaveOnSignals(unfinished);
        reader.once('close', () => {
          input.off('keypress', onKey);
          release();
        });
        reader.once('SIGINT', () => {
          // Half a text is nothing that was said.
          reader.removeListener('close', onClose);
          reader.close();
          leaveBy('SIGINT', unfinished, {output});
        });
      });
    },
    close: () => input.pause(),
  };
}

/**
 * Keys that came in one piece with the return belong to the next question. Node hands them out before
 * anybody can ask it, so they are put back into the input. A line feed behind a return is no key: both end one line.
 */
function keepTypedAhead(input: Readable, last: string): void {
  let typed = '';
  const onKey = (_: string | undefined, {sequence = ''}: {sequence?: string}) => {
    typed += sequence;
  };
  input.on('keypress', onKey);
  queueMicrotask(() => {
    input.off('keypress', onKey);
    const ahead = last === '\r' ? typed.replace(/^\n/, '') : typed;
    if (ahead !== '') input.unshift(Buffer.from(ahead));
  });
}

/** What was typed is kept first and whoever sees `output` is told, then the signal has its usual effect. */
function leaveBy(
  signal: NodeJS.Signals,
  unfinished: UnfinishedLine | undefined,
  {output, onLeft}: {output?: Writable; onLeft?: () => void} = {},
): void {
  const leave = (farewell?: string) => {
    if (farewell !== undefined) output?.write(`${farewell}\n`);
    process.kill(process.pid, signal);
    onLeft?.();
  };
  if (!unfinished) {
    leave();
    return;
  }
  const notKept = (problem: string) => leave(`What you wrote could not be kept: ${problem}`);
  unfinished.onLeave().then(
    (problem) => (problem === null ? leave(unfinished.farewell) : notKept(problem)),
    (error: unknown) => notKept(messageOf(error)),
  );
}

function leaveOnSignals(unfinished: UnfinishedLine | undefined): () => void {
  if (!unfinished) return () => {};
  const signals = ['SIGTERM', 'SIGHUP'] as const;
  const onSignal = (signal: NodeJS.Signals) => {
    release();
    leaveBy(signal, unfinished);
  };
  const release = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return release;
}

/** More than any text or list that is given on stdin. */
const maxBytes = 64 * 1024 * 1024;

function pipeReader(input: Readable, output: Writable): LineReader {
  const lines: string[] = [];
  const waiting: Array<(line: string | null) => void> = [];
  let hasEnded = false;
  let size = 0;
  let closeInput: (() => void) | null = null;

  const start = async () => {
    // Most commands never ask; only those that do pay for readline.
    const {createInterface} = await import('node:readline');
    const reader = createInterface({input, terminal: false});
    reader.on('line', (line) => {
      const next = waiting.shift();
      if (next) next(line);
      else lines.push(line);
    });
    reader.on('close', () => {
      hasEnded = true;
      for (const resolve of waiting.splice(0)) resolve(null);
    });
    closeInput = () => {
      reader.close();
      input.destroy();
    };
    // Counted as it comes: it may be one line that never ends.
    input.on('data', (chunk: Buffer | string) => {
      size += chunk.length;
      if (size > maxBytes) closeInput?.();
    });
  };
  let started: Promise<void> | null = null;

  const nextLine = async (): Promise<string | null> => {
    const line = lines.shift();
    if (line !== undefined) return line;
    return hasEnded ? null : new Promise((resolve) => waiting.push(resolve));
  };

  return {
    readAll: async () => {
      started ??= start();
      await started;
      const all: string[] = [];
      for (let line = await nextLine(); line !== null; line = await nextLine()) all.push(line);
      if (size > maxBytes) throw new AppError('E_USAGE', 'stdin is larger than 64 MiB');
      return all.join('\n');
    },
    ask: async (question) => {
      started ??= start();
      await started;
      output.write(question);
      const answer = await nextLine();
      if (answer === null) output.write('\n');
      return answer;
    },
    close: () => closeInput?.(),
  };
}
