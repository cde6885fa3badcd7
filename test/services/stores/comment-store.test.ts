import {mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {CommentStore} from '../../../src/services/contracts/comment.ts';
import {createMemoryComments} from '../../../src/services/memory/memory-stores.ts';
import {createCommentStore} from '../../../src/services/stores/comment-store.ts';
import {lineComment} from '../../fakes/memory-comment-store.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const run = {task_id: 'a', run_id: 'a-1'};

function openStore() {
  const folder = path.join(temporaryFolder(), 'runs');
  return {folder, own: path.join(folder, 'a', 'a-1.comments'), store: createCommentStore({folder})};
}

describe.each<{name: string; open: () => CommentStore}>([
  {name: 'on disk', open: () => openStore().store},
  {name: 'in memory', open: createMemoryComments},
])('comments $name', ({open}) => {
  test('are those of one run, by file and line', async () => {
    const store = open();
    expect(await store.list(run)).toEqual([]);
    const far = lineComment({id: 'c2', line: 10});
    const other = lineComment({id: 'c3', file: 'a.ts', line: 99});
    const later = lineComment({id: 'b1', created_at: '2999-01-01T00:00:00.000Z'});
    const second = lineComment({id: 'c4'});
    for (const comment of [far, later, second, lineComment(), other, lineComment({run_id: 'a-2'})])
      await store.save(comment);
    expect(await store.list(run)).toEqual([other, lineComment(), second, later, far]);
  });

  test('are edited and removed by their id', async () => {
    const store = open();
    await store.save(lineComment());
    await store.save(lineComment({text: 'Once is enough.'}));
    expect(await store.list(run)).toEqual([lineComment({text: 'Once is enough.'})]);
    expect(await store.remove(run, 'c2')).toBe(false);
    expect(await store.remove(run, 'c1')).toBe(true);
    expect(await store.list(run)).toEqual([]);
  });
});

describe('a comment', () => {
  test('is neither an unfinished nor a foreign file beside it', async () => {
    const {own, store} = openStore();
    await store.save(lineComment());
    for (const name of ['.c2.json.1.0123456789ab.tmp', '.c2.json', 'notes.txt'])
      writeFileSync(path.join(own, name), '{');
    expect(await store.list(run)).toEqual([lineComment()]);
  });

  test('is one private file', async () => {
    const {own, store} = openStore();
    await store.save(lineComment());
    expect(readdirSync(own)).toEqual(['c1.json']);
    expect(JSON.parse(readFileSync(path.join(own, 'c1.json'), 'utf8'))).toEqual(lineComment());
    expect(statSync(own).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(own, 'c1.json')).mode & 0o777).toBe(0o600);
  });

  test.each(['../../x', '..', 'C1', ''])('with the id %j is neither stored nor looked up', async (id) => {
    const {store} = openStore();
    expect(await rejectionOf(store.save(lineComment({id})))).toMatchObject({code: 'E_USAGE'});
    expect(await store.remove(run, id)).toBe(false);
  });

  test('with another name is not removed', async () => {
    const {own, store} = openStore();
    await store.save(lineComment());
    const other = path.join(own, '..', 'x.json');
    writeFileSync(other, '{}');
    expect(await store.remove(run, '../x')).toBe(false);
    expect(readFileSync(other, 'utf8')).toBe('{}');
  });

  test('that is edited keeps unknown fields', async () => {
    const {store} = openStore();
    await store.save(lineComment({later: {a: 1}}));
    await store.save(lineComment({text: 'Another'}));
    expect(await store.list(run)).toEqual([lineComment({text: 'Another', later: {a: 1}})]);
  });

  test.each(['../x', 'a/b', '..'])('of the run %j is refused', async (run_id) => {
    const {store} = openStore();
    expect(await rejectionOf(store.list({task_id: 'a', run_id}))).toMatchObject({code: 'E_RUN_NOT_FOUND'});
  });

  test.each([
    {name: 'no JSON', text: '{', reason: /not valid JSON/},
    {name: 'of another run', text: JSON.stringify(lineComment({run_id: 'a-2'})), reason: /another run/},
    {name: 'on line 0', text: JSON.stringify(lineComment({line: 0})), reason: /line: /},
  ])('that is $name is named and left alone: nothing is sent without it', async ({text, reason}) => {
    const {own, store} = openStore();
    mkdirSync(own, {recursive: true});
    writeFileSync(path.join(own, 'c1.json'), text);
    const corrupt = {code: 'E_STORE_CORRUPT', message: expect.stringMatching(reason)};
    expect(await rejectionOf(store.list(run))).toMatchObject(corrupt);
    expect(await rejectionOf(store.save(lineComment()))).toMatchObject(corrupt);
    expect(readFileSync(path.join(own, 'c1.json'), 'utf8')).toBe(text);
  });

  test('is not removed through a link out of its folder', async () => {
    const {own, store} = openStore();
    const elsewhere = temporaryFolder();
    writeFileSync(path.join(elsewhere, 'c1.json'), JSON.stringify(lineComment()));
    mkdirSync(path.dirname(own), {recursive: true});
    symlinkSync(elsewhere, own);
    expect((await rejectionOf(store.remove(run, 'c1'))).code).toBe('E_STORE_UNSAFE');
    expect(readdirSync(elsewhere)).toEqual(['c1.json']);
  });

  test('is not written through a link out of its folder', async () => {
    const {folder, own, store} = openStore();
    mkdirSync(path.dirname(own), {recursive: true});
    symlinkSync(folder, own);
    expect(await rejectionOf(store.save(lineComment()))).toMatchObject({code: 'E_STORE_UNSAFE'});
  });
});
