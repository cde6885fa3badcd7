import {setImmediate as nextTurn} from 'node:timers/promises';
import type {ChangedFile, ObservedChange, ReviewRules} from '../contracts/changes.ts';
import {messageOf} from '../contracts/errors.ts';
import type {ChangeStore} from './change-store.ts';
import {keepObjects} from './kept-objects.ts';
import {type Git, GitFailure} from './safe-git.ts';
import {verifyObjects} from './verify-objects.ts';

/** A deleted file and its recorded content. */
export type DeletedFile = {readonly path: string; readonly id: string};

export type Trees = {readonly from: string; readonly to: string};

const compare = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv', '--no-color'];
const statLayout = ['--stat=100,70', '--compact-summary'];
const patchLines = '-U2';
const rawEntry = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/;
const numstatEntry = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/;

/** The whole change as a patch or as a diffstat. */
export async function renderDiff(git: Git, {from, to}: Trees, {stat}: {stat: boolean}): Promise<string> {
  return (await git.run([...compare, ...(stat ? statLayout : ['-p']), from, to])).text;
}

/** Every file of the change. */
export async function listChanges(git: Git, {from, to}: Trees): Promise<ChangedFile[]> {
  return parseChanges((await git.run([...compare, '-z', '--raw', '--numstat', from, to])).text);
}

const literally = {env: {GIT_LITERAL_PATHSPECS: '1'}};

/** Counts the lines of a file without reading it into memory. */
export async function countLines(git: Git, tree: string, file: string): Promise<number> {
  const args = ['grep', '--no-color', '--text', '--count', '-h', '-e', '', tree, '--', file];
  const {text} = await git.run(args, {answers: [0, 1], ...literally});
  return Number(text.trim()) || linesOfLink(git, tree, file);
}

/** `grep` skips symbolic links; a diff shows a link's target as its lines. */
async function linesOfLink(git: Git, tree: string, file: string): Promise<number> {
  const {text} = await git.run(['ls-tree', '-z', '--full-tree', tree, '--', file], literally);
  const [, id] = /^120000 blob ([0-9a-f]+)\t/.exec(text) ?? [];
  return id === undefined ? 0 : (await git.run(['cat-file', 'blob', id])).text.split('\n').length;
}

/** For a larger change, list it first and then request only the patches that are quoted. */
const maxPrintedBytes = 4 * 1024 * 1024;

/**
 * Everything a summary needs. Its objects are kept on the way; `problem` says why they could not be. Every
 * git call costs a task milliseconds, so one call returns the files, the diffstat, the objects and, unless
 * too long, the patches.
 */
export async function observeChange(
  git: Git,
  trees: Trees,
  {rules, store}: {rules: ReviewRules; store: ChangeStore},
): Promise<{
  readonly observed: ObservedChange;
  readonly deleted: readonly DeletedFile[];
  readonly problem: string | null;
}> {
  const {from, to} = trees;
  const change = printChange(git, trees).then(splitChange);
  const objects = async () => new Set([from, to, ...objectIds((await change).list)]);
  // A change that cannot be kept is still shown; one that cannot be verified is not. This git starts while
  // the other one runs.
  const verified = nextTurn().then(() => verifyObjects(git, objects));
  // An empty change has nothing to verify.
  verified.catch(() => {});
  const {list, diffstat, patches} = await change;
  const files = parseChanges(list);
  const printed =
    patches.length === files.length ? new Map(files.map(({path: name}, at) => [name, patches[at]])) : null;
  const patchFor = async (file: ChangedFile) => ({
    file: file.path,
    patch: printed?.get(file.path) ?? (await patchOf(git, trees, file)),
  });
  const [problem, , ...quoted] = await Promise.all([
    keepObjects(git, await objects(), {store, verified}).then(() => null, messageOf),
    verified,
    ...rules.filesToQuote(files).map(patchFor),
  ]);
  const gone = new Set(files.flatMap(({kind, path: name}) => (kind === 'deleted' ? [name] : [])));
  const deleted = [...rawEntries(list)]
    .filter(({file, before}) => gone.has(file) && before.mode.startsWith('1') && before.mode !== '160000')
    .map(({file, before}) => ({path: file, id: before.id}));
  return {observed: {files, diffstat, patches: quoted}, deleted, problem};
}

/** Verifies every object a diff of two trees reads: the folders on the way and both sides of every file. */
export async function verifyTrees(git: Git, {from, to}: Trees): Promise<void> {
  const {text} = await git.run([
    'diff-tree',
    '-r',
    '-t',
    '-z',
    '--raw',
    '--no-renames',
    '--no-abbrev',
    from,
    to,
  ]);
  await verifyObjects(git, async () => new Set([from, to, ...objectIds(text)]));
}

