import {expect, test} from 'vitest';
import {AppError} from '../../../src/services/contracts/errors.ts';
import {messageLines, messageRows} from '../../../src/ui/model/error-lines.ts';
import {lineText, lineWidth} from '../../../src/ui/model/styled-lines.ts';

const refused = new AppError('E_RESUME_REJECTED', 'cannot resume pay-05', {
  details: [['provider', 'claude']],
  cause: new Error('No conversation found'),
  next: [
    {command: 'blackbird restart pay-05', why: 'start again, history is kept'},
    {command: 'blackbird show pay-05'},
  ],
});
const rowsOf = (error: unknown, columns: number) => messageRows(messageLines(error).lines, columns);

test('a command has its own line, with its purpose below it', () => {
  expect(messageLines(refused).title).toBe('cannot resume pay-05');
  const rows = rowsOf(refused, 60);
  expect(rows.map(lineText)).toEqual([
    'provider  claude',
    'cause     No conversation found',
    'code      E_RESUME_REJECTED',
    'next      $ blackbird restart pay-05',
    '            start again, history is kept',
    '          $ blackbird show pay-05',
  ]);
  const commands = rows.filter((row) => row.some(({bold}) => bold)).map((row) => row.at(-1)?.text);
  expect(commands).toEqual(['$ blackbird restart pay-05', '$ blackbird show pay-05']);
});

test('a long line wraps', () => {
  const rows = rowsOf(refused, 30);
  expect(Math.max(...rows.map(lineWidth))).toBeLessThanOrEqual(30);
  expect(rows.map(lineText).slice(4, 8)).toEqual([
    'next      $ blackbird restart',
    '            pay-05',
    '            start again,',
    '            history is kept',
  ]);
});

test('hostile text is shown, not obeyed; a bug says that it is one', () => {
  const hostile = new AppError('E_USAGE', 'no', {details: [['file', '\u001b[31mred\nsecond']]});
  expect(rowsOf(hostile, 40).map(lineText).join('\n')).not.toContain('\u001b');
  expect(messageLines(new Error('boom'))).toEqual({
    title: 'This is a bug in Blackbird',
    lines: [{label: '', text: 'boom'}],
  });
});
