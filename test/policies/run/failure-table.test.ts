import {describe, expect, test} from 'vitest';
import {failureSteps} from '../../../src/machines/policies/run/failure-steps.ts';
import {failureTable, failureWords, retryTime} from '../../../src/machines/policies/run/failure-table.ts';
import {nearTime} from '../../../src/machines/policies/text/durations.ts';
import {type FailureKind, failureKinds, type ProviderId} from '../../../src/services/contracts/agent.ts';

const now = '2026-11-17T04:00:00.000Z';

describe('a failure', () => {
  test('has one rule, and every kind has one', () => {
    expect(Object.keys(failureTable).sort()).toEqual([...failureKinds].sort());
  });

  test('of the provider pauses the run, any other fails it', () => {
    const paused = failureKinds.filter((kind) => failureTable[kind].pauseReason !== null);
    expect(paused).toEqual([
      'auth',
      'billing',
      'rate_limit',
      'outage',
      'stalled',
      'context_full',
      'own_limit',
      'bad_model',
    ]);
  });

  test('stops the plan when the next task would repeat it', () => {
    expect(failureKinds.filter((kind) => failureTable[kind].stopsPlan)).toEqual([
      'auth',
      'billing',
      'rate_limit',
      'outage',
      'stalled',
      'bad_model',
      'spawn_failed',
    ]);
  });
});

describe('the next attempt', () => {
  type Case = {kind: FailureKind; provider?: ProviderId; attempt?: number; resetAt?: string; chance?: number};
  const retryAt = ({kind, provider = 'claude', attempt = 1, resetAt, chance = 0.5}: Case) =>
    retryTime({kind, provider, attempt, resetAt, now, chance});

  test.each<[string, Case, string]>([
    ['a limit with a reset', {kind: 'rate_limit', resetAt: '2026-11-17T05:00:00.000Z'}, '05:01:00.000'],
    ['a reset that is past', {kind: 'rate_limit', resetAt: '2026-11-17T03:00:00.000Z'}, '04:01:00.000'],
    ['a limit of claude', {kind: 'rate_limit'}, '04:05:00.000'],
    ['again', {kind: 'rate_limit', attempt: 2}, '04:15:00.000'],
    ['a repeated limit, no longer than the longest wait', {kind: 'rate_limit', attempt: 9}, '04:30:00.000'],
    ['a limit of codex', {kind: 'rate_limit', provider: 'codex'}, '04:15:00.000'],
    ['a reset in 20 seconds', {kind: 'rate_limit', resetAt: '2026-11-17T04:00:20.000Z'}, '04:00:22.000'],
    ['an outage', {kind: 'outage'}, '04:00:30.000'],
    ['early in its jitter', {kind: 'outage', chance: 0}, '04:00:24.000'],
    ['late in its jitter', {kind: 'outage', chance: 1}, '04:00:36.000'],
    ['an outage that goes on', {kind: 'outage', attempt: 9}, '04:10:00.000'],
    ['silence', {kind: 'stalled', attempt: 3}, '04:02:00.000'],
  ])('of %s', (_, given, time) => {
    expect(retryAt(given)).toBe(`2026-11-17T${time}Z`);
  });

  test('needs a person when time alone does not help', () => {
    const waiting = failureKinds.filter((kind) => retryAt({kind, resetAt: now}) !== null);
    expect(waiting).toEqual(['rate_limit', 'outage', 'stalled']);
  });
});

describe('what to do', () => {
  const run = {task_id: 'a b', provider: 'codex', resumable: true, updated_at: now} as const;
  const restart = {
    command: "blackbird restart 'a b'",
    why: 'or start again; the conversation is forgotten',
  };
  const commands = (kind: FailureKind, provider: ProviderId = 'codex') =>
    failureSteps({...run, provider, failure: {kind, message: ''}}).map(({command}) => command);

  test('starts with the login of the provider', () => {
    expect(failureSteps({...run, failure: {kind: 'auth', message: ''}})).toEqual([
      {command: 'codex login', why: 'log in first'},
      {command: "blackbird resume 'a b'", why: 'then continue in the same session'},
      restart,
    ]);
    expect(commands('auth', 'claude')[0]).toBe('claude auth login');
    expect(commands('auth', 'demo')).toEqual(["blackbird resume 'a b'", "blackbird restart 'a b'"]);
    expect(commands('auth', 'custom')).toEqual(["blackbird resume 'a b'", "blackbird restart 'a b'"]);
    const custom = {...run, provider: 'custom', provider_dialect: 'codex'} as const;
    expect(failureSteps({...custom, failure: {kind: 'auth', message: ''}})[0]?.command).toBe('codex login');
  });

  test('names the time a limit ends', () => {
    const failure = {kind: 'rate_limit', message: '', reset_at: now} as const;
    expect(failureSteps({...run, failure})[0]).toEqual({
      command: "blackbird resume 'a b'",
      why: `continue after ${nearTime(now, now)}`,
    });
  });

  test('offers resume first for every kind, and only restart without a session', () => {
    for (const kind of failureKinds.filter((each) => each !== 'auth' && each !== 'bad_model')) {
      expect(commands(kind)).toEqual(["blackbird resume 'a b'", "blackbird restart 'a b'"]);
    }
    expect(commands('bad_model')[0]).toBe("blackbird resume 'a b' --model <name>");
    expect(failureSteps({...run, resumable: false, failure: {kind: 'outage', message: ''}})).toEqual([
      restart,
    ]);
  });

  test('is nothing without a failure', () => {
    expect(failureSteps(run)).toEqual([]);
  });
});

test.each([
  ['rate_limit', 'the usage limit is reached: words'],
  ['spawn_failed', 'the agent could not be started: words'],
  ['own_limit', 'words'],
  ['verification', 'words'],
  ['agent_error', 'words'],
  ['rejected', 'words'],
] as const)('%s is described without its name: %s', (kind, words) => {
  expect(failureWords({kind, message: 'words'})).toBe(words);
  expect(failureWords({kind, message: ''})).toBe(failureTable[kind].words);
});
