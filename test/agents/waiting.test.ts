import {beforeAll, describe, expect, test} from 'vitest';
import {nearTime} from '../../src/machines/policies/text/durations.ts';
import {type AgentName, agentProject} from '../helpers/agent-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {cut, type ModelServer, type Reply, refuse, run as runInShell, say} from '../helpers/model-server.ts';
import {ensureAgents, type RealAgents} from '../helpers/real-agents.ts';

// Failures that only need time, with the real codex and claude: waited for, and continued in the same session. What
// the model server receives proves it.

let agents: RealAgents;
beforeAll(async () => {
  agents = await ensureAgents();
}, 600_000);

const setUp = (agent: AgentName, options?: Parameters<typeof agentProject>[2]) =>
  agentProject(agents, agent, options);

const knows = ({requests}: ModelServer, place: number, ...words: readonly string[]) => {
  const text = JSON.stringify(requests.at(place)?.body);
  expect(words.filter((word) => !text.includes(word))).toEqual([]);
};

/** An account quota that is used up for this many seconds, in both vendors' formats. */
function usedUp(seconds: number): Reply {
  const reset = String(Math.ceil(Date.now() / 1000) + seconds);
  return refuse(429, 'limit', {
    error: {type: 'usage_limit_reached', plan_type: 'plus', resets_at: Number(reset)},
    headers: {
      'x-codex-primary-used-percent': '100',
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-at': reset,
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': reset,
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    },
  });
}

/** Claude Code trusts these headers only when it is logged in. */
const loggedIn = {ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: 'no-secret'};

describe.each<AgentName>(['claude', 'codex'])('%s', (agent) => {
  test('a limit in the middle of its work: left and started again, it continues in the same session', {
    timeout: 180_000,
  }, async () => {
    const {server, project} = await setUp(agent, {env: agent === 'claude' ? loggedIn : {}});
    server.script(
      runInShell('echo canary-2'),
      usedUp(agent === 'claude' ? 20 : 10),
      say('Here I am again.'),
      say('And b.'),
    );
    const first = project.start(['execute']);
    await eventually(() => expect(first.out()).toContain('usage limit'));
    const paused = project.latest('a');
    expect(paused).toMatchObject({
      state: 'paused',
      pause_reason: 'usage_limit',
      resumable: true,
      failure: {kind: 'rate_limit', reset_at: expect.any(String)},
      retry_at: expect.any(String),
    });
    first.child.kill('SIGINT');
    expect((await first.ended).code).toBe(130);
    expect(project.latest('a')).toMatchObject({state: 'paused', retry_at: paused?.retry_at});

    // No other task of an account that is known to be at its limit is started.
    const impatient = await project.run(['execute', '--no-wait']);
    expect({code: impatient.code, asked: server.requests.length}).toEqual({code: 75, asked: 2});
    expect(impatient.out).toContain(
      `cannot continue before ${nearTime(paused?.retry_at ?? '', new Date().toISOString())}`,
    );

    const second = await project.run(['execute']);
    expect({code: second.code, err: second.err}).toEqual({code: 0, err: ''});
    expect(second.out).toContain(`▶ a  Task a  (${agent}, resumed)`);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(paused?.failure?.reset_at ?? ''));
    knows(server, 2, 'canary-1', 'canary-2');
    expect(project.runs('a')).toMatchObject([
      {
        run_id: paused?.run_id,
        state: 'succeeded',
        result: 'Here I am again.',
        provider_session_ref: paused?.provider_session_ref,
        pauses: [{pause_reason: 'usage_limit', resumed_at: expect.any(String)}],
      },
    ]);
    expect(project.statuses()).toEqual({a: 'done', b: 'done'});
  });

  test('overloaded three times, then fine: each attempt is in the same session and later than the last', {
    timeout: 180_000,
  }, async () => {
    const {server, project} = await setUp(agent);
    server.script(runInShell('echo canary-2'), refuse(529, 'Overloaded'));
    const waits: number[] = [];
    for (const args of [['execute', 'a', '--no-wait'], ...Array(2).fill(['resume', 'a', '--no-wait'])]) {
      expect((await project.run(args)).code).toBe(75);
      const {retry_at = '', paused_at = ''} = project.latest('a') ?? {};
      waits.push((Date.parse(retry_at) - Date.parse(paused_at)) / 1000);
    }
    expect(waits.map((seconds) => [30, 60, 120].findLast((each) => seconds >= each * 0.8))).toEqual([
      30, 60, 120,
    ]);
    expect(project.latest('a')).toMatchObject({pause_reason: 'provider_unavailable', held_up: {attempt: 3}});
    server.script(say('Here I am again.'));
    expect((await project.run(['resume', 'a', '--no-wait'])).code).toBe(0);
    knows(server, -1, 'canary-1', 'canary-2');
    expect(project.runs('a')).toMatchObject([{state: 'succeeded', segments: [{}, {}, {}, {exit_code: 0}]}]);
  });

  test('an expired login stops the plan at once, with the command to log in', async () => {
    const {server, project} = await setUp(agent);
    server.script(runInShell('echo canary-2'), refuse(401));
    const {code, out} = await project.run(['execute']);
    expect(code).toBe(4);
    expect(out).toContain(agent === 'claude' ? 'claude auth login' : 'codex login');
    const paused = project.latest('a');
    expect(paused).toMatchObject({state: 'paused', pause_reason: 'login_required', resumable: true});
    expect(project.statuses()).toEqual({a: 'in_progress', b: 'todo'});
    server.script(say('Here I am again.'));
    expect((await project.run(['resume', 'a'])).code).toBe(0);
    knows(server, -1, 'canary-1', 'canary-2');
    expect(project.runs('a')).toMatchObject([{provider_session_ref: paused?.provider_session_ref}]);
  });
});

