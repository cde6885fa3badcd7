import {readdirSync} from 'node:fs';
import path from 'node:path';
import type {ChangedFile, ObservedChange, ReviewRules} from '../contracts/changes.ts';
import {messageOf} from '../contracts/errors.ts';
import type {ChangeStore} from './change-store.ts';
import type {Git} from './safe-git.ts';

export type Trees = {readonly from: string; readonly to: string};

const compare = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv', '--no-color'];
const statLayout = ['--stat=100,70', '--compact-summary'];

/** The whole change as a patch, or as a table of its files. */
export async function renderDiff(git: Git, {from, to}: Trees, {stat}: {stat: boolean}): Promise<string> {
  return (await git.run([...compare, ...(stat ? statLayout : ['-p']), from, to])).text;
}

/** Every file of the change. */
export async function listChanges(git: Git, {from, to}: Trees): Promise<ChangedFile[]> {
  return parseChanges((await git.run([...compare, '-z', '--raw', '--numstat', from, to])).text);
}

/** The lines of one file, counted without reading it here. */
export async function countLines(git: Git, tree: string, file: string): Promise<number> {
  const args = ['grep', '--no-color', '--text', '--count', '-h', '-e', '', tree, '--', file];
  const {text} = await git.run(args, {answers: [0, 1], env: {GIT_LITERAL_PATHSPECS: '1'}});
  return Number(text.trim());
}

/**
 * What a summary is made of. What it needs later is kept on the way; `problem` says why it could not be. Each call of git costs
 * a task milliseconds, so one tells the files, the table and the objects.
 */
export async function observeChange(
  git: Git,
  trees: Trees,
  {rules, store}: {rules: ReviewRules; store: ChangeStore},
): Promise<{readonly observed: ObservedChange; readonly problem: string | null}> {
  const {from, to} = trees;
  const args = [...compare, '-t', '-z', '--raw', '--numstat', ...statLayout, '--stat-count=100', from, to];
  const {text} = await git.run(args);
  // The table has names quoted, so the last NUL is the end of the list.
  const end = text.lastIndexOf('\0') + 1;
  const [list, diffstat] = [text.slice(0, end), text.slice(end)];
  const files = parseChanges(list);
  const [problem, ...patches] = await Promise.all([
    keepObjects(git, new Set([from, to, ...objectIds(list)]), store).then(() => null, messageOf),
    ...rules
      .filesToQuote(files)
      .map(async (file) => ({file: file.path, patch: await patchOf(git, trees, file)})),
  ]);
  return {observed: {files, diffstat, patches}, problem};
}

async function patchOf(git: Git, {from, to}: Trees, file: ChangedFile): Promise<string> {
  const paths = file.from === undefined ? [file.path] : [file.from, file.path];
  const args = [...compare, '-p', '-U2', from, to, '--', ...paths];
  return (await git.run(args, {env: {GIT_LITERAL_PATHSPECS: '1'}})).text;
}

/** So many packs make every look-up slow; they become one. */
const maxPacks = 50;
/** What is in a pack as well is removed after so many of them. */
const packsBetweenPruning = 10;

/**
 * Copies what two trees do not have in common into the store. Until then part of it may be borrowed from the
 * user's repository, whose `gc` owes us nothing; from then on `diff` needs no repository at all.
 */
async function keepObjects(git: Git, ids: ReadonlySet<string>, store: ChangeStore): Promise<void> {
  const packs = path.join(store.objects, 'pack');
  await git.feed(['pack-objects', '-q', path.join(packs, 'pack')], `${[...ids].join('\n')}\n`);
  const count = readdirSync(packs).filter((name) => name.endsWith('.pack')).length;
  if (count > maxPacks) await git.run(['repack', '-a', '-d', '-k', '-l', '-n', '-q']);
  else if (count % packsBetweenPruning === 0) await git.run(['prune-packed', '-q']);
}

/** Both sides of every entry, but neither "nothing" nor commits of other repositories. */
function* objectIds(raw: string): Generator<string> {
  for (const {before, after} of rawEntries(raw)) {
    for (const {mode, id} of [before, after]) if (mode !== '000000' && mode !== '160000') yield id;
  }
}

/** Every path that two trees do not have in common, with both its sides. */
export async function difference(git: Git, from: string, to: string) {
  const {text} = await git.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to]);
  return [...rawEntries(text)];
}

type Side = {readonly mode: string; readonly id: string};

/** The entries of `--raw -z`, which come first: one path after each, two after a renamed one. */
export function* rawEntries(
  raw: string,
): Generator<{readonly file: string; readonly before: Side; readonly after: Side}> {
  const tokens = raw.split('\0').values();
  for (const token of tokens) {
    const [, from, to, old, now, kind] =
      /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/.exec(token) ?? [];
    // Names may look like entries: nothing behind the list is taken for one.
    if (from === undefined || to === undefined || old === undefined || now === undefined) return;
    if (kind === 'R') tokens.next();
    const file = tokens.next().value ?? '';
    yield {file, before: {mode: from, id: old}, after: {mode: to, id: now}};
  }
}

/** The output of `--raw --numstat -z`: all entries with their kind, then all of them again with their lines. */
export function parseChanges(text: string): ChangedFile[] {
  const tokens = text.split('\0').slice(0, -1)[Symbol.iterator]();
  const next = () => tokens.next().value ?? '';
  const files: Array<Omit<ChangedFile, 'lines'>> = [];
  const lines = new Map<string, ChangedFile['lines']>();
  for (const token of tokens) {
    const [, mode, now, kind] = /^:(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/.exec(token) ?? [];
    if (kind !== undefined) {
      const from = kind === 'R' ? next() : undefined;
      const file = {path: next(), kind: kinds[kind] ?? 'changed', ...(from === undefined ? {} : {from})};
      if (mode !== folder && now !== folder) files.push(file);
      continue;
    }
    const [, added, removed, file] = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/.exec(token) ?? [];
    // A renamed file has both its names behind the counts.
    if (file === '') next();
    const count = added === '-' ? null : {added: Number(added), removed: Number(removed)};
    if (file !== undefined) lines.set(file || next(), count);
  }
  return files.map((file) => ({...file, lines: lines.get(file.path) ?? null}));
}

const folder = '040000';
const kinds: Readonly<Record<string, ChangedFile['kind']>> = {A: 'added', D: 'deleted', R: 'renamed'};
