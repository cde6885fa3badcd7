import {describe, expect, test} from 'vitest';
import {answeredElsewhereText} from '../../../src/machines/policies/run/answered-elsewhere.ts';
import {endedSegment, restingRun, runRecord, waitingRun} from '../../fakes/runs.ts';
import {now} from '../../helpers/plans.ts';

const earlier = '2026-02-01T00:00:00.000Z';

describe('a question that is still open on a screen', () => {
  const asked = waitingRun();
  const answered = 'a was answered in another terminal';

  test.each([
    {name: 'the same record', run: asked, words: null},
    {name: 'nothing', run: undefined, words: null},
    {name: 'the same record, updated later', run: waitingRun({updated_at: now}), words: null},
    {name: 'an earlier record, read late', run: runRecord({updated_at: earlier}), words: null},
    {name: 'its agent working again', run: runRecord({updated_at: now}), words: answered},
    {
      name: 'the next round of questions',
      run: waitingRun({segments: [endedSegment(1), endedSegment(2)]}),
      words: answered,
    },
    {name: 'another run', run: waitingRun({run_id: 'a-2', updated_at: now}), words: answered},
  ])('$name: $words', ({run, words}) => {
    expect(answeredElsewhereText('questions', asked, run)).toBe(words);
  });
});

describe('a checkpoint that is still open on a screen', () => {
  const asked = restingRun({state: 'succeeded', decision_state: 'pending'});

  test.each([
    {name: 'the same decision', run: {...asked, updated_at: now}, words: null},
    {
      name: 'a decision',
      run: {...asked, decision_state: 'rejected' as const, updated_at: now},
      words: 'a was decided in another terminal: rejected',
    },
    {
      name: 'a run that continues with it',
      run: runRecord({run_id: 'a-2', updated_at: now}),
      words: 'a was decided in another terminal',
    },
  ])('$name: $words', ({run, words}) => {
    expect(answeredElsewhereText('checkpoint', asked, run)).toBe(words);
  });
});
