import {expect, test} from 'vitest';
import {jsonObjectsIn} from '../../../src/machines/policies/text/json-objects.ts';

test.each<{name: string; text: string; found: unknown[]}>([
  {name: 'alone', text: '{"a":1}', found: [{a: 1}]},
  {
    name: 'in prose and in a fence',
    text: 'so {"a":1} and\n```json\n{\n "b": [2]\n}\n```',
    found: [{a: 1}, {b: [2]}],
  },
  {name: 'with braces and quotes in its texts', text: '{"a":"}\\"{\\\\"}', found: [{a: '}"{\\'}]},
  {name: 'after braces that are not JSON', text: '{x} {"a":1}', found: [{a: 1}]},
  {name: 'after a quote that is never closed', text: 'a " and {"a":1}', found: [{a: 1}]},
  {name: 'cut off', text: '{"a":{"b":1}', found: [{b: 1}]},
  {name: 'cut off within a text', text: '{"a":"b', found: []},
])('$name', ({text, found}) => {
  expect(jsonObjectsIn(text).objects.map(({value}) => value)).toEqual(found);
});

test('its own keys, as often as they occur, and where', () => {
  const text = 'x {"a" : 1, "b": {"c": "d"}, "a": ["e"]} y';
  expect(jsonObjectsIn(text).objects).toEqual([
    {value: {a: ['e'], b: {c: 'd'}}, keys: ['a', 'b', 'a'], start: 2, end: 40},
  ]);
});

test.each([
  {name: 'escaped quotes', text: `{${'\\"a'.repeat(200_000)}`},
  {name: 'one text without an end', text: `{"${'a'.repeat(9_000_000)}`},
])('$name are scanned once, not once for each', ({text}) => {
  expect(jsonObjectsIn(text)).toEqual({objects: [], isCut: false});
});

test('a limited number of braces is scanned', () => {
  expect(jsonObjectsIn('{x}'.repeat(1_000)).isCut).toBe(false);
  expect(jsonObjectsIn('{x}'.repeat(1_001)).isCut).toBe(true);
});

test('to a limited depth', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
  expect(jsonObjectsIn(nested(64))).toMatchObject({objects: [{start: 0}], isCut: false});
  expect(jsonObjectsIn(nested(65)).isCut).toBe(true);
});
