import fc from '../helpers/fast-check.ts';

/** Text that controls a terminal, ends a line, hides or reorders, in forms that simple filters miss. */
export const controls = [
  '\u001b]0;title\u0007',
  '\u001b]52;c;aGk=\u001b\\',
  '\u001b]8;;http://x\u001b\\x',
  '\u001b[2J\u001b[H',
  '\u001b[31m',
  '\u001bP+q544e\u001b\\',
  '\u001bPtmux;\u001b\u001b]0;x\u0007\u001b\\',
  '\u001b_x',
  '\u001bc',
  '\u001b',
  '\u009b31m',
  '\u009d0;x\u009c',
  '\u0000',
  '\u0007',
  '\b\b\b',
  '\r',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u{e0041}',
  '\ufeff',
  '\ud800',
];

/** Text that only an attacker would write, and text that anyone would. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...controls),
  fc.constantFrom(
    '',
    ' ',
    '-',
    '--help',
    '../..',
    '/etc/passwd',
    '__proto__',
    'constructor',
    'toString',
    'NaN',
  ),
  fc.string({unit: 'binary', maxLength: 40}),
  fc
    .array(fc.oneof(fc.constantFrom(...controls), fc.string({maxLength: 6})), {maxLength: 6})
    .map((parts) => parts.join('')),
  fc.nat(3_000).map((length) => 'x'.repeat(length)),
);

const nested = (depth: number): unknown => {
  let value: unknown = [];
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};

/** Values of the wrong type, of the wrong size, and some that are valid. */
export const values: fc.Arbitrary<unknown> = fc.oneof(
  texts,
  fc.constantFrom(null, true, false, 0, -1, 1, 2, 1.5, 1e308, -0, 2 ** 53, [], {}, [null], [[]]),
  fc.constantFrom<unknown>(
    {toString: 1, valueOf: 1},
    {length: 1e9},

    JSON.parse('{"__proto__":{"x":1}}'),
  ),
  fc.constantFrom(60, 64, 70).map(nested),
  fc.jsonValue({maxDepth: 3}),
);

const keys = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'schemaVersion',
    'schema_version',
    'id',
    'type',
    'kind',
    '',
  ),
  texts,
);

type Act = readonly [
  place: number,
  act: 'replace' | 'remove' | 'add' | 'repeat',
  key: string,
  value: unknown,
];
const acts: fc.Arbitrary<Act> = fc.tuple(
  fc.nat(10_000),
  fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
  keys,
  values,
);

/** The same JSON with some of its parts replaced, removed, added or repeated. */
export function changedJson(sample: unknown): fc.Arbitrary<unknown> {
  return fc.array(acts, {minLength: 1, maxLength: 3}).map((list) => list.reduce(changed, sample));
}

function changed(value: unknown, [place, act, key, other]: Act): unknown {
  const root = structuredClone(value);
  const slots = slotsOf(root);
  const slot = slots[place % Math.max(1, slots.length)];
  if (slot === undefined) return other;
  const [owner, name] = slot;
  const own = owner as Record<string, unknown>;
  if (act === 'replace') set(own, name, other);
  else if (act === 'remove' && Array.isArray(owner)) owner.splice(Number(name), 1);
  else if (act === 'remove') delete own[name];
  else if (Array.isArray(owner)) owner.push(act === 'repeat' ? owner[Number(name)] : other);
  else set(own, key, act === 'repeat' ? own[name] : other);
  return root;
}

const set = (owner: object, key: string, value: unknown) =>
  Object.defineProperty(owner, key, {value, enumerable: true, configurable: true, writable: true});

/** Every path in it that holds a value, at any depth. */
function slotsOf(root: unknown): Array<readonly [object, string]> {
  const slots: Array<readonly [object, string]> = [];
  const left = [root];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, part] of Object.entries(value)) {
      slots.push([value, key]);
      left.push(part);
    }
  }
  return slots;
}

type Cut = readonly [place: number, length: number, put: string];
const hostileBytes = fc.oneof(
  fc.constantFrom(
    '',
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '\n',
    '\r\n',
    'null',
    '1e999',
    '\\u0000',
    '\\ud800',
    '\\q',
  ),
  fc.constantFrom('\xff', '\xc3', '\xf0\x9f', '\xed\xa0\x80', '\xef\xbb\xbf', '\0', '\x1b]0;x\x07', '\x9b2J'),
  fc.string({maxLength: 4}),
);
const cuts: fc.Arbitrary<Cut> = fc.tuple(fc.nat(100_000), fc.oneof(fc.nat(3), fc.nat(3_000)), hostileBytes);

/** The same bytes with pieces removed and others inserted, anywhere; inserted text is Latin-1. */
export function changedBytes(sample: string): fc.Arbitrary<Buffer> {
  return fc.array(cuts, {minLength: 1, maxLength: 4}).map((list) => {
    let bytes = Buffer.from(sample);
    for (const [place, length, put] of list) {
      const start = place % (bytes.length + 1);
      bytes = Buffer.concat([
        bytes.subarray(0, start),
        Buffer.from(put, 'latin1'),
        bytes.subarray(start + length),
      ]);
    }
    return bytes;
  });
}

/** JSON text that is nearly valid, or not at all. */
export function jsonLike(sample: string): fc.Arbitrary<Buffer> {
  const value: unknown = JSON.parse(sample);
  return fc.oneof(
    changedJson(value).map((json) => Buffer.from(JSON.stringify(json, null, 2) ?? '')),
    changedBytes(sample),
    fc
      .constantFrom(
        '',
        ' ',
        'null',
        '0',
        '""',
        '[]',
        '{}',
        '\ufeff{}',
        '{"a":1}{"a":2}',
        '['.repeat(100_000),
        `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
      )
      .map((text) => Buffer.from(text)),
    fc.uint8Array({maxLength: 60}).map((bytes) => Buffer.from(bytes)),
  );
}
