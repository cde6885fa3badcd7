// JSON as text: unchanged parts keep their bytes, whatever wrote them and however they are formatted.

export type TextEntry = {readonly key: string; readonly text: string};
/** An entry and the offset of its value in the text of its object. */
export type PlacedEntry = TextEntry & {readonly start: number};

/** The entries of a JSON object in text order, which a JavaScript object would not keep. */
export function objectEntries(text: string): PlacedEntry[] {
  return scanObject(text, skipSpace(text, 0)).entries;
}

/** The entries of the object under this key, found in one pass over the text. */
export function entriesUnder(text: string, key: string): PlacedEntry[] {
  return scanObject(text, skipSpace(text, 0), key).under;
}

type ScannedObject = {readonly entries: PlacedEntry[]; readonly under: PlacedEntry[]; readonly end: number};

function scanObject(text: string, start: number, openKey?: string): ScannedObject {
  const entries: PlacedEntry[] = [];
  let under: PlacedEntry[] = [];
  let index = start + 1;
  for (;;) {
    index = skipSpace(text, index);
    if (text.charCodeAt(index) !== quote) return {entries, under, end: index + 1};
    const keyEnd = stringEnd(text, index);
    const key = keyOf(text.slice(index, keyEnd));
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    let valueEnd: number;
    if (key === openKey && text.charCodeAt(valueStart) === openBrace) {
      // The last of two equal keys counts, as for a parser.
      ({entries: under, end: valueEnd} = scanObject(text, valueStart));
    } else valueEnd = endOfValue(text, valueStart);
    entries.push({key, text: text.slice(valueStart, valueEnd), start: valueStart});
    index = skipSpace(text, valueEnd);
    if (text.charCodeAt(index) !== comma) return {entries, under, end: index + 1};
    index++;
  }
}

const keyOf = (literal: string): string =>
  literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);

/** Whether objects and arrays are nested deeper than this. The limit also bounds the recursion. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) return value.some((entry) => isDeeperThan(entry, limit - 1));
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], limit - 1)) return true;
  }
  return false;
}

/** Two-space JSON with the same escapes as Go's encoder, so that both programs write the same bytes. */
export function renderJson(value: unknown, level = 0): string {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  const escaped = text.replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return level === 0 ? escaped : escaped.replaceAll('\n', `\n${'  '.repeat(level)}`);
}

/** One object from entries whose values are already text. */
export function renderObject(entries: Iterable<TextEntry>, level: number): string {
  const indent = '  '.repeat(level + 1);
  const lines: string[] = [];
  for (const {key, text} of entries) lines.push(`${indent}${renderJson(key)}: ${text}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${'  '.repeat(level)}}`;
}

/**
 * `next` as text, in which everything equal to `previous` keeps its text and position. New keys follow the old ones;
 * missing keys are removed.
 */
export function rewriteJson(previous: string, next: unknown, level = 0): string {
  if (isSame(JSON.parse(previous), next)) return previous;
  if (!isObject(next) || previous[0] !== '{') return renderJson(next, level);
  const fields = new Map(Object.entries(next).filter(([, value]) => value !== undefined));
  return rewriteObject(previous, [...fields.keys()], level, (key, old) =>
    old === undefined ? renderJson(fields.get(key), level + 1) : rewriteJson(old, fields.get(key), level + 1),
  );
}

/** A whole file: unchanged parts keep their text. */
export function renderDocument(value: unknown, previous: string | null): string {
  return `${previous === null ? renderJson(value) : rewriteJson(previous.trim(), value)}\n`;
}

/** The object with these keys, existing ones in their order; `textOf` renders each value. */
export function rewriteObject(
  previous: string,
  keys: readonly string[],
  level: number,
  textOf: (key: string, old: string | undefined) => string,
): string {
  const old = objectEntries(previous);
  const wanted = new Set(keys);
  if (old.length === wanted.size && old.every(({key}) => wanted.has(key))) {
    return replaceValues(previous, old, ({key, text}) => textOf(key, text));
  }
  // The last of two equal keys counts, as for a parser.
  const texts = new Map(old.map(({key, text}) => [key, text]));
  const kept = [...texts.keys()].filter((key) => wanted.has(key));
  const added = [...wanted].filter((key) => !texts.has(key));
  return renderObject(
    [...kept, ...added].map((key) => ({key, text: textOf(key, texts.get(key))})),
    level,
  );
}

/** Replaces values in place and keeps everything around them. */
export function replaceValues(
  object: string,
  entries: readonly PlacedEntry[],
  textOf: (entry: PlacedEntry, index: number) => string,
): string {
  const parts: string[] = [];
  let end = 0;
  for (const [index, entry] of entries.entries()) {
    parts.push(object.slice(end, entry.start), textOf(entry, index));
    end = entry.start + entry.text.length;
  }
  parts.push(object.slice(end));
  return parts.join('');
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

function skipSpace(text: string, index: number): number {
  let at = index;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** The index after the closing quote of the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  for (let index = text.indexOf('"', start + 1); index >= 0; index = text.indexOf('"', index + 1)) {
    let before = index - 1;
    while (text.charCodeAt(before) === backslash) before--;
    // An even number of backslashes escape each other and leave the quote alone.
    if ((index - before) % 2 === 1) return index + 1;
  }
  return text.length;
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return stringEnd(text, start);
  if (first !== openBrace && first !== openBracket) return endOfScalar(text, start);
  let depth = 0;
  for (let index = start; index >= 0; index = nextMark(text, index)) {
    const code = text.charCodeAt(index);
    if (code === quote) index = stringEnd(text, index);
    else {
      depth += code === openBrace || code === openBracket ? 1 : -1;
      index++;
      if (depth === 0) return index;
    }
  }
  return text.length;
}

function endOfScalar(text: string, start: number): number {
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code === comma || code === closeBrace || code === closeBracket) return index;
  }
  return text.length;
}

const marks = /["{}[\]]/g;

/** The next quote or bracket. A regular expression is fast from its first use; a loop over characters is not. */
function nextMark(text: string, from: number): number {
  marks.lastIndex = from;
  return marks.test(text) ? marks.lastIndex - 1 : -1;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((entry, index) => isSame(entry, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(b).filter((key) => b[key] !== undefined);
  return (
    Object.keys(a).length === keys.length &&
    keys.every((key) => Object.hasOwn(a, key) && isSame(a[key], b[key]))
  );
}
