import {expect, test} from 'vitest';
import {callFor} from '../../../src/machines/policies/text/call-person.ts';

test.each([
  {how: 'bell', call: '\x07'},
  {how: 'osc9', call: '\x1b]9;Blackbird: a needs you\x07'},
  {how: 'osc777', call: '\x1b]777;notify;Blackbird;a needs you\x07'},
  {how: 'off', call: ''},
] as const)('$how', ({how, call}) => {
  expect(callFor(how, 'a needs you')).toBe(call);
});

test('a task id cannot end the sequence, start another one or add a field', () => {
  expect(callFor('osc777', 'a\x07\x1b]0;owned\x07;b')).toBe('\x1b]777;notify;Blackbird;a,b\x07');
});
