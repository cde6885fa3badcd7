import {expect, test} from 'vitest';
import type {JournalEntry} from '../../src/services/contracts/journal.ts';
import {executeJob, startJob} from '../helpers/jobs.ts';
import {observedEngine, stateWord} from '../helpers/observed-engine.ts';
import {now, planOf, task} from '../helpers/plans.ts';

const brief = ({actor, kind, event, state}: JournalEntry) =>
  `${actor} ${kind} ${event.type} -> ${stateWord(state)}`;

test('every step of every machine is reported in the order of cause and effect', async () => {
  const {engine, entries} = observedEngine({plan: planOf(task('a'))});
  await startJob(engine, executeJob());
  expect(entries.map(brief)).toEqual([
    'engine started xstate.init -> idle',
    'engine event job.start -> resolving',
    'engine event xstate.done.actor.resolveJob -> locking',
    'engine event xstate.done.actor.acquireLock -> opening',
    'engine event xstate.done.actor.openJob -> recovering',
    'engine event xstate.done.actor.recoverRuns -> executing',
    'engine/executor started xstate.init -> recallingDecisions',
    'engine/executor event xstate.done.actor.findDecision -> reviewingLeftOpen',
    'engine/executor/parentReview started xstate.init -> selecting',
    'engine/executor/parentReview done xstate.done.actor.selectReview -> settled',
    'engine/executor event xstate.done.actor.parentReview -> selecting',
    'engine/executor event xstate.done.actor.selectTask -> working',
    'engine/executor/task started xstate.init -> preparing',
    'engine/executor/task event xstate.done.actor.prepareRun -> running',
    'engine/executor/task/run started xstate.init -> running',
    'engine/executor/task/run/segment started xstate.init -> launching',
    'engine/executor/task/run/segment/budget started xstate.init -> unlimited',
    'engine/executor/task/run/segment event agent.held -> recordingStart',
    'engine/executor/task/run/segment event xstate.done.actor.recordStart -> active',
    'engine/executor/task/run/segment event agent.sessionCaptured -> recordingSession',
    'engine/executor/task/run/segment event xstate.done.actor.recordSession -> active',
    'engine/executor/task/run/segment event agent.resultSeen -> lingering',
    'engine/executor/task/run/segment event agent.exited -> sweeping',
    'engine/executor/task/run/segment event xstate.done.actor.endEverything -> recordingOutcome',
    'engine/executor/task/run/segment done xstate.done.actor.recordOutcome -> ended',
    'engine/executor/task/run/segment/budget stopped xstate.stop -> unlimited',
    'engine/executor/task/run done xstate.done.actor.segment -> settled',
    'engine/executor/task event xstate.done.actor.run -> settling',
    'engine/executor/task done xstate.done.actor.settleTask -> settled',
    'engine/executor event xstate.done.actor.task -> selecting',
    'engine/executor done xstate.done.actor.selectTask -> completed',
    'engine event xstate.done.actor.executor -> surveying',
    'engine event xstate.done.actor.surveyPlan -> closing',
    'engine event xstate.done.actor.closeJob -> releasing',
    'engine event xstate.done.actor.releaseLock -> idle',
  ]);
  expect(entries.map(({seq}) => seq)).toEqual(entries.map((_, index) => index + 1));
});

test('an entry names the actor, its machine, the event, the state and every transition on the way', async () => {
  const {engine, entries} = observedEngine({plan: planOf(task('a'))});
  await startJob(engine, executeJob());
  expect(entries.find(({event}) => event.type === 'agent.sessionCaptured')).toEqual({
    kind: 'event',
    seq: 20,
    at: now,
    actor: 'engine/executor/task/run/segment',
    parent: 'engine/executor/task/run',
    machine: 'segment',
    event: {type: 'agent.sessionCaptured', sessionRef: 'session-1'},
    state: 'recordingSession',
    status: 'active',
    transitions: [
      {source: 'segment', event: 'agent.sessionCaptured', index: 0, target: null},
      {source: 'segment.active', event: '', index: 0, target: 'segment.recordingSession'},
    ],
  });
});

test('a second actor in the same place has its own name', async () => {
  const {engine, entries} = observedEngine({plan: planOf(task('a'), task('b'))});
  await startJob(engine, executeJob());
  const actors = new Set(entries.filter(({machine}) => machine === 'segment').map(({actor}) => actor));
  expect([...actors]).toEqual(['engine/executor/task/run/segment', 'engine/executor/task:2/run/segment']);
});

test('no text of the plan or the agent is reported', async () => {
  const {engine, entries} = observedEngine({
    plan: planOf(task('a', {title: 'Secret title', prompt: 'secret prompt', description: 'secret words'})),
  });
  await startJob(engine, executeJob());
  expect(JSON.stringify(entries)).not.toMatch(/secret|what the agent said/i);
});
