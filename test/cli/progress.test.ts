import {expect, test} from 'vitest';
import {textProgress} from '../../src/cli/job/progress.ts';
import type {EngineFact} from '../../src/machines/engine.ts';
import {restingRun} from '../fakes/runs.ts';
import {now} from '../helpers/plans.ts';

/** What a shell without colours shows of these. */
function shown(...facts: readonly EngineFact[]): string[] {
  const lines: string[] = [];
  const stdout = {isTerminal: false, columns: 80, hasColor: false};
  const say = (text: string) => void lines.push(text);
  const progress = textProgress({out: say, err: say, stdout, now: () => now}, say, {isStreaming: false});
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

test('the end of a run is told at its checkpoint, and not again when a restart replaces it', () => {
  const replaced = {...pending, superseded_by_run_id: 'a-2'};
  const line = expect.stringMatching(/^! a {2}finished/);
  expect(shown({type: 'run.updated', run: pending})).toEqual([line]);
  expect(shown({type: 'run.updated', run: replaced})).toEqual([]);
});
