/** A JSON object and its position in a text. */
export type ObjectText = {
  readonly value: object;
  readonly start: number;
  readonly end: number;
  /** Its own keys, including duplicates. */
  readonly keys: readonly unknown[];
};

/** Limits on attempts and characters, so that a hostile text of nothing but braces cannot keep us busy. */
const maxAttempts = 1_000;
const maxLooked = 10_000_000;
/** Anything nested deeper is not an answer, and too deep to serialise again. */
const maxDepth = 64;

/**
 * The JSON objects in a text, wherever they are: alone, in prose, in a fence, on one line or many. Nested ones are part
 * of their parent. `isCut`: there are more or deeper braces than the limits allow.
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

/** The object that starts at `start`; null if it is not closed or not JSON. */
function objectAt(text: string, start: number): ObjectText | typeof tooDeep | null {
  const keys: string[] = [];
  const token = /["{}[\]]/g;
  token.lastIndex = start;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const found = wordAt(text, match.index);
    // An unterminated string is not JSON, whatever follows.
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
 * The bracket, or the whole string with the colon after it; null for an unterminated string. Hand-written: a regular
 * expression would restart at every escaped quote.
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
