import {expect, test} from 'vitest';
import {helpLines} from '../../../src/ui/model/help-lines.ts';
import {lineText, lineWidth} from '../../../src/ui/model/styled-lines.ts';

test.each([
  {columns: 19, inFirst: 1},
  {columns: 77, inFirst: 1},
  {columns: 79, inFirst: 2},
  {columns: 199, inFirst: 5},
])('$columns columns: $inFirst beside each other, nothing beyond them', ({columns, inFirst}) => {
  const lines = helpLines(columns);
  const [first] = lines;
  expect(first?.filter(({tone}) => tone === 'accent')).toHaveLength(inFirst);
  expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(columns);
  const text = lines.map(lineText).join('\n');
  for (const title of ['Run', 'Look at', 'Move in', 'Change', 'Go', 'Write']) expect(text).toContain(title);
});
