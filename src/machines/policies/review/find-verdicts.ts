/** Every object with `passed` that a text holds, and whether what is left over could be another one. */
export type FoundVerdicts = {
  /** Each different one once, in the order of the text. */
  readonly verdicts: readonly unknown[];
  readonly isAmbiguous: boolean;
};

/** A hostile text of nothing but braces must not keep anybody busy. */
const maxAttempts = 1_000;

/**
 * Finds verdicts wherever they stand: alone, in prose, in a fence, on one line or many. What looks like a
 * verdict and is not one of these whole objects (cut off, inside another object, in other words) is ambiguous.
 */
export function findVerdicts(text: string): FoundVerdicts {
  const found = new Map<string, unknown>();
  let isAmbiguous = false;
  let rest = '';
  let from = 0;
  let attempts = 0;
  for (let start = text.indexOf('{'); start >= 0; start = text.indexOf('{', start)) {
    attempts += 1;
    if (attempts > maxAttempts) return {verdicts: [...found.values()], isAmbiguous: true};
    const object = objectAt(text, start);
    const value = object && parsed(object.source);
    if (!object || !value) {
      start += 1;
      continue;
    }
    const end = start + object.source.length;
    const passedKeys = object.keys.filter((key) => parsed(key) === 'passed').length;
    if (passedKeys > 0) {
      found.set(JSON.stringify(value), value);
      // JSON takes the last of two equal keys; which one was meant, nobody knows.
      isAmbiguous ||= passedKeys > 1;
      rest += `${text.slice(from, start)}\n`;
      from = end;
    }
    start = end;
  }
  rest += text.slice(from);
  return {verdicts: [...found.values()], isAmbiguous: isAmbiguous || secondVerdict.test(rest)};
}

/** `"passed":` as a key, also escaped in another text; or `passed: false` and `passed = true` in prose. */
const secondVerdict = /["'`]passed\\*["'`]\s*:|\bpassed[\\"'`*_]*\s*[:=][\s\\"'`*_]*(?:true|false)\b/i;

type ObjectText = {
  readonly source: string;
  /** Its own keys, quoted as they stand there. */
  readonly keys: readonly string[];
};

/** What the brace at `start` opens, up to the one that closes it; null where none does. */
function objectAt(text: string, start: number): ObjectText | null {
  const keys: string[] = [];
  const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/gs;
  token.lastIndex = start;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [word, colon] = match;
    if (word === '{' || word === '[') depth += 1;
    else if (word === '}' || word === ']') depth -= 1;
    else if (colon !== undefined && depth === 1) keys.push(word.slice(0, -colon.length));
    if (depth === 0) return {source: text.slice(start, match.index + 1), keys};
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
