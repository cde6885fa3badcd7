import {describe, expect, test, vi} from 'vitest';
import {createFileIndex} from '../../../src/ui/editor/file-index.ts';
import {matchesOf, rankableFiles, rankFiles} from '../../../src/ui/editor/file-ranking.ts';
import {eventually} from '../../helpers/eventually.ts';
import fc from '../../helpers/fast-check.ts';

const ranked = (query: string, paths: readonly string[], limit = 10) =>
  rankFiles(rankableFiles(paths), query, limit);

test.each<{query: string; paths: string[]; best: string[]}>([
  {query: '', paths: ['src/a/b.ts', 'README.md', 'src/z.ts'], best: ['README.md', 'src/z.ts', 'src/a/b.ts']},
  {query: 'x', paths: ['a.ts', 'b.ts'], best: []},
  // The name before its folders, a whole name before a longer one.
  {
    query: 'route',
    paths: ['route/index.ts', 'src/router.ts', 'src/route', 'lib/my-route.ts', 'lib/subroute.ts'],
    best: ['src/route', 'src/router.ts', 'lib/my-route.ts', 'lib/subroute.ts', 'route/index.ts'],
  },
  // Letters in order, not only adjacent; the beginnings of words count.
  {
    query: 'tmt',
    paths: ['src/stmnt.txt', 'src/task.machine.ts', 'mt/t.ts'],
    best: ['src/task.machine.ts', 'src/stmnt.txt'],
  },
  {query: 'ROUTE', paths: ['src/Route.ts'], best: ['src/Route.ts']},
  {query: 'src/ro', paths: ['lib/ro.ts', 'src/route.ts'], best: ['src/route.ts']},
  {query: 'aa', paths: ['a.ts'], best: []},
  {query: 'é', paths: ['café.md'], best: ['café.md']},
  {query: 'i', paths: ['İ.md', 'i.md'], best: ['i.md']},
])('$query', ({query, paths, best}) => {
  expect(ranked(query, paths)).toEqual(best);
});

test('equal matches keep the order of the list, up to the limit', () => {
  const paths = Array.from({length: 9}, (_, index) => `a${index}.ts`);
  expect(ranked('a', paths, 3)).toEqual(['a0.ts', 'a1.ts', 'a2.ts']);
});

test('a continued search finds what a new one finds', () => {
  const unit = fc.constantFrom('a', 'b', '/', '.', 'É', '1');
  const path = fc.string({unit, minLength: 1, maxLength: 8});
  fc.assert(
    fc.property(fc.array(path, {maxLength: 30}), fc.string({unit, maxLength: 4}), (paths, query) => {
      const files = rankableFiles(paths);
      for (let end = 0; end <= query.length; end++) {
        const typed = query.slice(0, end);
        expect(matchesOf(files, typed)).toEqual(rankFiles(files, typed, 50));
      }
      expect(matchesOf(files, '')).toEqual(rankFiles(files, '', 50));
    }),
  );
});

test('a file matches when it contains the letters in order, and only then', () => {
  const unit = fc.constantFrom('a', 'b', 'c', '/', '.');
  fc.assert(
    fc.property(
      fc.string({unit, minLength: 1, maxLength: 12}),
      fc.string({unit, maxLength: 4}),
      (path, query) => {
        const letters = [...query].map((letter) => (letter === '.' ? '\\.' : letter));
        const isMatch = new RegExp(letters.join('.*')).test(path);
        expect(ranked(query, [path])).toEqual(isMatch ? [path] : []);
      },
    ),
  );
});

test('ranks 50,000 files within two frames', () => {
  const paths = Array.from(
    {length: 50_000},
    (_, index) => `packages/module-${index % 97}/src/components/feature-${index % 1013}/view-${index}.tsx`,
  );
  const files = rankableFiles(paths);
  const queries = ['v', 'vi', 'view', 'mfv', 'pkgcompview499', 'zzz', ''];
  for (const query of queries) rankFiles(files, query, 50);
  const times = queries.map((query) => {
    const runs = Array.from({length: 5}, () => {
      const start = process.cpuUsage();
      rankFiles(files, query, 50);
      const {user, system} = process.cpuUsage(start);
      return (user + system) / 1_000;
    });
    return Math.min(...runs);
  });
  expect(Math.max(...times)).toBeLessThan(32);
});

describe('the list of files', () => {
  test('is read once, and reports when it is loaded', async () => {
    const listFiles = vi.fn(async () => ['a.ts', 'bad\x1b[2Jname', 'two\nlines', 'b.ts']);
    const index = createFileIndex(listFiles);
    const seen: string[] = [];
    index.subscribe(() => seen.push(index.get().state));
    expect(index.get()).toEqual({state: 'unread'});
    index.load();
    index.load();
    await eventually(() => expect(seen).toEqual(['reading', 'ready']));
    index.load();
    const list = index.get();
    // Names that cannot be written in a sentence are not offered.
    expect(list.state === 'ready' && list.files.paths).toEqual(['a.ts', 'b.ts']);
    expect(listFiles).toHaveBeenCalledTimes(1);
  });

  test('is read again after a failure', async () => {
    let isBroken = true;
    const index = createFileIndex(async () => {
      if (isBroken) throw new Error('no git');
      return ['a.ts'];
    });
    index.load();
    await eventually(() => expect(index.get()).toEqual({state: 'failed'}));
    isBroken = false;
    index.load();
    await eventually(() => expect(index.get().state).toBe('ready'));
  });
});
