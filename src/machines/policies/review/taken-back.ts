import type {HeadMove, RepositoryState} from '../../../services/contracts/side-effects.ts';

/** Commits made since the reflog had this length that are no longer reachable. */
export function takenBack(sinceBytes: number, {head, refs, log}: RepositoryState): HeadMove[] {
  const commits = (log?.entries ?? []).filter(({at, text}) => at >= sinceBytes && isCommit(text));
  const madeBy = new Map(commits.map((move) => [move.to, move]));
  const living = new Set<string>();
  for (const tip of [head, ...(refs?.values() ?? [])]) {
    // Follows the commits as far as this log knows.
    for (let move = madeBy.get(tip); move && !living.has(move.to); move = madeBy.get(parentOf(move, madeBy)))
      living.add(move.to);
  }
  return commits.filter(({to}) => !living.has(to));
}

const isCommit = (text: string) => /^commit\b/.test(text);

/** An amended commit replaces the one before it. */
function parentOf({from, text}: HeadMove, madeBy: ReadonlyMap<string, HeadMove>): string {
  return text.startsWith('commit (amend)') ? (madeBy.get(from)?.from ?? from) : from;
}
