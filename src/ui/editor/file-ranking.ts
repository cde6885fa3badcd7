/** Paths with what ranking needs of them, made once. */
export type RankedFiles = {
  readonly paths: readonly string[];
  readonly lower: readonly string[];
  /** Where the file's own name begins. */
  readonly names: Uint32Array;
};

export function rankableFiles(paths: readonly string[]): RankedFiles {
  const names = new Uint32Array(paths.length);
  for (const [index, path] of paths.entries()) names[index] = path.lastIndexOf('/') + 1;
  // Lower case can be longer than the original (İ); such a path is ranked as it is written.
  const lower = paths.map((path) => {
    const small = path.toLowerCase();
    return small.length === path.length ? small : path;
  });
  return {paths, lower, names};
}

/** What a list of files can hold. */
const matchLimit = 50;

/** The matches of a search; asked again for the same search, as every frame does, it remembers them. */
export function matchesOf(files: RankedFiles | null, query: string): readonly string[] {
  if (files === null) return [];
  if (last?.files !== files || last.query !== query) {
    last = {files, query, matches: rankFiles(files, query, matchLimit)};
  }
  return last.matches;
}

let last: {readonly files: RankedFiles; readonly query: string; readonly matches: readonly string[]} | null =
  null;

/** The files that hold the letters of `query` in this order, the best of them first. */
export function rankFiles({paths, lower, names}: RankedFiles, query: string, limit: number): string[] {
  const wanted = query.toLowerCase();
  const best: Array<{readonly index: number; readonly score: number}> = [];
  for (let index = 0; index < lower.length; index++) {
    const score = scoreOf(lower[index] ?? '', names[index] ?? 0, wanted);
    const worst = best[limit - 1];
    // Of equals the earlier one stays: the list is in the order of the tree.
    if (score < 0 || (worst && worst.score >= score)) continue;
    let place = best.length;
    while (place > 0 && (best[place - 1]?.score ?? 0) < score) place--;
    best.splice(place, 0, {index, score});
    if (best.length > limit) best.pop();
  }
  return best.map(({index}) => paths[index] ?? '');
}

/** Below zero: no match. The name counts more than its folders, whole words more than scattered letters. */
function scoreOf(path: string, name: number, wanted: string): number {
  const shortness = 200 - Math.min(200, path.length);
  if (wanted === '') return shortness + 1_000 * (20 - Math.min(20, depthOf(path)));
  const inName = path.indexOf(wanted, name);
  if (inName >= 0) {
    const isWhole = inName === name && path.length === name + wanted.length;
    return (isWhole ? 9_000 : inName === name ? 8_000 : startsWord(path, inName) ? 7_000 : 6_000) + shortness;
  }
  const inPath = path.lastIndexOf(wanted);
  if (inPath >= 0) return (startsWord(path, inPath) ? 5_000 : 4_000) + shortness;
  return scatteredScore(path, name, wanted, shortness);
}

/** From the end backwards, so that letters are found in the name before they are found in folders. */
function scatteredScore(path: string, name: number, wanted: string, shortness: number): number {
  let at = path.length;
  let points = 0;
  for (let letter = wanted.length - 1; letter >= 0; letter--) {
    const before = at;
    at = at === 0 ? -1 : path.lastIndexOf(wanted[letter] ?? '', at - 1);
    if (at < 0) return -1;
    if (at === before - 1 && letter < wanted.length - 1) points += 20;
    if (startsWord(path, at)) points += 15;
    if (at >= name) points += 10;
  }
  return Math.min(3_500, points) + shortness;
}

function startsWord(path: string, at: number): boolean {
  const before = path.charCodeAt(at - 1);
  // Nothing, or one of / - . _ and blank in front.
  return at === 0 || before === 47 || before === 45 || before === 46 || before === 95 || before === 32;
}

function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) depth++;
  return depth;
}
