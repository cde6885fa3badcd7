import {describe, expect, test} from 'vitest';
import {lockFailure} from '../../../src/services/lock/lock-holder.ts';
import {writeFailure} from '../../../src/services/stores/store-errors.ts';
import {seen} from '../../helpers/errors.ts';

const systemError = (code: string) => Object.assign(new Error(`${code}: refused`), {code});

describe('a file that cannot be written', () => {
  test.each([
    {
      code: 'ENOSPC',
      reason: 'the disk is full',
      next: [{command: 'df -h /p', why: 'free space there, then run the command again'}],
    },
    {
      code: 'EDQUOT',
      reason: 'the disk quota is used up',
      next: [{command: 'df -h /p', why: 'free space there, then run the command again'}],
    },
    {
      code: 'EROFS',
      reason: 'the file system is read-only',
      next: [{command: 'df /p', why: 'make that disk writable, then run the command again'}],
    },
    {
      code: 'EACCES',
      reason: 'permission denied',
      next: [{command: 'ls -la /p', why: 'make it writable for you, then run the command again'}],
    },
    {code: 'EIO', reason: 'EIO: refused', next: []},
  ])('for $code says what to do before running the command again', ({code, reason, next}) => {
    expect(seen(writeFailure('/p/x.json', 'plan', systemError(code)))).toEqual({
      code: 'E_STORE_WRITE',
      message: `cannot write the plan /p/x.json: ${reason}; nothing was changed`,
      details: [],
      next,
    });
    expect(lockFailure('/p/lock', systemError(code)).next).toEqual(next);
  });

  test('says so when the system error was wrapped', () => {
    const wrapped = new Error('no record', {cause: systemError('ENOSPC')});
    expect(writeFailure('/a b/x.json', 'record', wrapped).next).toEqual([
      {command: "df -h '/a b'", why: 'free space there, then run the command again'},
    ]);
  });
});
