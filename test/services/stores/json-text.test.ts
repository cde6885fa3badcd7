import {describe, expect, test} from 'vitest';
import {
  entriesUnder,
  isDeeperThan,
  objectEntries,
  renderJson,
  renderObject,
  rewriteJson,
} from '../../../src/services/stores/json-text.ts';
import fc from '../../helpers/fast-check.ts';
import {promptly} from '../../helpers/plans.ts';

const entries = (text: string) => objectEntries(text).map(({key, text: value}) => [key, value]);

/** Keys that objects sort, hide or mangle, among others. */
const keys = fc.oneof(
  fc.constantFrom(
    '10',
    '2',
    '0',
    '__proto__',
    'constructor',
    '',
    'a',
    '{',
    '}',
    '"',
    '\\',
    ',',
    ':',
    '\u2028',
    '<',
  ),
  fc.string({unit: 'binary', maxLength: 6}),
);

/** JSON as `JSON.parse` gives it: no `undefined`, no -0, `__proto__` as an own key. */
const {json} = fc.letrec<{json: unknown; list: unknown[]; object: Record<string, unknown>}>((tie) => ({
  json: fc.oneof(
    {maxDepth: 4, withCrossShrink: true},
    fc.constantFrom(null, true, false, 0, 1.5, -3, 1e21, '', 'x', '<&>', 'a"b\\c\n'),
    fc.string({unit: 'binary', maxLength: 8}),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('json'), {maxLength: 4}),
  object: fc
    .uniqueArray(fc.tuple(keys, tie('json')), {selector: ([key]) => key, maxLength: 5})
    .map((pairs) => Object.fromEntries(pairs)),
}));
const objects = json.filter((value): value is Record<string, unknown> => isObject(value));

/** The same value, in one of the layouts that people and programs use. */
const layouts = fc.constantFrom<(value: unknown) => string>(
  (value) => renderJson(value),
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 4),
  (value) => JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n'),
  (value) => JSON.stringify(value, null, 1).replaceAll(': ', ' :\n '),
);

describe('objectEntries', () => {
  test.each<{name: string; text: string; expected: Array<[string, string]>}>([
    {name: 'nothing', text: '{}', expected: []},
    {name: 'nothing but space', text: ' \r\n{ \t\n } ', expected: []},
    {
      name: 'integer-like keys in the order of the text',
      text: '{"10":1,"2":2,"b":3,"1":4}',
      expected: [
        ['10', '1'],
        ['2', '2'],
        ['b', '3'],
        ['1', '4'],
      ],
    },
    {
      name: 'a repeated key',
      text: '{"a":1,"b":2,"a":3}',
      expected: [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    },
    {
      name: 'inherited property names as keys',
      text: '{"__proto__":{},"constructor":null}',
      expected: [
        ['__proto__', '{}'],
        ['constructor', 'null'],
      ],
    },
    {
      name: 'escapes in keys',
      text: String.raw`{"a\"b":1,"\u0041\\":2,"":3}`,
      expected: [
        ['a"b', '1'],
        ['A\\', '2'],
        ['', '3'],
      ],
    },
    {
      name: 'values that look like structure',
      text: String.raw`{"a":"}{][,:\"","b":"\\","c":[{"x":"]"}],"d":{"y":{"z":[]}}}`,
      expected: [
        ['a', String.raw`"}{][,:\""`],
        ['b', String.raw`"\\"`],
        ['c', '[{"x":"]"}]'],
        ['d', '{"y":{"z":[]}}'],
      ],
    },
    {
      name: 'values as they are written',
      text: '{ "a" : 1.0 , "b":\n1e2\t,"c" : -0 , "d":  [ 1 , 2 ] }',
      expected: [
        ['a', '1.0'],
        ['b', '1e2'],
        ['c', '-0'],
        ['d', '[ 1 , 2 ]'],
      ],
    },
  ])('$name', ({text, expected}) => {
    expect(entries(text)).toEqual(expected);
  });

  test('are the keys and values of any object, in the order they were written', () => {
    const pairs = fc.uniqueArray(fc.tuple(keys, json), {selector: ([key]) => key, maxLength: 8});
    const space = fc.string({unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 3});
    fc.assert(
      fc.property(pairs, space, layouts, (list, gap, layout) => {
        const lines = list.map(
          ([key, value]) => `${gap}${JSON.stringify(key)}${gap}:${gap}${layout(value)}${gap}`,
        );
        const text = `${gap}{${lines.length === 0 ? gap : lines.join(',')}}${gap}`;
        expect(entries(text)).toEqual(list.map(([key, value]) => [key, layout(value)]));
      }),
      {numRuns: 500},
    );
  });
});

describe('isDeeperThan', () => {
  test('tells the depth of any value', () => {
    const deep = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(deep)) : 0;
    fc.assert(
      fc.property(json, (value) => {
        const depth = deep(value);
        expect(isDeeperThan(value, depth)).toBe(false);
        if (depth > 0) expect(isDeeperThan(value, depth - 1)).toBe(true);
      }),
    );
  });

  test('of a million lists is found quickly', () => {
    const value: unknown = JSON.parse('['.repeat(1_000_000) + ']'.repeat(1_000_000));
    expect(promptly(() => isDeeperThan(value, 64), 2_000)).toBe(true);
  });
});

