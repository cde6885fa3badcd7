import {textWidth} from '../../ui/text/graphemes.ts';

/**
 * Text for people: a line that is too wide continues below. A command after a colon and what stands behind a
 * gap go there whole if they fit; else it breaks between words. Words are never cut: they may be paths.
 */
export function folded(text: string, columns: number, hang = 2): string {
  if (columns === Number.POSITIVE_INFINITY) return text;
  return text
    .split('\n')
    .flatMap((line) => foldLine(line, columns, hang))
    .join('\n');
}

function foldLine(line: string, columns: number, hang: number): string[] {
  if (visibleWidth(line) <= columns) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  if (line.length > longestOwnLine) return foldWords(line.trim(), indent, columns, hang);
  const [before, behind] = atGap(line, columns);
  if (behind !== '')
    return [...foldLine(before, columns, hang), ...foldLine(`${indent}    ${behind}`, columns, hang)];
  // A command is not broken, however long it is: copied from two lines it would be another one.
  if (isCommand.test(line.replace(colours, ''))) return [line];
  const [, words, command] = commandAtEnd.exec(line) ?? [];
  if (words !== undefined) return [...foldLine(words, columns, hang), `${indent}  ${command}`];
  return foldWords(line.trim(), indent, columns, hang);
}

/** Longer ones are an agent's: prose, whatever gaps it has. */
const longestOwnLine = 1_000;

const isCommand = /^ *(\$|blackbird|agency) /;
const commandAtEnd = /^(.*:) ((?:blackbird|agency|npm|git) .*)$/;

/** Parted at the last gap that leaves a part that fits, else at the first one. */
function atGap(line: string, columns: number): readonly [before: string, behind: string] {
  const parts = [...line.matchAll(/(?<=\S) {2,}(?=\S)/g)].map(
    ({0: {length}, index}) => [line.slice(0, index), line.slice(index + length)] as const,
  );
  return parts.findLast(([before]) => visibleWidth(before) <= columns) ?? parts[0] ?? [line, ''];
}

function foldWords(text: string, indent: string, columns: number, hang: number): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/ +/)) {
    const isStart = line.trim() === '';
    if (!isStart && visibleWidth(line) + 1 + visibleWidth(word) > columns) {
      lines.push(line);
      line = `${indent}${' '.repeat(hang)}${word}`;
    } else line += isStart ? word : ` ${word}`;
  }
  return [...lines, line];
}

const visibleWidth = (text: string): number => textWidth(text.replace(colours, ''));
const colours = /\u001b\[[\d;]*m/g;
