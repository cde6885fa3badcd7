import {describe, expect, test} from 'vitest';
import {createContexts} from '../../src/machines/contexts.ts';
import type {InspectedEntry} from '../../src/services/contracts/journal.ts';
import {executeJob, startJob} from '../helpers/jobs.ts';
import {observedEngine} from '../helpers/observed-engine.ts';
import {planOf, task} from '../helpers/plans.ts';

async function recorded(): Promise<InspectedEntry[]> {
  const {engine, entries} = observedEngine({plan: planOf(task('a'))});
  await startJob(engine, executeJob());
  return entries.map((entry) => ({...entry, session: 1}));
}

/** By the event it took: the context after it. */
async function contextsOfMachine(machine: string) {
  const own = (await recorded()).filter((entry) => entry.machine === machine);
  const contexts = createContexts()(own);
  return {
    own,
    contextAfter: (type: string) => contexts[own.findIndex(({event}) => event.type === type)],
    last: contexts.at(-1),
  };
}

describe('the context after an entry', () => {
  test("is the actor's context then, not later", async () => {
    const {contextAfter} = await contextsOfMachine('segment');
    expect(contextAfter('xstate.init')).toMatchObject({session: null, exit: null});
    expect(contextAfter('agent.sessionCaptured')).toMatchObject({
      session: {ref: 'session-1', isRecorded: false},
      exit: null,
    });
    expect(contextAfter('agent.exited')).toMatchObject({
      session: {ref: 'session-1'},
      exit: {isSessionStored: true},
      run: {state: 'running'},
    });
  });

  test.each(['segment', 'run', 'task'])('of a %s that has ended is its last one', async (machine) => {
    const {own, last} = await contextsOfMachine(machine);
    expect(own.at(-1)?.status).toBe('done');
    expect(last).toMatchObject({run: {state: 'succeeded'}});
  });

  test('is unknown when the beginning of the actor is missing', async () => {
    const {own} = await contextsOfMachine('segment');
    const [, ...later] = own;
    expect(createContexts()(later)).toEqual(later.map(() => null));
  });

  test('of a live actor is found without replaying what was there before', async () => {
    const own = (await recorded()).filter(({machine}) => machine === 'executor');
    const expected = createContexts()(own);
    let replayed = 0;
    const counted = own.map((entry) => ({
      ...entry,
      get event() {
        replayed++;
        return entry.event;
      },
    }));
    createContexts()(counted);
    const once = replayed;
    const contexts = createContexts();
    for (const count of counted.keys()) contexts(counted.slice(0, count + 1));
    expect(contexts(counted)).toEqual(expected);
    expect(replayed).toBe(2 * once);
  });

  test('starts over when the oldest entries are gone, or for another actor', async () => {
    const {own} = await contextsOfMachine('segment');
    const [, ...later] = own;
    const contexts = createContexts();
    const all = [...contexts(own)];
    expect(contexts(later)).toEqual(later.map(() => null));
    expect(contexts(own)).toEqual(all);
    expect(contexts(own.slice(0, 2))).toEqual(all.slice(0, 2));
  });
});
