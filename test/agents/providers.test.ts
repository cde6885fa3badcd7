import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {claudeProvider} from '../../src/services/agents/claude.ts';
import {codexProvider} from '../../src/services/agents/codex.ts';
import {customProvider} from '../../src/services/agents/custom-command.ts';
import {probeProvider} from '../../src/services/agents/probe.ts';
import type {AgentEvent, AgentRequest, Capabilities, Provider} from '../../src/services/contracts/agent.ts';
import {eventually} from '../helpers/eventually.ts';
import {
  createHold,
  holdUntil,
  type ModelServer,
  type Reply,
  refuse,
  run as runInShell,
  say,
  startModelServer,
  tool,
} from '../helpers/model-server.ts';
import {createAgentHome, ensureAgents, type RealAgents, transcriptOf} from '../helpers/real-agents.ts';
import {capabilities, type ProviderRun, request, runProvider, sessionOf} from '../helpers/run-provider.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

// The real codex and claude, from npm, against a model on loopback.

const unknownRef = '9da519ae-64e4-42e4-85fc-7c3305f70aa3';
const answerSchema = {
  type: 'object',
  properties: {passed: {type: 'boolean'}},
  required: ['passed'],
  additionalProperties: false,
};

let agents: RealAgents;
beforeAll(async () => {
  agents = await ensureAgents();
}, 600_000);

type Bench = {
  readonly server: ModelServer;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly capabilities: Capabilities;
  start(asked?: Partial<AgentRequest>, without?: readonly string[]): Promise<ProviderRun>;
};

/** A repository, a home and a model for one test of one provider. */
async function setUp(provider: Provider, {repository = true} = {}): Promise<Bench> {
  const server = await startModelServer();
  const home = await createAgentHome(server, agents);
  onTestFinished(async () => {
    await server.close();
    await home.remove();
  });
  const cwd = temporaryFolder();
  if (repository) execFileSync('git', ['init', '--quiet'], {cwd});

  const probed = await probeProvider(provider, {env: home.env});
  if (!probed.installed) throw new Error(probed.reason);
  const {capabilities} = probed;
  return {
    server,
    cwd,
    env: home.env,
    capabilities,
    start: (asked, without = []) => {
      const env = Object.fromEntries(Object.entries(home.env).filter(([name]) => !without.includes(name)));
      const whole = request({isGitRepository: repository, ...asked});
      return runProvider(provider, whole, {cwd, env, capabilities});
    },
  };
}

const activities = (events: readonly AgentEvent[], kind: string) =>
  events.flatMap((event) =>
    event.type === 'activity' && event.activity.kind === kind ? [event.activity.text] : [],
  );
const lastRequest = ({requests}: ModelServer) => JSON.stringify(requests.at(-1)?.body);

/** Resumes, and checks whether the model gets what the session knew. */
async function expectToGoOn({
  server,
  start,
  sessionRef,
  knowing,
}: Pick<Bench, 'server' | 'start'> & {sessionRef: string; knowing: readonly string[]}): Promise<void> {
  server.script(say('Here I am again.'));
  const resumed = await start({kind: 'resume', sessionRef, prompt: '--last canary-3'});
  expect((await resumed.ended).verdict).toEqual({outcome: 'succeeded', text: 'Here I am again.'});
  expect(await sessionOf(resumed)).toBe(sessionRef);
  const told = ['canary-1', 'canary-2', '--last canary-3'].filter((canary) =>
    lastRequest(server).includes(canary),
  );
  expect(told).toEqual([...knowing, '--last canary-3']);
}

test.each([
  {
    provider: codexProvider,
    can: {fullAuto: false, outputSchema: true, effort: true, chosenSession: false, costLimit: false},
  },
  {
    provider: claudeProvider,
    can: {fullAuto: false, outputSchema: true, effort: true, chosenSession: true, costLimit: true},
  },
])('$provider.title reports its capabilities', async ({provider, can}) => {
  const {capabilities} = await setUp(provider);
  expect(capabilities).toEqual({version: expect.stringMatching(/^\d+\.\d+\.\d+$/), ...can});
});