test('claude: a stream that is cut off continues by itself, in one process', async () => {
  const {server, project} = await setUp('claude');
  server.script(runInShell('echo canary-2'), cut('within'), say('Here I am again.'));
  expect((await project.run(['execute', 'a'])).code).toBe(0);
  knows(server, -1, 'canary-1', 'canary-2');
  expect(project.runs('a')).toMatchObject([{state: 'succeeded', segments: [{exit_code: 0}]}]);
});

test('codex: a stream that is cut off is waited for, and continues in the same session', {
  timeout: 180_000,
}, async () => {
  const {server, project} = await setUp('codex');
  server.script(runInShell('echo canary-2'), cut('within'));
  const running = project.start(['execute', 'a']);
  await eventually(() => expect(running.out()).toContain('the model cannot be reached'));
  const paused = project.latest('a');
  server.script(say('Here I am again.'));
  expect((await running.ended).code).toBe(0);
  knows(server, -1, 'canary-1', 'canary-2');
  expect(project.runs('a')).toMatchObject([
    {
      run_id: paused?.run_id,
      state: 'succeeded',
      provider_session_ref: paused?.provider_session_ref,
      pauses: [{pause_reason: 'provider_unavailable'}],
    },
  ]);
});

test("claude: the task's budget is passed to it, and pauses the run when it is used up", async () => {
  const {server, project} = await setUp('claude');
  server.script(runInShell('echo canary-2'), runInShell('echo canary-3'), say('Done.'));
  const {code, out} = await project.run(['execute', 'a', '--max-task-tokens', '150']);
  expect(code).toBe(4);
  expect(out).toContain('a is paused: its budget is used up.');
  expect(project.latest('a')).toMatchObject({
    state: 'paused',
    pause_reason: 'budget',
    resumable: true,
    failure: {kind: 'own_limit', setting: 'execution.maxTaskTokens'},
  });
  server.script(say('Here I am again.'));
  expect((await project.run(['resume', 'a'])).code).toBe(0);
  knows(server, -1, 'canary-1', 'canary-2');
});

test('claude: used-up turns pause the run; a resume has new ones', async () => {
  const {server, project} = await setUp('claude');
  server.script(runInShell('echo canary-2'), runInShell('echo canary-3'), say('Done.'));
  expect((await project.run(['execute', 'a', '--max-turns', '1'])).code).toBe(4);
  expect(project.latest('a')).toMatchObject({state: 'paused', pause_reason: 'budget', resumable: true});
  server.script(say('Here I am again.'));
  expect((await project.run(['resume', 'a'])).code).toBe(0);
  knows(server, -1, 'canary-1', 'canary-2');
});
