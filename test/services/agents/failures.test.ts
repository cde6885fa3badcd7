import {existsSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {claudeProvider} from '../../../src/services/agents/claude.ts';
import {codexProvider} from '../../../src/services/agents/codex.ts';
import {resetTimeIn, threadFailure} from '../../../src/services/agents/codex-failures.ts';
import {findProvider} from '../../../src/services/agents/providers.ts';
import {gatherEndFacts, stderrReason} from '../../../src/services/agents/verdicts.ts';
import type {Failure, FailureKind, Provider} from '../../../src/services/contracts/agent.ts';
import {programIds} from '../../../src/services/contracts/provider-table.ts';

// Recorded from codex-cli 0.166.0 and Claude Code 2.1.197 under every failure that a model on loopback can cause.
const recordings = path.resolve(import.meta.dirname, '../../fixtures/agents/failures');
const textOf = (name: string) => readFileSync(path.join(recordings, name), 'utf8');
const now = new Date('2026-11-17T03:25:00.000Z');

/**
 * The verdict on a recorded process: its output, what it printed to stderr if that says why, and the file of its
 * thread as a second source.
 */
function failureOf(provider: Provider, name: string): Failure | null {
  const facts = gatherEndFacts();
  for (const line of textOf(`${name}.jsonl`).split('\n')) provider.parseLine(line).forEach(facts.take);
  const stderr = `${name}.stderr.txt`;
  const verdict = provider.judge({
    kind: 'start',
    exitCode: 1,
    signal: null,
    stderrTail: existsSync(path.join(recordings, stderr)) ? textOf(stderr) : '',
    ...facts.said,
  });
  if (verdict.outcome === 'succeeded') return null;
  const thread = `${name}.rollout.jsonl`;
  const hasThread = existsSync(path.join(recordings, thread));
  return hasThread ? threadFailure(verdict.failure, textOf(thread).split('\n'), now) : verdict.failure;
}

const needed: ReadonlyArray<[name: string, kind: FailureKind]> = [
  ['usage-limit', 'rate_limit'],
  ['overloaded', 'outage'],
  ['unauthorised', 'auth'],
];

describe.each(programIds)('%s', (id) => {
  test.each(needed)('recorded in test/fixtures/agents/failures under %s is read as %s', (name, kind) => {
    expect(failureOf(findProvider(id), `${id}-${name}`)).toMatchObject({kind});
  });
});

const reset_at = '2026-11-16T15:34:17.000Z';

test.each<[name: string, kind: FailureKind, message: string, reset?: string]>([
  ['rate-limit', 'rate_limit', 'API Error: Request rejected (429) · refused by the script'],
  ['usage-limit', 'rate_limit', "You've hit your session limit · resets 3:34pm (UTC)", reset_at],
  ['usage-limit-no-credit', 'rate_limit', "You've hit your weekly limit · resets 3:34pm (UTC)", reset_at],
  [
    'usage-limit-no-headers',
    'rate_limit',
    'API Error: Server is temporarily limiting requests (not your usage limit) · refused by the script',
  ],
  ['overloaded', 'outage', expect.stringMatching(/^API Error: 529 Overloaded\./)],
  ['server-error', 'outage', expect.stringMatching(/^API Error: 500 refused by the script\./)],
  ['unavailable', 'outage', expect.stringMatching(/^API Error: 503 refused by the script\./)],
  ['refused', 'outage', 'API Error: Unable to connect to API (ConnectionRefused)'],
  ['reset', 'outage', 'API Error: Unable to connect to API (ECONNRESET)'],
  ['unauthorised', 'auth', 'Failed to authenticate. API Error: 401 refused by the script'],
  ['unauthorised-oauth', 'auth', 'Failed to authenticate. API Error: 401 refused by the script'],
  ['forbidden', 'auth', 'Failed to authenticate. API Error: 403 refused by the script'],
  ['no-credit', 'billing', 'Credit balance is too low'],
  ['prompt-too-long', 'context_full', expect.stringMatching(/^Prompt is too long/)],
  ['unknown-model', 'bad_model', expect.stringContaining('(claude-nope)')],
  ['max-turns', 'own_limit', 'Reached maximum number of turns (2)'],
  ['max-budget', 'own_limit', 'Reached maximum budget ($0.000001)'],
])('claude under %s fails with %s', (name, kind, message, reset) => {
  expect(failureOf(claudeProvider, `claude-${name}`)).toEqual({
    kind,
    message,
    ...(reset === undefined ? {} : {reset_at: reset}),
  });
});

const localTime = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString();

test.each<[name: string, kind: FailureKind, message: string, reset?: string]>([
  ['rate-limit', 'rate_limit', 'exceeded retry limit, last status: 429 Too Many Requests'],
  ['rate-limit-retry-after', 'rate_limit', 'exceeded retry limit, last status: 429 Too Many Requests'],
  ['rate-limit-exceeded', 'rate_limit', expect.stringMatching(/^rate limit exceeded: /)],
  ['usage-limit', 'rate_limit', expect.stringContaining('at Nov 16th, 2026 3:34 PM.'), reset_at],
  [
    'usage-limit-other-day',
    'rate_limit',
    expect.stringContaining('at Mar 17th, 2030 5:46 PM.'),
    localTime(2030, 2, 17, 17, 46),
  ],
  ['usage-limit-no-time', 'rate_limit', expect.stringMatching(/try again later\.$/)],
  ['usage-not-included', 'billing', expect.stringContaining('upgrade to Plus')],
  ['quota', 'billing', 'Quota exceeded. Check your plan and billing details.'],
  ['overloaded', 'outage', 'Selected model is at capacity. Please try a different model.'],
  ['overloaded-529', 'outage', expect.stringMatching(/^unexpected status 529 /)],
  ['server-error', 'outage', expect.stringContaining('experiencing high demand')],
  ['unavailable', 'outage', expect.stringMatching(/^unexpected status 503 /)],
  ['dropped', 'outage', expect.stringMatching(/^stream disconnected before completion/)],
  ['reset', 'outage', 'stream disconnected before completion: error sending request'],
  ['unauthorised', 'auth', expect.stringMatching(/^unexpected status 401 /)],
  ['forbidden', 'auth', expect.stringMatching(/^unexpected status 403 /)],
  ['context', 'context_full', expect.stringMatching(/^Codex ran out of room/)],
  ['unknown-model', 'bad_model', "The model 'nope' does not exist or you do not have access to it."],
])('codex under %s fails with %s', (name, kind, message, reset) => {
  expect(failureOf(codexProvider, `codex-${name}`)).toEqual({
    kind,
    message,
    ...(reset === undefined ? {} : {reset_at: reset}),
  });
});

describe('reports of another attempt', () => {
  const retries = (provider: Provider, name: string) =>
    textOf(name)
      .split('\n')
      .map((line) => provider.parseLine(line))
      .filter((events) => events.some(({type}) => type === 'retrying'))
      // A second event for the same line would be shown twice.
      .map(([event, ...others]) => (others.length === 0 ? event : others));

  const refused = (attempt: number, of: number) => ({
    type: 'retrying',
    failure: {
      kind: 'auth',
      message: `the login or the key was refused (HTTP 401), retry ${attempt} of ${of}`,
    },
  });

  test('claude: a rejected key is final at the third attempt', () => {
    expect(retries(claudeProvider, 'claude-unauthorised.jsonl')).toEqual([
      refused(1, 3),
      refused(2, 3),
      {...refused(3, 3), isFatal: true},
    ]);
  });

  test('claude: a login that is renewed by the second attempt is not interrupted', () => {
    expect(retries(claudeProvider, 'claude-login-refreshed.jsonl')).toEqual([refused(1, 10)]);
    expect(failureOf(claudeProvider, 'claude-login-refreshed')).toBeNull();
  });

  test('claude: a limit may end while it retries', () => {
    expect(retries(claudeProvider, 'claude-rate-limit.jsonl')[0]).toEqual({
      type: 'retrying',
      failure: {kind: 'rate_limit', message: 'too many requests (HTTP 429), retry 1 of 2'},
    });
  });

  test('codex without a network says so', () => {
    expect(retries(codexProvider, 'codex-refused.jsonl')[0]).toEqual({
      type: 'retrying',
      failure: {
        kind: 'outage',
        message: 'Reconnecting... waiting for network (Connection failed: error sending request)',
      },
    });
  });
});

describe('the file of a thread', () => {
  const message = 'words';
  const failure: Failure = {kind: 'agent_error', message};
  const complete = (text: string, codex_error_info: unknown) =>
    JSON.stringify({payload: {type: 'task_complete', error: {message: text, codex_error_info}}});
  const counted = (primary: unknown, secondary: unknown = null) =>
    JSON.stringify({payload: {type: 'token_count', rate_limits: {primary, secondary}}});

  test.each<[info: unknown, kind: FailureKind]>([
    ['usage_limit_exceeded', 'rate_limit'],
    ['model_not_found', 'bad_model'],
    [{http_connection_failed: {http_status_code: 503}}, 'outage'],
    [{response_too_many_failed_attempts: {http_status_code: 429}}, 'rate_limit'],
    ['other', 'agent_error'],
    ['__proto__', 'agent_error'],
    [{x: 7}, 'agent_error'],
    [null, 'agent_error'],
  ])('names %j: %s', (info, kind) => {
    expect(threadFailure(failure, [complete(message, info)], now).kind).toBe(kind);
  });

  test('has nothing on another failure', () => {
    expect(threadFailure(failure, [complete('older words', 'model_not_found')], now)).toEqual(failure);
  });

  test('has the end of the last exhausted window, and none of an open one', () => {
    const full = {used_percent: 100, resets_at: 1_794_843_257};
    const longer = {used_percent: 100, resets_at: 1_794_929_657};
    const open = {used_percent: 99.9, resets_at: 1_900_000_000};
    const limited = complete(message, 'usage_limit_exceeded');
    const resetOf = (line: string) => threadFailure(failure, [line, limited], now).reset_at;
    expect(resetOf(counted(full, longer))).toBe('2026-11-17T15:34:17.000Z');
    expect(resetOf(counted(full, open))).toBe('2026-11-16T15:34:17.000Z');
    expect(resetOf(counted(open))).toBeUndefined();
    expect(resetOf(counted({used_percent: 100, resets_at: 1e300}))).toBeUndefined();
  });

  test('may contain anything', () => {
    const lines = ['{', '"task_complete"', '{"payload":{"type":"task_complete"}}', '\0'];
    expect(threadFailure(failure, lines, now)).toEqual(failure);
  });
});

describe('a reset time in words', () => {
  const noon = new Date(2026, 10, 17, 12, 0);
  test.each([
    ['later today', 'try again at 3:33 PM.', localTime(2026, 10, 17, 15, 33)],
    ['tomorrow, because it has passed today', 'try again at 11:59 AM.', localTime(2026, 10, 18, 11, 59)],
    ['this very minute', 'try again at 12:00 PM.', localTime(2026, 10, 17, 12, 0)],
    ['midnight', 'try again at 12:00 AM.', localTime(2026, 10, 18, 0, 0)],
    ['another day', 'try again at Mar 1st, 2030 5:46 AM.', localTime(2030, 2, 1, 5, 46)],
    ['not a month', 'try again at Foo 1st, 2030 5:46 AM.', undefined],
    ['no time', 'try again later.', undefined],
  ])('%s', (_, words, time) => {
    expect(resetTimeIn(words, noon)).toBe(time);
  });
});

test.each([
  [
    'codex: broken config.toml',
    textOf('codex-broken-config.stderr.txt'),
    'Error loading config.toml: /home/user/.codex/config.toml:2:8: unclosed array, expected `]`',
  ],
  [
    'codex: unknown option',
    textOf('codex-bad-option.stderr.txt'),
    "error: unexpected argument '--no-such-option' found",
  ],
  [
    'claude: unknown option',
    textOf('claude-bad-option.stderr.txt'),
    "error: unknown option '--no-such-option'",
  ],
  [
    'a program in Node.js',
    "/a.js:1\nthrow new Error('boom')\n^\n\nError: boom\n    at a (/a.js:1:7)\n\nNode.js v20.20.2\n",
    'Error: boom',
  ],
  [
    'a program in Python',
    'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: boom\n',
    'ValueError: boom',
  ],
  [
    'a program in Rust',
    "thread 'main' panicked at src/a.rs:1:2:\nboom\nnote: run with `RUST_BACKTRACE=1`\n",
    "thread 'main' panicked at src/a.rs:1:2: boom",
  ],
  ['a shell', 'sh: 1: claude: not found\n', 'sh: 1: claude: not found'],
  ['words only', 'one\ntwo\n', 'two'],
  ['decoration only', '  |\n  | ^\n', ''],
  ['nothing', '', ''],
])('the reason on stderr: %s', (_, stderr, reason) => {
  expect(stderrReason(stderr)).toBe(reason);
});
