import {describe, expect, test} from 'vitest';
import {heldUpError} from '../../../src/machines/policies/run/failure-steps.ts';
import {heldUpLines, isHeldUp} from '../../../src/machines/policies/run/failure-table.ts';
import {attemptOf} from '../../../src/machines/policies/run/task-outcome.ts';
import {type FailureKind, failureKinds} from '../../../src/services/contracts/agent.ts';
import {begun, pausedRun, runRecord, sessionRef, waitingRun} from '../../fakes/runs.ts';

const failure = (kind: FailureKind) => ({failure: {kind, message: 'the words of the vendor'}});

test('a run is held up when it rests because of its provider', () => {
  const kinds = failureKinds.filter((kind) => isHeldUp(pausedRun(failure(kind))));
  expect(kinds).toEqual([
    ...['auth', 'billing', 'rate_limit', 'outage', 'stalled', 'context_full', 'own_limit', 'bad_model'],
  ]);
  expect(isHeldUp(waitingRun(failure('auth')))).toBe(true);
  expect(isHeldUp(runRecord({state: 'failed', ...failure('auth')}))).toBe(false);
  expect(isHeldUp(pausedRun())).toBe(false);
});

describe('the end of a plan', () => {
  const linesFor = (kind: FailureKind, fields = {}) =>
    heldUpLines(attemptOf('a', pausedRun({...failure(kind), ...fields})));

  test('says that it stopped, why, and the login first', () => {
    expect(linesFor('auth')).toEqual([
      'a is paused: a login is needed. The plan stopped: other tasks would hit the same problem.',
      '  claude auth login    log in first',
      '  blackbird resume a   then continue in the same session',
      '  blackbird restart a  or start again; the conversation is forgotten',
    ]);
  });

  test('does not say so when other tasks continue', () => {
    expect(linesFor('context_full')).toEqual([
      'a is paused: the conversation is full.',
      '  blackbird resume a   continue in the same session',
      '  blackbird restart a  or start again; the conversation is forgotten',
    ]);
  });

  test('offers no resume without a session', () => {
    expect(linesFor('billing', {resumable: false})).toEqual([
      'a is paused: the account has no credit. The plan stopped: other tasks would hit the same problem.',
      '  blackbird restart a  or start again; the conversation is forgotten',
    ]);
  });

  test('when only time is needed, suggests the session first and then the plan', () => {
    const stopped =
      'a is paused: the model cannot be reached. The plan stopped: other tasks would hit the same problem.';
    expect(linesFor('outage')).toEqual([
      stopped,
      '  blackbird resume a  continue later',
      '  blackbird execute   or continue it with the plan',
    ]);
    expect(linesFor('outage', {resumable: false})).toEqual([stopped, '  blackbird execute  continue later']);
  });
});

test.each([
  ['rate_limit', 'E_PROVIDER_UNAVAILABLE', 'the usage limit is reached'],
  ['billing', 'E_PROVIDER_REFUSED', 'the account has no credit'],
  ['own_limit', 'E_BUDGET', 'its budget is used up'],
] as const)('a single task that meets %s is shown with the whole diagnosis', (kind, code, words) => {
  const {message, details, next, ...error} = heldUpError({id: 'a', title: 'Do it'}, pausedRun(failure(kind)));
  expect([error.code, message]).toEqual([code, `a cannot continue now: ${words}`]);
  expect(details).toEqual([
    ['task', 'a  Do it'],
    ['run', `a-1  paused ${begun}`],
    ['provider', 'claude'],
    ['session', sessionRef],
    ['reason', 'the words of the vendor'],
  ]);
  expect(next.map(({command}) => command)).toEqual(['blackbird resume a', 'blackbird restart a']);
});
