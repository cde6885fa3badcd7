import {lstatSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import type {RepositoryState} from '../contracts/side-effects.ts';

/** A repository with more loose refs than this is compared by its packed ones and the first of the others. */
const maxLooseRefs = 5_000;
const maxBytes = 16 * 1024 * 1024;

/** What is checked out and where every ref points, read without git: it is asked before and after every agent. */
export function readRefs(top: string): RepositoryState | null {
  const folder = gitFolderOf(top);
  const head = folder === null ? null : textOf(path.join(folder, 'HEAD'));
  if (folder === null || head === null) return null;
  const shared = textOf(path.join(folder, 'commondir'));
  const common = shared === null ? folder : path.resolve(folder, shared.trim());
  const refs = new Map<string, string>();
  for (const line of (textOf(path.join(common, 'packed-refs')) ?? '').split('\n')) {
    const [, id, name] = /^([0-9a-f]{40,64}) (refs\/.+)$/.exec(line) ?? [];
    if (id !== undefined && name !== undefined) refs.set(name, id);
  }
  for (const name of looseRefs(common)) {
    const id = textOf(path.join(common, name));
    if (id !== null) refs.set(name, id.trim());
  }
  return {head: head.trim(), refs};
}

/** `.git` itself, or the folder that it names, as in a worktree. */
function gitFolderOf(top: string): string | null {
  const place = path.join(top, '.git');
  const named = /^gitdir: (.+)$/m.exec(textOf(place) ?? '')?.[1];
  return named === undefined ? place : path.resolve(top, named);
}

function looseRefs(common: string): string[] {
  const found: string[] = [];
  const folders = ['refs'];
  for (const folder of folders) {
    for (const entry of entriesOf(path.join(common, folder))) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      else if (entry.isFile() && !entry.name.endsWith('.lock')) found.push(name);
      if (found.length === maxLooseRefs) return found;
    }
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, {withFileTypes: true});
  } catch {
    // Gone since its parent was listed, or never there.
    return [];
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
