import {describe, expect, test} from 'vitest';
import {joinSpans} from '../../../src/services/git/compose-trees.ts';
import {type TestRepository, testRepository} from './test-repository.ts';

/** Applies edits, and returns what ours changed together. `others` are edits in between. */
async function composed(
  {tracker}: TestRepository,
  jobs: ReadonlyArray<{readonly ours: () => unknown} | {readonly others: () => unknown}>,
) {
  const changes = tracker();
  const spans = [];
  for (const job of jobs) {
    const from = (await changes.snapshot()) ?? '';
    await ('ours' in job ? job.ours() : job.others());
    const to = (await changes.snapshot(from)) ?? '';
    if ('ours' in job) spans.push({from, to});
  }
  const {from, to} = await changes.compose(spans);
  const diff = await changes.diff(from, to, {stat: false});
  return {...(await changes.summarize(from, to)), diff};
}

describe('a change made in several spans', () => {
  test('contains what each of them did, and nothing that others did in between', async () => {
    const repository = testRepository();
    const {write, remove} = repository;
    const {files, diff, diffstat} = await composed(repository, [
      {ours: () => write('one', '1\n')},
      {others: () => write('theirs')},
      {
        ours: () => {
          write('two', '2\n');
          write('one', '1\n1\n');
        },
      },
      {others: () => remove('readme.md')},
      {ours: () => {}},
    ]);
    expect(files).toEqual(['one', 'two']);
    expect(diffstat).toContain('2 files changed, 3 insertions(+)');
    expect(diff).not.toContain('theirs');
  });

  test('does not contain what it reverted itself', async () => {
    const repository = testRepository();
    const {write, remove} = repository;
    const {files, diff} = await composed(repository, [
      {ours: () => write('one')},
      {others: () => write('theirs')},
      {ours: () => remove('one')},
    ]);
    expect({files, diff}).toEqual({files: [], diff: ''});
  });

  test('does not contain what others did in between, in the same file', async () => {
    const repository = testRepository();
    const {write} = repository;
    const lines = (...edits: readonly string[]) =>
      [edits[0] ?? 'top', '1', '2', '3', '4', '5', '6', edits[1] ?? 'bottom', ...edits.slice(2)]
        .map((line) => `${line}\n`)
        .join('');
    write('f.txt', lines());
    const {diff} = await composed(repository, [
      {ours: () => write('f.txt', lines('top', 'bottom', 'ours'))},
      {others: () => write('f.txt', lines('theirs', 'bottom', 'ours'))},
      {ours: () => write('f.txt', lines('theirs', 'bottom', 'ours', 'later'))},
      {others: () => write('f.txt', lines('theirs again', 'bottom', 'ours', 'later'))},
      {ours: () => write('f.txt', lines('theirs again', 'bottom', 'ours', 'later', 'last'))},
    ]);
    expect(diff.split('\n').filter((line) => /^[-+](?![-+])/.test(line))).toEqual([
      '+ours',
      '+later',
      '+last',
    ]);
  });

  test('shows a file whose same lines others changed in between from its first state to its last', async () => {
    const repository = testRepository();
    const {write} = repository;
    const {diff} = await composed(repository, [
      {ours: () => write('readme.md', 'first\n')},
      {others: () => write('readme.md', 'theirs\n')},
      {ours: () => write('readme.md', 'last\n')},
    ]);
    expect(diff).toContain('\n-hello\n+last\n');
  });

  test('finds a rename across two spans, modes, links and names that are not valid text', async () => {
    const repository = testRepository();
    const {write, remove} = repository;
    const text = Array.from({length: 30}, (_, line) => `line ${line}\n`).join('');
    write('old', text);
    write('run.sh', 'x\n');
    const {diff} = await composed(repository, [
      {ours: () => write('new', text)},
      {others: () => write('theirs')},
      {
        ours: () => {
          remove('old');
          write('run.sh', 'x\n', 0o755);
          write('a\tb\nü', 'y\n');
        },
      },
    ]);
    expect(diff).toContain('rename from old\nrename to new\n');
    expect(diff).toContain('old mode 100644\nnew mode 100755\n');
    expect(diff).toContain('+++ "b/a\\tb\\nü"\n');
  });

  test('can be shown when the repository is gone', async () => {
    const {write, remove, tracker, commit} = testRepository();
    const changes = tracker();
    const ours = async (file: string) => {
      const from = (await changes.snapshot()) ?? '';
      write(file);
      const to = (await changes.snapshot(from)) ?? '';
      await changes.summarize(from, to);
      return {from, to};
    };
    const first = await ours('one');
    write('theirs');
    commit();
    const spans = [first, await ours('two')];
    remove('.git');
    const {from, to} = await tracker().compose(spans);
    expect(await tracker().diff(from, to, {stat: true})).toContain('2 files changed');
  });

  test('is refused with a reason when a tree is invalid', async () => {
    const {tracker} = testRepository();
    const spans = [
      {from: 'a', to: 'b'},
      {from: 'c', to: 'd'},
    ];
    await expect(tracker().compose(spans)).rejects.toMatchObject({
      code: 'E_DIFF_UNAVAILABLE',
      message: 'the change cannot be shown: the run record does not hold the ids of two trees',
    });
    await expect(tracker().compose([])).rejects.toMatchObject({code: 'E_DIFF_UNAVAILABLE'});
  });
});

test.each([
  {name: 'that are adjacent become one', spans: ['a-b', 'b-c'], joined: ['a-c']},
  {name: 'with a gap stay apart', spans: ['a-b', 'c-d'], joined: ['a-b', 'c-d']},
  {name: 'that changed nothing are dropped', spans: ['a-b', 'c-c', 'b-d'], joined: ['a-d']},
])('spans $name', ({spans, joined}) => {
  const parse = (text: string) => ({from: text.slice(0, 1), to: text.slice(2)});
  expect(joinSpans(spans.map(parse))).toEqual(joined.map(parse));
});