describe.each([codexProvider, claudeProvider])('$title', (provider) => {
  test('does its work, reports it, and accepts a prompt that looks like an option', async () => {
    const {server, cwd, start} = await setUp(provider);
    // Quotes, escapes and a variable: it is shown as it ran, however the agent quotes it.
    const command = String.raw`X=i; printf "h$X\n" > made.txt; cat 'made.txt'`;
    server.script(runInShell(command), say('All done.\nSee made.txt.'));

    const run = await start({prompt: '--help me with canary-1'});

    expect((await run.ended).verdict).toEqual({outcome: 'succeeded', text: 'All done.\nSee made.txt.'});
    expect(readFileSync(path.join(cwd, 'made.txt'), 'utf8')).toBe('hi\n');
    expect(run.events[0]).toEqual({type: 'session', ref: expect.toSatisfy(provider.isSessionRef)});
    expect(activities(run.events, 'command')).toEqual([`$ ${command}`]);
    expect(activities(run.events, 'output')).toEqual(['hi']);
    expect(activities(run.events, 'message')).toEqual(['All done. …']);
    expect(run.events.findLast(({type}) => type === 'usage')).toMatchObject({
      usage: {input_tokens: 200, output_tokens: 40},
    });
    expect(lastRequest(server)).toContain('--help me with canary-1');
  });

  test('works outside a repository', async () => {
    const {start} = await setUp(provider, {repository: false});
    const first = await start();
    expect((await first.ended).verdict).toEqual({outcome: 'succeeded', text: 'ok'});
    const second = await start({kind: 'resume', sessionRef: await sessionOf(first)});
    expect((await second.ended).verdict).toEqual({outcome: 'succeeded', text: 'ok'});
  });

  describe('stopped in the middle of a turn', () => {
    test('while the model is computing continues in the same session', async () => {
      const {server, start} = await setUp(provider);
      const hold = createHold();
      server.script(runInShell('echo canary-2'), holdUntil(hold));
      const first = await start({prompt: 'canary-1'});
      const sessionRef = await sessionOf(first);
      await hold.reached;

      first.signal('SIGINT');

      expect((await first.ended).verdict.outcome).toBe('failed');
      await expectToGoOn({server, start, sessionRef, knowing: ['canary-1', 'canary-2']});
    });

    test('while a tool runs continues in the same session', async () => {
      const {server, cwd, start} = await setUp(provider);
      server.script(runInShell('echo canary-2; touch started; sleep 600'));
      const first = await start({prompt: 'canary-1'});
      const sessionRef = await sessionOf(first);
      await eventually(() => expect(existsSync(path.join(cwd, 'started'))).toBe(true));

      first.signal('SIGINT');

      expect((await first.ended).verdict.outcome).toBe('failed');
      await expectToGoOn({server, start, sessionRef, knowing: ['canary-1', 'canary-2']});
    });

    test('by SIGKILL continues with what had reached the disk', async () => {
      const {server, env, start} = await setUp(provider);
      const hold = createHold();
      server.script(holdUntil(hold));
      const first = await start({prompt: 'canary-1'});
      const sessionRef = await sessionOf(first);
      await hold.reached;
      // Claude writes its transcript a moment after it prints.
      await eventually(() => expect(transcriptOf(env, sessionRef)).toContain('canary-1'));

      first.signal('SIGKILL');

      expect((await first.ended).signal).toBe('SIGKILL');
      await expectToGoOn({server, start, sessionRef, knowing: ['canary-1']});
    });
  });

  test('does not resume an unknown session, and calls no model', async () => {
    const {server, start} = await setUp(provider);
    const run = await start({kind: 'resume', sessionRef: unknownRef});
    const {verdict, exitCode} = await run.ended;
    expect(verdict).toEqual({
      outcome: 'failed',
      failure: {kind: 'resume_rejected', message: expect.stringContaining(unknownRef)},
      text: '',
    });
    expect(exitCode).toBe(1);
    expect(run.events.filter(({type}) => type === 'session')).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test.each([
    {status: 429, kind: 'rate_limit', words: '429'},
    {status: 401, kind: 'auth', words: '401'},
    {status: 500, kind: 'outage', words: ''},
  ] as const)('names the cause of HTTP $status', async ({status, kind, words}) => {
    const {server, start} = await setUp(provider);
    server.script(refuse(status));
    const run = await start();
    expect((await run.ended).verdict).toEqual({
      outcome: 'failed',
      failure: {kind, message: expect.stringContaining(words)},
      text: '',
    });
    expect(run.events.find(({type}) => type === 'retrying')).toMatchObject({
      type: 'retrying',
      failure: {kind, message: expect.any(String)},
    });
  });

  test('names a missing login', async () => {
    const {server, start} = await setUp(provider);
    const run = await start({}, ['ANTHROPIC_API_KEY', 'BLACKBIRD_TEST_KEY']);
    expect((await run.ended).verdict).toEqual({
      outcome: 'failed',
      failure: {kind: 'auth', message: expect.any(String)},
      text: '',
    });
    expect(server.requests).toEqual([]);
  });

  test('fails when its turn fails after work was done, and keeps its text', async () => {
    const {server, start} = await setUp(provider);
    server.script({kind: 'run', command: 'true', say: 'First the tests.'}, refuse(429));
    const run = await start();
    expect((await run.ended).verdict).toEqual({
      outcome: 'failed',
      failure: {kind: 'rate_limit', message: expect.stringContaining('429')},
      text: 'First the tests.',
    });
  });

  test('is resumed by a custom command with its own arguments', async () => {
    const {server, cwd, env} = await setUp(provider);
    const [dialect, line] =
      provider.id === 'codex'
        ? (['codex', 'codex exec --sandbox workspace-write --json -'] as const)
        : ([
            'claude',
            'claude -p --output-format stream-json --verbose --permission-mode bypassPermissions',
          ] as const);
    const options = {cwd, env, capabilities: capabilities({outputSchema: false, chosenSession: false})};
    const first = await runProvider(customProvider(line, null), request({prompt: 'canary-1'}), options);
    expect((await first.ended).verdict).toEqual({outcome: 'succeeded', text: 'ok'});
    const sessionRef = await sessionOf(first);
    expect(first.events[0]).toEqual({type: 'session', ref: sessionRef, dialect});

    const asked = request({kind: 'resume', sessionRef, prompt: 'canary-2'});
    const second = await runProvider(customProvider(line, dialect), asked, options);
    expect((await second.ended).verdict).toEqual({outcome: 'succeeded', text: 'ok'});
    expect(await sessionOf(second)).toBe(sessionRef);
    for (const canary of ['canary-1', 'canary-2']) expect(lastRequest(server)).toContain(canary);
  });
});

describe('read-only access', () => {
  const patch = "apply_patch <<'END'\n*** Begin Patch\n*** Add File: patched.txt\n+x\n*** End Patch\nEND";

  test('Codex cannot write, by shell or by patch', async () => {
    const {server, cwd, start} = await setUp(codexProvider);
    server.script(runInShell('echo x > shell.txt; ls -a'), runInShell(patch), say('Looked.'));
    const run = await start({access: 'read-only'});
    expect((await run.ended).verdict).toEqual({outcome: 'succeeded', text: 'Looked.'});
    expect(['shell.txt', 'patched.txt'].filter((file) => existsSync(path.join(cwd, file)))).toEqual([]);
  });

  test('Claude cannot write, whatever user and project settings allow', async () => {
    const {server, cwd, env, start} = await setUp(claudeProvider);
    const generous = {
      permissions: {allow: ['Bash', 'Bash(*)', 'Write', 'Edit'], defaultMode: 'bypassPermissions'},
    };
    for (const folder of [cwd, env.HOME ?? '']) {
      mkdirSync(path.join(folder, '.claude'), {recursive: true});
      writeFileSync(path.join(folder, '.claude', 'settings.json'), JSON.stringify(generous));
    }
    writeFileSync(
      path.join(env.HOME ?? '', '.claude.json'),
      JSON.stringify({projects: {[cwd]: {hasTrustDialogAccepted: true}}}),
    );
    writeFileSync(path.join(cwd, 'f.txt'), 'canary-1\n');
    const attempts: [Reply, ...Reply[]] = [
      runInShell('echo x > shell.txt'),
      tool('Write', {file_path: path.join(cwd, 'written.txt'), content: 'x'}),
      tool('Edit', {file_path: path.join(cwd, 'f.txt'), old_string: 'canary', new_string: 'x'}),
      tool('Agent', {description: 'd', prompt: 'write', subagent_type: 'general-purpose'}),
      tool('Read', {file_path: path.join(cwd, 'f.txt')}),
      say('Looked.'),
    ];
    server.script(...attempts);

    const run = await start({access: 'read-only'});

    expect((await run.ended).verdict).toEqual({outcome: 'succeeded', text: 'Looked.'});
    expect(['shell.txt', 'written.txt'].filter((file) => existsSync(path.join(cwd, file)))).toEqual([]);
    expect(readFileSync(path.join(cwd, 'f.txt'), 'utf8')).toBe('canary-1\n');
    // Every attempt was a separate request, and reading still works.
    expect(server.requests).toHaveLength(attempts.length);
    expect(lastRequest(server)).toContain('canary-1');
  });
});

describe('an answer schema', () => {
  test('reaches the model of Codex, also on resume', async () => {
    const {server, start} = await setUp(codexProvider);
    server.script(say('{"passed":true}'));
    const first = await start({answerSchema, access: 'read-only'});
    expect((await first.ended).verdict).toEqual({outcome: 'succeeded', text: '{"passed":true}'});
    const second = await start({kind: 'resume', sessionRef: await sessionOf(first), answerSchema});
    await second.ended;
    expect(server.requests.map(({body}) => body.text)).toEqual(
      Array.from({length: 2}, () => ({format: expect.objectContaining({schema: answerSchema})})),
    );
  });

  test('becomes a tool of Claude, whose input is the answer', async () => {
    const {server, start} = await setUp(claudeProvider);
    server.script(tool('StructuredOutput', {passed: true}));
    const run = await start({answerSchema, access: 'read-only'});
    expect((await run.ended).verdict).toEqual({outcome: 'succeeded', text: '{"passed":true}'});
    expect(server.requests[0]?.body.tools).toContainEqual(
      expect.objectContaining({
        name: 'StructuredOutput',
        input_schema: expect.objectContaining(answerSchema),
      }),
    );
  });

  test('does not make Claude fail when its model ignores it: the answer must be checked', async () => {
    const {server, start} = await setUp(claudeProvider);
    server.script(say('no JSON today'));
    const run = await start({answerSchema, access: 'read-only'});
    expect((await run.ended).verdict).toEqual({outcome: 'succeeded', text: 'no JSON today'});
  });
});

test('Claude refuses a session that exists', async () => {
  const {start} = await setUp(claudeProvider);
  const sessionRef = '0195d27e-46c6-4b0f-bd54-657f920eee8d';
  await (await start({sessionRef})).ended;
  const again = await start({sessionRef});
  expect((await again.ended).verdict).toEqual({
    outcome: 'failed',
    failure: {kind: 'agent_error', message: expect.stringContaining('already in use')},
    text: '',
  });
});
