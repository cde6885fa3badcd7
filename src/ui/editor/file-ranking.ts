/** Paths with precomputed data for ranking. */
export type RankedFiles = {
  readonly paths: readonly string[];
  readonly lower: readonly string[];
  /** Where the file name starts. */
  readonly names: Uint32Array;
  /** Which letters a path contains, as bits. */
  readonly letters: Uint32Array;
};

export function rankableFiles(paths: readonly string[]): RankedFiles {
  const names = new Uint32Array(paths.length);
  const letters = new Uint32Array(paths.length);
  const lower = paths.map((path, index) => {
    const small = path.toLowerCase();
    // Lower case can be longer than the original (İ); such a path is ranked as is.
    const text = small.length === path.length ? small : path;
    names[index] = path.lastIndexOf('/') + 1;
    letters[index] = lettersOf(text);
    return text;
  });
  return {paths, lower, names, letters};
}

function lettersOf(text: string): number {
  let bits = 0;
  for (let index = 0; index < text.length; index++) bits |= 1 << (text.charCodeAt(index) & 31);
  return bits >>> 0;
}

/** The capacity of the file list. */
const matchLimit = 50;

/** The matches of a query. Every frame asks again, and most queries extend the previous one. */
export function matchesOf(files: RankedFiles | null, query: string): readonly string[] {
  if (files === null) return [];
  if (last?.files === files && last.query === query) return last.matches;
  const within = last?.files === files && query.startsWith(last.query) ? last.found : null;
  last = {files, query, ...rank(files, query, matchLimit, within)};
  return last.matches;
}

type Ranking = {
  readonly matches: readonly string[];
  /** Every matching file, by its index in the list. */
  readonly found: Uint32Array;
};

let last: (Ranking & {readonly files: RankedFiles; readonly query: string}) | null = null;

/** The files that contain the letters of `query` in this order, best first. */
export const rankFiles = (files: RankedFiles, query: string, limit: number): readonly string[] =>
  rank(files, query, limit, null).matches;

function rank(
  {paths, lower, names, letters}: RankedFiles,
  query: string,
  limit: number,
  within: Uint32Array | null,
): Ranking {
  const wanted = query.toLowerCase();
  const needed = lettersOf(wanted);
  const found = new Uint32Array(within?.length ?? lower.length);
  let count = 0;
  const best: Array<{readonly index: number; readonly score: number}> = [];
  for (let place = 0; place < found.length; place++) {
    const index = within ? (within[place] ?? 0) : place;
    if (((letters[index] ?? 0) & needed) >>> 0 !== needed) continue;
    const score = scoreOf(lower[index] ?? '', names[index] ?? 0, wanted);
    if (score < 0) continue;
    found[count++] = index;
    const worst = best[limit - 1];
    // On a tie the earlier one stays: the list is in tree order.
    if (worst && worst.score >= score) continue;
    let at = best.length;
    while (at > 0 && (best[at - 1]?.score ?? 0) < score) at--;
    best.splice(at, 0, {index, score});
    if (best.length > limit) best.pop();
  }
  return {matches: best.map(({index}) => paths[index] ?? ''), found: found.subarray(0, count)};
}

/** Negative: no match. The name counts more than its folders, whole words more than scattered letters. */
function scoreOf(path: string, name: number, wanted: string): number {
  const shortness = 200 - Math.min(200, path.length);
  if (wanted === '') return shortness + 1_000 * (20 - Math.min(20, depthOf(path)));
  // Most paths do not contain the word, which one search shows.
  const first = path.indexOf(wanted);
  if (first < 0) return scatteredScore(path, name, wanted, shortness);
  const inName = first >= name ? first : path.indexOf(wanted, name);
  if (inName >= 0) {
    const isWhole = inName === name && path.length === name + wanted.length;
    return (isWhole ? 9_000 : inName === name ? 8_000 : startsWord(path, inName) ? 7_000 : 6_000) + shortness;
  }
  return (startsWord(path, path.lastIndexOf(wanted)) ? 5_000 : 4_000) + shortness;
}

/** Backwards, so that letters are found in the name before the folders. */
function scatteredScore(path: string, name: number, wanted: string, shortness: number): number {
  let letter = wanted.length - 1;
  let [before, points] = [-1, 0];
  let code = wanted.charCodeAt(letter);
  for (let at = path.length - 1; at >= letter; at--) {
    if (path.charCodeAt(at) !== code) continue;
    if (at === before - 1) points += 20;
    if (startsWord(path, at)) points += 15;
    if (at >= name) points += 10;
    if (letter === 0) return Math.min(3_500, points) + shortness;
    before = at;
    code = wanted.charCodeAt(--letter);
  }
  return -1;
}

function startsWord(path: string, at: number): boolean {
  const before = path.charCodeAt(at - 1);
  // Nothing, or one of / - . _ and space before it.
  return at === 0 || before === 47 || before === 45 || before === 46 || before === 95 || before === 32;
}

function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) depth++;
  return depth;
}
