import type {Readable, Writable} from 'node:stream';
import {AppError, messageOf} from '../../services/contracts/errors.ts';

/** What happens to an unfinished line. */
export type UnfinishedLine = {
  /** Called with every key. */
  readonly onType: (line: string) => void;
  /**
   * Called on Ctrl+C or a signal: null once the line is kept, or why it is not. The process exits when it
   * resolves.
   */
  readonly onLeave: () => Promise<string | null>;
  /** Shown after Ctrl+C, once the line is kept. */
  readonly farewell: string;
};

export type LineReader = {
  ask(question: string, unfinished?: UnfinishedLine): Promise<string | null>;
  /** Everything up to end of input; on a terminal the question is shown, and Ctrl+D ends it. */
  readAll(question: string, unfinished?: UnfinishedLine): Promise<string>;
  close(): void;
};

/**
 * Asks one question at a time. At end of input every question is answered with null. On a terminal the line
 * can be edited; between questions the terminal is in its normal mode, so that Ctrl+C is a signal.
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
        // Return was not pressed: start a new line after the question.
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
        // Before the reader handles the key and ends the line with it.
        input.prependListener('keypress', remember);
        reader.once('close', () => {
          input.off('keypress', onKey);
          input.off('keypress', remember);
        });
        reader.once('SIGINT', () => {
          reader.removeListener('close', onClose);
          reader.close();
          output.write('\n');
          // The caller is told after the signal: end of input is not a pause.
          const onLeft = () => setImmediate(() => setImmediate(() => resolve(null)));
          leaveBy('SIGINT', unfinished, {output, onLeft});
        });
        const release = leaveOnSignals(unfinished);
        reader.once('close', release);
        reader.question(question, (line) => {
          // Only our listener: readline uses its own to stop handling keys.
          reader.removeListener('close', onClose);
          reader.close();
          keepTypedAhead(input, last);
          // Control characters, such as arrow keys in some terminals, are not part of an answer.
          resolve(line.replace(/[\u0000-\u001f\u007f-\u009f]/g, ''));
        });
      });
    },
    // One reader for all of it: pasted lines arrive at once, and all but the first would be lost.
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
          // An incomplete text is discarded.
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
 * Keys that arrived together with Return belong to the next question. Node emits them before it can be asked,
 * so they are put back into the input. A line feed after Return is not a key: both end one line.
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

/** Keeps what was typed first and says so on `output`; then the signal has its usual effect. */
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

/** More than any text or list given on stdin. */
const maxBytes = 64 * 1024 * 1024;

function pipeReader(input: Readable, output: Writable): LineReader {
  const lines: string[] = [];
  const waiting: Array<(line: string | null) => void> = [];
  let hasEnded = false;
  let size = 0;
  let closeInput: (() => void) | null = null;

  const start = async () => {
    // Most commands never ask, so readline is loaded on demand.
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
    // Counted on arrival: it may be one endless line.
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
