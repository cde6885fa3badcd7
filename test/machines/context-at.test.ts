import {describe, expect, test} from 'vitest';
import {contextAt} from '../../src/machines/context-at.ts';
import type {InspectedEntry} from '../../src/services/contracts/journal.ts';
import {fakeSource} from '../fakes/journal-entries.ts';
import {executeJob, startJob} from '../helpers/jobs.ts';
import {observedEngine} from '../helpers/observed-engine.ts';
import {planOf, task} from '../helpers/plans.ts';

async function recorded(): Promise<InspectedEntry[]> {
  const {engine, entries} = observedEngine({plan: planOf(task('a'))});
  await startJob(engine, executeJob());
  return entries.map((entry) => ({...entry, session: 1}));
}

describe('the context after an entry', () => {
  test('is what the actor knew then, not what it knew later', async () => {
    const entries = await recorded();
    const source = fakeSource(...entries);
    const seqOf = (machine: string, type: string) =>
      entries.find((entry) => entry.machine === machine && entry.event.type === type)?.seq ?? 0;
    expect(contextAt(source, 1, seqOf('segment', 'xstate.init'))).toMatchObject({session: null, exit: null});
    expect(contextAt(source, 1, seqOf('segment', 'agent.sessionCaptured'))).toMatchObject({
      session: {ref: 'session-1', isRecorded: false},
      exit: null,
    });
    expect(contextAt(source, 1, seqOf('segment', 'agent.exited'))).toMatchObject({
      session: {ref: 'session-1'},
      exit: {isSessionStored: true},
    });
  });

  test('of an actor that has ended is the last one it had', async () => {
    const entries = await recorded();
    const last = entries.findLast(({machine}) => machine === 'segment');
    expect(last?.status).toBe('done');
    expect(contextAt(fakeSource(...entries), 1, last?.seq ?? 0)).toMatchObject({session: {ref: 'session-1'}});
  });

  test.each<{name: string; session: number; seq: (entries: readonly InspectedEntry[]) => number}>([
    {name: 'another process', session: 2, seq: () => 1},
    {name: 'an entry that is not there', session: 1, seq: (entries) => entries.length + 1},
  ])('of $name is not known', async ({session, seq}) => {
    const entries = await recorded();
    expect(contextAt(fakeSource(...entries), session, seq(entries))).toBeNull();
  });

  test('is not known where the beginning of the actor is gone', async () => {
    const entries = await recorded();
    const source = fakeSource(...entries.filter(({kind}) => kind !== 'started'));
    const held = entries.find(({event}) => event.type === 'agent.held');
    expect(contextAt(source, 1, held?.seq ?? 0)).toBeNull();
  });
});
