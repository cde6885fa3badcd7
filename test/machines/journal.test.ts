import {describe, expect, test, vi} from 'vitest';
import {createActor, setup} from 'xstate';
import {draftedQuestions} from '../../src/machines/actors/draft-answers.actor.ts';
import {createEngine} from '../../src/machines/engine.ts';
import {createJournal} from '../../src/machines/journal.ts';
import {verifyEntries} from '../../src/machines/replay.ts';
import {taskMachine} from '../../src/machines/task.machine.ts';
import type {JournalEntry} from '../../src/services/contracts/journal.ts';
import {defineEffects} from '../fakes/machines.ts';
import {waitingRun} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {executeJob, startJob, taskJob} from '../helpers/jobs.ts';
import {stateWord} from '../helpers/observed-engine.ts';
import {now, planOf, task} from '../helpers/plans.ts';

/** An engine whose journals are lists. */
function openJournals(options: Parameters<typeof createFakeServices>[0] = {}) {
  const fake = createFakeServices(options);
  fake.agents.obeys = {interrupt: true, kill: true};
  fake.agents.play = (agent) => agent.succeeds();
  const journals = new Map<string, JournalEntry[]>();
  const flushes: number[] = [];
  const all: JournalEntry[] = [];
  const {inspect} = createJournal({
    now: fake.services.now,
    sink: {
      append: ({task_id, run_id}, entries) => {
        const name = `${task_id} ${run_id}`;
        journals.set(name, [...(journals.get(name) ?? []), ...entries]);
      },
      flush: () => flushes.push(all.length),
    },
    observe: (entry) => {
      all.push(entry);
      throw new Error('an observer that fails');
    },
  });
  const engine = createEngine(fake.services, {inspect});
  return {...fake, engine, inspect, journals, flushes, all};
}

/** Each entry as `actor event state`; entries with an actor's initial state as `actor standing state`. */
const brief = (entries: readonly JournalEntry[] = []) =>
  entries.map(
    ({actor, kind, event, state}) => `${actor} ${kind === 'started' ? kind : event.type} ${stateWord(state)}`,
  );

const replays = (entries: readonly JournalEntry[] = []) => {
  const {compared, first} = verifyEntries(entries.map((entry) => ({...entry, session: 1})));
  return first === null && compared === entries.length;
};

describe('the journal of a run', () => {
  test('contains everything from the start of the job to its end', async () => {
    const {engine, journals, all, flushes} = openJournals({plan: planOf(task('a'))});
    await startJob(engine, executeJob());
    expect([...journals.keys()]).toEqual(['a a-1']);
    expect(journals.get('a a-1')).toEqual(all);
    expect(replays(all)).toBe(true);
    // With the engine idle, whatever is left is written.
    expect(flushes).toEqual([all.length - 1]);
  });

  test('starts with the states of the actors above it when they worked on another run before', async () => {
    const {engine, journals} = openJournals({plan: planOf(task('a'), task('b'))});
    await startJob(engine, executeJob());
    const [first, second] = [journals.get('a a-1'), journals.get('b b-1')];
    expect(brief(first).slice(-3)).toEqual([
      'engine/executor/task xstate.done.actor.settleTask settled',
      'engine/executor xstate.done.actor.task selecting',
      'engine/executor xstate.done.actor.selectTask working',
    ]);
    expect(brief(second).slice(0, 5)).toEqual([
      'engine standing executing',
      'engine/executor standing working',
      'engine/executor/task:2 started preparing',
      'engine/executor/task:2 xstate.done.actor.prepareRun running',
      'engine/executor/task:2/run started running',
    ]);
    expect(brief(second).at(-1)).toBe('engine xstate.done.actor.releaseLock idle');
    expect([first, second].map(replays)).toEqual([true, true]);
  });

  test('of a later job starts with the engine at rest', async () => {
    const {engine, journals} = openJournals({plan: planOf(task('a'), task('b'))});
    await startJob(engine, executeJob({maxTasks: 1}));
    await startJob(engine, executeJob());
    expect(brief(journals.get('b b-1')).slice(0, 2)).toEqual([
      'engine standing idle',
      'engine job.start resolving',
    ]);
    expect(replays(journals.get('b b-1'))).toBe(true);
  });

  test('contains the questions that were answered before it continued', async () => {
    const run = waitingRun();
    const {engine, drafts, inspect, journals} = openJournals({
      plan: planOf(task('a', {status: 'waiting_user'})),
      runs: [run],
    });
    const machine = draftedQuestions({drafts, run, now: () => now});
    const questions = createActor(machine, {input: {questions: run.questions ?? []}, inspect});
    questions.start();
    await settle();
    questions.send({type: 'question.answer', value: 'blue'});
    await settle();
    const answers = run.questions?.map(({id}) => ({id, value: 'blue'})) ?? [];
    await startJob(engine, taskJob('a', {type: 'resume', answers, feedback: null}));
    const entries = journals.get('a a-1');
    expect(brief(entries).slice(0, 6)).toEqual([
      'engine started idle',
      'questions started recalling',
      'questions xstate.done.actor.recallAnswers kept',
      'questions question.answer saving',
      'questions xstate.done.actor.saveAnswers answered',
      'engine job.start resolving',
    ]);
    expect(replays(entries)).toBe(true);
    expect(JSON.stringify(entries)).not.toContain('blue');
  });

  test('contains a pause on its way down', async () => {
    const project = openJournals({plan: planOf(task('a'), task('b'))});
    project.agents.play = () => {};
    const ended = startJob(project.engine, executeJob());
    await settle();
    project.engine.pause('user_interrupt');
    await ended;
    expect(brief(project.journals.get('a a-1')).filter((line) => line.includes('pause'))).toEqual([
      'engine engine.pause executing',
      'engine/executor run.pause working',
      'engine/executor/task run.pause running',
      'engine/executor/task/run run.pause running',
      'engine/executor/task/run/segment run.pause recordingPauseIntent',
    ]);
    expect(replays(project.journals.get('a a-1'))).toBe(true);
  });

  test('stays small when thousands of events come before a run', async () => {
    const {engine, journals} = openJournals({plan: planOf(task('a'))});
    for (let times = 0; times < 300; times++) await startJob(engine, {steps: [], options: {}});
    await startJob(engine, executeJob());
    const entries = journals.get('a a-1') ?? [];
    expect(entries.length).toBeLessThan(600);
    expect(brief(entries)[0]).toMatch(/^engine standing /);
    expect(replays(entries)).toBe(true);
  });
});

