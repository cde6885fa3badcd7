import {mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {newDraft} from '../../../src/machines/policies/planning/plan-draft.ts';
import type {PlanDraftStore} from '../../../src/services/contracts/plan-draft.ts';
import {createMemoryPlanDrafts as createSimulatedDrafts} from '../../../src/services/memory/memory-stores.ts';
import {createPlanDraftStore} from '../../../src/services/stores/plan-draft-store.ts';
import {createMemoryPlanDrafts} from '../../fakes/memory-plan-drafts.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {now} from '../../helpers/plans.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const draft = (draftId: string) => newDraft({kind: 'generate', text: 'A shop', taskIds: []}, draftId, now);

function openStore() {
  const folder = path.join(temporaryFolder(), 'plan-drafts');
  return {folder, store: createPlanDraftStore({folder})};
}

describe.each<{name: string; open: () => PlanDraftStore}>([
  {name: 'on disk', open: () => openStore().store},
  {name: 'in memory', open: () => createMemoryPlanDrafts(() => {})},
  {name: 'in a simulation', open: createSimulatedDrafts},
])('drafts of plans $name', ({open}) => {
  test('exist until they are removed, oldest first', async () => {
    const store = open();
    expect(await store.list()).toEqual({drafts: [], broken: []});
    expect(await store.read('d1')).toBeNull();
    await store.save(draft('d1'));
    await store.save(draft('d2'));
    await store.save({...draft('d1'), answers: [{id: 'db', value: 'pg'}]});
    expect((await store.list()).drafts).toEqual([
      {...draft('d1'), answers: [{id: 'db', value: 'pg'}]},
      draft('d2'),
    ]);
    await store.remove('d1');
    await store.remove('d1');
    expect(await store.read('d1')).toBeNull();
    expect(await store.read('d2')).toEqual(draft('d2'));
  });
});

describe('a draft of a plan', () => {
  test('is a private file, and keeps unknown fields', async () => {
    const {folder, store} = openStore();
    await store.save({...draft('d1'), later: {a: 1}});
    expect(readdirSync(folder)).toEqual(['d1.json']);
    expect(statSync(path.join(folder, 'd1.json')).mode & 0o777).toBe(0o600);
    const read = await store.read('d1');
    if (read) await store.save({...read, text: 'Another'});
    expect(await store.read('d1')).toMatchObject({text: 'Another', later: {a: 1}});
  });

  test.each(['..', '../../plan', 'a/b', '', '.hidden'])('with the id %j is refused', async (id) => {
    expect(await rejectionOf(openStore().store.read(id))).toMatchObject({code: 'E_DRAFT_NOT_FOUND'});
  });

  test('that cannot be read is named, stops nothing, and is not replaced', async () => {
    const {folder, store} = openStore();
    mkdirSync(folder);
    const file = path.join(folder, 'd1.json');
    writeFileSync(file, '{"schemaVersion": 2}');
    await store.save(draft('d2'));
    writeFileSync(path.join(folder, '.d3.json.1.0123456789ab.tmp'), '{');
    const {drafts, broken} = await store.list();
    expect([drafts, broken]).toEqual([
      [draft('d2')],
      [{file, reason: expect.stringContaining('schemaVersion: ')}],
    ]);
    expect(await rejectionOf(store.save(draft('d1')))).toMatchObject({code: 'E_STORE_CORRUPT'});
  });

  test('in the file of another one is refused', async () => {
    const {folder, store} = openStore();
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'd1.json'), JSON.stringify(draft('d2')));
    expect(await rejectionOf(store.read('d1'))).toMatchObject({code: 'E_STORE_CORRUPT'});
    expect(await store.list()).toMatchObject({drafts: [], broken: [{reason: expect.stringContaining('d2')}]});
  });

  test('with invalid operations is refused', async () => {
    const {folder, store} = openStore();
    mkdirSync(folder);
    const operations = [{type: 'edit', taskId: 'a', fields: {title: 1}}];
    writeFileSync(path.join(folder, 'd1.json'), JSON.stringify({...draft('d1'), operations}));
    expect(await rejectionOf(store.read('d1'))).toMatchObject({code: 'E_STORE_CORRUPT'});
  });

  test('is not written through a link out of its folder', async () => {
    const around = temporaryFolder();
    mkdirSync(path.join(around, 'elsewhere'));
    symlinkSync(path.join(around, 'elsewhere'), path.join(around, 'link'));
    const store = createPlanDraftStore({folder: path.join(around, 'link')});
    expect(await rejectionOf(store.save(draft('d1')))).toMatchObject({code: 'E_STORE_UNSAFE'});
    expect(readdirSync(path.join(around, 'elsewhere'))).toEqual([]);
    writeFileSync(path.join(around, 'elsewhere', 'd1.json'), JSON.stringify(draft('d1')));
    expect(await rejectionOf(store.remove('d1'))).toMatchObject({code: 'E_STORE_UNSAFE'});
    expect(readdirSync(path.join(around, 'elsewhere'))).toEqual(['d1.json']);
  });
});
