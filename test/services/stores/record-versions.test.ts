import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {createStateVersions} from '../../../src/services/stores/record-versions.ts';
import {eventually} from '../../helpers/eventually.ts';
import {fileCalls} from '../../helpers/file-calls.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

/** The runs folder of a state folder, and the versions of the records in it. */
function recordsFolder() {
  const state = temporaryFolder();
  const folder = path.join(state, 'runs');
  mkdirSync(folder);
  const versions = createStateVersions(state);
  return {folder, recordVersions: () => versions().records};
}

test('a record has another version after every write, whatever its times say', () => {
  const {folder, recordVersions} = recordsFolder();
  expect(createStateVersions(path.join(folder, 'none'))()).toEqual({
    records: new Map(),
    words: new Map(),
    jobs: new Map(),
  });
  mkdirSync(path.join(folder, 'a'));
  writeFileSync(path.join(folder, 'a/a-1.json'), '{}');
  writeFileSync(path.join(folder, 'a/a-1.stdout.log'), 'not a record');
  writeFileSync(path.join(folder, 'file'), 'no folder');
  symlinkSync('nowhere', path.join(folder, 'link'));
  const before = recordVersions();
  const version = before?.get('a')?.get('a-1.json');
  expect(before).toEqual(
    new Map([
      ['a', new Map([['a-1.json', version]])],
      ['file', new Map()],
      ['link', new Map()],
    ]),
  );
  expect(recordVersions()).toEqual(before);
  appendFileSync(path.join(folder, 'a/a-1.json'), ' ');
  utimesSync(path.join(folder, 'a/a-1.json'), 0, 0);
  expect(recordVersions()?.get('a')?.get('a-1.json')).not.toBe(version);
  rmSync(path.join(folder, 'a'), {recursive: true});
  expect(recordVersions()?.has('a')).toBe(false);
});

test('a hard link, another mode or a copy in its place is no other version; a symbolic link is', () => {
  const {folder, recordVersions} = recordsFolder();
  const file = path.join(folder, 'a/a-1.json');
  mkdirSync(path.dirname(file));
  writeFileSync(file, '{}');
  const before = recordVersions();
  linkSync(file, path.join(folder, 'a/backup'));
  chmodSync(file, 0o400);
  expect(recordVersions()).toEqual(before);
  rmSync(file);
  writeFileSync(file, '{}');
  expect(recordVersions()).toEqual(before);
  rmSync(file);
  symlinkSync('backup', file);
  expect(recordVersions()).not.toEqual(before);
});

test('a record that cannot be read has another version after every write', () => {
  const {folder, recordVersions} = recordsFolder();
  const file = path.join(folder, 'a/a-1.json');
  chmodSync(path.dirname(folder), 0o755);
  chmodSync(folder, 0o755);
  mkdirSync(path.dirname(file), {mode: 0o755});
  writeFileSync(file, '{}', {mode: 0o200});
  const before = asNobody(recordVersions);
  expect(asNobody(recordVersions)).toEqual(before);
  appendFileSync(file, ' ');
  expect(asNobody(recordVersions)).not.toEqual(before);
});

/** Root can read everything. */
function asNobody<T>(look: () => T): T {
  if (process.geteuid?.() !== 0) return look();
  process.seteuid?.(65534);
  try {
    return look();
  } finally {
    process.seteuid?.(0);
  }
}

// Looked at before and after every task.
test('folders in which nothing came or went are not listed again, and what is written in them is seen', async () => {
  const {folder, recordVersions} = recordsFolder();
  const tasks = Array.from({length: 20}, (_, place) => path.join(folder, `t${place}`));
  for (const task of tasks) {
    mkdirSync(task);
    writeFileSync(path.join(task, 'r-1.json'), '{}');
  }
  const listed = async () =>
    (await fileCalls('readdirSync', recordVersions)).filter((each) => tasks.includes(each));
  expect((await listed()).toSorted()).toEqual(tasks.toSorted());
  await eventually(async () => expect(await listed()).toEqual([]));
  const before = recordVersions();
  appendFileSync(path.join(folder, 't7/r-1.json'), ' ');
  expect(recordVersions()?.get('t7')).not.toEqual(before?.get('t7'));
  writeFileSync(path.join(folder, 't8/r-2.json'), '{}');
  expect(await listed()).toEqual([path.join(folder, 't8')]);
  expect([...(recordVersions()?.get('t8')?.keys() ?? [])].sort()).toEqual(['r-1.json', 'r-2.json']);
});

test.each([
  {tasks: 500, isSeen: true},
  {tasks: 501, isSeen: false},
])('of $tasks tasks are seen: $isSeen', ({tasks, isSeen}) => {
  const {folder, recordVersions} = recordsFolder();
  for (let each = 0; each < tasks; each++) mkdirSync(path.join(folder, `t${each}`));
  expect(recordVersions() !== undefined).toBe(isSeen);
});

test('feedback, drafts, comments and the latest jobs have versions; what is being written has none', () => {
  const state = temporaryFolder();
  const write = (name: string) => {
    mkdirSync(path.dirname(path.join(state, name)), {recursive: true});
    writeFileSync(path.join(state, name), name);
  };
  const words = ['parent-review-feedback/b.json', 'drafts/b.edits.json', 'plan-drafts/1.json'];
  const comment = 'runs/a/a-1.comments/x.json';
  for (const name of [...words, comment, 'drafts/.b.json.1.0123456789ab.tmp', 'requests/1.json']) write(name);
  const jobs = Array.from({length: 51}, (_, place) => `jobs/${100 + place}.json`);
  for (const name of jobs) write(name);
  const seen = createStateVersions(state)();
  expect([...seen.words.keys()]).toEqual([...words, comment]);
  expect([...seen.jobs.keys()]).toEqual(jobs.slice(1));
  write('drafts/b.edits.json');
  expect(createStateVersions(state)()).toEqual(seen);
  appendFileSync(path.join(state, comment), ' ');
  expect(createStateVersions(state)().words.get(comment)).not.toBe(seen.words.get(comment));
});
