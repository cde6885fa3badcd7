import {describe, expect, test} from 'vitest';
import {
  type Outcome,
  outcomeOfEntry,
  outcomeOfFinal,
  outcomeOfOutput,
  waitOf,
} from '../../../src/machines/policies/inspect/outcomes.ts';
import type {JournalValue} from '../../../src/services/contracts/journal.ts';
import {entry} from '../../fakes/journal-entries.ts';

const run = (fields: {[key: string]: JournalValue}) => ({run_id: 'a-1', segments: [], ...fields});
const failure = (kind: string) => ({kind, message: '<9 chars>'});

describe('what an actor reported to its parent', () => {
  test.each<{output: JournalValue; outcome: Outcome | null}>([
    {
      output: {outcome: 'succeeded', run: run({state: 'succeeded'})},
      outcome: {kind: 'succeeded', word: 'succeeded'},
    },
    {
      output: {outcome: 'ended', run: run({state: 'failed', failure: failure('agent_error')})},
      outcome: {kind: 'failed', word: 'the agent failed'},
    },
    {
      output: {
        outcome: 'paused',
        run: run({state: 'paused', pause_reason: 'login_required', failure: failure('auth')}),
      },
      outcome: {kind: 'paused', word: 'login required'},
    },
    {
      output: {outcome: 'paused', run: run({state: 'paused', pause_reason: 'process_lost'})},
      outcome: {kind: 'lost', word: 'process lost'},
    },
    {
      output: {
        outcome: 'ended',
        run: run({state: 'paused', pause_reason: 'user_interrupt', failure: failure('resume_rejected')}),
      },
      outcome: {kind: 'refused', word: 'the agent refused to continue its session'},
    },
    {
      output: {
        outcome: 'refused',
        run: run({state: 'waiting', failure: failure('resume_rejected')}),
        reason: 'x',
      },
      outcome: {kind: 'refused', word: 'the agent refused to continue its session'},
    },
    {
      output: {outcome: 'waiting', run: run({state: 'waiting'})},
      outcome: {kind: 'waiting', word: 'waits for answers'},
    },
    {
      output: {outcome: 'succeeded', run: run({state: 'succeeded', decision_state: 'pending'})},
      outcome: {kind: 'waiting', word: 'waits for a decision'},
    },
    {
      output: {outcome: 'error', error: {$error: 'AppError', code: 'E_STORE_WRITE', message: '<3 chars>'}},
      outcome: {kind: 'failed', word: 'E_STORE_WRITE'},
    },
    {output: {reason: 'completed', attempted: []}, outcome: {kind: 'succeeded', word: 'completed'}},
    {output: {reason: 'waiting_user'}, outcome: {kind: 'waiting', word: 'waits for answers'}},
    {output: {outcome: 'constructor'}, outcome: {kind: 'ended', word: 'constructor'}},
    {output: null, outcome: null},
    {output: ['x'], outcome: null},
  ])('$output is $outcome', ({output, outcome}) => {
    expect(outcomeOfOutput(output)).toEqual(outcome);
  });
});

test.each<{name: string; given: Parameters<typeof entry>[0]; outcome: Outcome | null}>([
  {name: 'an event among others', given: {}, outcome: null},
  {
    name: 'a failed final state',
    given: {status: 'done', state: 'failed'},
    outcome: {kind: 'failed', word: 'failed'},
  },
  {
    name: 'any other final state',
    given: {status: 'done', state: 'ended'},
    outcome: {kind: 'ended', word: 'ended'},
  },
  {
    name: 'the error of a child',
    given: {event: {type: 'xstate.error.actor.run', error: {$error: 'TypeError', message: ''}}},
    outcome: {kind: 'failed', word: 'TypeError'},
  },
  {name: 'a stop from above', given: {status: 'stopped'}, outcome: {kind: 'ended', word: 'stopped'}},
])('$name reports $outcome', ({given, outcome}) => {
  expect(outcomeOfEntry(entry(given))).toEqual(outcome);
});

test.each<{machine: string; state: JournalValue; waits: string | null}>([
  {machine: 'reviewGate', state: 'asking', waits: 'waits for a decision'},
  {machine: 'questions', state: {asking: 'kept'}, waits: 'waits for an answer'},
  {machine: 'retryWait', state: 'looking', waits: null},
  {machine: 'segment', state: 'active', waits: null},
])('$machine in $state waits: $waits', ({machine, state, waits}) => {
  expect(waitOf({machine, state})?.word ?? null).toBe(waits);
});

test('a final state is recognised by its own name only', () => {
  expect(outcomeOfFinal('broken')).toEqual({kind: 'failed', word: 'failed'});
  expect(outcomeOfFinal('constructor')).toEqual({kind: 'ended', word: 'constructor'});
});
