import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import type {FailureKind} from '../../src/services/contracts/agent.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {PauseReason} from '../../src/services/contracts/run.ts';
import {type AgentName, agentProject} from '../helpers/agent-project.ts';
import {
  createHold,
  cut,
  fail,
  holdUntil,
  type ModelServer,
  type Reply,
  refuse,
  run as runInShell,
  say,
} from '../helpers/model-server.ts';
import {planOf, task} from '../helpers/plans.ts';
import {ensureAgents, type RealAgents} from '../helpers/real-agents.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

// Failures of the provider, with the real codex and claude: the run rests, and continues where it was.

let agents: RealAgents;
beforeAll(async () => {
  agents = await ensureAgents();
}, 600_000);

// What it waits for, and how it continues by itself, is in waiting.test.ts.
const config = {execution: {onLimit: 'stop', maxOutageMinutes: 0}};
const setUp = (agent: AgentName, plan?: Plan) => agentProject(agents, agent, {config, ...(plan && {plan})});

const logins = {claude: 'claude auth login', codex: 'codex login'} as const;

type Row = {
  readonly name: string;
  readonly replies: Readonly<Partial<Record<AgentName, Reply>>>;
  readonly kind: FailureKind;
  readonly reason: PauseReason;
  /** Only time is needed, or a person. */
  readonly code: 75 | 4;
};

const both = (reply: Reply): Row['replies'] => ({claude: reply, codex: reply});
const usageLimit = refuse(429, 'limit', {
  error: {type: 'usage_limit_reached', plan_type: 'plus', resets_at: 1_900_000_000},
  headers: {
    'x-codex-primary-used-percent': '100',
    'x-codex-primary-window-minutes': '300',
    'x-codex-primary-reset-at': '1900000000',
  },
});

/** Time, a person or a shorter conversation is needed: every situation is tested with these. */
const rows: readonly Row[] = [
  {
    name: 'a usage limit',
    replies: {claude: refuse(429), codex: usageLimit},
    kind: 'rate_limit',
    reason: 'usage_limit',
    code: 75,
  },
  {name: 'HTTP 500', replies: both(refuse(500)), kind: 'outage', reason: 'provider_unavailable', code: 75},
  {name: 'a refused login', replies: both(refuse(401)), kind: 'auth', reason: 'login_required', code: 4},
  {
    name: 'a full context',
    replies: {
      claude: refuse(400, 'prompt is too long: 210000 tokens > 200000 maximum'),
      codex: fail('context_length_exceeded'),
    },
    kind: 'context_full',
    reason: 'context_full',
    code: 4,
  },
];

/** Only the first run, for the remaining kinds and messages. */
const moreRows: readonly Row[] = [
  {
    name: 'no credit',
    replies: {
      claude: refuse(400, 'Your credit balance is too low to access the Anthropic API.'),
      codex: fail('insufficient_quota'),
    },
    kind: 'billing',
    reason: 'billing',
    code: 4,
  },
  {
    name: 'an unknown model',
    replies: {
      claude: refuse(404, 'model: nope'),
      codex: refuse(404, "The model 'nope' does not exist", {error: {code: 'model_not_found'}}),
    },
    kind: 'bad_model',
    reason: 'unknown_model',
    code: 4,
  },
  {
    name: 'an overloaded model',
    replies: {claude: refuse(529, 'Overloaded'), codex: fail('server_is_overloaded')},
    kind: 'outage',
    reason: 'provider_unavailable',
    code: 75,
  },
  {name: 'HTTP 503', replies: both(refuse(503)), kind: 'outage', reason: 'provider_unavailable', code: 75},
  {
    name: 'a connection that is reset',
    // Codex takes half a minute to give up.
    replies: {claude: cut('before')},
    kind: 'outage',
    reason: 'provider_unavailable',
    code: 75,
  },
  {
    name: 'a stream that is cut off',
    // Claude Code retries without a stream, and succeeds.
    replies: {codex: cut('within')},
    kind: 'outage',
    reason: 'provider_unavailable',
    code: 75,
  },
  {
    name: 'a rate limit',
    replies: {codex: refuse(429)},
    kind: 'rate_limit',
    reason: 'usage_limit',
    code: 75,
  },
  {name: 'HTTP 403', replies: both(refuse(403)), kind: 'auth', reason: 'login_required', code: 4},
];

