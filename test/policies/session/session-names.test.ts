import {describe, expect, test} from 'vitest';
import {
  branchName,
  checkSessionName,
  inSeconds,
  isRunId,
  newRunId,
  sessionName,
} from '../../../src/machines/policies/session/session-names.ts';
import {errorOf} from '../../helpers/errors.ts';

test('a run is named after the second it started in', () => {
  expect(newRunId('2026-01-10T12:00:00Z', 'a3f2')).toBe('20260110120000-a3f2');
  expect(newRunId('2026-01-10T12:00:00.123Z', 'a3f2')).toBe('20260110120000-a3f2');
});

test('branch and session follow from the run', () => {
  expect(branchName('refunds', '20260110120000-a3f2')).toBe('agency/refunds-a3f2');
  expect(sessionName('20260110120000-a3f2')).toBe('agency_20260110120000-a3f2');
});

test('times are whole seconds', () => {
  expect(inSeconds('2026-01-10T12:00:00.987Z')).toBe('2026-01-10T12:00:00Z');
  expect(inSeconds('2026-01-10T12:00:00Z')).toBe('2026-01-10T12:00:00Z');
});

test.each(['20260110120000-a3f2', 'a', 'A_b-1', 'x'.repeat(64)])('%s is a valid run', (text) => {
  expect(isRunId(text)).toBe(true);
});

test.each(['', '.', '..', '-a', '_a', 'a.b', 'a:b', 'a/b', 'a b', 'a\n', '=a', 'a*', 'ä', 'x'.repeat(65)])(
  '%j is not a valid run',
  (text) => {
    expect(isRunId(text)).toBe(false);
  },
);

describe('the name of a session', () => {
  test.each(['ab', 'refunds', 'a1', 'fix-2-bugs', 'a'.repeat(40)])('%s is taken', (name) => {
    checkSessionName(name);
  });

  test.each(['a', '', 'a'.repeat(41)])('%j has the wrong length', (name) => {
    expect(errorOf(() => checkSessionName(name))).toMatchObject({
      code: 'E_INVALID_NAME',
      message: 'name must have 2 to 40 characters',
    });
  });

  test.each([
    '1a',
    '-ab',
    'ab-',
    'a--b',
    'Ab',
    'a_b',
    'a b',
    'a.b',
    'a/b',
    'ab\n',
    '$(x)',
    'ab;',
    '..',
    '__proto__',
  ])('%j is refused', (name) => {
    expect(errorOf(() => checkSessionName(name))).toMatchObject({
      code: 'E_INVALID_NAME',
      message: 'name must be lower case letters, digits and single hyphens, and begin with a letter',
    });
  });
});
