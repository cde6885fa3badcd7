/** Names that Windows reserves, with any extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** The rule for new ids: a file name that is safe and identical on every system. */
export const taskIdRule =
  'letters, digits, ".", "_" and "-", at most 64, not beginning with "." or "-", not ending with "."';

/** True for ids that can be folder names as they are; all others are escaped. */
export function isPlainTaskId(id: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(id) && !id.endsWith('.') && !reserved.test(id);
}

/** Words that need another one after them: a shortened id must not end in one. */
const joiningWords: ReadonlySet<string> = new Set(
  'a an and as at by for from if in into is its of on or so that the then this to via when where which while with without'.split(
    ' ',
  ),
);

/** The first whole words as an id, joined by "-", within limits on characters and words. */
export function firstWordsId(words: readonly string[], longest: number, most = words.length): string {
  const [first = ''] = words;
  const taken: string[] = [];
  let length = -1;
  for (const word of words.slice(0, most)) {
    length += word.length + 1;
    if (length > longest) break;
    taken.push(word);
  }
  const isCut = taken.length < words.length;
  while (isCut && taken.length > 1 && joiningWords.has(taken.at(-1) ?? '')) taken.pop();
  return taken.length === 0 ? first.slice(0, longest) : taken.join('-');
}
