import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {isPlainTaskId} from '../../src/services/contracts/task-id.ts';
import fc from '../helpers/fast-check.ts';

describe('an id that is used as a folder name unchanged', () => {
  test.each([
    'a',
    'A1',
    '_private',
    'task-1.2_b',
    'a..b',
    'w_0123456789ab',
    '10',
    'x'.repeat(64),
    '__proto__',
    'constructor',
    'toString',
    'console',
    'com',
    'com10',
    'nullable',
    'aux-1',
  ])('%s', (id) => {
    expect(isPlainTaskId(id)).toBe(true);
  });
});

describe('an id that is escaped to become a folder name', () => {
  test.each([
    '',
    '.',
    '..',
    '...',
    '.hidden',
    '../x',
    '../../.git/hooks/post-commit',
    '..\\x',
    'a/b',
    'a\\b',
    '/',
    '/etc/passwd',
    '\\\\server\\share',
    'C:',
    'C:\\x',
    'a:b',
    'a/',
    './a',
    'a/../b',
    '~',
    '~root',
    '-',
    '-rf',
    '--help',
    'a.',
    'a ',
    ' a',
    'a b',
    '\t',
    'a\n',
    'a\nb',
    'a\r',
    'a\0',
    'a\0b',
    '\u001b[31m',
    'a\u0007',
    'a\u007f',
    'a\u0085',
    'a\u009b',
    'a\u2028',
    'a\u200b',
    '\u202ea',
    '\ufeffa',
    '\ud800',
    'é',
    'e\u0301',
    'ﬁle',
    'Ａ',
    'ä',
    '日本',
    '😀',
    'a*',
    'a?',
    'a"',
    "a'",
    'a<b',
    'a>b',
    'a|b',
    'a;b',
    'a&b',
    '$HOME',
    '$(id)',
    '`id`',
    '%2e%2e',
    'a%00',
    'a,b',
    'a=b',
    'a+b',
    'a@b',
    '#a',
    '!a',
    '{a}',
    '[a]',
    'CON',
    'con',
    'Con.txt',
    'PRN',
    'aux',
    'AUX.json',
    'nul',
    'NUL.a.b',
    'COM1',
    'com9.x',
    'LPT1',
    'lpt0',
    'x'.repeat(65),
    'x'.repeat(300),
    '..%2f..%2fetc',
  ])('%j', (id) => {
    expect(isPlainTaskId(id)).toBe(false);
  });
});

test('an unchanged id joined to a folder always names something directly inside that folder', () => {
  const near = fc.string({
    unit: fc.constantFrom('a', 'B', '0', '.', '-', '_', '/', '\\', ' ', '\0', ':', '~'),
    maxLength: 8,
  });
  const any = fc.oneof(
    near,
    fc.string({unit: 'grapheme-ascii', maxLength: 70}),
    fc.string({unit: 'binary', maxLength: 3}),
  );
  fc.assert(
    fc.property(any.filter(isPlainTaskId), (id) => {
      expect(path.posix.dirname(path.posix.join('/root/runs', id))).toBe('/root/runs');
      expect(path.win32.dirname(path.win32.join('C:\\root\\runs', id))).toBe('C:\\root\\runs');
      expect(path.posix.basename(path.posix.join('/root/runs', id))).toBe(id);
      expect(Buffer.byteLength(id)).toBeLessThanOrEqual(64);
    }),
    {numRuns: 300},
  );
});
