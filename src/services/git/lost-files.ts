import type {SideEffect} from '../contracts/side-effects.ts';
import {isNote, longestNote} from './file-sizes.ts';
import {namedTogether} from './notable-files.ts';
import type {Git} from './safe-git.ts';
import type {DeletedFile} from './tree-diff.ts';

/** So many are looked at. */
const maxFiles = 5_000;

/** Deleted files whose content the user's own git does not have: never committed, or edited since. */
export async function lostFiles(
  deleted: readonly DeletedFile[],
  {user, recorded}: {user: Git; recorded: Git},
): Promise<SideEffect[]> {
  const looked = deleted.slice(0, maxFiles);
  if (looked.length === 0) return [];
  const unknown = await sizesOf(user, looked);
  const lost = looked.filter(({id}) => unknown.get(id) === null);
  const sizes = await sizesOf(recorded, lost);
  const isGone = async ({id}: DeletedFile) => {
    const size = sizes.get(id) ?? null;
    if (size === null || size > longestNote) return size === null;
    return isNote((await recorded.run(['cat-file', 'blob', id])).text);
  };
  const gone = new Set<DeletedFile>();
  for (const file of lost) if (await isGone(file)) gone.add(file);
  const named = (files: readonly DeletedFile[]) => files.map(({path}) => ({path, name: path}));
  return [
    ...namedTogether('lost_file', 'deleted, and nobody has a copy', named([...gone])),
    ...namedTogether(
      'lost_file',
      'deleted, and not in git; blackbird undo brings back',
      named(lost.filter((file) => !gone.has(file))),
    ),
  ];
}

/** Null for what is not there. */
async function sizesOf(git: Git, files: readonly DeletedFile[]): Promise<Map<string, number | null>> {
  if (files.length === 0) return new Map();
  const input = files.map(({id}) => `${id}\n`).join('');
  const answer = await git.feed(['cat-file', '--batch-check'], input);
  return new Map(
    answer
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [id = '', kind, size] = line.split(' ');
        return [id, kind === 'blob' ? Number(size) : null];
      }),
  );
}
