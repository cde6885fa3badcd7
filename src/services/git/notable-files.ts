import {existsSync, lstatSync} from 'node:fs';
import path from 'node:path';
import type {ChangedFile} from '../contracts/changes.ts';
import type {SideEffect} from '../contracts/side-effects.ts';

const megabyte = 1024 * 1024;
/** How many files are checked, and how many of a kind are named. */
const [maxFiles, maxNames] = [5_000, 5];

/** Files of a change that need more than a line count to describe. */
export function notableFiles(top: string, files: readonly ChangedFile[]): SideEffect[] {
  const there = files.filter(({kind}) => kind !== 'deleted').slice(0, maxFiles);
  const sizes = new Map(there.map((file) => [file, sizeOf(path.join(top, file.path))]));
  const isLarge = (file: ChangedFile) => (sizes.get(file) ?? 0) > megabyte;
  const large = there.filter(isLarge).map((file) => ({
    path: file.path,
    name: `${file.path} (${Math.ceil((sizes.get(file) ?? 0) / megabyte)} MB)`,
  }));
  const binary = there
    .filter((file) => file.lines === null && sizes.get(file) !== null && !isLarge(file))
    .map((file) => ({path: file.path, name: file.path}));
  return [
    ...nestedRepositories(top, there),
    ...namedTogether('large_file', 'large files', large),
    ...namedTogether('binary_file', 'binary files', binary),
  ];
}

function nestedRepositories(top: string, files: readonly ChangedFile[]): SideEffect[] {
  const known = new Map<string, boolean>();
  const isRepository = (folder: string) => {
    const found = known.get(folder) ?? existsSync(path.join(top, folder, '.git'));
    known.set(folder, found);
    return found;
  };
  const inside = new Map<string, string[]>();
  for (const file of files) {
    for (let at = file.path; at !== '.'; at = path.dirname(at))
      if (isRepository(at)) inside.set(at, [...(inside.get(at) ?? []), file.path]);
  }
  return [...inside].map(([folder, paths]) => ({
    kind: 'nested_repository',
    text: `${folder} is a git repository of its own; in it: ${listed(paths)}`,
    path: folder,
  }));
}

type Named = {readonly path: string; readonly name: string};

export function namedTogether(kind: SideEffect['kind'], what: string, files: readonly Named[]): SideEffect[] {
  const [first] = files;
  if (first === undefined) return [];
  return [{kind, text: `${what}: ${listed(files.map(({name}) => name))}`, path: first.path}];
}

function listed(names: readonly string[]): string {
  const more = names.length - maxNames;
  return more > 0 ? `${names.slice(0, maxNames).join(', ')} and ${more} more` : names.join(', ');
}

/** Null if it is not a file or was deleted in the meantime. */
function sizeOf(file: string): number | null {
  try {
    const found = lstatSync(file);
    return found.isFile() ? found.size : null;
  } catch {
    return null;
  }
}
