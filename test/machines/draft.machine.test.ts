import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {draftMachine} from '../../src/machines/draft.machine.ts';
import {createDrafts} from '../../src/machines/drafts.ts';
import type {DraftSlot} from '../../src/services/contracts/draft.ts';
import {createMemoryDraftStore} from '../fakes/memory-draft-store.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {now} from '../helpers/plans.ts';

const slot: DraftSlot = {kind: 'feedback', taskId: 'a', runId: 'a-1', id: 'feedback', prompt: ''};
const draft = (text: string, {id = 'feedback', prompt = ''} = {}) => ({
  schemaVersion: 1,
  kind: 'feedback',
  taskId: 'a',
  runId: 'a-1',
  texts: [{id, prompt, text}],
  updatedAt: now,
});

async function editor(fields: Partial<DraftSlot> = {}) {
  const drafts = createMemoryDraftStore();
  const openDrafts = createDrafts({drafts, now: () => now});
  const open = openDrafts.open({...slot, ...fields});
  await open.recalled;
  return {drafts, openDrafts, open};
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('unsent text', () => {
  test('is on disk half a second after the first key, however long the typing continues', async () => {
    const {drafts, open} = await editor();
    open.change('m');
    await vi.advanceTimersByTimeAsync(300);
    open.change('mo');
    await vi.advanceTimersByTimeAsync(199);
    expect(drafts.list()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(drafts.list()).toEqual([draft('mo')]);
    open.change('more');
    await vi.advanceTimersByTimeAsync(500);
    expect(drafts.list()).toEqual([draft('more')]);
  });

  test('is on disk at once when its editor closes, and when all do', async () => {
    const {drafts, openDrafts, open} = await editor();
    open.change('smaller');
    await open.close();
    expect(drafts.list()).toEqual([draft('smaller')]);
    const again = openDrafts.open(slot);
    expect(await again.recalled).toBe('smaller');
    again.change('smaller, please');
    await openDrafts.flush();
    expect(drafts.list()).toEqual([draft('smaller, please')]);
  });

  test('is recalled by an editor that opens while the previous one still writes', async () => {
    const {openDrafts, open} = await editor();
    open.change('smaller');
    const closed = open.close();
    expect(await openDrafts.open(slot).recalled).toBe('smaller');
    await closed;
  });

  test('typed during a save is saved after it', async () => {
    const {drafts, open} = await editor();
    open.change('a');
    const closed = open.close();
    open.change('ab');
    open.change('abc');
    await closed;
    expect(drafts.list()).toEqual([draft('abc')]);
  });

  test('is kept with the other texts of its draft', async () => {
    const {drafts, openDrafts, open} = await editor({id: 'a.ts:1'});
    const other = openDrafts.open({...slot, id: 'b.ts:2'});
    await other.recalled;
    open.change('one');
    other.change('two');
    await openDrafts.flush();
    expect(drafts.list().map(({texts}) => texts)).toEqual([
      [
        {id: 'a.ts:1', prompt: '', text: 'one'},
        {id: 'b.ts:2', prompt: '', text: 'two'},
      ],
    ]);
    await open.drop();
    expect(drafts.list().map(({texts}) => texts)).toEqual([[{id: 'b.ts:2', prompt: '', text: 'two'}]]);
  });

  test.each([
    {what: 'dropped', end: 'drop'},
    {what: 'erased', end: ''},
    {what: 'the value that the field has', end: 'old'},
  ])('and then $what leaves nothing', async ({end}) => {
    const {drafts, open} = await editor({prompt: 'old'});
    open.change('new');
    await open.close();
    expect(drafts.list()).toEqual([draft('new', {prompt: 'old'})]);
    if (end === 'drop') await open.drop();
    else {
      open.change(end);
      await open.close();
    }
    expect(drafts.list()).toEqual([]);
  });

  test('dropped during a save is gone', async () => {
    const {drafts, open} = await editor();
    open.change('a');
    void open.close();
    await open.drop();
    expect(drafts.list()).toEqual([]);
  });

  test('remembers its original value, whatever the field has now', async () => {
    const {openDrafts, open} = await editor({prompt: 'old'});
    open.change('mine');
    await open.close();
    const again = openDrafts.open({...slot, prompt: 'of somebody else'});
    expect([await again.recalled, again.prompt()]).toEqual(['mine', 'old']);
  });

  test('of one run of a task is there at the next', async () => {
    const {openDrafts, open} = await editor();
    open.change('smaller');
    await open.close();
    expect(await openDrafts.open({...slot, runId: 'a-2'}).recalled).toBe('smaller');
  });

  test('that was delivered does not come back at its checkpoint; earlier text does', async () => {
    const {drafts, openDrafts, open} = await editor();
    open.change('smaller');
    await open.close();
    expect(await openDrafts.open({...slot, runId: 'a-2', said: 'smaller'}).recalled).toBe('');
    expect(drafts.list()).toEqual([]);
    const again = openDrafts.open(slot);
    await again.recalled;
    again.change('and quicker\nsmaller');
    await again.close();
    expect(await openDrafts.open({...slot, said: 'smaller'}).recalled).toBe('and quicker');
    expect(drafts.list()).toEqual([draft('and quicker')]);
  });

  test('that cannot be stored says why, and is tried again with the next change', async () => {
    const {drafts, open} = await editor();
    drafts.failNextSave(new Error('disk full'));
    open.change('a');
    await open.close();
    expect(open.problem()).toBe('disk full');
    open.change('ab');
    await open.close();
    expect([open.problem(), drafts.list()]).toEqual([null, [draft('ab')]]);
  });
});

test('an unreadable draft is empty, and says why', async () => {
  const drafts = createMemoryDraftStore();
  drafts.failNextRead(new Error('broken'));
  const open = createDrafts({drafts, now: () => now}).open(slot);
  expect([await open.recalled, open.problem()]).toEqual(['', 'broken']);
});

test('every transition can be taken', () => {
  expect(unreachedTransitions(draftMachine, {inputs: [slot]})).toEqual([]);
});
