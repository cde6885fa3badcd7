import {helpTable} from '../commands/command-table.ts';
import type {Line} from '../components/lines.tsx';
import {editorKeymap} from '../editor/editor-keymap.ts';
import {helpOf} from '../keymap.ts';
import {padEnd} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';
import {wrapped} from '../text/wrap.ts';
import type {Layout} from './layout.ts';
import {memoizeLast} from './memoize.ts';
import {lineWidth} from './styled-lines.ts';

/** In a narrower column most texts would wrap. */
const narrowest = 38;
const widest = 52;
const between = 2;

/** Without the space on the left. */
export const helpColumns = ({width}: Layout): number => width - 1;

type Block = readonly Line[];

/** Every key, from the same tables as the key handling, in as many columns as fit. */
export const helpLines = memoizeLast((columns: number): readonly Line[] => {
  const count = Math.max(1, Math.floor((columns + between) / (narrowest + between)));
  const width = Math.min(widest, Math.floor((columns + between) / count) - between);
  const blocks = [
    ...helpTable.map(([title, keymap]) => blockOf(title, keymap, width)),
    blockOf('Write', editorKeymap, width),
  ];
  return sideBySide(inColumns(blocks, count), width);
});

function blockOf(title: string, keymap: Parameters<typeof helpOf>[0], width: number): Block {
  const rows = helpOf(keymap);
  const keyColumns = Math.min(Math.floor(width / 2), 2 + Math.max(...rows.map(({keys}) => textWidth(keys))));
  return [
    ...wrapped(title, width).map((text): Line => [{text, bold: true, tone: 'accent'}]),
    ...rows.flatMap(({keys, label}): Line[] => {
      const left = wrapped(keys, keyColumns - 1);
      const right = wrapped(label, width - keyColumns);
      return Array.from({length: Math.max(left.length, right.length)}, (_, row) => [
        {text: padEnd(left[row] ?? '', keyColumns), bold: true},
        {text: right[row] ?? ''},
      ]);
    }),
    [],
  ];
}

/** Distributes the blocks, in order and unsplit, over columns that are as short as possible. */
function inColumns(blocks: readonly Block[], count: number): Block[] {
  for (let height = Math.max(...blocks.map(({length}) => length)); ; height++) {
    const columns: Line[][] = [[]];
    for (const block of blocks) {
      const last = columns.at(-1) ?? [];
      if (last.length > 0 && last.length + block.length > height) columns.push([...block]);
      else last.push(...block);
    }
    if (columns.length <= count) return columns;
  }
}

function sideBySide(columns: readonly Block[], width: number): Line[] {
  const height = Math.max(...columns.map(({length}) => length));
  return Array.from({length: height}, (_, row) =>
    columns.flatMap((column, place): Line => {
      const line = column[row] ?? [];
      if (place === columns.length - 1) return line;
      return [...line, {text: ' '.repeat(width + between - lineWidth(line))}];
    }),
  );
}
