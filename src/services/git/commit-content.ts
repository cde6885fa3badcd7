import {readlinkSync} from 'node:fs';
import path from 'node:path';
import {type CommitJob, type Side, Skipped} from './commit-checks.ts';
import {noteIn} from './file-sizes.ts';
import {type Entry, noEntry, noMode, type PlacedEntry, writeEntries} from './three-way.ts';

/** Both sides of a change as git would commit them: line endings and encodings follow the user's rules. */
export async function asCommitted(changed: readonly Side[], job: CommitJob): Promise<Side[]> {
  const before = await normalized(
    changed.map(({file, before: entry}) => ({file, entry})),
    'before',
    job,
  );
  const after = await normalized(
    changed.map(({file, after: entry}) => ({file, entry})),
    'after',
    job,
  );
  return changed.map(({file}) => ({
    file,
    before: before.get(file) ?? noEntry,
    after: after.get(file) ?? noEntry,
  }));
}

async function normalized(
  entries: readonly PlacedEntry[],
  name: string,
  {store, user, work}: CommitJob,
): Promise<ReadonlyMap<string, Entry>> {
  const folder = path.join(work, `commit-${name}`);
  await writeEntries(store, entries, folder, work);
  const there = entries.filter(({entry}) => entry.mode !== noMode);
  for (const {file, entry} of there) {
    if (entry.mode === '160000') throw new Skipped(`${file} is a repository of its own`);
    const note = noteIn(path.join(folder, file));
    if (note !== null) throw new Skipped(`${file}: ${note}`);
  }
  const git = user(folder, {GIT_WORK_TREE: folder});
  const found = new Map<string, Entry>();
  const plain = there.filter(({file, entry}) => entry.mode !== '120000' && !file.includes('\n'));
  if (plain.length > 0) {
    const paths = plain.map(({file}) => `${file}\n`).join('');
    const ids = (await git.feed(['hash-object', '-w', '--stdin-paths'], paths)).trim().split('\n');
    for (const [at, {file, entry}] of plain.entries()) found.set(file, {mode: entry.mode, id: ids[at] ?? ''});
  }
  for (const {file, entry} of there.filter((each) => !plain.includes(each))) {
    const isLink = entry.mode === '120000';
    const id = isLink
      ? await git.feed(
          ['hash-object', '-w', '--no-filters', '--stdin'],
          readlinkSync(path.join(folder, file)),
        )
      : (await git.run(['hash-object', '-w', '--', file])).text;
    found.set(file, {mode: entry.mode, id: id.trim()});
  }
  return found;
}
