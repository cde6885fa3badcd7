import {jsonObjectsIn} from '../text/json-objects.ts';

/** All objects with `passed` in a text, and whether the rest of it could contain another one. */
export type FoundVerdicts = {
  /** Each distinct one once, in text order. */
  readonly verdicts: readonly unknown[];
  readonly isAmbiguous: boolean;
};

/** Anything that looks like a verdict but is not a complete object (truncated, nested, in prose) is ambiguous. */
export function findVerdicts(text: string): FoundVerdicts {
  const found = new Map<string, unknown>();
  const {objects, isCut} = jsonObjectsIn(text);
  let isAmbiguous = isCut;
  let rest = '';
  let from = 0;
  for (const {value, keys, start, end} of objects) {
    const passedKeys = keys.filter((key) => key === 'passed').length;
    if (passedKeys === 0) continue;
    found.set(JSON.stringify(value), value);
    // JSON keeps the last of two equal keys; it is unclear which one was meant.
    isAmbiguous ||= passedKeys > 1;
    rest += `${text.slice(from, start)}\n`;
    from = end;
  }
  rest += text.slice(from);
  return {verdicts: [...found.values()], isAmbiguous: isAmbiguous || secondVerdict.test(rest)};
}

/** `"passed":` as a key, also escaped in another text; or `passed: false` and `passed = true` in prose. */
const secondVerdict = /["'`]passed\\*["'`]\s*:|\bpassed[\\"'`*_]*\s*[:=][\s\\"'`*_]*(?:true|false)\b/i;
