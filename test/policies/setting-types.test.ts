import {describe, expect, test} from 'vitest';
import {acceptedFor, parsedAs, readAs, settingText} from '../../src/machines/policies/setting-types.ts';
import type {Setting, SettingValue} from '../../src/services/contracts/config.ts';

const about = '';
const cost: Setting = {type: 'limit', default: null, min: 0.01, max: 100, about};
const count: Setting = {type: 'limit', default: null, min: 1, max: 10, isWhole: true, about};
const line: Setting = {type: 'text', default: '', about};
const list: Setting = {type: 'list', default: [], about};

describe('a setting', () => {
  test.each<[string, Setting, string, SettingValue | undefined]>([
    ['limit', cost, '0.01', 0.01],
    ['limit', cost, '0.009', undefined],
    ['limit', cost, '100', 100],
    ['limit', cost, '100.01', undefined],
    ['limit', cost, '1e2', undefined],
    ['limit', cost, '', undefined],
    ['limit', cost, 'none', null],
    ['whole limit', count, '10', 10],
    ['whole limit', count, '2.5', undefined],
    ['text', line, ' notify "done" ', ' notify "done" '],
    ['text', line, '', ''],
    ['text', line, 'none', ''],
    ['text', line, 'a\nb', undefined],
    ['text', line, 'x'.repeat(10_000), 'x'.repeat(10_000)],
    ['text', line, 'x'.repeat(10_001), undefined],
    ['list', list, 'npm test', ['npm test']],
    ['list', list, '["npm test", "npm run lint"]', ['npm test', 'npm run lint']],
    ['list', list, '[]', []],
    ['list', list, 'none', []],
    ['list', list, '["npm test"', undefined],
    ['list', list, '["npm test", 1]', undefined],
    ['list', list, '["  "]', undefined],
  ])('of type %s is parsed from typed text', (_, setting, text, value) => {
    expect(parsedAs(setting, text)).toEqual(value);
  });

  test.each<[string, Setting, unknown, SettingValue | undefined]>([
    ['limit', cost, 5, 5],
    ['limit', cost, null, null],
    ['limit', cost, 101, undefined],
    ['limit', cost, Number.NaN, undefined],
    ['limit', cost, '5', undefined],
    ['whole limit', count, 2.5, undefined],
    ['text', line, 'x', 'x'],
    ['text', line, ['x'], undefined],
    ['text', line, 'a\0b', undefined],
    ['list', list, ['a'], ['a']],
    ['list', list, 'a', undefined],
    ['list', list, Array.from({length: 101}, () => 'a'), undefined],
  ])('of type %s is read from a file', (_, setting, raw, value) => {
    expect(readAs(setting, raw)).toEqual(value);
  });

  test('says which values it accepts', () => {
    expect([cost, count, line, list].map(acceptedFor)).toEqual([
      'a number from 0.01 to 100, or none',
      'a whole number from 1 to 10, or none',
      'one line of at most 10000 characters, or none',
      'a JSON list of texts, such as \'["npm test", "npm run lint"]\', or one text',
    ]);
  });

  test.each<[SettingValue | undefined, string]>([
    [undefined, 'none'],
    [null, 'none'],
    ['', 'none'],
    [[], 'none'],
    [['a', 'b'], '["a","b"]'],
    [false, 'false'],
    [0, '0'],
    ['bell', 'bell'],
    // A repository may come with its own settings.
    ['a\u001b[2J\u009b31mb', 'ab'],
    [['a\u009b31m', '\u202eb'], '["a","b"]'],
  ])('with the value %j reads %s', (value, text) => {
    expect(settingText(value)).toBe(text);
  });
});
