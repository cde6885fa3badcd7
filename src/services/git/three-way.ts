import {mkdirSync} from 'node:fs';
import path from 'node:path';
import type {Git} from './safe-git.ts';

/** A path in a tree; a missing path has the null mode. */
export type Entry = {readonly mode: string; readonly id: string};

export const noMode = '000000';
export const noEntry: Entry = {mode: noMode, id: ''};

const submodule = '160000';

/** One path in three trees: the change from `base` to `theirs` is applied to `ours`. */
export type Triple = {
  readonly file: string;
  readonly base: Entry;
  readonly ours: Entry;
  readonly theirs: Entry;
};

export type MergeConflict =
  /** Both changed the same lines, or the file has no lines. */
  | 'overlap'
  /** `ours` does not have it. */
  | 'missing'
  /** `ours` has it, but should not. */
  | 'present'
  /** A file on one side, a link or folder on the other. */
  | 'kind'
  /** A nested repository, whose content is not recorded. */
  | 'repository';

export type Merged =
  | {readonly file: string; readonly entry: Entry}
  | {readonly file: string; readonly conflict: MergeConflict};

/** Merges each path separately, without the repository's merge drivers, attributes or filters. */
export async function mergeEntries(
  git: Git,
  triples: readonly Triple[],
  work: string,
): Promise<readonly Merged[]> {
  const decided = triples.map((triple) => ({triple, decision: decide(triple)}));
  const open = decided.flatMap(({triple, decision}) => (decision === 'merge' ? [triple] : []));
  const merged = await mergeContents(git, open, work);
  return decided.map(({triple, decision}) => {
    if (decision === 'merge') return merged.get(triple.file) ?? {file: triple.file, conflict: 'overlap'};
    return typeof decision === 'string'
      ? {file: triple.file, conflict: decision}
      : {file: triple.file, entry: decision};
  });
}

/** Everything that can be decided without reading the files. */
function decide({base, ours, theirs}: Triple): Entry | MergeConflict | 'merge' {
  if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
  if ([base, ours, theirs].some(({mode}) => mode === submodule)) return 'repository';
  if (isSame(ours, base)) return theirs;
  if (ours.mode === noMode) return 'missing';
  if (base.mode === noMode || theirs.mode === noMode) return 'present';
  if (![base, ours, theirs].every(isFile))
    return isLink(base) && isLink(ours) && isLink(theirs) ? 'overlap' : 'kind';
  const mode = ours.mode === base.mode ? theirs.mode : ours.mode;
  if (ours.id === base.id) return {mode, id: theirs.id};
  return theirs.id === base.id || theirs.id === ours.id ? {mode, id: ours.id} : 'merge';
}

export const isSame = (a: Entry, b: Entry) => a.mode === b.mode && (a.mode === noMode || a.id === b.id);
const isFile = ({mode}: Entry) => mode.startsWith('100');
const isLink = ({mode}: Entry) => mode === '120000';

/** How many files are merged in parallel. */
const mergesAtOnce = 4;

async function mergeContents(
  git: Git,
  triples: readonly Triple[],
  work: string,
): Promise<ReadonlyMap<string, Merged>> {
  const found = new Map<string, Merged>();
  if (triples.length === 0) return found;
  const folders = {ours: '', base: '', theirs: ''};
  mkdirSync(work, {recursive: true});
  for (const side of ['ours', 'base', 'theirs'] as const) {
    folders[side] = path.join(work, `merge-${side}`);
    await writeEntries(
      git,
      triples.map((triple) => ({file: triple.file, entry: triple[side]})),
      folders[side],
      work,
    );
  }
  const mergeOne = async (triple: Triple) => {
    const {file, base, ours, theirs} = triple;
    const sides = [folders.ours, folders.base, folders.theirs].map((folder) => path.join(folder, file));
    // The exit code is the number of conflicts; 255 is a binary file.
    const {code} = await git.run(['merge-file', '-q', ...sides], {answers: anyCode});
    if (code !== 0) return found.set(file, {file, conflict: 'overlap'});
    const {text} = await git.run(['hash-object', '-w', '--no-filters', '--', sides[0] ?? '']);
    const mode = ours.mode === base.mode ? theirs.mode : ours.mode;
    return found.set(file, {file, entry: {mode, id: text.trim()}});
  };
  for (let at = 0; at < triples.length; at += mergesAtOnce)
    await Promise.all(triples.slice(at, at + mergesAtOnce).map(mergeOne));
  return found;
}

const anyCode = Array.from({length: 256}, (_, code) => code);

export type PlacedEntry = {readonly file: string; readonly entry: Entry};

/** Entries as lines for `update-index --index-info`: removals first, so that a folder can become a file. */
export function indexLines(entries: readonly PlacedEntry[]): string {
  const idLength = entries.find(({entry}) => entry.id !== '')?.entry.id.length ?? 40;
  const gone = entries.filter(({entry}) => entry.mode === noMode);
  const kept = entries.filter(({entry}) => entry.mode !== noMode);
  return [
    ...gone.map(({file}) => `0 ${'0'.repeat(idLength)}\t${file}\0`),
    ...kept.map(({file, entry}) => `${entry.mode} ${entry.id}\t${file}\0`),
  ].join('');
}

let indexes = 0;

/** Writes entries below a folder of ours, byte for byte, skipping anything but files and links. */
export async function writeEntries(
  git: Git,
  entries: readonly PlacedEntry[],
  folder: string,
  work: string,
): Promise<void> {
  const there = entries.filter(({entry}) => isFile(entry) || isLink(entry));
  mkdirSync(folder, {recursive: true, mode: 0o700});
  if (there.length === 0) return;
  const env = {GIT_INDEX_FILE: path.join(work, `write-${indexes++}.index`), GIT_WORK_TREE: folder};
  await git.feed(['update-index', '-z', '--index-info'], indexLines(there), {env});
  await git.run(['checkout-index', '-a', '-f', '-q', `--prefix=${folder}/`], {env});
}

/** Keeps the command line short enough. */
const pathsAtOnce = 200;

/** These paths in a tree; a folder has a mode of its own. */
export async function entriesIn(
  git: Git,
  tree: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, Entry>> {
  const found = new Map<string, Entry>();
  for (let at = 0; at < files.length; at += pathsAtOnce) {
    const {text} = await git.run(
      ['ls-tree', '-z', '--full-tree', tree, '--', ...files.slice(at, at + pathsAtOnce)],
      {env: {GIT_LITERAL_PATHSPECS: '1'}},
    );
    for (const line of text.split('\0')) {
      const [, mode, id, file] = /^(\d{6}) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? [];
      if (mode !== undefined && id !== undefined && file !== undefined) found.set(file, {mode, id});
    }
  }
  return found;
}
