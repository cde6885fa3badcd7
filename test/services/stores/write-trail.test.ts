import {readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import type {DraftStore} from '../../../src/services/contracts/draft.ts';
import {createCommentStore} from '../../../src/services/stores/comment-store.ts';
import {contentVersion} from '../../../src/services/stores/content-version.ts';
import {createDraftStore} from '../../../src/services/stores/draft-store.ts';
import {textWriter} from '../../../src/services/stores/text-trail.ts';
import {createWriteTrail} from '../../../src/services/stores/write-trail.ts';
import {fileCalls} from '../../helpers/file-calls.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const newFile = () => path.join(temporaryFolder(), 'plan.writes');

test('is complete when Blackbird wrote every step, in this process or another', () => {
  const file = newFile();
  const [mine, theirs] = [createWriteTrail(file), createWriteTrail(file)];
  mine.note('1', '2');
  theirs.note('2', '3');
  expect(mine.leads('1', '2')).toBe('here');
  expect(mine.leads('1', '3')).toBe('elsewhere');
  expect(mine.leads('3', '3')).toBe('here');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('is broken by a step of another program, and cannot be followed backwards or in cycles', () => {
  const trail = createWriteTrail(newFile());
  trail.note('1', '2');
  trail.note('x', '3');
  expect(trail.leads('1', '3')).toBeNull();
  expect(trail.leads('2', '1')).toBeNull();
  trail.note('2', '1');
  expect(trail.leads('1', '9')).toBeNull();
});

// After every task, for the plan and the settings: a long plan has a long trail.
test('is not read for a file that did not change', async () => {
  const trail = createWriteTrail(newFile());
  trail.note('1', '2');
  expect(await fileCalls('openSync', () => trail.leads('2', '2'))).toEqual([]);
  expect(await fileCalls('openSync', () => trail.leads('1', '2'))).toHaveLength(1);
});

test('a trail in memory belongs to its process only', () => {
  const file = newFile();
  createWriteTrail(null).note('1', '2');
  expect(createWriteTrail(file).leads('1', '2')).toBeNull();
});

test('follows no link, and then reports too much rather than too little', () => {
  const file = newFile();
  const target = path.join(path.dirname(file), 'mine');
  writeFileSync(target, 'mine');
  symlinkSync(target, file);
  createWriteTrail(file).note('1', '2');
  expect(readFileSync(target, 'utf8')).toBe('mine');
});

test('starts over when it has grown too large', () => {
  const file = newFile();
  writeFileSync(file, 'x'.repeat(256 * 1024 + 1));
  createWriteTrail(file).note('1', '2');
  expect(readFileSync(file, 'utf8')).toBe('1 2\n');
});

test('texts written by the user are on the trail of their Blackbird, also when they are removed and written again', async () => {
  const file = newFile();
  const folder = path.dirname(file);
  const [mine, theirs] = [createWriteTrail(file), createWriteTrail(file)];
  const [here, elsewhere] = [mine, theirs].map((trail) => createDraftStore({folder, trail})) as [
    DraftStore,
    DraftStore,
  ];
  const name = path.join(folder, 'b.feedback.json');
  const by = (from: string) => textWriter(mine, 'drafts/b.feedback.json', from, contentVersion(name));
  const save = (store: DraftStore, text: string) =>
    store.save({
      schemaVersion: 1,
      kind: 'feedback',
      taskId: 'b',
      runId: 'b-1',
      updatedAt: text,
      texts: [{id: 'x', prompt: '', text}],
    });
  await save(here, 'one');
  const one = contentVersion(name);
  await save(here, 'two');
  expect([by(''), by(one)]).toEqual(['here', 'here']);
  await here.remove('feedback', 'b');
  expect([by(''), by(one)]).toEqual(['here', 'here']);
  await save(elsewhere, 'three');
  expect([by(''), by(one)]).toEqual(['elsewhere', 'elsewhere']);
  writeFileSync(name, readFileSync(name, 'utf8').replace('three', 'evil'));
  expect(by('')).toBeNull();
  // Typing on does not make it the user's.
  await save(here, 'evil and more');
  expect([by(''), by(one)]).toEqual([null, null]);
});

test('comments on lines are on the trail', async () => {
  const file = newFile();
  const folder = path.dirname(file);
  const trail = createWriteTrail(file);
  const store = createCommentStore({folder, trail});
  const run = {task_id: 'a', run_id: 'a-1'};
  const stamps = {created_at: '1', updated_at: '1'};
  const place = {file: 'f.txt', side: 'new', line: 1} as const;
  await store.save({schema_version: 1, id: 'x', ...run, ...place, text: 'hm', ...stamps});
  const name = path.join(folder, 'a/a-1.comments/x.json');
  const written = contentVersion(name);
  expect(textWriter(trail, name, '', written)).toBe('here');
  expect(textWriter(trail, path.join(folder, 'y.json'), '', written)).toBeNull();
  await store.remove(run, 'x');
  expect(textWriter(trail, name, written, '')).toBe('here');
});