describe('entriesUnder', () => {
  test.each([
    {text: '{"items": {"a": 1, "2": {"x": "}"}, "a": [2]}, "z": 0}', under: ['a=1', '2={"x": "}"}', 'a=[2]']},
    {text: '{"items": {"a": 1}, "items": {"b": 2}}', under: ['b=2']},
    {text: '{"items": {}}', under: []},
    {text: '{"items": [1]}', under: []},
    {text: '{"x": {"items": {"a": 1}}}', under: []},
    {text: '{}', under: []},
  ])('of $text', ({text, under}) => {
    const found = entriesUnder(text, 'items');
    expect(found.map(({key, text: value}) => `${key}=${value}`)).toEqual(under);
    for (const {start, text: value} of found) expect(text.startsWith(value, start)).toBe(true);
  });

  test('are the entries of that object, whatever its layout', () => {
    fc.assert(
      fc.property(objects, objects, layouts, (before, items, layout) => {
        const found = entriesUnder(layout({...before, items}), 'items');
        expect(found.map(({key, text}) => [key, JSON.parse(text)])).toEqual(Object.entries(items));
      }),
    );
  });
});

describe('renderJson', () => {
  test.each([
    {
      name: 'what Go escapes in HTML',
      value: '<a href="x">&</a>',
      text: String.raw`"\u003ca href=\"x\"\u003e\u0026\u003c/a\u003e"`,
    },
    {name: 'separators', value: '\u2028\u2029', text: String.raw`"\u2028\u2029"`},
    {name: 'controls', value: '\u0000\u001f\n\t', text: String.raw`"\u0000\u001f\n\t"`},
    {name: 'what Go does not escape', value: 'é😀\u007f/', text: '"é😀\u007f/"'},
    {name: 'a lone surrogate', value: '\ud83d', text: String.raw`"\ud83d"`},
    {name: 'empty lists and objects', value: {a: [], b: {}}, text: '{\n  "a": [],\n  "b": {}\n}'},
    {name: 'nesting', value: [{a: [1]}], text: '[\n  {\n    "a": [\n      1\n    ]\n  }\n]'},
    {name: 'nothing', value: undefined, text: 'null'},
  ])('$name', ({value, text}) => {
    expect(renderJson(value)).toBe(text);
  });

  test('at a level indents every line but the first', () => {
    expect(renderJson({a: ['x\ny']}, 2)).toBe('{\n      "a": [\n        "x\\ny"\n      ]\n    }');
  });

  test('is read back as the same value', () => {
    fc.assert(
      fc.property(json, fc.nat({max: 3}), (value, level) => {
        expect(JSON.parse(renderJson(value, level))).toEqual(value);
      }),
    );
  });
});

describe('renderObject', () => {
  test.each([
    {name: 'nothing', list: [], level: 1, text: '{}'},
    {
      name: 'at the root',
      list: [
        {key: 'a<', text: '1'},
        {key: '2', text: '[]'},
      ],
      level: 0,
      text: '{\n  "a\\u003c": 1,\n  "2": []\n}',
    },
    {name: 'at a level', list: [{key: 'a', text: '1'}], level: 1, text: '{\n    "a": 1\n  }'},
  ])('$name', ({list, level, text}) => {
    expect(renderObject(list, level)).toBe(text);
  });
});

