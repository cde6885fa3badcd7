import {describe, expect, test} from 'vitest';
import {scrubSecrets, scrubText, scrubValue} from '../../../src/machines/policies/inspect/scrubbing.ts';

// Assembled here, so that no file contains anything that looks like a key.
const key = (...parts: readonly string[]) => parts.join('');

describe('secrets', () => {
  test.each<{name: string; text: string; scrubbed: string}>([
    {
      name: 'of a model provider',
      text: `key ${key('sk', '-ant-api03-', 'abcDEF123456')} end`,
      scrubbed: 'key <secret> end',
    },
    {name: 'of GitHub', text: key('ghp', '_', 'a1'.repeat(18)), scrubbed: '<secret>'},
    {name: 'of GitLab', text: key('glpat', '-', 'a1'.repeat(10)), scrubbed: '<secret>'},
    {name: 'of Slack', text: key('xoxb', '-', '1234567890-abc'), scrubbed: '<secret>'},
    {name: 'of Amazon', text: key('AKIA', 'ABCDEFGHIJKLMNOP'), scrubbed: '<secret>'},
    {
      name: 'signed tokens',
      text: key('eyJ', 'hbGciOiJI', '.', 'eyJzdWIiOiIx', '.', 'abc'),
      scrubbed: '<secret>',
    },
    {
      name: 'in a header',
      text: key('Authorization: Bearer ', 'abcdefgh12345'),
      scrubbed: 'Authorization: <secret>',
    },
    {
      name: 'in an address',
      text: key('https', '://me:', 'pass', '@example.org/x'),
      scrubbed: 'https<secret>example.org/x',
    },
    {name: 'of an unknown form', text: key('aB3'.repeat(11)), scrubbed: '<secret>'},
  ])('$name are removed', ({text, scrubbed}) => {
    expect(scrubSecrets(text)).toBe(scrubbed);
  });

  test.each([
    'a-1-b99e12',
    'd4500323-70d7-469b-8e19-ba9077875330',
    '2026-01-01T00:00:00.000Z',
    'f'.repeat(64),
    'xstate.done.actor.recordRelaunch',
    'engine/executor/task:2/run/segment',
    'aB3'.repeat(10),
    'https://example.org/x',
    'the risk-free way',
  ])('%s is not a secret', (text) => {
    expect(scrubSecrets(text)).toBe(text);
  });
});

describe('a person', () => {
  const person = {home: '/home/jane', user: 'jane', host: 'thinkpad'};
  test.each([
    {text: '/home/jane/work/x', scrubbed: '~/work/x'},
    {text: '/srv/jane/x of jane', scrubbed: '/srv/<user>/x of <user>'},
    {text: 'on thinkpad', scrubbed: 'on <host>'},
    {text: 'janet and jane-doe and thinkpads', scrubbed: 'janet and jane-doe and thinkpads'},
  ])('$text', ({text, scrubbed}) => {
    expect(scrubText(text, person)).toBe(scrubbed);
  });

  test.each([
    {user: 'root', host: 'localhost', home: '/'},
    {user: 'me', host: '', home: ''},
  ])('with a generic name (%j) leaves texts alone', (nobody) => {
    expect(scrubText('/root of me on localhost', nobody)).toBe('/root of me on localhost');
  });

  test('with a name full of punctuation is found as well', () => {
    expect(scrubText('by j.d+o now', {home: '', user: 'j.d+o', host: ''})).toBe('by <user> now');
  });
});

test('texts and keys are scrubbed everywhere; everything else stays', () => {
  const value = {a: ['x', 1, null, {x: true}], x: 'xx'};
  expect(scrubValue(value, (text) => text.replaceAll('x', '-'))).toEqual({
    a: ['-', 1, null, {'-': true}],
    '-': '--',
  });
});
