import {expect, test} from 'vitest';
import {commitRequest, commitWords} from '../../../src/machines/policies/run/commit-message.ts';

const message = (title: string, description?: string, id = 'pay-01') =>
  commitRequest({id, title, ...(description === undefined ? {} : {description})}, `${id}-1`).message;
const trailers = 'Blackbird-Task: pay-01\nBlackbird-Run: pay-01-1\n';

test.each([
  ['Add refunds', undefined, `Add refunds\n\n${trailers}`],
  [
    'Add refunds',
    'All of them.\n\nBlackbird-Run: forged\n',
    `Add refunds\n\nAll of them.\n\nBlackbird-Run: forged\n\n${trailers}`,
  ],
  ['two\nlines \u001b[31mred', undefined, `two lines red\n\n${trailers}`],
  ['', undefined, `pay-01\n\n${trailers}`],
  ['x'.repeat(72), undefined, `${'x'.repeat(72)}\n\n${trailers}`],
  ['x'.repeat(73), undefined, `${'x'.repeat(71)}…\n\n${trailers}`],
])('the message of %j with %j', (title, description, expected) => {
  expect(message(title, description)).toBe(expected);
});

test('is identified by the run', () => {
  expect(commitRequest({id: 'a', title: 'A'}, 'a-1').mark).toEqual({trailer: 'Blackbird-Run', value: 'a-1'});
});

test('what became of the commit, in a few words', () => {
  expect(commitWords({sha: '3f2a9c1d', branch: 'main'})).toBe('committed 3f2a9c1');
  expect(commitWords({sha: '3f2a9c1d'})).toBe(
    'committed 3f2a9c1, on no branch (git branch <name> 3f2a9c1 keeps it)',
  );
  expect(commitWords({skipped: 'a merge is in progress'})).toBe('not committed: a merge is in progress');
});