const cells = (from: readonly Row[]) =>
  from.flatMap(({replies, ...row}) =>
    (['claude', 'codex'] as const).flatMap((agent) => {
      const reply = replies[agent];
      return reply === undefined ? [] : [{agent, reply, ...row}];
    }),
  );

const lastRequest = ({requests}: ModelServer) => JSON.stringify(requests.at(-1)?.body);
const knows = (server: ModelServer, ...words: readonly string[]) =>
  expect(words.filter((word) => !lastRequest(server).includes(word))).toEqual([]);
const question = {blackbird: {questions: [{id: 'colour', prompt: 'Which colour?'}]}};
const asking = say(`I need to know.\n\`\`\`json\n${JSON.stringify(question)}\n\`\`\``);

describe('a first run', () => {
  test.each(cells(moreRows))('$agent under $name rests, and continues', async (cell) => {
    const {agent, reply, kind, reason, code} = cell;
    const {server, project} = await setUp(agent);
    server.script(runInShell('echo canary-2'), reply);
    const first = await project.run(['execute']);
    expect({code: first.code, err: first.err}).toEqual({code, err: ''});
    const paused = project.latest('a');
    expect(paused).toMatchObject({state: 'paused', pause_reason: reason, resumable: true, failure: {kind}});
    // The next task would only repeat it.
    expect(first.out).toContain('The plan stopped');
    expect(project.statuses()).toEqual({a: 'in_progress', b: 'todo'});

    server.script(say('Here I am again.'));
    expect((await project.run(['resume', 'a'])).code).toBe(0);
    knows(server, 'canary-1', 'canary-2');
    expect(project.runs('a')).toMatchObject([{run_id: paused?.run_id, state: 'succeeded'}]);
  });
});

describe('first run, resume, answer and requested changes', () => {
  // Seven agents each, which take seconds on a busy machine.
  test.each(cells(rows))('$agent under $name', {timeout: 180_000}, async (cell) => {
    const {agent, reply, kind, reason, code} = cell;
    const {server, project} = await setUp(agent);
    const rests = {state: 'paused', pause_reason: reason, resumable: true, failure: {kind}};

    // The first run: work was done before the model failed.
    server.script(runInShell('echo canary-2'), reply);
    const first = await project.run(['execute', '--review', 'a']);
    expect({code: first.code, err: first.err}).toEqual({code, err: ''});
    expect(first.out).toContain('blackbird resume a');
    expect(first.out.includes(logins[agent])).toBe(kind === 'auth');
    const {run_id: id, provider_session_ref: ref} = project.latest('a') ?? {};
    expect(project.latest('a')).toMatchObject(rests);
    expect(project.statuses()).toEqual({a: 'in_progress', b: 'todo'});

    // The resume: nothing changes but the diagnosis.
    server.script(reply);
    const second = await project.run(['resume', 'a']);
    expect(second.code).toBe(code);
    for (const part of ['a', id, agent, ref, 'blackbird resume a', 'blackbird restart a'])
      expect(second.out + second.err).toContain(part);
    expect(project.runs('a')).toMatchObject([{...rests, run_id: id, provider_session_ref: ref}]);

    // The model works again, and asks.
    server.script(asking);
    expect((await project.run(['resume', 'a'])).code).toBe(4);
    // Codex compacts by itself: it sends the model its own summary.
    const isCompacted = agent === 'codex' && kind === 'context_full';
    const work = isCompacted ? [] : ['canary-2'];
    knows(server, 'canary-1', ...work);
    expect(project.runs('a')).toMatchObject([{run_id: id, state: 'waiting', provider_session_ref: ref}]);

    // The answer: given once, kept until it was delivered.
    server.script(reply);
    const third = await project.run(['resume', 'a', '--answer', 'colour=canary-3']);
    expect(third.code).toBe(code);
    expect(project.runs('a')).toMatchObject([{run_id: id, state: 'waiting', failure: {kind}}]);
    server.script(say('Painted.'));
    expect((await project.run(['resume', 'a'])).code).toBe(4);
    knows(server, 'canary-1', ...work, 'I need to know.', 'canary-3');
    expect(project.latest('a')).toMatchObject({run_id: id, state: 'succeeded', decision_state: 'pending'});

    // Requested changes: another run in the same session, which rests with its undelivered feedback.
    server.script(reply);
    const fourth = await project.run(['review', 'a', '--request-changes', 'canary-4']);
    expect(fourth.code).toBe(code);
    expect(project.latest('a')).toMatchObject({...rests, attempt: 2, provider_session_ref: ref});
    server.script(say('Changed.'));
    expect((await project.run(['resume', 'a'])).code).toBe(4);
    knows(server, 'canary-1', 'canary-3', 'Painted.', 'canary-4');
    expect(project.runs('a')).toMatchObject([
      {decision_state: 'changes_requested'},
      {state: 'succeeded', decision_state: 'pending', resumed_from_run_id: id, provider_session_ref: ref},
    ]);
  });
});

