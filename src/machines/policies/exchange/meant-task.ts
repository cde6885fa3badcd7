import type {Plan} from '../../../services/contracts/plan.ts';
import type {ImportedTask} from './imported-task.ts';

/** How alike two titles are at least, from 0 to 1, for one to be meant by the other. */
const alike = 0.6;

/** Whoever names a dependency by a title, or nearly so, is told which task that is and how it is named; empty where none is near. */
export function meantTask(name: string, tasks: readonly ImportedTask[], {items}: Plan): string {
  const named = pairsIn(name);
  let best: {readonly score: number; readonly hint: () => string} | null = null;
  const offer = (title: string, hint: () => string) => {
    const score = likeness(named, pairsIn(title));
    if (score >= alike && score > (best?.score ?? 0)) best = {score, hint};
  };
  for (const {id, idWish, title, at} of tasks) {
    offer(title, () =>
      id === null
        ? `: did you mean ${JSON.stringify(title)} (${at})? Give it an id (<!-- id: ${idWish} --> behind its title in Markdown) and wait for that`
        : `: did you mean ${JSON.stringify(id)}, ${JSON.stringify(title)} (${at})?`,
    );
  }
  for (const {id, title} of items.values())
    offer(title, () => `: did you mean ${JSON.stringify(id)}, ${JSON.stringify(title)} of the plan?`);
  return (best as {readonly hint: () => string} | null)?.hint() ?? '';
}

/** Every two letters that stand together, and how often. Titles end somewhere. */
function pairsIn(text: string): ReadonlyMap<string, number> {
  const letters =
    text
      .slice(0, 200)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? '';
  const pairs = new Map<string, number>();
  for (let at = 0; at < letters.length - 1; at++) {
    const pair = letters.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice's measure: the share of pairs that both have. */
function likeness(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let shared = 0;
  let all = 0;
  for (const [pair, count] of one) {
    shared += Math.min(count, other.get(pair) ?? 0);
    all += count;
  }
  for (const count of other.values()) all += count;
  return all === 0 ? 0 : (2 * shared) / all;
}
