import {mkdirSync, readdirSync} from 'node:fs';
import path from 'node:path';
import type {TreeSpan, UndoConflict, UndoneFile, UndoPlan} from '../contracts/changes.ts';
import {AppError} from '../contracts/errors.ts';
import {noteIn, statsOrNull} from './file-sizes.ts';
import type {Git} from './safe-git.ts';
import {
  type Entry,
  entriesIn,
  indexLines,
  isSame,
  type MergeConflict,
  mergeEntries,
  noEntry,
  noMode,
  type PlacedEntry,
  type Triple,
  writeEntries,
} from './three-way.ts';
import {difference, parseChanges} from './tree-diff.ts';
import {writeFiles} from './write-files.ts';

type UndoJob = {
  readonly git: Git;
  readonly work: string;
  /** The folder that holds the files. */
  readonly top: string;
  /** The files as they are now. */
  readonly now: string;
  readonly isForced: boolean;
};

/** What to write to take a change out of the files: a three-way merge for every path. */
export async function planUndo(change: TreeSpan, job: UndoJob): Promise<UndoPlan> {
  const {git, work, top, now, isForced} = job;
  const triples = await triplesOf(git, change, now);
  const merged = await withRenames(job, change, triples);
  const decided = triples.map((triple, at) => outcomeOf(triple, merged[at]));
  const unrecorded = await unrecordedIn(git, decided, work);
  const goes = new Set(decided.flatMap(({file, entry}) => (entry.mode === noMode ? [file] : [])));

  const conflicts: UndoConflict[] = [];
  const writes: Array<PlacedEntry & {readonly ours: Entry}> = [];
  for (const {file, entry, ours, conflict} of decided) {
    const hard = unrecorded.get(file) ?? (isSame(entry, ours) ? null : obstacleAt(top, file, entry, goes));
    if (hard !== null) conflicts.push({path: file, reason: hard, isForceable: false});
    else if (conflict !== null) conflicts.push({path: file, reason: conflict, isForceable: true});
    const isLeft = hard !== null || (conflict !== null && !isForced);
    if (!isLeft && !isSame(entry, ours)) writes.push({file, entry, ours});
  }
  const to = await treeWith(git, now, writes, work);
  return {from: now, to, files: writes.map(undoneFile), conflicts};
}

/** Writes the files that differ between two trees, unless one of them was changed in the meantime. */
export async function applyUndo(
  {from, to}: TreeSpan,
  {git, work, top, now}: Omit<UndoJob, 'isForced'>,
): Promise<void> {
  const [writes, others] = await Promise.all([difference(git, from, to), difference(git, from, now)]);
  const isTouched = new Set(writes.map(({file}) => file));
  const changed = others.filter(({file}) => isTouched.has(file)).map(({file}) => file);
  if (changed.length > 0)
    throw new AppError('E_UNDO_REFUSED', 'files changed while their undo was prepared; nothing was written', {
      details: changed.map((file) => ['changed', file] as const),
    });
  const place = {top, staged: path.join(work, 'staged'), replaced: path.join(work, 'replaced')};
  const entries = writes.map(({file, after}) => ({file, entry: after}));
  await writeEntries(git, entries, place.staged, work);
  mkdirSync(place.replaced);
  writeFiles(entries, place);
}

/** The paths of the change: its end is `base`, the files now are `ours`, its start is `theirs`. */
async function triplesOf(git: Git, {from, to}: TreeSpan, now: string): Promise<Triple[]> {
  const changed = await difference(git, from, to);
  const here = await entriesIn(
    git,
    now,
    changed.map(({file}) => file),
  );
  return changed.map(({file, before, after}) => ({
    file,
    base: after,
    // A folder in its place holds other paths; whether they are in the way is checked on disk.
    ours: folderless(here.get(file)),
    theirs: before,
  }));
}

const folderless = (entry: Entry = noEntry): Entry => (entry.mode === '040000' ? noEntry : entry);

type Outcome = {
  readonly file: string;
  readonly entry: Entry;
  readonly ours: Entry;
  readonly theirs: Entry;
  readonly conflict: string | null;
};

type Settled = {readonly entry: Entry} | {readonly conflict: MergeConflict};

function outcomeOf({file, base, ours, theirs}: Triple, settled: Settled | undefined): Outcome {
  if (settled === undefined) throw new Error(`${file} was not merged`);
  if ('entry' in settled) return {file, entry: settled.entry, ours, theirs, conflict: null};
  return {file, entry: theirs, ours, theirs, conflict: words(settled.conflict, base)};
}

