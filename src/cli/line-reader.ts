import type {Readable, Writable} from 'node:stream';

export type LineReader = {
  ask(question: string): Promise<string | null>;
  close(): void;
};

/** Asks one question at a time. At the end of the input every question is answered with null. */
export function createLineReader(input: Readable, output: Writable): LineReader {
  const lines: string[] = [];
  const waiting: Array<(line: string | null) => void> = [];
  let hasEnded = false;
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
  };
  let started: Promise<void> | null = null;

  const nextLine = async (): Promise<string | null> => {
    const line = lines.shift();
    if (line !== undefined) return line;
    return hasEnded ? null : new Promise((resolve) => waiting.push(resolve));
  };

  return {
    ask: async (question) => {
      started ??= start();
      await started;
      output.write(question);
      const answer = await nextLine();
      // Nobody pressed return: what comes next must not stand behind the question.
      if (answer === null) output.write('\n');
      return answer;
    },
    close: () => closeInput?.(),
  };
}
