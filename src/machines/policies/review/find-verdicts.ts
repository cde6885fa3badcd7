import {jsonObjectsIn} from '../text/json-objects.ts';

/** Every object with `passed` that a text holds, and whether what is left over could be another one. */
export type FoundVerdicts = {
  /** Each different one once, in the order of the text. */
  readonly verdicts: readonly unknown[];
  readonly isAmbiguous: boolean;
};

/** What looks like a verdict and is not a whole object (cut off, inside another object, in other words) is ambiguous. */
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
    // JSON takes the last of two equal keys; which one was meant, nobody knows.
    isAmbiguous ||= passedKeys > 1;
    rest += `${text.slice(from, start)}\n`;
    from = end;
  }
  rest += text.slice(from);
  return {verdicts: [...found.values()], isAmbiguous: isAmbiguous || secondVerdict.test(rest)};
}

/** `"passed":` as a key, also escaped in another text; or `passed: false` and `passed = true` in prose. */
const secondVerdict = /["'`]passed\\*["'`]\s*:|\bpassed[\\"'`*_]*\s*[:=][\s\\"'`*_]*(?:true|false)\b/i;
