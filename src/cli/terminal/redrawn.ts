import {setTimeout as delay} from 'node:timers/promises';
import {textWidth} from '../../ui/text/graphemes.ts';
import type {CliContext} from '../context.ts';

const lookMilliseconds = 1000;

/** Redraws a text every second until Ctrl+C: in place on a terminal, otherwise only after a change. */
export async function redrawn(
  {stdout, write, out, onSignals}: CliContext,
  draw: () => Promise<string>,
): Promise<void> {
  const ending = new AbortController();
  const release = onSignals({pause: () => ending.abort(), suspend: () => {}, wake: () => {}});
  let shown = '';
  let rows = 0;
  try {
    while (!ending.signal.aborted) {
      const text = await draw();
      if (stdout.isTerminal) {
        write(`${rows === 0 ? '' : `\r\u001b[${rows}A\u001b[0J`}${text}\n`);
        rows = rowsOf(text, stdout.columns);
      } else if (text !== shown) out(text);
      shown = text;
      await delay(lookMilliseconds, undefined, {signal: ending.signal}).catch(() => {});
    }
  } finally {
    release();
  }
}

/** Long lines take several rows; control sequences take none. */
function rowsOf(text: string, columns: number): number {
  return text
    .split('\n')
    .map((line) => textWidth(line.replaceAll(/\u001b\[[0-9;]*m/g, '')))
    .reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}
