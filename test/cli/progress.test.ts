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

const pending = restingRun({state: 'succeeded', decision_required: true, decision_state: 'pending'});

test('the end of a run is told at its checkpoint, and not again when a restart replaces it', () => {
  const replaced = {...pending, superseded_by_run_id: 'a-2'};
  const line = expect.stringMatching(/^✓ a {2}done/);
  expect(shown({type: 'run.updated', run: pending})).toEqual([line]);
  expect(shown({type: 'run.updated', run: replaced})).toEqual([]);
});
