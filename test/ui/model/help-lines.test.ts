import {expect, test} from 'vitest';
import {helpTable} from '../../../src/ui/commands/command-table.ts';
import {editorKeymap} from '../../../src/ui/editor/editor-keymap.ts';
import {helpOf} from '../../../src/ui/keymap.ts';
import {helpLines} from '../../../src/ui/model/help-lines.ts';
import {lineText, lineWidth} from '../../../src/ui/model/styled-lines.ts';

test.each([
  {columns: 19, inFirst: 1},
  {columns: 77, inFirst: 1},
  {columns: 79, inFirst: 2},
  {columns: 199, inFirst: 5},
])('$columns columns: $inFirst next to each other, nothing beyond them', ({columns, inFirst}) => {
  const lines = helpLines(columns);
  const [first] = lines;
  expect(first?.filter(({tone}) => tone === 'accent')).toHaveLength(inFirst);
  expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(columns);
  const text = lines.map(lineText).join('\n');
  for (const title of ['Run', 'Look at', 'Move in', 'Change', 'Go', 'Write']) expect(text).toContain(title);
});

test.each([39, 79, 119, 199])('%i columns: every key and every word, none of them cut', (columns) => {
  const text = helpLines(columns).map(lineText).join('\n');
  expect(text).not.toContain('…');
  const shown = new Set(text.split(/\s+/));
  const rows = [...helpTable.flatMap(([, keymap]) => helpOf(keymap)), ...helpOf(editorKeymap)];
  expect(
    rows.flatMap(({keys, label}) => `${keys} ${label}`.split(' ')).filter((word) => !shown.has(word)),
  ).toEqual([]);
});