describe('rewriteJson', () => {
  const previous =
    '{\n  "10": 1.0,\n  "b": {"x":  [1,2], "y": "\\u003c"},\n  "2": null,\n  "c": 12345678901234567890\n}';

  test.each<{name: string; next: unknown; text: string}>([
    {name: 'nothing changed', next: JSON.parse(previous), text: previous},
    {
      name: 'one value changed',
      next: {...JSON.parse(previous), 2: 'z'},
      text: '{\n  "10": 1.0,\n  "b": {"x":  [1,2], "y": "\\u003c"},\n  "2": "z",\n  "c": 12345678901234567890\n}',
    },
    {
      name: 'a nested value changed, and its neighbours kept as they were written',
      next: {...JSON.parse(previous), b: {x: [1, 2], y: '>'}},
      text: '{\n  "10": 1.0,\n  "b": {"x":  [1,2], "y": "\\u003e"},\n  "2": null,\n  "c": 12345678901234567890\n}',
    },
    {
      name: 'a key removed',
      next: {...JSON.parse(previous), 2: undefined},
      text: '{\n  "10": 1.0,\n  "b": {"x":  [1,2], "y": "\\u003c"},\n  "c": 12345678901234567890\n}',
    },
    {
      name: 'a key that became undefined is removed',
      next: {10: 1, b: undefined, 2: undefined, c: undefined},
      text: '{\n  "10": 1.0\n}',
    },
    {
      name: 'new keys appended',
      next: {...JSON.parse(previous), 1: [], new: {a: 1}},
      text: '{\n  "10": 1.0,\n  "b": {"x":  [1,2], "y": "\\u003c"},\n  "2": null,\n  "c": 12345678901234567890,\n  "1": [],\n  "new": {\n    "a": 1\n  }\n}',
    },
    {name: 'an object became a list', next: [1], text: '[\n  1\n]'},
    {name: 'an object became null', next: null, text: 'null'},
  ])('$name', ({next, text}) => {
    expect(rewriteJson(previous, next)).toBe(text);
  });

  test.each([
    {
      name: 'four spaces',
      text: '{\n    "a": 1,\n    "b": {\n        "c": 2\n    }\n}',
      changed: '{\n    "a": 1,\n    "b": {\n        "c": 3\n    }\n}',
    },
    {
      name: 'tabs and Windows line endings',
      text: '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}',
      changed: '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 3\r\n\t}\r\n}',
    },
    {name: 'no space at all', text: '{"a":1,"b":{"c":2}}', changed: '{"a":1,"b":{"c":3}}'},
    {
      name: 'space everywhere',
      text: '{ "a" :1 , "b" :{ "c" : 2 } }',
      changed: '{ "a" :1 , "b" :{ "c" : 3 } }',
    },
  ])('keeps a layout of $name', ({text, changed}) => {
    expect(rewriteJson(text, {a: 1, b: {c: 3}})).toBe(changed);
  });

  test('of a repeated key keeps one, with the value that counts', () => {
    expect(rewriteJson('{"a": 1, "b": 2, "a": 3}', {a: 3, b: 4})).toBe('{\n  "a": 3,\n  "b": 4\n}');
  });

  test('keeps the text of any value that did not change', () => {
    fc.assert(
      fc.property(json, layouts, (value, layout) => {
        const text = layout(value);
        expect(rewriteJson(text, JSON.parse(text))).toBe(text);
      }),
    );
  });

  test('is read back as the new value, whatever the old one was', () => {
    fc.assert(
      fc.property(json, json, layouts, fc.nat({max: 2}), (old, next, layout, level) => {
        expect(JSON.parse(rewriteJson(layout(old), next, level))).toEqual(next);
      }),
      {numRuns: 500},
    );
  });

  test('of an object changes nothing but the changed values', () => {
    fc.assert(
      fc.property(objects, layouts, json, (old, layout, value) => {
        const text = layout(old);
        const [key] = Object.keys(old);
        fc.pre(key !== undefined);
        const next = Object.fromEntries(
          Object.entries(old).map(([each, was]) => [each, each === key ? value : was]),
        );
        const before = entries(text).filter(([each]) => each !== key);
        expect(entries(rewriteJson(text, next)).filter(([each]) => each !== key)).toEqual(before);
        expect(entries(rewriteJson(text, next)).map(([each]) => each)).toEqual(
          entries(text).map(([each]) => each),
        );
      }),
      {numRuns: 300},
    );
  });
});

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
