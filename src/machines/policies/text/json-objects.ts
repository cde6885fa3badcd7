/** An object as it stands in a text. */
export type ObjectText = {
  readonly value: object;
  readonly start: number;
  readonly end: number;
  /** Its own keys, each as often as it stands there. */
  readonly keys: readonly unknown[];
};

/** A hostile text of nothing but braces must not keep anybody busy: so many of them, and so many characters, are looked at. */
const maxAttempts = 1_000;
const maxLooked = 10_000_000;
/** What is nested deeper is no answer to anything, and too deep to be written down again. */
const maxDepth = 64;

/**
 * The JSON objects of a text, wherever they stand: alone, in prose, in a fence, on one line or many. Those inside another
 * are part of it. `isCut`: it holds more braces, or deeper ones, than anybody looks at.
 */
export function jsonObjectsIn(text: string): {
  readonly objects: readonly ObjectText[];
  readonly isCut: boolean;
} {
  const objects: ObjectText[] = [];
  let attempts = 0;
  let looked = 0;
  let isCut = false;
  for (let start = text.indexOf('{'); start >= 0; start = text.indexOf('{', start)) {
    attempts += 1;
    if (attempts > maxAttempts) return {objects, isCut: true};
    const found = objectAt(text, start);
    const isDeep = found === tooDeep;
    isCut ||= isDeep;
    looked += (found === null || isDeep ? text.length : found.end) - start;
    if (looked > maxLooked) return {objects, isCut: true};
    if (found === null || isDeep) start += 1;
    else {
      objects.push(found);
      start = found.end;
    }
  }
  return {objects, isCut};
}

const tooDeep = Symbol('too deep');

/** What the brace at `start` opens, up to the one that closes it; null where none does, or where it is no JSON. */
function objectAt(text: string, start: number): ObjectText | typeof tooDeep | null {
  const keys: string[] = [];
  const token = /["{}[\]]/g;
  token.lastIndex = start;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const found = wordAt(text, match.index);
    // A text without an end is no JSON, whatever comes after it.
    if (found === null) return null;
    const [word, colon] = found;
    token.lastIndex = match.index + word.length;
    if (word === '{' || word === '[') depth += 1;
    else if (word === '}' || word === ']') depth -= 1;
    else if (colon !== undefined && depth === 1) keys.push(word.slice(0, -colon.length));
    if (depth > maxDepth) return tooDeep;
    if (depth > 0) continue;
    const end = match.index + 1;
    const value = parsed(text.slice(start, end));
    return typeof value === 'object' && value !== null ? {value, start, end, keys: keys.map(parsed)} : null;
  }
  return null;
}

/**
 * The bracket, or the whole text and the colon behind it; null for a text without an end. By hand: an expression would
 * begin anew at every quote of a text that is full of escaped ones.
 */
function wordAt(text: string, start: number): readonly [word: string, colon?: string] | null {
  if (text[start] !== '"') return [text.charAt(start)];
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') {
      const behind = /\s*:/y;
      behind.lastIndex = index + 1;
      const [colon] = behind.exec(text) ?? [];
      const word = text.slice(start, index + 1);
      return colon === undefined ? [word] : [word + colon, colon];
    }
  }
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Prose with braces in it.
    return null;
  }
}
