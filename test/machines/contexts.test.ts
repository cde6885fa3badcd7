import {describe, expect, test} from 'vitest';
import {contextsOf} from '../../src/machines/contexts.ts';
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
  const contexts = contextsOf(own);
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
    expect(contextsOf(later)).toEqual(later.map(() => null));
  });
});
