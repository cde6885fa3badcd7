import {expect, test} from 'vitest';
import {textProgress} from '../../src/cli/job/progress.ts';
import type {EngineFact} from '../../src/machines/engine.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {restingRun, runRecord, waitingRun} from '../fakes/runs.ts';
import {now, task} from '../helpers/plans.ts';

/** What a shell without colours shows of these. */
function shown(...facts: readonly EngineFact[]): string[] {
  const lines: string[] = [];
  const stdout = {isTerminal: false, columns: 80, hasColor: false};
  const say = (text: string) => void lines.push(text);
  const progress = textProgress({out: say, err: say, stdout, now: () => now}, say, {
    isStreaming: false,
    retries: 2,
  });
  for (const fact of facts) progress.onFact(fact);
  progress.close();
  return lines;
}

test.each([
  {
    by: 'Ctrl+C',
    pause: {reason: 'user_interrupt', isForced: false},
    line: '^C pausing… (Ctrl+C again to force)',
  },
  {by: 'a signal', pause: {reason: 'terminated', isForced: false}, line: 'pausing…'},
  {
    by: 'another terminal',
    pause: {reason: 'user_interrupt', isForced: false, isAskedElsewhere: true},
    line: 'pausing, as asked in another terminal… (Ctrl+C to force)',
  },
  {
    by: 'Ctrl+C, twice',
    pause: {reason: 'user_interrupt', isForced: true},
    line: 'forcing the agent to stop…',
  },
  {
    by: 'another terminal, twice',
    pause: {reason: 'user_interrupt', isForced: true, isAskedElsewhere: true},
    line: 'forcing the agent to stop, as asked in another terminal…',
  },
] as const)('a pause by $by says who asked', ({pause, line}) => {
  expect(shown({type: 'engine.pausing', ...pause})).toEqual([line]);
});

const pending = restingRun({state: 'succeeded', decision_required: true, decision_state: 'pending'});

test('the end of a run is shown at its checkpoint, and not again when a restart replaces it', () => {
  const replaced = {...pending, superseded_by_run_id: 'a-2'};
  const line = expect.stringMatching(/^! a {2}finished/);
  expect(shown({type: 'run.updated', run: pending})).toEqual([line]);
  expect(shown({type: 'run.updated', run: replaced})).toEqual([]);
});

test('requested changes print a line, once', () => {
  const asked = {...pending, decision_state: 'changes_requested' as const};
  const words = {...asked, decision_feedback: 'use cents,\nnot floats', decision_comment_ids: ['c1']};
  const comments = {...asked, decision_comment_ids: ['c1', 'c2']};
  expect(shown({type: 'run.updated', run: words}, {type: 'run.updated', run: words})).toEqual([
    '↩ a  changes requested: use cents, not floats (1 comment)',
  ]);
  expect(shown({type: 'run.updated', run: comments})).toEqual(['↩ a  changes requested (2 comments)']);
});

test('a task at rest is shown before the first one starts; when none does, the end shows it', () => {
  const asks: EngineFact = {type: 'run.resting', run: waitingRun({task_id: 'b'})};
  const warning: EngineFact = {type: 'engine.warning', message: 'w'};
  expect(shown(asks, warning)).toEqual(['warning: w']);
  const begun = {task: task('a'), run: runRecord(), order: {type: 'run.launch'}};
  const started = {type: 'task.started', prepared: begun} as unknown as EngineFact;
  expect(shown(asks, started)).toEqual([
    '? b waits for your answer: blackbird resume b',
    expect.stringMatching(/^▶ a /),
  ]);
});

test('an automatic retry is announced, with the number of retries', () => {
  const started = (run: RunRecord, order: Extract<EngineFact, {type: 'task.started'}>['prepared']['order']) =>
    ({type: 'task.started', prepared: {task: task('a'), run, order}}) as EngineFact;
  const launch = {type: 'run.launch'} as Parameters<typeof started>[1];
  expect(shown(started(runRecord({retry_number: 1}), launch), started(runRecord(), launch))).toEqual([
    '▶ a  Task a  (claude, retry 1 of 2, told what failed)',
    '▶ a  Task a  (claude)',
  ]);
});
