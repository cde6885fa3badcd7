import type {Readable} from 'node:stream';

/**
 * Asks on the terminal and reads exactly one line. A terminal hands out one line at a time, and what is
 * typed behind it belongs to the session that comes next; a prompt with editing would swallow it.
 */
export async function askOnTerminal(
  question: string,
  {write, input}: {write: (text: string) => void; input: Readable},
): Promise<string | null> {
  write(question);
  const typed = await new Promise<string | null>((resolve) => {
    const settle = (text: string | null) => {
      input.off('data', onData).off('end', onEnd).pause();
      resolve(text);
    };
    const onData = (chunk: Buffer | string) => settle(String(chunk));
    const onEnd = () => settle(null);
    input.on('data', onData).on('end', onEnd);
  });
  // Nobody pressed return: what comes next must not stand behind the question.
  if (typed === null) write('\n');
  return typed === null ? null : typed.replace(/\r?\n[\s\S]*$/, '');
}