async function printChange(git: Git, {from, to}: Trees): Promise<string> {
  const told = ['-t', '-z', '--raw', '--numstat', ...statLayout, '--stat-count=100'];
  try {
    const args = [...compare, ...told, '-p', patchLines, from, to];
    return (await git.run(args, {maxBytes: maxPrintedBytes})).text;
  } catch (error) {
    if (!(error instanceof GitFailure) || error.kind !== 'large') throw error;
    return (await git.run([...compare, ...told, from, to])).text;
  }
}

/**
 * The file list with line counts, the diffstat, and one patch per file in the same order. The diffstat quotes
 * names, so it ends at the next NUL; what follows may contain anything.
 */
export function splitChange(text: string): {list: string; diffstat: string; patches: readonly string[]} {
  let end = 0;
  const take = () => {
    const start = end;
    end = text.indexOf('\0', start) + 1 || text.length;
    return text.slice(start, end - 1);
  };
  for (let start = end; start < text.length; start = end) {
    const token = take();
    const kind = rawEntry.exec(token)?.[5];
    const name = numstatEntry.exec(token)?.[3];
    if (kind === undefined && name === undefined) {
      end = start;
      break;
    }
    // A rename is followed by both names.
    const names = kind === 'R' || name === '' ? 2 : kind === undefined ? 0 : 1;
    for (let count = 0; count < names; count++) take();
  }
  const list = text.slice(0, end);
  const tableEnd = text.indexOf('\0', end);
  if (tableEnd < 0) return {list, diffstat: text.slice(end), patches: []};
  const [, ...patches] = `\n${text.slice(tableEnd + 1)}`.split('\ndiff --git ');
  const whole = (patch: string, at: number) => `diff --git ${patch}${at < patches.length - 1 ? '\n' : ''}`;
  return {list, diffstat: text.slice(end, tableEnd), patches: patches.map(whole)};
}

async function patchOf(git: Git, {from, to}: Trees, file: ChangedFile): Promise<string> {
  const paths = file.from === undefined ? [file.path] : [file.from, file.path];
  const args = [...compare, '-p', patchLines, from, to, '--', ...paths];
  return (await git.run(args, {env: {GIT_LITERAL_PATHSPECS: '1'}})).text;
}

/** Both sides of every entry, without null ids and submodule commits. */
function* objectIds(raw: string): Generator<string> {
  for (const {before, after} of rawEntries(raw)) {
    for (const {mode, id} of [before, after]) if (mode !== '000000' && mode !== '160000') yield id;
  }
}

/** Every path that differs between two trees, with both sides. */
export async function difference(git: Git, from: string, to: string) {
  const {text} = await git.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to]);
  return [...rawEntries(text)];
}

type Side = {readonly mode: string; readonly id: string};

/** The entries of `--raw -z`, which come first: each followed by one path, or two for a rename. */
export function* rawEntries(
  raw: string,
): Generator<{readonly file: string; readonly before: Side; readonly after: Side}> {
  const tokens = raw.split('\0').values();
  for (const token of tokens) {
    const [, from, to, old, now, kind] = rawEntry.exec(token) ?? [];
    // File names may look like entries, so nothing after the list is parsed as one.
    if (from === undefined || to === undefined || old === undefined || now === undefined) return;
    if (kind === 'R') tokens.next();
    const file = tokens.next().value ?? '';
    yield {file, before: {mode: from, id: old}, after: {mode: to, id: now}};
  }
}

/** Parses `--raw --numstat -z`: all entries with their kind, then all of them again with their line counts. */
export function parseChanges(text: string): ChangedFile[] {
  const tokens = text.split('\0').slice(0, -1)[Symbol.iterator]();
  const next = () => tokens.next().value ?? '';
  const files: Array<Omit<ChangedFile, 'lines'>> = [];
  const lines = new Map<string, ChangedFile['lines']>();
  for (const token of tokens) {
    const [, mode, now, , , kind] = rawEntry.exec(token) ?? [];
    if (kind !== undefined) {
      const from = kind === 'R' ? next() : undefined;
      const file = {path: next(), kind: kinds[kind] ?? 'changed', ...(from === undefined ? {} : {from})};
      if (mode !== folder && now !== folder) files.push(file);
      continue;
    }
    const [, added, removed, file] = numstatEntry.exec(token) ?? [];
    // For a rename, both names follow the counts.
    if (file === '') next();
    const count = added === '-' ? null : {added: Number(added), removed: Number(removed)};
    if (file !== undefined) lines.set(file || next(), count);
  }
  return files.map((file) => ({...file, lines: lines.get(file.path) ?? null}));
}

const folder = '040000';
const kinds: Readonly<Record<string, ChangedFile['kind']>> = {A: 'added', D: 'deleted', R: 'renamed'};
