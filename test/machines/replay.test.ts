import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {createActor} from 'xstate';
import {draftedQuestions} from '../../src/machines/actors/draft-answers.actor.ts';
import {createLiveInspection} from '../../src/machines/live-inspection.ts';
import {machines} from '../../src/machines/machines.ts';
import {createObserver} from '../../src/machines/observe.ts';
import {questionsMachine} from '../../src/machines/questions.machine.ts';
import {contextOf, createReplayer, verifyEntries} from '../../src/machines/replay.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {InspectedEntry, JournalEntry} from '../../src/services/contracts/journal.ts';
import {answersDraft, createMemoryDraftStore} from '../fakes/memory-draft-store.ts';
import {settle} from '../fakes/services.ts';
import fc from '../helpers/fast-check.ts';
import {executeJob, startJob} from '../helpers/jobs.ts';
import {type ObservedEngine, observedEngine} from '../helpers/observed-engine.ts';
import {now, planOf, task} from '../helpers/plans.ts';

/** As they come back from a file. */
const recorded = (entries: readonly JournalEntry[]): InspectedEntry[] =>
  entries.map((entry) => JSON.parse(JSON.stringify({...entry, session: 1})));

const allAlike = (entries: readonly JournalEntry[]) => ({
  entries: entries.length,
  compared: entries.length,
  first: null,
});

test.each(machines)('every transition of $name is replayed', ({name}) => {
  const tests = readdirSync(import.meta.dirname).map((file) =>
    readFileSync(path.join(import.meta.dirname, file), 'utf8'),
  );
  // The walk over a machine replays each of its steps.
  const walk = new RegExp(`unreachedTransitions\\(\\s*${name}Machine\\b`);
  expect(tests.some((text) => walk.test(text))).toBe(true);
});

describe('a whole engine', () => {
  type Act = (project: ObservedEngine) => void;
  const ifAlive = (act: (agent: ObservedEngine['agents']['agent']) => void): Act => {
    return ({agents}) => {
      const [agent] = agents.alive();
      if (agent?.hasGone) act(agent);
    };
  };
  const acts: Record<string, Act> = {
    succeed: ifAlive((agent) => agent.succeeds('all done')),
    fail: ifAlive((agent) => agent.fails()),
    failForAll: ifAlive((agent) => agent.fails({kind: 'auth'})),
    ask: ifAlive((agent) =>
      agent.succeeds(JSON.stringify({tool: 'AskUserQuestion', id: 'q', prompt: 'Which?'})),
    ),
    openSession: ifAlive((agent) => agent.opensSession()),
    report: ifAlive((agent) => agent.reports({ok: true})),
    exit: ifAlive((agent) => agent.exits({exitCode: 1})),
    pause: ({engine}) => engine.pause('user_interrupt'),
    stopAfterTask: ({engine}) => engine.stopAfterTask(),
    failLaunch: ({agents}) => agents.failLaunch(new AppError('E_AGENT_NOT_FOUND', 'no such agent')),
    failWrite: ({runs}) => runs.failOn(() => true, new Error('disk full')),
    wait: ({time}) => {
      time.milliseconds += 1000;
    },
  };

  test('replays to the same states, whatever its agents, its user and its disk do', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(acts)), {maxLength: 25}), async (script) => {
        const project = observedEngine({plan: planOf(task('a'), task('b'), task('c', {deps: ['a']}))});
        project.agents.play = () => {};
        const ended = startJob(project.engine, executeJob());
        for (const act of script) {
          await settle();
          acts[act]?.(project);
        }
        for (let turns = 0; project.engine.isBusy() && turns < 20; turns++) {
          await settle();
          acts.succeed?.(project);
          project.time.milliseconds += 1000;
        }
        await ended;
        expect(verifyEntries(recorded(project.entries))).toEqual(allAlike(project.entries));
      }),
      {numRuns: 100},
    );
  });

  test('replays from the states of the actors above a task', async () => {
    const plan = planOf(...Array.from({length: 30}, (_, index) => task(`t${index}`)));
    const project = observedEngine({plan});
    await startJob(project.engine, executeJob());
    const start = project.entries.findIndex(({actor}) => actor === 'engine/executor/task:29');
    const from = project.entries.slice(start);
    expect(from.filter(({actor}) => actor === 'engine/executor')).toHaveLength(4);
    const standing = project.standing.get('engine/executor/task:29') ?? [];
    expect(standing.map(({actor, kind, state}) => ({actor, kind, state}))).toEqual([
      {actor: 'engine', kind: 'standing', state: {working: {wish: 'none', work: 'executing'}}},
      {actor: 'engine/executor', kind: 'standing', state: {executing: {wish: 'none', loop: 'working'}}},
    ]);
    const entries = [...standing, ...from];
    expect(verifyEntries(recorded(entries))).toEqual(allAlike(entries));
    // A context that grew with the plan stays small, and keeps its length.
    expect(standing[1]?.context?.attempted).toEqual({
      $list: 28,
      last: ['t23', 't24', 't25', 't26', 't27'].map((taskId) => ({
        taskId,
        state: 'succeeded',
        resumable: false,
      })),
    });
  });

  test('a pause reaches the task of an executor that was active when the journal started', async () => {
    const project = observedEngine({plan: planOf(task('a'), task('b'))});
    project.agents.play = (agent) => {
      if (agent.taskId === 'a') agent.succeeds();
    };
    const ended = startJob(project.engine, executeJob());
    await settle();
    project.engine.pause('user_interrupt');
    await ended;
    const start = project.entries.findIndex(({actor}) => actor === 'engine/executor/task:2');
    const entries = [
      ...(project.standing.get('engine/executor/task:2') ?? []),
      ...project.entries.slice(start),
    ];
    expect(entries.some(({actor, event}) => actor === 'engine' && event.type === 'engine.pause')).toBe(true);
    expect(verifyEntries(recorded(entries))).toEqual(allAlike(entries));
  });
});

