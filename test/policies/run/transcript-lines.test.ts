import {expect, test} from 'vitest';
import {transcriptLines} from '../../../src/machines/policies/run/transcript-lines.ts';

test('a transcript separates both sides, and marks what was cut', () => {
  const at = null;
  const lines = transcriptLines([
    {at, kind: 'message', text: 'I look.\nThen I write.'},
    {at, kind: 'command', text: '$ npm test'},
    {at, kind: 'output', text: '2 failed', above: 6},
    {at, kind: 'output', text: 'one line'},
    {at, kind: 'notice', text: 'npm test failed'},
    {at, kind: 'output', text: 'expected 1\nfound 2'},
    {at, kind: 'question', text: 'Which colour?'},
    {at, kind: 'option', text: '1 red'},
    {at, kind: 'you', text: 'red\nas before'},
    {at, kind: 'mark', text: 'Ⅱ paused (by you)'},
    {at, kind: 'verdict', text: '✓ passed\u001b[2J'},
  ]);
  expect(lines).toEqual([
    'I look.',
    'Then I write.',
    '  $ npm test',
    '  … 6 lines above (logs --raw)',
    '  2 failed',
    '  one line',
    '! npm test failed',
    '  expected 1',
    '    found 2',
    '? Which colour?',
    '    1 red',
    '> you: red',
    '    as before',
    '- Ⅱ paused (by you)',
    '✓ passed',
  ]);
});
