import {placeholders, undecidedPhrases} from './lint-words.ts';

export const isBlank = (text: string): boolean => text.trim() === '';

/**
 * The text is only a placeholder, begins with an unambiguous marker, or says that something is undecided. "todo" alone
 * is a common product word and no placeholder, and quoted text is what a product displays.
 */
export function isPlaceholder(text: string): boolean {
  if (placeholders.includes(wordsOf(text).join(' '))) return true;
  if (/^\W*(FIXME|XXX)\b/m.test(text) || /^\W*TODO\s*(:|-|\.\.\.|…)/m.test(text)) return true;
  return hasAny(text.replaceAll(quoted, ' '), undecidedPhrases);
}

const quoted = /"[^"\n]*"|“[^”\n]*”|`[^`\n]*`|'[^'\n]*'(?!\w)/g;

export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export const hasAny = (text: string, phrases: readonly string[]) => {
  const all = ` ${wordsOf(text).join(' ')} `;
  return phrases.some((phrase) => all.includes(` ${phrase} `));
};

/** Something concrete: code, a number, a path, or one of the words. Other languages are not judged by English words. */
export const isConcrete = (text: string, words: readonly string[]) =>
  /[`\d]|\w\/\w|\w\.\w/.test(text) || !isEnglish(text) || hasAny(text, words);

/** Whether the text separates words by spaces, so that they can be counted. */
export const isSpaced = (text: string) =>
  !/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(text);

const commonEnglish = [
  'the',
  'a',
  'an',
  'and',
  'of',
  'to',
  'in',
  'is',
  'it',
  'for',
  'on',
  'with',
  'this',
  'that',
];

/** Judged by the most common words; a text without any counts as English only if it is short. */
export function isEnglish(text: string): boolean {
  if (/[^\p{ASCII}\p{P}\p{S}\s]/u.test(text)) return false;
  return hasAny(text, commonEnglish) || wordsOf(text).length < 6;
}
