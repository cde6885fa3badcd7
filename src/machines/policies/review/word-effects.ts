import type {
  FileVersions,
  SideEffect,
  Surroundings,
  Writer,
} from '../../../services/contracts/side-effects.ts';
import {some} from './some-names.ts';

type Seen = Pick<Surroundings, 'words' | 'jobs'>;

/** `from` and `to` are '' if there is no file. */
export type WriterOf = (name: string, from: string, to: string) => Writer | null;

/**
 * Changes to feedback, drafts, comments and job records that this process did not make: they would reach an agent or a
 * person as someone else's words. Text written through another Blackbird process may be a person's and stops nothing.
 */
export function wordEffects(
  before: Seen,
  after: Seen,
  writerOf: WriterOf,
  putAside: ReadonlySet<string> = new Set(),
): SideEffect[] {
  const words = writtenWords(before, after, writerOf);
  const others = [
    ...words.filter(({by, name}) => by === null && !putAside.has(name)),
    // No other process can have a job while this one holds the lock.
    ...changesIn(before.jobs, after.jobs),
  ];
  const byBlackbird = words.filter(({by}) => by === 'elsewhere');
  return [
    ...told(
      'written while the agent worked, not by Blackbird, and put aside (.planted)',
      words.filter(({name}) => putAside.has(name)),
    ),
    ...told('written while the agent worked, not by Blackbird', others.filter(isThere)),
    ...told('removed while the agent worked, not by Blackbird', others.filter(isGone)),
    ...told('written or removed with Blackbird meanwhile', byBlackbird).map((effect) => ({
      ...effect,
      is_by_blackbird: true,
    })),
  ];
}

/** Texts that anyone but a Blackbird wrote. They must not pass for the words of a person or a reviewer. */
export const plantedWords = (before: Seen, after: Seen, writerOf: WriterOf): string[] =>
  writtenWords(before, after, writerOf)
    .filter((change) => change.by === null && isThere(change))
    .map(({name}) => name);

const writtenWords = (before: Seen, after: Seen, writerOf: WriterOf) =>
  changesIn(before.words, after.words).map((change) => ({
    ...change,
    by: writerOf(change.name, change.from, change.to),
  }));

type Change = {readonly name: string; readonly from: string; readonly to: string};

const isThere = ({to}: Change) => to !== '';
const isGone = ({to}: Change) => to === '';

function changesIn(before: FileVersions | undefined, after: FileVersions | undefined): Change[] {
  if (before === undefined || after === undefined) return [];
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return names
    .map((name) => ({name, from: before.get(name) ?? '', to: after.get(name) ?? ''}))
    .filter(({from, to}) => from !== to);
}

function told(what: string, changes: readonly Change[]): SideEffect[] {
  if (changes.length === 0) return [];
  return [{kind: 'records', text: `${what}: ${some(changes.map(({name}) => `.blackbird/${name}`))}`}];
}
