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
import {createRecordVersions} from '../../../src/services/stores/record-versions.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

test('a record has another version after every write, whatever its times say', () => {
  const folder = temporaryFolder();
  const recordVersions = createRecordVersions(folder);
  expect(createRecordVersions(path.join(folder, 'none'))()).toEqual(new Map());
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

test('a second name, another mode or a copy in its place is no other version; a link is', () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'a/a-1.json');
  mkdirSync(path.dirname(file));
  writeFileSync(file, '{}');
  const recordVersions = createRecordVersions(folder);
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
  const folder = temporaryFolder();
  const file = path.join(folder, 'a/a-1.json');
  chmodSync(folder, 0o755);
  mkdirSync(path.dirname(file), {mode: 0o755});
  writeFileSync(file, '{}', {mode: 0o200});
  const recordVersions = createRecordVersions(folder);
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

test.each([
  {tasks: 500, isSeen: true},
  {tasks: 501, isSeen: false},
])('of $tasks tasks are seen: $isSeen', ({tasks, isSeen}) => {
  const folder = temporaryFolder();
  for (let each = 0; each < tasks; each++) mkdirSync(path.join(folder, `t${each}`));
  expect(createRecordVersions(folder)() !== null).toBe(isSeen);
});
