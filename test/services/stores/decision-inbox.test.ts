import {mkdirSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {DecisionInbox, PostedDecision} from '../../../src/services/contracts/decision-inbox.ts';
import {createDecisionInbox} from '../../../src/services/stores/decision-inbox.ts';
import {createMemoryInbox} from '../../fakes/memory-inbox.ts';
import {eventually} from '../../helpers/eventually.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const run = {task_id: 'a', run_id: 'a-1'};
const poster = {pid: 7, startTime: '1', bootId: 'b', pidNamespace: 'n'};
const posted = (id: string): PostedDecision => ({
  schema_version: 1,
  id,
  ...run,
  posted_by: poster,
  decision: {state: 'changes_requested', feedback: 'use tabs'},
});

function openInbox(liveness: 'alive' | 'dead' = 'alive') {
  const folder = temporaryFolder();
  const inbox = createDecisionInbox({folder, livenessOf: () => liveness});
  return {inbox, own: path.join(folder, 'a')};
}

/** What is taken while it is watched. */
function watching(inbox: DecisionInbox) {
  const taken: PostedDecision[] = [];
  return {taken, stop: inbox.watch(run, (each) => taken.push(each))};
}

describe.each<{name: string; open: () => DecisionInbox}>([
  {name: 'on disk', open: () => openInbox().inbox},
  {name: 'in memory', open: createMemoryInbox},
])('the inbox of a checkpoint $name', ({open}) => {
  test('passes a posted decision to the process that waits', async () => {
    const inbox = open();
    const {taken, stop} = watching(inbox);
    expect(await inbox.post(posted('x'))).toBe(true);
    await eventually(() => expect(taken).toEqual([posted('x')]));
    expect(inbox.look(posted('x'))).toBe('taken');
    expect(inbox.retract(posted('x'))).toBe(false);
    inbox.forget(posted('x'));
    expect(inbox.look(posted('x'))).toBe('gone');
    stop();
  });

  test('holds one decision at a time, until it is withdrawn', async () => {
    const inbox = open();
    expect(await inbox.post(posted('x'))).toBe(true);
    expect(await inbox.post(posted('y'))).toBe(false);
    expect([inbox.look(posted('x')), inbox.look(posted('y'))]).toEqual(['open', 'gone']);
    expect(inbox.retract(posted('y'))).toBe(false);
    expect(inbox.retract(posted('x'))).toBe(true);
    expect(await inbox.post(posted('y'))).toBe(true);
  });

  test('discards decisions posted before there was a question', async () => {
    const inbox = open();
    await inbox.post(posted('x'));
    expect([inbox.discard(run), inbox.discard(run)]).toEqual([true, false]);
    expect(inbox.look(posted('x'))).toBe('gone');
    const {taken, stop} = watching(inbox);
    await inbox.post(posted('y'));
    await eventually(() => expect(taken).toEqual([posted('y')]));
    stop();
  });

  test('does not repeat a taken decision when the question is asked again', async () => {
    const inbox = open();
    const first = watching(inbox);
    await inbox.post(posted('x'));
    await eventually(() => expect(first.taken).toHaveLength(1));
    const again = watching(inbox);
    expect(inbox.look(posted('x'))).toBe('gone');
    for (const {stop} of [first, again]) stop();
  });
});

describe('on disk', () => {
  test('what a dead process left is neither taken nor in the way', async () => {
    const {inbox, own} = openInbox('dead');
    await inbox.post(posted('x'));
    const {taken, stop} = watching(inbox);
    await eventually(() => expect(readdirSync(own)).toEqual([]));
    expect(taken).toEqual([]);
    stop();
    await inbox.post(posted('y'));
    expect(await inbox.post(posted('z'))).toBe(true);
  });

  test.each(['{', '{}', JSON.stringify({...posted('x'), decision: {state: 'pending'}})])(
    'a file that contains %j decides nothing',
    async (text) => {
      const {inbox, own} = openInbox();
      await inbox.post(posted('x'));
      writeFileSync(path.join(own, 'a-1.decision'), text);
      expect(inbox.look(posted('x'))).toBe('gone');
    },
  );

  test('a decision about another run, put in place of this one, is discarded', async () => {
    const {inbox, own} = openInbox();
    const {taken, stop} = watching(inbox);
    await inbox.post(posted('x'));
    await eventually(() => expect(taken).toHaveLength(1));
    stop();
    writeFileSync(path.join(own, 'a-1.decision'), JSON.stringify({...posted('y'), run_id: 'a-2'}));
    const again = watching(inbox);
    await eventually(() => expect(readdirSync(own)).toEqual([]));
    expect(again.taken).toEqual([]);
    again.stop();
  });

  test('a decision posted by nobody known is taken', async () => {
    const {inbox} = openInbox('dead');
    const {taken, stop} = watching(inbox);
    await inbox.post({...posted('x'), posted_by: null});
    await eventually(() => expect(taken).toEqual([{...posted('x'), posted_by: null}]));
    stop();
  });

  test('nothing is posted through a link, and what cannot be removed is reported', async () => {
    const {inbox, own} = openInbox();
    const elsewhere = temporaryFolder();
    symlinkSync(elsewhere, own);
    await expect(inbox.post(posted('x'))).rejects.toMatchObject({code: 'E_STORE_UNSAFE'});
    expect(readdirSync(elsewhere)).toEqual([]);
    mkdirSync(path.join(elsewhere, 'a-1.decision.taken'));
    expect(() => watching(inbox)).toThrow('cannot write the decision');
  });

  test('two at once: one gets in', async () => {
    const {inbox, own} = openInbox();
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const posts = await Promise.all(ids.map((id) => inbox.post(posted(id))));
    expect(posts.filter(Boolean)).toHaveLength(1);
    expect(readdirSync(own)).toEqual(['a-1.decision']);
  });
});
