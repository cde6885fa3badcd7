import {createHash} from 'node:crypto';
import {lstatSync, readdirSync, readFileSync, readlinkSync, statSync} from 'node:fs';
import path from 'node:path';
import {type HeadLog, type HeadMove, type RepositoryState, stashList} from '../contracts/side-effects.ts';
import {versionOf} from './change-store.ts';

/** With more loose refs than this, only the packed ones and the first loose ones are compared. */
const maxLooseRefs = 5_000;
const maxBytes = 16 * 1024 * 1024;

/**
 * What is checked out, where every ref points and git's settings. Read without git, because it is needed
 * before and after every agent.
 */
export function readRepository(top: string): RepositoryState | null {
  const folder = gitFolderOf(top);
  const head = folder === null ? null : textOf(path.join(folder, 'HEAD'));
  if (folder === null || head === null) return null;
  const common = commonFolder(folder);
  const refs = new Map<string, string>();
  for (const line of (textOf(path.join(common, 'packed-refs')) ?? '').split('\n')) {
    const [, id, name] = /^([0-9a-f]{40,64}) (refs\/.+)$/.exec(line) ?? [];
    if (id !== undefined && name !== undefined) refs.set(name, id);
  }
  for (const name of looseRefs(common)) {
    const id = textOf(path.join(common, name)) ?? linkOf(path.join(common, name));
    if (id !== null) refs.set(name, id.trim());
  }
  // Dropping an older stash leaves the ref unchanged.
  const stashes = digestOf(path.join(common, 'logs', 'refs', 'stash'));
  if (stashes !== null) refs.set(stashList, stashes);
  const log = headLog(path.join(folder, 'logs', 'HEAD'));
  const files = gitSettings(folder, common);
  const leads = textOf(path.join(top, '.git')) ?? linkOf(path.join(top, '.git'));
  if (leads !== null) files.set('.git', leads);
  return {id: idOf(common), head: head.trim(), refs, files, ...(log && {log})};
}

/** The folder that all worktrees of a repository share. */
function commonFolder(folder: string): string {
  const shared = textOf(path.join(folder, 'commondir'));
  return shared === null ? folder : path.resolve(folder, shared.trim());
}

/** The same, given the folder of the working files. */
export function commonFolderOf(top: string): string | null {
  const folder = gitFolderOf(top);
  return folder === null ? null : commonFolder(folder);
}

/** No task makes more commits than this. */
const maxMoves = 500;

function headLog(file: string): HeadLog | null {
  const text = textOf(file);
  if (text === null) return null;
  let at = 0;
  const entries = text.split('\n').flatMap((line): HeadMove[] => {
    const place = at;
    at += Buffer.byteLength(line) + 1;
    const [, from, to, said] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*\t(.*)$/.exec(line) ?? [];
    return from && to && said !== undefined ? [{at: place, from, to, text: said.slice(0, 200)}] : [];
  });
  return {bytes: Buffer.byteLength(text), version: versionOf(file), entries: entries.slice(-maxMoves)};
}

/** `.git` itself, or the folder it points to, as in a worktree. */
export function gitFolderOf(top: string): string | null {
  const place = path.join(top, '.git');
  const named = /^gitdir: (.+)$/m.exec(textOf(place) ?? '')?.[1];
  return named === undefined ? place : path.resolve(top, named);
}

/** A reused inode number comes with a different time. */
function idOf(folder: string): string {
  const {ino, birthtimeMs} = statSync(folder);
  return `${ino}:${birthtimeMs}`;
}

function looseRefs(common: string): string[] {
  const found: string[] = [];
  const folders = ['refs'];
  for (const folder of folders) {
    for (const entry of entriesOf(path.join(common, folder))) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      // Git follows links here, too.
      else if (!entry.name.endsWith('.lock')) found.push(name);
      if (found.length === maxLooseRefs) return found;
    }
  }
  return found;
}

/** How many hooks and worktrees are checked. */
const maxEntries = 200;
const settingsFiles = [
  'config',
  'config.worktree',
  'info/attributes',
  'info/exclude',
  'info/grafts',
  'info/sparse-checkout',
  'objects/info/alternates',
  'shallow',
];

/** Git files that are compared separately. */
export const isTold = (file: string): boolean =>
  settingsFiles.includes(file) ||
  /^hooks\/[^/]+$/.test(file) ||
  /^worktrees\/[^/]+\/(gitdir|HEAD)$/.test(file);

/** Git's settings and hooks, and its other worktrees. */
function gitSettings(folder: string, common: string): Map<string, string> {
  const namesIn = (name: string) => entriesOf(path.join(common, name)).slice(0, maxEntries);
  const hooks = namesIn('hooks')
    .filter((entry) => !entry.name.endsWith('.sample'))
    .map((entry) => `hooks/${entry.name}`);
  const worktrees = namesIn('worktrees').flatMap(({name}) =>
    ['gitdir', 'HEAD'].map((file) => `worktrees/${name}/${file}`),
  );
  const found = [...settingsFiles, ...hooks, ...worktrees].flatMap((name) => {
    const place = name === 'config.worktree' ? folder : common;
    const digest = digestOf(path.join(place, name));
    return digest === null ? [] : [[`.git/${name}`, digest] as const];
  });
  return new Map(found);
}

/** The digest of a file or a link's target; null if neither exists. */
export function digestOf(file: string): string | null {
  try {
    const found = statSync(file);
    const content =
      found.isFile() && found.size <= maxBytes ? readFileSync(file) : `${found.ino}:${found.size}`;
    return createHash('sha256').update(content).digest('hex').slice(0, 16);
  } catch {
    return null;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, {withFileTypes: true});
  } catch {
    // Deleted since its parent was listed, or it never existed.
    return [];
  }
}

function linkOf(file: string): string | null {
  try {
    return `link: ${readlinkSync(file)}`;
  } catch {
    return null;
  }
}

function textOf(file: string): string | null {
  try {
    const found = lstatSync(file);
    return found.isFile() && found.size <= maxBytes ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}
