import {mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {PendingFeedback} from '../../../src/services/contracts/feedback.ts';
import {createFeedbackStore} from '../../../src/services/stores/feedback-store.ts';
import {sentBackFeedback} from '../../fakes/memory-feedback-store.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const feedback = (childTaskId: string, fields: Partial<PendingFeedback> = {}) =>
  sentBackFeedback({childTaskId, feedback: 'Test it.\nWith dates.', ...fields});

function openStore() {
  const folder = path.join(temporaryFolder(), 'parent-review-feedback');
  const store = createFeedbackStore({folder});
  const put = (name: string, text: string) => {
    mkdirSync(folder, {recursive: true});
    writeFileSync(path.join(folder, name), text);
  };
  return {folder, store, put, text: (name: string) => readFileSync(path.join(folder, name), 'utf8')};
}

describe('pending feedback', () => {
  test('exists until it is removed, for every reader', async () => {
    const {folder, store} = openStore();
    expect(await store.list()).toEqual({pending: [], broken: []});
    expect(await store.read('a')).toBeNull();
    await store.remove('a');
    await store.save(feedback('b'));
    await store.save(feedback('a'));
    const other = createFeedbackStore({folder});
    writeFileSync(path.join(folder, '.c.json.1.0123456789ab.tmp'), '{');
    expect(await other.list()).toEqual({pending: [feedback('a'), feedback('b')], broken: []});
    await other.remove('a');
    expect(await store.read('a')).toBeNull();
    expect(await store.read('b')).toEqual(feedback('b'));
    expect(readdirSync(folder)).toEqual(['.c.json.1.0123456789ab.tmp', 'b.json']);
  });

  test('is one private file for each task, named after it', async () => {
    const {folder, store, text} = openStore();
    await store.save(feedback('a'));
    expect(JSON.parse(text('a.json'))).toEqual(feedback('a'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder, 'a.json')).mode & 0o777).toBe(0o600);
  });

  test("is replaced by a later review's; unknown fields stay", async () => {
    const {store, put, text} = openStore();
    put('a.json', JSON.stringify({...feedback('a'), owner: 'me'}));
    await store.save(feedback('a', {reviewRunId: 'p-2', feedback: 'Again.'}));
    expect(JSON.parse(text('a.json'))).toEqual({
      ...feedback('a', {reviewRunId: 'p-2', feedback: 'Again.'}),
      owner: 'me',
    });
  });

  test.each(['..', '../x', 'a/b', '__proto__', 'con', '-rf', 'schöne Aufgabe', 'x'.repeat(300), 'a.json'])(
    'of %j stays in its folder',
    async (id) => {
      const {folder, store} = openStore();
      await store.save(feedback(id));
      expect(await store.read(id)).toEqual(feedback(id));
      expect(await store.list()).toEqual({pending: [feedback(id)], broken: []});
      expect(readdirSync(folder)).toHaveLength(1);
      await store.remove(id);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('of the Go program, which contains neither version nor task, is read', async () => {
    const {store, put} = openStore();
    const {schemaVersion: _, childTaskId: __, ...go} = feedback('a');
    put('a.json', JSON.stringify(go));
    expect(await store.read('a')).toEqual(feedback('a'));
  });

  test.each([
    {name: 'no JSON', text: '{', reason: /not valid JSON/},
    {
      name: 'another version',
      text: JSON.stringify({...feedback('a'), schemaVersion: 2}),
      reason: /schemaVersion/,
    },
    {name: 'without feedback', text: JSON.stringify({...feedback('a'), feedback: 1}), reason: /^feedback: /},
    {name: 'of another task', text: JSON.stringify(feedback('b')), reason: /another task, "b"/},
  ])('that is $name is named, refused and left alone', async ({text, reason}) => {
    const {folder, store, put, text: read} = openStore();
    put('a.json', text);
    const {broken} = await store.list();
    expect(broken).toEqual([{file: path.join(folder, 'a.json'), reason: expect.stringMatching(reason)}]);
    expect(await rejectionOf(store.read('a'))).toMatchObject({code: 'E_STORE_CORRUPT'});
    expect(await rejectionOf(store.save(feedback('a')))).toMatchObject({code: 'E_STORE_CORRUPT'});
    expect(read('a.json')).toBe(text);
  });

  test('does not follow a link out of its folder', async () => {
    const around = temporaryFolder();
    const elsewhere = path.join(around, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(path.join(elsewhere, 'a.json'), JSON.stringify(feedback('a')));
    symlinkSync(elsewhere, path.join(around, 'link'));
    const store = createFeedbackStore({folder: path.join(around, 'link')});
    expect(await rejectionOf(store.save(feedback('b')))).toMatchObject({code: 'E_STORE_UNSAFE'});
    expect(await rejectionOf(store.remove('a'))).toMatchObject({code: 'E_STORE_UNSAFE'});
    expect(readdirSync(elsewhere)).toEqual(['a.json']);
  });
});
