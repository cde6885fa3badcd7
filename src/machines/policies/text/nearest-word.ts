/** The meaning of the most similar word; null if nothing is close enough. */
export function nearestTo(
  word: string,
  known: ReadonlyArray<readonly [typed: string, meant: string]>,
): string | null {
  const limit = word.length > 4 ? 2 : 1;
  let best: {readonly distance: number; readonly meant: string} | null = null;
  for (const [typed, meant] of known) {
    const distance = editDistance(word.toLowerCase(), typed.toLowerCase(), limit);
    if (distance <= limit && distance < typed.length && (best === null || distance < best.distance)) {
      best = {distance, meant};
    }
  }
  return best?.meant ?? null;
}

/** Insertions, deletions, substitutions and transpositions; infinite if the lengths are further apart than `most`. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({length: b.length + 1}, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line.push(
        Math.min(
          (line[column - 1] ?? 0) + 1,
          (rows[row - 1]?.[column] ?? 0) + 1,
          (rows[row - 1]?.[column - 1] ?? 0) + change,
          isSwap ? (rows[row - 2]?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(line);
  }
  return rows[a.length]?.[b.length] ?? Number.POSITIVE_INFINITY;
}