describe.each<AgentName>(['claude', 'codex'])('%s', (agent) => {
  /** A task that was paused by hand in the middle of its work. */
  async function pausedByHand() {
    const bench = await setUp(agent);
    const {server, project} = bench;
    const hold = createHold();
    server.script(runInShell('echo canary-2'), holdUntil(hold));
    const running = project.start(['execute', 'a']);
    await hold.reached;
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    return bench;
  }

  test('a parent review that could not run is done by the next execute', async () => {
    const family = planOf([task('p', {childIds: ['c']}), task('c', {parentId: 'p', prompt: 'canary-1'})]);
    const {server, project} = await setUp(agent, family);
    server.script(say('Done.'), refuse(401));
    const {code, out} = await project.run(['execute']);
    expect(code).toBe(4);
    expect(out).toContain(logins[agent]);
    expect(project.latest('p')).toMatchObject({run_type: 'review', state: 'failed', failure: {kind: 'auth'}});
    expect(project.statuses()).toEqual({p: 'todo', c: 'done'});

    server.script(say(JSON.stringify({passed: true})));
    expect((await project.run(['execute'])).code).toBe(0);
    expect(project.statuses()).toEqual({p: 'done', c: 'done'});
  });

  test('an agent that crashes at its start leaves a paused run as it was, and says why', async () => {
    const {server, project} = await pausedByHand();
    const paused = project.latest('a');
    const bin = temporaryFolder();
    const crash = 'echo "Error: no space in the cache" >&2; echo "    at start (x.js:1)" >&2; exit 1';
    writeFileSync(
      path.join(bin, agent),
      `#!/bin/sh\ncase "$*" in *--version*|*--help*) exec ${agents[agent]} "$@";; esac\n${crash}\n`,
      {mode: 0o755},
    );
    const env = {PATH: [bin, project.env.PATH].join(path.delimiter)};
    const refused = await project.run(['resume', 'a'], {env});
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('(exit code 1): Error: no space in the cache\n');
    for (const part of [paused?.run_id, agent, paused?.provider_session_ref, 'E_RESUME_REJECTED'])
      expect(refused.err).toContain(part);
    expect(refused.err.indexOf('blackbird resume a')).toBeLessThan(
      refused.err.indexOf('blackbird restart a'),
    );
    expect(project.latest('a')).toMatchObject({
      state: 'paused',
      pause_reason: 'user_interrupt',
      run_id: paused?.run_id,
      failure: {kind: 'resume_rejected'},
    });

    server.script(say('Here I am again.'));
    expect((await project.run(['resume', 'a'])).code).toBe(0);
    knows(server, 'canary-1', 'canary-2');
  });
});

test('a broken config.toml of codex is reported with the line that names it', async () => {
  const {project} = await setUp('codex');
  writeFileSync(path.join(project.env.CODEX_HOME ?? '', 'config.toml'), 'model = [\n');
  const {code, out} = await project.run(['execute', 'a']);
  expect(code).toBe(3);
  expect(out).toMatch(/Error loading config\.toml: \S+config\.toml:1:\d+: unclosed array/);
});
