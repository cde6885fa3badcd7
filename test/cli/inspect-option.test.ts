import {describe, expect, test} from 'vitest';
import {parseInspect, parsePort, withInspectValue} from '../../src/cli/inspect/inspect-option.ts';

describe('--inspect', () => {
  test.each<[string, ReturnType<typeof parseInspect>]>([
    ['', {type: 'page', port: 0}],
    ['1', {type: 'page', port: 1}],
    ['65535', {type: 'page', port: 65_535}],
    ['stately', {type: 'stately', port: 0}],
  ])('=%s', (text, choice) => {
    expect(parseInspect(text)).toEqual(choice);
  });

  test.each(['0', '65536', '-1', '80.5', '1e3', 'classic', ' 80', '99999999'])('refuses =%s', (text) => {
    expect(() => parseInspect(text)).toThrow('It must be a port from 1 to 65535, or stately.');
  });

  test.each<{args: string[]; read: string[]}>([
    {args: ['execute', '--inspect', 'a'], read: ['execute', '--inspect=', 'a']},
    {args: ['execute', '--inspect=4000', 'a'], read: ['execute', '--inspect=4000', 'a']},
    {args: ['execute', 'a', '--inspect'], read: ['execute', 'a', '--inspect=']},
    {args: ['execute', '--', '--inspect'], read: ['execute', '--', '--inspect']},
    {args: ['execute', '--inspect', '--', '--inspect'], read: ['execute', '--inspect=', '--', '--inspect']},
  ])('accepts a value only after =: $args', ({args, read}) => {
    expect(withInspectValue(args)).toEqual(read);
  });
});

describe('--port', () => {
  test.each(['1', '65535'])('%s', (text) => {
    expect(parsePort(text)).toBe(Number(text));
  });

  test.each(['', '0', '65536', '99999', '-1', 'x', 'stately'])('refuses %s', (text) => {
    expect(() => parsePort(text)).toThrow('It must be a port from 1 to 65535.');
  });
});