describe('the journals of two runs at once', () => {
  /** An executor that works on two tasks at once, as far as a journal can tell. */
  async function openPair() {
    const fake = createFakeServices({plan: planOf(task('a'), task('b'))});
    const journals = new Map<string, JournalEntry[]>();
    const all: JournalEntry[] = [];
    const {inspect} = createJournal({
      now: fake.services.now,
      sink: {
        append: ({run_id}, entries) =>
          void journals.set(run_id, [...(journals.get(run_id) ?? []), ...entries]),
        flush: () => {},
      },
      observe: (entry) => all.push(entry),
    });
    const inputFor = (taskId: string) => ({
      ...({provider: 'claude', explicitProvider: null, graceMilliseconds: 60_000} as const),
      taskId,
      mode: {type: 'execute'} as const,
      pauseReason: null,
    });
    const actor = createActor(
      setup({actors: {task: taskMachine.provide({actors: defineEffects(fake.services).task})}}).createMachine(
        {
          id: 'pair',
          type: 'parallel',
          on: {'pair.noticed': {}},
          states: {
            first: {invoke: {src: 'task', id: 'a', input: inputFor('a')}},
            second: {invoke: {src: 'task', id: 'b', input: inputFor('b')}},
          },
        },
      ),
      {inspect},
    );
    actor.start();
    await vi.waitFor(() => expect(fake.agents.agents.filter(({hasGone}) => hasGone)).toHaveLength(2));
    return {...fake, actor, journals, all};
  }
  const isOf =
    (name: string) =>
    ({actor}: JournalEntry) =>
      actor.startsWith(`pair/${name}`);
  const isOfBoth = ({actor}: JournalEntry) => actor === 'pair';

  test('contain the entries of their own task, whichever started last', async () => {
    const {agents, actor, journals, all} = await openPair();
    const [first, second] = agents.agents;
    // Both work; the first one's entries come after the second started.
    first?.opensSession();
    await settle();
    second?.opensSession();
    actor.send({type: 'pair.noticed'});
    first?.succeeds();
    await settle();
    second?.succeeds();
    await settle();
    expect([...journals.keys()].sort()).toEqual(['a-1', 'b-1']);
    for (const [run, own, other] of [
      ['a-1', 'a', 'b'],
      ['b-1', 'b', 'a'],
    ] as const) {
      const entries = journals.get(run) ?? [];
      expect(entries.filter(isOf(other))).toEqual([]);
      expect(entries.filter(isOf(own))).toEqual(all.filter(isOf(own)));
      expect(replays(entries.filter(isOf(own)))).toBe(true);
      expect(brief(entries.filter(isOf(own))).at(-1)).toBe(
        `pair/${own} xstate.done.actor.settleTask settled`,
      );
    }
    // Entries about both are in both.
    const told = (run: string) => (journals.get(run) ?? []).filter(isOfBoth).map(({event}) => event.type);
    expect([told('a-1'), told('b-1')]).toEqual([
      ['xstate.init', 'pair.noticed'],
      ['standing', 'pair.noticed', 'xstate.done.actor.a', 'xstate.done.actor.b'],
    ]);
  });
});
