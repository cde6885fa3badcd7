import type {Plan} from '../../../services/contracts/plan.ts';
import type {ImportedTask} from './imported-task.ts';

/** Resolves a reference to another task: a key or an id, otherwise a title that only one task has. */
export type NamedTask =
  | {readonly type: 'found'; readonly key: string}
  /** The positions of all tasks with this title. */
  | {readonly type: 'ambiguous'; readonly at: readonly string[]}
  | {readonly type: 'unknown'};

/**
 * Titles in the list take precedence over the plan's, exact matches over approximate ones (`build it!` for `Build it`).
 */
export function titleFinder(tasks: readonly ImportedTask[], {items}: Plan): (name: string) => NamedTask {
  const listed = tasks.map(({key, title, at}) => ({key, title, at}));
  const planned = [...items.values()].map(({id, title}) => ({key: id, title, at: id}));
  const maps = [listed, planned].flatMap((all) =>
    [(title: string) => title.trim(), lettersOf].map((nameOf) => ({
      nameOf,
      tasks: grouped(all, nameOf),
    })),
  );
  return (name) => {
    for (const {nameOf, tasks: byName} of maps) {
      const wanted = nameOf(name);
      const [first, ...others] = (wanted === '' ? undefined : byName.get(wanted)) ?? [];
      if (first === undefined) continue;
      if (others.length === 0) return {type: 'found', key: first.key};
      return {type: 'ambiguous', at: [first, ...others].slice(0, 5).map(({at}) => at)};
    }
    return {type: 'unknown'};
  };
}

type Titled = {readonly key: string; readonly title: string; readonly at: string};

function grouped(all: readonly Titled[], nameOf: (title: string) => string): ReadonlyMap<string, Titled[]> {
  const groups = new Map<string, Titled[]>();
  for (const each of all) {
    const name = nameOf(each.title);
    const group = groups.get(name);
    if (group) group.push(each);
    else groups.set(name, [each]);
  }
  return groups;
}

/** The minimum similarity, from 0 to 1, for one title to be meant by the other. */
const alike = 0.6;

/** Suggests the task that a misspelled dependency probably means; empty if none is close. */
export function meantTask(name: string, tasks: readonly ImportedTask[], {items}: Plan): string {
  const named = pairsIn(name);
  let best: {readonly score: number; readonly hint: () => string} | null = null;
  const offer = (title: string, hint: () => string) => {
    const score = likeness(named, pairsIn(title));
    if (score >= alike && score > (best?.score ?? 0)) best = {score, hint};
  };
  for (const {title, at} of tasks) offer(title, () => `: did you mean ${JSON.stringify(title)} (${at})?`);
  for (const {id, title} of items.values())
    offer(title, () => `: did you mean ${JSON.stringify(id)}, ${JSON.stringify(title)} of the plan?`);
  return (best as {readonly hint: () => string} | null)?.hint() ?? '';
}

/** Lower-case words without punctuation. */
const lettersOf = (text: string): string =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? '';

/** All pairs of adjacent letters with their counts. Long titles are cut. */
function pairsIn(text: string): ReadonlyMap<string, number> {
  const letters = lettersOf(text.slice(0, 200));
  const pairs = new Map<string, number>();
  for (let at = 0; at < letters.length - 1; at++) {
    const pair = letters.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** The Dice coefficient: the share of common pairs. */
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
