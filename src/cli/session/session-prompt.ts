import type {Readable} from 'node:stream';

/**
 * Asks on the terminal and reads exactly one line. Anything typed after it belongs to the session that
 * follows; a prompt with line editing would swallow it.
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
  // Return was not pressed: start a new line after the question.
  if (typed === null) write('\n');
  return typed === null ? null : typed.replace(/\r?\n[\s\S]*$/, '');
}
