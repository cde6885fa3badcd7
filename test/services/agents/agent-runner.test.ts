import {chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {afterAll, describe, expect, onTestFinished, test, vi} from 'vitest';
import {type AgentRunnerOptions, createAgentRunner} from '../../../src/services/agents/agent-runner.ts';
import {createAgentSpawner} from '../../../src/services/agents/spawn-agent.ts';
import type {AgentEvent} from '../../../src/services/contracts/agent.ts';
import type {RunningAgent} from '../../../src/services/contracts/agent-process.ts';
import type {AgentEnding} from '../../../src/services/contracts/agent-runner.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {createScriptedAgents} from '../../../src/services/memory/scripted-agents.ts';
import {createRunStore} from '../../../src/services/stores/run-store.ts';
import {createFakeAgentRunner} from '../../fakes/fake-agent-runner.ts';
import {openSegment, runRecord} from '../../fakes/runs.ts';
import {expectGone, markedPids, processState, textOf, uniqueRunId} from '../../helpers/agent-processes.ts';
import {rejectionOf, seen} from '../../helpers/errors.ts';
import {eventually} from '../../helpers/eventually.ts';
import {request} from '../../helpers/run-provider.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {describeAgentRunner, describeAgents} from './agent-runner.contract.ts';

const ref = '0195d27e-46c6-4b0f-bd54-657f920eee8d';
const session = JSON.stringify({type: 'system', subtype: 'init', session_id: ref});
const success = JSON.stringify({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'all done',
  num_turns: 1,
  total_cost_usd: 0.25,
  usage: {input_tokens: 10, output_tokens: 2},
});
const failure = JSON.stringify({
  type: 'result',
  subtype: 'error_during_execution',
  is_error: true,
  result: 'it broke',
  num_turns: 1,
});

const spawner = createAgentSpawner();
afterAll(() => spawner.killAllSync());

type Options = Partial<AgentRunnerOptions> & Partial<Pick<RunRecord, 'provider' | 'provider_dialect'>>;

/** A project whose agent is a script, given to `sh` by `BLACKBIRD_AGENT_CMD`. */
async function openProject(
  script: string,
  {provider = 'custom', provider_dialect, ...options}: Options = {},
) {
  const folder = temporaryFolder();
  const cwd = path.join(folder, 'project');
  mkdirSync(cwd);
  const file = path.join(folder, 'agent.sh');
  writeFileSync(file, script);
  const runs = createRunStore({folder: path.join(folder, 'runs')});
  const run = runRecord({run_id: uniqueRunId(), provider, ...(provider_dialect && {provider_dialect})});
  await runs.insert(run);
  const events: AgentEvent[] = [];
  const listener = {onEvent: (_: AgentEvent) => {}};
  const runner = createAgentRunner({
    spawner,
    runs,
    cwd,
    env: {...process.env, BLACKBIRD_AGENT_CMD: `exec sh '${file}'`},
    ...options,
  });

  return {
    folder,
    cwd,
    file,
    run,
    runs,
    runner,
    events,
    listener,
    launch: async (changes: Parameters<typeof request>[0] = {}): Promise<RunningAgent<AgentEnding>> => {
      const agent = await runner.launch({
        run,
        request: request(changes),
        onEvent: (event) => {
          events.push(event);
          listener.onEvent(event);
        },
      });
      onTestFinished(async () => void (await agent.endEverything()));
      return agent;
    },
    /** Waits until the agent has printed it. */
    until: (type: AgentEvent['type']) =>
      eventually(() => expect(events.map((event) => event.type)).toContain(type)),
  };
}

const segmentOf = ({identity}: RunningAgent<AgentEnding>) => {
  const {pid, startTime, bootId, pidNamespace} = identity;
  return openSegment(1, {pid, start_time: startTime, boot_id: bootId, pid_namespace: pidNamespace});
};

describeAgentRunner('with processes', async ({session: opens, result, stays, isStubborn}) => {
  const said = [...(opens ? [session] : []), ...(result ? [result === 'success' ? success : failure] : [])];
  const {launch, runner, run, events, listener, until} = await openProject(
    [
      isStubborn ? "trap '' INT" : '',
      ...said.map((line) => `printf '%s\\n' '${line}'`),
      stays ? 'while :; do sleep 0.05; done' : `exit ${result === 'success' ? 0 : 1}`,
    ].join('\n'),
  );
  const launched: RunningAgent<AgentEnding>[] = [];
  return Object.assign(listener, {
    events,
    until,
    launch: async () => {
      const agent = await launch();
      launched.push(agent);
      return agent;
    },
    sweep: () => runner.sweep({...run, segments: launched.map(segmentOf)}),
  });
});

describeAgentRunner('without processes', async ({session: opens, result, stays, isStubborn}) => {
  const runner = createFakeAgentRunner();
  const run = runRecord();
  const events: AgentEvent[] = [];
  runner.obeys = {interrupt: !isStubborn, kill: true};
  runner.play = (agent) => {
    if (opens) agent.opensSession();
    if (result) agent.reports({ok: result === 'success'});
    if (!stays) agent.exits();
  };
  const listener = {onEvent: (_: AgentEvent) => {}};
  const onEvent = (event: AgentEvent) => {
    events.push(event);
    listener.onEvent(event);
  };
  return Object.assign(listener, {
    events,
    until: async (type: AgentEvent['type']) => expect(events.map((event) => event.type)).toContain(type),
    launch: () => runner.launch({run, request: request(), onEvent}),
    sweep: () => runner.sweep(run),
  });
});

const real = {
  setTimeout: (ring: () => void, milliseconds: number) => setTimeout(ring, milliseconds),
  clearTimeout: (timer: never) => clearTimeout(timer),
};

describeAgents('in a simulation', async ({result, stays}) => {
  const failed = {kind: 'agent_error', message: 'simulated'} as const;
  const runner = createScriptedAgents(real, () => ({
    milliseconds: stays ? 3_600_000 : 0,
    verdict:
      result === 'success'
        ? {outcome: 'succeeded', text: 'done'}
        : {outcome: 'failed', failure: failed, text: ''},
  }));
  const events: AgentEvent[] = [];
  const listener = {onEvent: (_: AgentEvent) => {}};
  const onEvent = (event: AgentEvent) => {
    events.push(event);
    listener.onEvent(event);
  };
  return Object.assign(listener, {
    events,
    until: async (type: AgentEvent['type']) => expect(events.map((event) => event.type)).toContain(type),
    launch: async () => {
      const agent = await runner.launch({run: runRecord(), request: request(), onEvent});
      onTestFinished(async () => void (await agent.endEverything()));
      return agent;
    },
  });
});

describe('an agent', () => {
  test('runs only after go, with the prompt on stdin, and is judged by its result', async () => {
    const {launch, events, cwd, file, run, runs} = await openProject(
      `cat > prompt.txt\nprintf '%s\\n' '${session}' '${success}'\necho oops >&2\n`,
    );
    const agent = await launch({prompt: 'build it'});
    expect(processState(agent.identity.pid)).not.toBeNull();
    expect(agent.argv).toEqual(['sh', '-c', `exec sh '${file}'`]);
    expect(readdirSync(cwd)).toEqual([]);

    agent.go();
    expect(await agent.ended).toEqual({
      exitCode: 0,
      signal: null,
      stdout: `${session}\n${success}\n`,
      stderr: 'oops\n',
      verdict: {outcome: 'succeeded', text: 'all done'},
      usage: {input_tokens: 10, output_tokens: 2, cost_usd: 0.25},
      isWholeSession: false,
    });
    expect(textOf(path.join(cwd, 'prompt.txt'))).toBe('build it');
    expect(events.map(({type}) => type)).toEqual(['session', 'usage', 'result']);
    expect(events[0]).toEqual({type: 'session', ref, dialect: 'claude'});

    const files = runs.files('a', run.run_id);
    expect(textOf(files.stdout)).toBe(`${session}\n${success}\n`);
    expect(textOf(files.stderr)).toBe('oops\n');
    expect(await agent.endEverything()).toEqual({ended: 0, remaining: []});
    expect(markedPids(run.run_id)).toEqual([]);
  });

  test('that fails reports why', async () => {
    const {launch} = await openProject(`printf '%s\\n' '${session}' '${failure}'\nexit 1\n`);
    const agent = await launch();
    agent.go();
    expect(await agent.ended).toMatchObject({
      exitCode: 1,
      verdict: {outcome: 'failed', failure: {kind: 'agent_error', message: 'it broke'}},
    });
  });

  test('with plain text output is judged by its exit code, and its text is its answer', async () => {
    const {launch, events} = await openProject('echo Hello; echo there');
    const agent = await launch();
    agent.go();
    expect(await agent.ended).toMatchObject({
      exitCode: 0,
      verdict: {outcome: 'succeeded', text: 'Hello\nthere\n'},
    });
    expect(events).toEqual([
      {type: 'activity', activity: {kind: 'output', text: 'Hello'}},
      {type: 'activity', activity: {kind: 'output', text: 'there'}},
    ]);
  });

  test('with plain text output that fails is described by its last line', async () => {
    const {launch} = await openProject('echo Hello; echo "no such thing" >&2; exit 7');
    const agent = await launch();
    agent.go();
    expect(await agent.ended).toMatchObject({
      exitCode: 7,
      verdict: {
        outcome: 'failed',
        failure: {kind: 'agent_error', message: 'the agent gave no result (exit code 7): no such thing'},
      },
    });
  });

  test('of Codex reports the usage of its whole session', async () => {
    const lines = [
      {type: 'thread.started', thread_id: ref},
      {type: 'item.completed', item: {id: '0', type: 'agent_message', text: 'built'}},
      {type: 'turn.completed', usage: {input_tokens: 5, cached_input_tokens: 1, output_tokens: 3}},
    ];
    const printed = lines.map((line) => `'${JSON.stringify(line)}'`).join(' ');
    const {launch} = await openProject(`printf '%s\\n' ${printed}\n`);
    const agent = await launch();
    agent.go();
    expect(await agent.ended).toMatchObject({
      verdict: {outcome: 'succeeded', text: 'built'},
      usage: {input_tokens: 5, output_tokens: 3},
      isWholeSession: true,
    });
  });

  test('is resumed in its session although its command line ends with a line break', async () => {
    const {launch, events} = await openProject('', {
      env: {...process.env, BLACKBIRD_AGENT_CMD: 'echo said\n'},
      provider_dialect: 'claude',
    });
    const agent = await launch({kind: 'resume', sessionRef: ref});
    agent.go();
    await agent.ended;
    expect(JSON.stringify(events)).toContain(`said --resume ${ref}`);
  });

  test('is resumed in its session, and a rejection is recognised', async () => {
    const {launch, cwd} = await openProject(
      'echo "$@" > args.txt; echo "No conversation found with session ID: x" >&2; exit 1',
      {provider_dialect: 'claude'},
    );
    const agent = await launch({kind: 'resume', sessionRef: ref});
    agent.go();
    expect(await agent.ended).toMatchObject({
      exitCode: 1,
      verdict: {
        outcome: 'failed',
        failure: {kind: 'resume_rejected', message: 'No conversation found with session ID: x'},
      },
    });
    expect(textOf(path.join(cwd, 'args.txt'))).toBe(`--resume ${ref}\n`);
  });
});

describe('stopping', () => {
  const waiting = 'while :; do sleep 0.05; done\n';

  test('stopping before go ends the agent, and nothing of it ran', async () => {
    const {launch, cwd, run} = await openProject('touch ran');
    const agent = await launch();
    agent.interrupt();
    expect(await agent.ended).toMatchObject({verdict: {outcome: 'failed'}});
    expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
    expect(markedPids(run.run_id)).toEqual([]);
  });

  test('an interrupt reaches the agent as SIGINT', async () => {
    const {launch, until} = await openProject(
      `trap 'echo got it; exit 130' INT\nprintf '%s\\n' '${session}'\n${waiting}`,
    );
    const agent = await launch();
    agent.go();
    await until('session');
    agent.interrupt();
    expect(await agent.ended).toMatchObject({
      exitCode: 130,
      stdout: `${session}\ngot it\n`,
      verdict: {outcome: 'failed', failure: {kind: 'agent_error'}},
    });
  });

  test.each([
    {name: 'exits with an error', trap: 'exit 1'},
    {name: 'reports that it was interrupted', trap: `printf '%s\\n' '${failure}'; exit 0`},
  ])('a result counts when the agent that was stopped after it $name', async ({trap}) => {
    const {launch, until} = await openProject(
      `onInt() { ${trap}; }\ntrap onInt INT\nprintf '%s\\n' '${session}' '${success}'\n${waiting}`,
    );
    const agent = await launch();
    agent.go();
    await until('result');
    agent.interrupt();
    expect((await agent.ended).verdict).toEqual({outcome: 'succeeded', text: 'all done'});
  });

  test('a failure after a success, without a stop, is a failure', async () => {
    const {launch} = await openProject(`printf '%s\\n' '${success}' '${failure}'`);
    const agent = await launch();
    agent.go();
    expect((await agent.ended).verdict).toMatchObject({outcome: 'failed'});
  });

  test('a kill ends an agent that ignores all signals, and its children', async () => {
    const {launch, until, run} = await openProject(
      `trap '' INT TERM\nsetsid sleep 300 &\nprintf '%s\\n' '${session}'\n${waiting}`,
    );
    const agent = await launch();
    agent.go();
    await until('session');
    agent.kill();
    expect(await agent.ended).toMatchObject({exitCode: null, signal: 'SIGKILL'});
    expect((await agent.endEverything()).remaining).toEqual([]);
    expect(markedPids(run.run_id)).toEqual([]);
  });

  test('endEverything ends what an agent left behind', async () => {
    const {launch, run} = await openProject(
      `setsid sleep 300 >/dev/null 2>&1 &\nprintf '%s\\n' '${success}'`,
    );
    const agent = await launch();
    agent.go();
    await agent.ended;
    // In the moment of an `exec` a process has no environment.
    const left = await eventually(() => {
      const found = markedPids(run.run_id);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(await agent.endEverything()).toEqual({ended: 1, remaining: []});
    await expectGone(left);
  });
});

describe('a sweep', () => {
  test('ends what the agent of an earlier Blackbird had started, in other sessions too', async () => {
    const {launch, runner, run, until} = await openProject(
      `setsid sleep 300 >/dev/null 2>&1 &\nprintf '%s\\n' '${session}'\nwhile :; do sleep 0.05; done\n`,
    );
    const agent = await launch();
    agent.go();
    await until('session');
    expect((await runner.sweep({...run, segments: [segmentOf(agent)]})).remaining).toEqual([]);
    await expectGone([agent.identity.pid]);
    expect(markedPids(run.run_id)).toEqual([]);
  });

  test('of a run without processes ends nothing, whatever has its pid now', async () => {
    const {runner, run} = await openProject('');
    // Our own pid with another start time is another process.
    const reused = openSegment(1, {pid: process.pid, start_time: '1'});
    expect(await runner.sweep({...run, segments: [reused]})).toEqual({ended: 0, remaining: []});
    expect(await runner.sweep(run)).toEqual({ended: 0, remaining: []});
  });
});

describe('the files of a command', () => {
  /** Our own `codex` on the PATH, which keeps the schema it was given. */
  function installCodex(folder: string, body: string) {
    const bin = path.join(folder, 'bin');
    const temporary = path.join(folder, 'tmp');
    mkdirSync(bin);
    mkdirSync(temporary);
    const help =
      'case "$*" in *--version*) echo codex-cli 9.9.9; exit;; *--help*) echo --sandbox --output-schema; exit;; esac';
    writeFileSync(path.join(bin, 'codex'), `#!/bin/sh\n${help}\n${body}\n`);
    chmodSync(path.join(bin, 'codex'), 0o755);
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    // The folders of the tests themselves are not the agent's.
    return {left: () => readdirSync(temporary).filter((name) => !name.startsWith('blackbird-test-'))};
  }
  const keepSchema = 'while [ $# -gt 0 ]; do [ "$1" = --output-schema ] && cp "$2" schema.json; shift; done';

  test('exist while the agent runs and are gone when it has ended', async () => {
    const folder = temporaryFolder();
    const {left} = installCodex(folder, keepSchema);
    const {launch, cwd} = await openProject('', {provider: 'codex', env: process.env});
    const agent = await launch({answerSchema: {type: 'object'}});
    expect(left()).toHaveLength(1);
    agent.go();
    await agent.ended;
    expect(JSON.parse(readFileSync(path.join(cwd, 'schema.json'), 'utf8'))).toEqual({type: 'object'});
    expect(left()).toEqual([]);
  });

  test('are gone when the agent could not be started', async () => {
    const folder = temporaryFolder();
    const {left} = installCodex(folder, keepSchema);
    const {launch} = await openProject('', {
      provider: 'codex',
      env: process.env,
      cwd: path.join(folder, 'nowhere'),
    });
    await expect(launch({answerSchema: {type: 'object'}})).rejects.toThrow('Cannot start');
    expect(left()).toEqual([]);
  });

  test('are not written for a run without a folder', async () => {
    const folder = temporaryFolder();
    const {left} = installCodex(folder, keepSchema);
    const {runner, run} = await openProject('', {provider: 'codex', env: process.env});
    const launched = runner.launch({
      run: {...run, run_id: '../outside'},
      request: request({answerSchema: {type: 'object'}}),
      onEvent: () => {},
    });
    expect((await rejectionOf(launched)).code).toBe('E_RUN_NOT_FOUND');
    expect(left()).toEqual([]);
  });
});

describe('what is probed before a run', () => {
  test('a custom command is found and cannot choose its session', async () => {
    const {runner} = await openProject('');
    expect(await runner.check('custom', 'edit')).toEqual({choosesSession: false});
  });

  test('a custom command replaces no agent', async () => {
    const {runner} = await openProject('', {env: {PATH: temporaryFolder(), BLACKBIRD_AGENT_CMD: 'true'}});
    expect((await rejectionOf(runner.check('claude', 'edit'))).message).toContain(
      'claude is not on the PATH',
    );
  });

  test('a blank custom command is none', async () => {
    const {runner} = await openProject('', {env: {PATH: temporaryFolder(), BLACKBIRD_AGENT_CMD: ' \n'}});
    expect(runner.customCommand).toBe(null);
    expect((await rejectionOf(runner.check('custom', 'edit'))).message).toBe(
      'no custom command is set: BLACKBIRD_AGENT_CMD is empty',
    );
  });

  test('a missing agent is named, and nothing is started', async () => {
    const env = {PATH: temporaryFolder()};
    const {runner, run, launch} = await openProject('', {env, provider: 'claude'});
    expect(seen(await rejectionOf(runner.check('claude', 'edit')))).toEqual({
      code: 'E_AGENT_NOT_FOUND',
      message: 'the agent Claude Code cannot be used: claude is not on the PATH, nor is any other agent',
      details: [['provider', 'claude']],
      next: [
        {command: 'npm install -g @anthropic-ai/claude-code', why: 'or put claude on your PATH'},
        {command: 'blackbird agents', why: 'see what is installed'},
      ],
    });
    expect((await rejectionOf(launch())).code).toBe('E_AGENT_NOT_FOUND');
    expect(markedPids(run.run_id)).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)('an agent that edits nothing for root is refused', async () => {
    const folder = temporaryFolder();
    for (const name of ['claude', 'codex'])
      writeFileSync(path.join(folder, name), '#!/bin/sh\necho 2.1.0\n', {mode: 0o755});
    const PATH = `${folder}:/usr/bin:/bin`;
    const {runner} = await openProject('', {env: {PATH}});
    expect(seen(await rejectionOf(runner.check('claude', 'edit')))).toEqual({
      code: 'E_PROVIDER_REFUSED',
      message: 'Claude Code refuses to edit files for root; nothing was started',
      details: [['provider', 'claude']],
      next: [
        {command: 'export IS_SANDBOX=1', why: 'in a container; elsewhere, work as another user'},
        {command: 'blackbird agents', why: 'see what is installed'},
      ],
    });
    expect(await runner.check('codex', 'edit')).toBeDefined();
    // It may still plan and review.
    expect(await runner.check('claude', 'read-only')).toBeDefined();
    for (const name of ['IS_SANDBOX', 'CLAUDE_CODE_BUBBLEWRAP'])
      expect(
        await (await openProject('', {env: {PATH, [name]: '1'}})).runner.check('claude', 'edit'),
      ).toBeDefined();
  });
});

test('an observer sees the prompt and both streams as they come', async () => {
  const prompts: string[] = [];
  const seen = {stdout: '', stderr: ''};
  const runIds = new Set<string>();
  const {launch, run} = await openProject('echo out; echo err >&2', {
    onPrompt: (prompt) => prompts.push(prompt),
    onOutput: (stream, text, runId) => {
      seen[stream] += text;
      runIds.add(runId);
    },
  });
  const agent = await launch({prompt: 'build it'});
  agent.go();
  await agent.ended;
  expect(prompts).toEqual(['build it']);
  expect(seen).toEqual({stdout: 'out\n', stderr: 'err\n'});
  expect([...runIds]).toEqual([run.run_id]);
});
