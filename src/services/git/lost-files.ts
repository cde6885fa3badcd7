import type {SideEffect} from '../contracts/side-effects.ts';
import {isNote, longestNote} from './file-sizes.ts';
import {namedTogether} from './notable-files.ts';
import {type Git, GitFailure} from './safe-git.ts';
import type {DeletedFile} from './tree-diff.ts';

/** How many files are checked. */
const maxFiles = 5_000;

/** Deleted files whose content the user's own git does not have: never committed, or edited since. */
export async function lostFiles(
  deleted: readonly DeletedFile[],
  {user, recorded}: {user: Git; recorded: Git},
): Promise<SideEffect[]> {
  const looked = deleted.slice(0, maxFiles);
  const told = (what: string, files: readonly DeletedFile[]) =>
    namedTogether(
      'lost_file',
      what,
      files.map(({path}) => ({path, name: path})),
    );
  try {
    const known = await sizesOf(user, looked);
    const lost = looked.filter(({id}) => known.get(id) === null);
    const sizes = await sizesOf(recorded, lost);
    const isSmall = ({id}: DeletedFile) => (sizes.get(id) ?? longestNote + 1) <= longestNote;
    const texts = await textsOf(recorded, lost.filter(isSmall));
    const isGone = ({id}: DeletedFile) => sizes.get(id) === null || isNote(texts.get(id) ?? '');
    return [
      ...told('deleted, with no copy left', lost.filter(isGone)),
      ...told(
        'deleted, and not in git; blackbird undo brings back',
        lost.filter((file) => !isGone(file)),
      ),
    ];
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return told('deleted, and git cannot tell whether it has a copy', looked);
  }
}

const linesOf = (files: readonly DeletedFile[]) => files.map(({id}) => `${id}\n`).join('');

/** Null for a file that does not exist. */
async function sizesOf(git: Git, files: readonly DeletedFile[]): Promise<Map<string, number | null>> {
  if (files.length === 0) return new Map();
  const answer = await git.feed(['cat-file', '--batch-check'], linesOf(files));
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

/**
 * The contents of any number of small files in one call. Sizes are in bytes, so the output is split before it
 * is decoded.
 */
async function textsOf(git: Git, files: readonly DeletedFile[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (files.length === 0) return texts;
  let chunks: Buffer[] = [];
  await git.pour(
    ['cat-file', '--batch'],
    async () => linesOf(files),
    () => {
      chunks = [];
      return (chunk) => chunks.push(chunk);
    },
  );
  const answer = Buffer.concat(chunks);
  for (let at = 0; at < answer.length; ) {
    const start = answer.indexOf('\n', at) + 1;
    const [id = '', , size] = answer.toString('latin1', at, start).trimEnd().split(' ');
    const end = start + Number(size);
    texts.set(id, answer.toString('utf8', start, end));
    at = end + 1;
  }
  return texts;
}
