import type {Plan} from '../../../services/contracts/plan.ts';
import type {ImportedTask} from './imported-task.ts';

/** A name as a list has it for another task: a key or an id, else a title that only one task has. */
export type NamedTask =
  | {readonly type: 'found'; readonly key: string}
  /** Where the tasks stand that have this title. */
  | {readonly type: 'ambiguous'; readonly at: readonly string[]}
  | {readonly type: 'unknown'};

/** Titles of the list come before those of the plan, to the letter before nearly so (`build it!` for `Build it`). */
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

/** How alike two titles are at least, from 0 to 1, for one to be meant by the other. */
const alike = 0.6;

/** Whoever names a dependency nearly by a title is told which task that is; empty where none is near. */
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

/** Words in small letters, without what stands between them. */
const lettersOf = (text: string): string =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? '';

/** Every two letters that stand together, and how often. Titles end somewhere. */
function pairsIn(text: string): ReadonlyMap<string, number> {
  const letters = lettersOf(text.slice(0, 200));
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
