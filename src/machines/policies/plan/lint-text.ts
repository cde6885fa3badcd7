import {placeholders, undecidedPhrases} from './lint-words.ts';

export const isBlank = (text: string): boolean => text.trim() === '';

/**
 * The text is nothing but a placeholder, begins with a mark that only ever means one, or says that something is not decided.
 * "todo" by itself is a word of many products and no placeholder, and what is quoted is what a product shows.
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

/** Something that can be pointed at: code, a number, a path, or one of the words. Other languages are not judged by English ones. */
export const isConcrete = (text: string, words: readonly string[]) =>
  /[`\d]|\w\/\w|\w\.\w/.test(text) || !isEnglish(text) || hasAny(text, words);

/** Words between spaces can be counted. */
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

/** By its most common words; a text without any is only taken for English where it is short. */
export function isEnglish(text: string): boolean {
  if (/[^\p{ASCII}\p{P}\p{S}\s]/u.test(text)) return false;
  return hasAny(text, commonEnglish) || wordsOf(text).length < 6;
}
