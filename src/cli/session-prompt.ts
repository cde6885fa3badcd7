import {read} from 'node:fs';
import {promisify} from 'node:util';

/** More than a terminal keeps of one line. */
const longestLine = 8192;

/**
 * Asks on the terminal and reads exactly one line: the terminal hands out a line at a time, and what is
 * typed behind it belongs to the session that comes next. An editing prompt would swallow it.
 */
export async function askOnTerminal(
  question: string,
  {write, input = 0}: {write: (text: string) => void; input?: number},
): Promise<string | null> {
  write(question);
  const buffer = Buffer.alloc(longestLine);
  const {bytesRead} = await promisify(read)(input, buffer, 0, buffer.length, null);
  // Nobody pressed return: what comes next must not stand behind the question.
  if (bytesRead === 0) write('\n');
  return bytesRead === 0 ? null : buffer.toString('utf8', 0, bytesRead).replace(/\r?\n[\s\S]*$/, '');
}
