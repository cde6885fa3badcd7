import {mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {DraftStore} from '../../../src/services/contracts/draft.ts';
import {createMemoryDrafts} from '../../../src/services/memory/memory-stores.ts';
import {createDraftStore} from '../../../src/services/stores/draft-store.ts';
import {ensureStateFolder, projectFolder} from '../../../src/services/stores/project-folder.ts';
import {answersDraft, createMemoryDraftStore} from '../../fakes/memory-draft-store.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const key = {kind: 'answers', taskId: 'a'} as const;

function openStore() {
  const folder = path.join(temporaryFolder(), 'drafts');
  return {folder, store: createDraftStore({folder})};
}

describe.each<{name: string; open: () => DraftStore}>([
  {name: 'on disk', open: () => openStore().store},
  {name: 'in memory', open: createMemoryDraftStore},
  {name: 'in a simulation', open: createMemoryDrafts},
])('drafts $name', ({open}) => {
  test('exist until they are removed', async () => {
    const store = open();
    expect(await store.read(key)).toBeNull();
    await store.remove('answers', 'a');
    await store.save(answersDraft());
    await store.save(answersDraft({taskId: 'b', runId: 'b-1'}));
    expect(await store.read(key)).toEqual(answersDraft());
    await store.remove('answers', 'a');
    expect(await store.read(key)).toBeNull();
    expect(await store.read({...key, taskId: 'b'})).toEqual(answersDraft({taskId: 'b', runId: 'b-1'}));
  });

  test('are listed for all tasks and kinds', async () => {
    const store = open();
    expect(await store.all()).toEqual([]);
    await store.save(answersDraft());
    await store.save(answersDraft({kind: 'new-task', taskId: '', runId: ''}));
    expect((await store.all()).map(({kind, taskId}) => `${kind} ${taskId}`).sort()).toEqual([
      'answers a',
      'new-task ',
    ]);
  });

  test('belong to their task, whichever run they were written at', async () => {
    const store = open();
    await store.save(answersDraft());
    await store.save(answersDraft({runId: 'a-2', texts: []}));
    expect(await store.read(key)).toEqual(answersDraft({runId: 'a-2', texts: []}));
  });
});

describe('a draft', () => {
  test('is one private file for each task and kind', async () => {
    const {folder, store} = openStore();
    await store.save(answersDraft());
    await store.save(answersDraft({runId: 'a-2'}));
    expect(readdirSync(folder)).toEqual(['a.answers.json']);
    expect(JSON.parse(readFileSync(path.join(folder, 'a.answers.json'), 'utf8'))).toEqual(
      answersDraft({runId: 'a-2'}),
    );
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder, 'a.answers.json')).mode & 0o777).toBe(0o600);
  });

  test.each(['..', '../x', 'a/b', '__proto__', 'con', '-rf', 'schöne Aufgabe', 'x'.repeat(300), 'a.answers'])(
    'of %j stays in its folder',
    async (taskId) => {
      const {folder, store} = openStore();
      await store.save(answersDraft({taskId}));
      expect(await store.read({...key, taskId})).toEqual(answersDraft({taskId}));
      expect(readdirSync(folder)).toHaveLength(1);
      await store.remove('answers', taskId);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('is kept up to a MiB', async () => {
    const {store} = openStore();
    const empty = JSON.stringify(
      answersDraft({texts: [{id: 'q', prompt: 'Why?', text: ''}]}),
      null,
      2,
    ).length;
    const draftOf = (length: number) =>
      answersDraft({texts: [{id: 'q', prompt: 'Why?', text: 'x'.repeat(length)}]});
    const room = 1024 * 1024 - empty - 1;
    await store.save(draftOf(room));
    expect(await store.read(key)).toEqual(draftOf(room));
    expect(await rejectionOf(store.save(draftOf(room + 1)))).toMatchObject({code: 'E_USAGE'});
    expect(await store.read(key)).toEqual(draftOf(room));
  });

  test.each([
    {name: 'no JSON', text: '{', reason: /not valid JSON/},
    {
      name: 'another version',
      text: JSON.stringify({...answersDraft(), schemaVersion: 2}),
      reason: /schemaVersion/,
    },
    {name: 'without texts', text: JSON.stringify({...answersDraft(), texts: 1}), reason: /texts: /},
    {name: 'of another task', text: JSON.stringify(answersDraft({taskId: 'b'})), reason: /another task, "b"/},
  ])('that is $name is named, refused and left alone', async ({text, reason}) => {
    const {folder, store} = openStore();
    const file = path.join(folder, 'a.answers.json');
    mkdirSync(folder);
    writeFileSync(file, text);
    expect(await rejectionOf(store.read(key))).toMatchObject({
      code: 'E_STORE_CORRUPT',
      message: expect.stringMatching(reason),
    });
    expect(await rejectionOf(store.save(answersDraft()))).toMatchObject({code: 'E_STORE_CORRUPT'});
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('is written before anything else of the project exists', async () => {
    const project = projectFolder(temporaryFolder());
    const prepare = () => ensureStateFolder(project);
    const store = createDraftStore({folder: project.draftsFolder, prepare});
    expect(await store.read(key)).toBeNull();
    await store.remove('answers', 'a');
    expect(readdirSync(project.root)).toEqual([]);
    await store.save(answersDraft());
    expect(await store.read(key)).toEqual(answersDraft());
    expect(readdirSync(project.stateFolder).sort()).toEqual(['.gitignore', 'drafts']);
  });

  test('is not written through a link out of its folder', async () => {
    const around = temporaryFolder();
    mkdirSync(path.join(around, 'elsewhere'));
    symlinkSync(path.join(around, 'elsewhere'), path.join(around, 'link'));
    const store = createDraftStore({folder: path.join(around, 'link')});
    expect(await rejectionOf(store.save(answersDraft()))).toMatchObject({code: 'E_STORE_UNSAFE'});
    expect(readdirSync(path.join(around, 'elsewhere'))).toEqual([]);
    writeFileSync(path.join(around, 'elsewhere', 'a.answers.json'), JSON.stringify(answersDraft()));
    expect(await rejectionOf(store.remove('answers', 'a'))).toMatchObject({code: 'E_STORE_UNSAFE'});
    expect(readdirSync(path.join(around, 'elsewhere'))).toEqual(['a.answers.json']);
  });

  test('is not an unfinished file beside it', async () => {
    const {folder, store} = openStore();
    await store.save(answersDraft());
    const text = JSON.stringify(answersDraft({taskId: 'b'}));
    writeFileSync(path.join(folder, '.b.answers.json'), text);
    expect(await store.all()).toEqual([answersDraft()]);
  });
});
