import {expect, test} from 'vitest';
import {createRunComments} from '../../src/machines/actors/run-comments.ts';
import type {EngineFact} from '../../src/machines/engine.ts';
import {resolveConfig} from '../../src/machines/policies/config-resolution.ts';
import type {CheckpointAnswer} from '../../src/machines/policies/review/decisions.ts';
import type {ProjectData, TuiPorts} from '../../src/ui/ports.ts';
import {restingRun, runRecord, startRequest} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';
import {planOf, task} from '../helpers/plans.ts';
import {keys, tuiScreen} from './tui-screen.tsx';

const [a, b] = [task('a'), task('b')];

/** The terminal UI over an engine that works on two tasks at once. */
function twoAtWork() {
  const listeners = new Set<(fact: EngineFact) => void>();
  const outputs = new Set<(runId: string, text: string) => void>();
  const decided: Array<{runId: string; decision: CheckpointAnswer}> = [];
  const postponed: string[] = [];
  const data: ProjectData = {
    plan: {type: 'plan', plan: planOf({...a, status: 'in_progress'}, {...b, status: 'in_progress'})},
    runs: new Map(),
    reviews: new Map(),
    pendingFeedback: new Map(),
    orphans: [],
    cost: null,
    otherEngine: null,
    provider: {id: 'claude', source: 'saved'},
    isAgentInstalled: true,
    place: {repoRoot: '/project', explicitProvider: null, customCommand: null, isSessionRef: () => true},
    config: resolveConfig([]),
    layers: [],
  };
  const ports = {
    name: 'two',
    folder: '/project',
    engine: {
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      decide: (answer) => void decided.push(answer),
      postpone: (runId) => void postponed.push(runId),
      pause: () => {},
      stopAfterTask: () => {},
      retryNow: () => {},
      answerPlan: () => {},
    },
    start: () => new Promise(() => {}),
    planDrafts: async () => [],
    onOutput: (listener) => {
      outputs.add(listener);
      return () => outputs.delete(listener);
    },
    watch: (listener) => {
      listener(data);
      return () => {};
    },
    transcript: async () => ({lines: [], isCut: false}),
    conversation: async () => ({talks: [], isCut: false}),
    diff: async () => ({task: '', sinceReview: null}),
    comments: createRunComments(createFakeServices().services),
    programs: {editorRefused: null, run: async () => {}},
    listFiles: async () => [],
    notify: () => {},
    now: () => 0,
  } satisfies Partial<TuiPorts> as unknown as TuiPorts;
  const shown = tuiScreen(ports);
  const publish = (fact: EngineFact) => {
    for (const listener of listeners) listener(fact);
  };
  const runs = {a: runRecord({task_id: 'a', run_id: 'a-1'}), b: runRecord({task_id: 'b', run_id: 'b-1'})};
  void shown.tui.jobs.start({type: 'execute', taskIds: []});
  for (const each of [a, b]) {
    const run = runs[each.id as 'a' | 'b'];
    const order = {type: 'run.launch', request: startRequest} as const;
    publish({type: 'task.started', prepared: {task: each, run, order}});
  }
  return {
    ...shown,
    decided,
    postponed,
    says: (id: 'a' | 'b', text: string) =>
      publish({
        type: 'agent.news',
        run: runs[id],
        news: {type: 'activity', activity: {kind: 'message', text}},
      }),
    prints: (id: 'a' | 'b', text: string) => {
      for (const listener of outputs) listener(`${id}-1`, text);
    },
    asks: (id: 'a' | 'b') =>
      publish({
        type: 'decision.required',
        request: {
          task: {id, title: `Task ${id}`},
          run: restingRun({...runs[id], state: 'succeeded', decision_state: 'pending'}),
          obstacle: null,
          refusal: undefined,
        },
      }),
  };
}

test('the log is that of the selected run', async () => {
  const {says, prints, press, sees, screen} = twoAtWork();
  press(keys.enter, 'g', '2');
  says('a', 'reads the schema');
  says('b', 'writes the endpoint');
  await sees('reads the schema');
  expect(screen()).not.toContain('writes the endpoint');
  press('j');
  await sees('writes the endpoint');
  expect(screen()).not.toContain('reads the schema');
  press('o');
  prints('a', 'raw of a\n');
  prints('b', 'raw of b\n');
  await sees('raw of b');
  expect(screen()).not.toContain('raw of a');
});

test('each open decision is answered for its own run', async () => {
  const {asks, tui, decided, postponed} = twoAtWork();
  asks('a');
  asks('b');
  expect([...tui.get().decisions.keys()]).toEqual(['a-1', 'b-1']);
  tui.answers.decide('b', {state: 'approved_continue'});
  expect(decided).toEqual([{runId: 'b-1', decision: {state: 'approved_continue'}}]);
  expect([...tui.get().decisions.keys()]).toEqual(['a-1']);
  tui.answers.decideLater('a');
  expect([postponed, [...tui.get().decisions.keys()]]).toEqual([['a-1'], []]);
});