test('answers are replayed without their text', async () => {
  const live = createLiveInspection();
  const {inspect} = createObserver({now: () => '', onEntry: live.observe});
  const questions = [
    {id: 'color', prompt: 'Which color of the secret?', options: ['red', 'blue']},
    {id: 'name', prompt: 'Which name?'},
  ];
  const drafts = createMemoryDraftStore();
  const run = {task_id: 'a', run_id: 'a-1', questions};
  await drafts.save(answersDraft({texts: [{id: 'name', prompt: 'Which name?', text: 'an old secret'}]}));
  const actor = createActor(draftedQuestions({drafts, run, now: () => now}), {input: {questions}, inspect});
  actor.start();
  await settle();
  for (const value of ['', '  ', '2', '']) {
    actor.send({type: 'question.answer', value});
    await settle();
  }
  const entries = recorded(live.entries());
  expect(JSON.stringify(entries)).not.toMatch(/secret|blue/);
  expect(verifyEntries(entries)).toEqual(allAlike(entries));
  expect(entries.map(({state}) => state)).toEqual([
    'recalling',
    {asking: 'kept'},
    {asking: 'kept'},
    {asking: 'kept'},
    'saving',
    {asking: 'kept'},
    'saving',
    'answered',
  ]);
  const replay = createReplayer();
  const contexts = entries.map((entry) => contextOf(replay(entry)));
  expect(contexts[5]).toEqual({
    questions: [
      {id: 'color', prompt: '<26 chars>', options: ['<3 chars>', '<4 chars>']},
      {id: 'name', prompt: '<11 chars>'},
    ],
    index: 1,
    answers: ['<1 chars>', '<13 chars>'],
    error: undefined,
  });
});

describe('the first entry whose replay differs', () => {
  async function entriesOfRun(): Promise<InspectedEntry[]> {
    const {engine, entries} = observedEngine({plan: planOf(task('a'))});
    await startJob(engine, executeJob());
    return recorded(entries);
  }
  const changed = (entries: InspectedEntry[], index: number, fields: Partial<InspectedEntry>) =>
    entries.map((entry, at) => (at === index ? {...entry, ...fields} : entry));

  test.each<{name: string; event: string; fields: Partial<InspectedEntry>; difference: object}>([
    {
      name: 'another state',
      event: 'agent.sessionCaptured',
      fields: {state: 'active'},
      difference: {state: 'recordingSession', status: 'active'},
    },
    {
      name: 'another event',
      event: 'job.start',
      fields: {event: {type: 'engine.stopAfterTask'}},
      difference: {state: 'idle', status: 'active'},
    },
    {
      name: 'another end',
      event: 'xstate.done.actor.recordOutcome',
      fields: {status: 'active'},
      difference: {state: 'ended', status: 'done'},
    },
    {
      name: 'a machine of another version',
      event: 'xstate.init',
      fields: {machine: 'steam'},
      difference: {problem: 'there is no machine steam'},
    },
  ])('is named: $name', async ({event, fields, difference}) => {
    const original = await entriesOfRun();
    const index = original.findIndex((entry) => entry.event.type === event);
    const entries = changed(original, index, fields);
    expect(verifyEntries(entries)).toEqual({
      entries: entries.length,
      compared: index,
      first: {entry: entries[index], difference},
    });
  });

  test('is the one after the end of its actor', async () => {
    const entries = await entriesOfRun();
    const end = entries.findIndex(({kind, machine}) => kind === 'done' && machine === 'segment');
    const twice = entries.toSpliced(end + 1, 0, entries[end] as InspectedEntry);
    expect(verifyEntries(twice).first?.difference).toEqual({problem: 'it took an event after its end'});
  });

  test('is none when the beginning is missing: what cannot be compared is not counted', async () => {
    // The watch over its budget starts after it.
    const original = (await entriesOfRun()).filter(({machine}) => machine !== 'budget');
    const entries = original.slice(original.findIndex(({machine}) => machine === 'segment') + 1);
    expect(verifyEntries(entries)).toEqual({entries: entries.length, compared: 0, first: null});
  });
});

test('a machine that throws is recorded as an end with an error, and replays as one', () => {
  const entries: JournalEntry[] = [];
  const {inspect} = createObserver({now: () => '', onEntry: (entry) => entries.push(entry)});
  const actor = createActor(questionsMachine, {
    input: {questions: null as never},
    inspect,
  });
  actor.subscribe({error: () => {}});
  actor.start();
  expect(entries.map(({kind, state, status}) => ({kind, state, status}))).toEqual([
    {kind: 'started', state: 'recalling', status: 'error'},
  ]);
  expect(verifyEntries(recorded(entries)).first).toBe(null);
});
