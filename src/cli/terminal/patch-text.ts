import {visibleLine} from '../../machines/policies/text/display-text.ts';
import type {Paint} from './paint.ts';

/**
 * Whatever a line contains, it stays one visible line: a carriage return could otherwise forge a line of the
 * patch.
 */
export function safeLines(text: string): string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => visibleLine(/^[+-]/.test(line) ? line : line.replace(/\r$/, '')));
}

/** Inside a hunk every line begins with a sign, so only a header can begin with a letter. */
export function paintPatch(lines: readonly string[], paint: Paint): string[] {
  let isHeader = true;
  return lines.map((line) => {
    if (line.startsWith('diff ')) isHeader = true;
    if (line.startsWith('@@')) isHeader = false;
    if (line === '') return line;
    if (line.startsWith('@@')) return paint('cyan', line);
    if (isHeader) return paint('bold', line);
    if (line.startsWith('+')) return paint('green', line);
    return line.startsWith('-') ? paint('red', line) : line;
  });
}