function words(conflict: MergeConflict, base: Entry): string {
  switch (conflict) {
    case 'overlap':
      return 'edited since, in the same place';
    case 'missing':
      return 'deleted since';
    case 'present':
      return base.mode === noMode ? 'created again since' : 'edited since; the task created it';
    case 'kind':
      return 'replaced by something else since';
    case 'repository':
      return 'a repository of its own; its content is not recorded';
  }
}

/** A file the task renamed and someone edited since gets its old name back, with those edits. */
async function withRenames(
  {git, work}: UndoJob,
  {from, to}: TreeSpan,
  triples: readonly Triple[],
): Promise<Settled[]> {
  const merged: Settled[] = [...(await mergeEntries(git, triples, work))];
  const isEdited = ({base, theirs}: Triple, at: number) => {
    const settled = merged[at];
    return settled && 'conflict' in settled && theirs.mode === noMode && base.mode !== noMode;
  };
  if (!triples.some(isEdited)) return merged;
  const {text} = await git.run(['diff-tree', '-r', '-M', '-z', '--raw', '--numstat', from, to]);
  for (const {path: name, from: oldName} of parseChanges(text)) {
    const [at, oldAt] = [name, oldName].map((file) => triples.findIndex((each) => each.file === file));
    const [now, before] = [triples[at ?? -1], triples[oldAt ?? -1]];
    if (at === undefined || oldAt === undefined || !now || !before) continue;
    if (!isEdited(now, at) || before.ours.mode !== noMode) continue;
    const triple = {file: before.file, base: now.base, ours: now.ours, theirs: before.theirs};
    const [renamed] = await mergeEntries(git, [triple], path.join(work, `rename-${at}`));
    if (!renamed || 'conflict' in renamed) continue;
    merged[oldAt] = {entry: renamed.entry};
    merged[at] = {entry: noEntry};
  }
  return merged;
}

/** Content that no tree holds: large files are recorded as a note only. */
async function unrecordedIn(
  git: Git,
  decided: readonly Outcome[],
  work: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const changing = decided.filter(({entry, ours}) => !isSame(entry, ours));
  for (const side of ['entry', 'ours'] as const) {
    const folder = path.join(work, `look-${side}`);
    await writeEntries(
      git,
      changing.map((each) => ({file: each.file, entry: each[side]})),
      folder,
      work,
    );
    for (const {file, [side]: entry} of changing) {
      const note = entry.mode === '160000' ? words('repository', entry) : noteIn(path.join(folder, file));
      if (note !== null) found.set(file, note);
    }
  }
  for (const {file} of changing) if (file.includes('\ufffd')) found.set(file, 'its name is not valid text');
  return found;
}

/** What is in the way of a file; null if it can be written. */
function obstacleAt(top: string, file: string, entry: Entry, goes: ReadonlySet<string>): string | null {
  const parts = file.split('/');
  for (let length = 1; length < parts.length; length++) {
    const folder = parts.slice(0, length).join('/');
    const found = statsOrNull(path.join(top, folder));
    if (found === null) return null;
    if (!found.isDirectory() && !goes.has(folder)) return `${folder} is no longer a folder`;
    if (!found.isDirectory()) return null;
  }
  const found = statsOrNull(path.join(top, file));
  if (entry.mode === noMode || !found?.isDirectory()) return null;
  const others = filesBelow(top, file).filter((each) => !goes.has(each));
  return others.length === 0 ? null : `a folder is in its place, with ${others[0]}`;
}

function filesBelow(top: string, folder: string): string[] {
  return readdirSync(path.join(top, folder), {withFileTypes: true}).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(top, file) : [file];
  });
}

async function treeWith(
  git: Git,
  tree: string,
  entries: readonly PlacedEntry[],
  work: string,
): Promise<string> {
  if (entries.length === 0) return tree;
  const env = {GIT_INDEX_FILE: path.join(work, 'undo.index')};
  await git.run(['read-tree', tree], {env});
  await git.feed(['update-index', '-z', '--index-info'], indexLines(entries), {env});
  return (await git.run(['write-tree', '--missing-ok'], {env})).text.trim();
}

function undoneFile({file, entry, ours}: PlacedEntry & {readonly ours: Entry}): UndoneFile {
  if (entry.mode === noMode) return {path: file, kind: 'removed'};
  return {path: file, kind: ours.mode === noMode ? 'restored' : 'changed'};
}
