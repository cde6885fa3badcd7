import {expect, test} from 'vitest';
import {folded} from '../../src/cli/terminal/fold.ts';

test.each([
  {name: 'a line that fits', text: 'just twenty columns!', to: ['just twenty columns!']},
  {name: 'one column more', text: 'just twenty1 columns!', to: ['just twenty1', '  columns!']},
  {name: 'several lines, each by itself', text: 'one\n\ntwo', to: ['one', '', 'two']},
  {
    name: 'an indented line hangs two columns deeper',
    text: '  a limit of the account is reached',
    to: ['  a limit of the', '    account is', '    reached'],
  },
  {
    name: 'a word that is too wide stays whole',
    text: 'created /a/path/that/is/long.json',
    to: ['created', '  /a/path/that/is/long.json'],
  },
  {
    name: 'what stands behind a gap goes below',
    text: '  npm link     once, in the clone',
    to: ['  npm link', '      once, in the', '        clone'],
  },
  {
    name: 'of several parts, those that fit stay together',
    text: '✓ api  done  10s  2 files',
    to: ['✓ api  done  10s', '    2 files'],
  },
  {
    name: 'a command stays whole, with its words',
    text: 'Decide with: blackbird review api --approve',
    to: ['Decide with:', '  blackbird review api --approve'],
  },
  {
    name: 'a command on a line of its own stays whole',
    text: '    \u001b[36mblackbird resume api\u001b[39m',
    to: ['    \u001b[36mblackbird resume api\u001b[39m'],
  },
  {
    name: 'colours have no width',
    text: '\u001b[2mjust twenty columns!\u001b[22m',
    to: ['\u001b[2mjust twenty columns!\u001b[22m'],
  },
  {
    name: 'wide characters have two columns',
    text: '漢字漢字漢字漢字漢字 漢',
    to: ['漢字漢字漢字漢字漢字', '  漢'],
  },
])('$name', ({text, to}) => {
  expect(folded(text, 20).split('\n')).toEqual(to);
  expect(folded(text, Number.POSITIVE_INFINITY)).toBe(text);
});

test('an endless line of an agent is folded between its words', () => {
  const rows = folded('word  '.repeat(100_000).trim(), 20).split('\n');
  expect(rows.slice(0, 2)).toEqual(['word word word word', '  word word word']);
  expect(rows.join(' ').match(/word/g)).toHaveLength(100_000);
});
