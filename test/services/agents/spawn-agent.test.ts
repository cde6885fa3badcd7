import {execFileSync, spawnSync} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {afterEach, beforeAll, describe, expect, onTestFinished, test, vi} from 'vitest';
import {hasReaper} from '../../../src/services/agents/reaped-tree.ts';
import {createAgentSpawner} from '../../../src/services/agents/spawn-agent.ts';
import {type AgentProcessSpec, AgentSpawnError} from '../../../src/services/contracts/agent-process.ts';
import {livenessOf} from '../../../src/services/system/process-identity.ts';
import {
  agentScript,
  buildController,
  expectGone,
  guardianOf,
  isStopped,
  markedPids,
  pidAfter,
  processState,
  startController,
  textOf,
  uniqueRunId,
} from '../../helpers/agent-processes.ts';
import {eventually} from '../../helpers/eventually.ts';
import {hitAtStart} from '../../helpers/hit-at-start.ts';
import {sharedFolder, temporaryFolder} from '../../helpers/temp-folder.ts';

const onLinux = process.platform === 'linux';
const spawner = createAgentSpawner();

type Options = {
  readonly file?: string;
  readonly args?: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
} & Partial<Pick<AgentProcessSpec, 'runId' | 'cwd' | 'stdoutFile' | 'onOutput'>>;

/** An agent that waits for its "go", with the lines it prints. Nothing of it outlives the test. */
async function hold({file = 'sh', args = [], stdin = '', env = {}, ...rest}: Options, by = spawner) {
  const folder = temporaryFolder();
  const lines: string[] = [];
  const spec: AgentProcessSpec = {
    runId: uniqueRunId(),
    command: {file, args, stdin, env},
    cwd: folder,
    stdoutFile: path.join(folder, 'run.stdout.log'),
    stderrFile: path.join(folder, 'run.stderr.log'),
    onLine: (line) => lines.push(line),
    ...rest,
  };
  const agent = await by.spawn(spec);
  onTestFinished(async () => {
    await agent.endEverything();
    expect(markedPids(spec.runId)).toEqual([]);
  });
  return {agent, lines, folder, spec};
}

async function start(options: Options) {
  const run = await hold(options);
  run.agent.go();
  return run;
}

/** The agent printed this line, so it got that far. */
const printed = (lines: readonly string[], line: string | RegExp) =>
  eventually(() => expect(lines).toContainEqual(expect.stringMatching(line)));

describe('starting', () => {
  test('returns lines, exit code, logs and tails, and passes the prompt on stdin', async () => {
    const {agent, lines, spec} = await start({
      args: ['-c', 'cat; echo; echo warning >&2; exit 7'],
      stdin: '--help\nwith ümlauts ✓',
    });

    expect(await agent.ended).toEqual({
      exitCode: 7,
      signal: null,
      stdout: '--help\nwith ümlauts ✓\n',
      stderr: 'warning\n',
      logTruncated: false,
      droppedLines: 0,
    });
    expect(lines).toEqual(['--help', 'with ümlauts ✓']);
    expect(readFileSync(spec.stdoutFile, 'utf8')).toBe('--help\nwith ümlauts ✓\n');
    expect(readFileSync(spec.stderrFile, 'utf8')).toBe('warning\n');
    expect(statSync(spec.stdoutFile).mode & 0o777).toBe(0o600);
    expect(await agent.endEverything()).toEqual({ended: 0, remaining: []});
  });

  test('holds the agent back until go, with a stable identity', async () => {
    const {agent, folder, lines} = await hold({args: ['-c', 'echo > ran; echo ready; exec sleep 1000']});
    expect(livenessOf(agent.identity)).toBe('alive');
    expect(textOf(path.join(folder, 'ran'))).toBe('');

    agent.go();
    agent.go();

    await printed(lines, 'ready');
    expect(livenessOf(agent.identity)).toBe('alive');
    expect(textOf(path.join(folder, 'ran'))).toBe('\n');
  });

  test.each([true, false])(
    'starts it again if a Ctrl+C ended it before it began (reaped: %s)',
    async (isReaped) => {
      const {start: startProcess, starts} = hitAtStart(2);
      const by = createAgentSpawner({isReaped: isReaped && hasReaper(), start: startProcess});
      const {agent, lines} = await hold({args: ['-c', 'cat'], stdin: 'the prompt\n'}, by);
      agent.go();
      expect(await agent.ended).toMatchObject({exitCode: 0, signal: null});
      expect(lines).toEqual(['the prompt']);
      expect(starts()).toBe(3);
    },
  );

  test('gives up if that happens every time', async () => {
    const {start: startProcess, starts} = hitAtStart(Number.POSITIVE_INFINITY);
    const by = createAgentSpawner({start: startProcess});
    const error = await hold({args: ['-c', 'true']}, by).catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(AgentSpawnError);
    expect(error).toMatchObject({message: expect.stringContaining('it ended before it began')});
    expect(starts()).toBe(3);
  });

  test.each(['bash', 'dash', 'zsh'].filter((shell) => existsSync(`/bin/${shell}`)))(
    'a command line waits for go and gets the whole prompt when sh is %s',
    async (shell) => {
      const sh = path.join(temporaryFolder(), 'sh');
      symlinkSync(`/bin/${shell}`, sh);
      const stdin = `first\n${'ä\\ \n'.repeat(100_000)}`;
      const {agent, spec} = await start({file: sh, args: ['-c', 'echo "$blackbird_go"; cat'], stdin});
      expect(await agent.ended).toMatchObject({exitCode: 0, signal: null});
      expect(readFileSync(spec.stdoutFile, 'utf8')).toBe(`go\n${stdin}`);

      const held = await hold({file: sh, args: ['-c', 'echo > ran']});
      await held.agent.endEverything();
      expect(textOf(path.join(held.folder, 'ran'))).toBe('');
    },
  );

  test.each(['echo 1\nno-such-program\n', ': \\\n 1\nno-such-program'])(
    'reports an error in a command line of several lines as if it were alone: %j',
    async (line) => {
      const alone = spawnSync('sh', ['-c', line], {encoding: 'utf8'});
      const {agent} = await start({args: ['-c', line]});
      expect((await agent.ended).stderr.replace(/^.*?sh:/, 'sh:')).toBe(alone.stderr);
    },
  );

  test('an agent that is ended before go never ran', async () => {
    const {agent, folder} = await hold({args: ['-c', 'echo > ran']});
    await agent.endEverything();
    agent.go();
    expect((await agent.ended).exitCode).not.toBe(0);
    expect(textOf(path.join(folder, 'ran'))).toBe('');
  });

  test.skipIf(!onLinux)('gives the agent its own session and none of our descriptors', async () => {
    const {agent, lines} = await start({args: ['-c', 'cat /proc/self/stat; ls /proc/self/fd']});
    await agent.ended;
    const [, , , , , session] = lines[0]?.split(' ') ?? [];
    expect(Number(session)).toBe(agent.identity.pid);
    const plainChild = execFileSync('ls', ['/proc/self/fd'], {encoding: 'utf8'});
    expect(lines.slice(1)).toEqual(plainChild.trim().split('\n'));
  });

  test('passes our environment on, without our own debug variables', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'key');
    vi.stubEnv('-i', 'no option');
    vi.stubEnv('dotted.name', 'kept');
    vi.stubEnv('BASH_FUNC_module%%', '() { :; }');
    vi.stubEnv('NODE_OPTIONS', '--inspect-brk=9229 --max-old-space-size=99');
    vi.stubEnv('BLACKBIRD_AGENT_DEBUG', '1');
    const {agent, lines, folder, spec} = await start({file: 'env', env: {EXTRA: 'a b'}});
    await agent.ended;

    expect(lines).toEqual(
      expect.arrayContaining([
        'ANTHROPIC_API_KEY=key',
        'dotted.name=kept',
        '-i=no option',
        'BASH_FUNC_module%%=() { :; }',
        'NODE_OPTIONS=--max-old-space-size=99',
        'EXTRA=a b',
        `PWD=${folder}`,
        `BLACKBIRD_RUN_ID=${spec.runId}`,
        expect.stringMatching(/^BLACKBIRD_WARD_OF=[0-9a-f]{16}$/),
      ]),
    );
    expect(lines.filter((line) => line.startsWith('BLACKBIRD_AGENT_DEBUG'))).toEqual([]);
  });

  test('a .env file in the project changes nothing', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, '.env'), 'CODEX_HOME=/hostile\n');
    const {agent, lines} = await start({file: 'env', cwd: folder});
    await agent.ended;
    expect(lines.filter((line) => line.includes('hostile'))).toEqual([]);
  });

  describe('that is impossible is refused before go, with the name of the executable', () => {
    test.each([
      {name: 'not on the PATH', options: {file: 'no-such-agent'}, reason: 'not_found'},
      {name: 'no such path', options: {file: './no-such-agent'}, reason: 'not_found'},
      {name: 'an empty PATH', options: {file: 'no-such-agent', env: {PATH: ''}}, reason: 'not_found'},
      {name: 'a file that may not be executed', options: {file: './plain-agent'}, reason: 'not_executable'},
      {name: 'a folder of that name', options: {file: './folder-agent/..'}, reason: 'not_found'},
      {name: 'no such directory', options: {file: 'sh', cwd: '/no/such/folder'}, reason: 'bad_cwd'},
      {name: 'one huge argument', options: {file: 'sh', args: ['x'.repeat(200_000)]}, reason: 'too_large'},
      {name: 'NUL in an argument', options: {file: 'sh', args: ['a\0b']}, reason: 'refused'},
      {name: 'a run id that is not a name', options: {file: 'sh', runId: 'a b:c\n'}, reason: 'refused'},
    ])('$name', async ({options, reason}) => {
      const folder = temporaryFolder();
      writeFileSync(path.join(folder, 'plain-agent'), '#!/bin/sh\n');
      const error = await hold({cwd: folder, ...options}).catch((caught: unknown) => caught);

      expect(error).toBeInstanceOf(AgentSpawnError);
      expect(error).toMatchObject({reason, message: expect.stringContaining(`start ${options.file}: `)});
    });
  });

  test('an agent that cannot be guarded is ended before go', async () => {
    const guardian = {
      name: '0123456789abcdef',
      watch: () => Promise.reject(new Error('no pipe')),
      forget: () => {},
    };
    const folder = temporaryFolder();
    const runId = uniqueRunId();
    const error = await createAgentSpawner({guardian})
      .spawn({
        runId,
        command: {file: 'sh', args: ['-c', 'echo > ran'], stdin: '', env: {}},
        cwd: folder,
        stdoutFile: path.join(folder, 'out'),
        stderrFile: path.join(folder, 'err'),
        onLine: () => {},
      })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(AgentSpawnError);
    expect(error).toMatchObject({
      reason: 'refused',
      message: 'Cannot start sh: it cannot be guarded: no pipe.',
    });
    expect([markedPids(runId), textOf(path.join(folder, 'ran'))]).toEqual([[], '']);
  });

  test('finds an executable as the shell would: the first on the PATH that may be executed', async () => {
    const folder = temporaryFolder();
    for (const name of ['a', 'b', 'c']) {
      mkdirSync(path.join(folder, name));
      writeFileSync(path.join(folder, name, 'agent'), `#!/bin/sh\necho ${name}\n`);
      if (name !== 'a') chmodSync(path.join(folder, name, 'agent'), 0o755);
    }
    const PATH = `${['a', 'b', 'c'].map((name) => path.join(folder, name)).join(':')}:${process.env.PATH}`;
    const {agent, lines} = await start({file: 'agent', env: {PATH}});
    await agent.ended;
    expect(lines).toEqual(['b']);
  });
});

describe('stdin', () => {
  test('of 5 MB is accepted', async () => {
    const {agent, lines} = await start({file: 'wc', args: ['-c'], stdin: 'x'.repeat(5_000_000)});
    expect((await agent.ended).exitCode).toBe(0);
    expect(lines.map(Number)).toEqual([5_000_000]);
  });

  test('need not be read by the agent', async () => {
    const {agent, lines} = await start({args: ['-c', 'echo done'], stdin: 'x'.repeat(5_000_000)});
    expect(await agent.ended).toMatchObject({exitCode: 0, signal: null});
    expect(lines).toEqual(['done']);
  });

  test('may be closed by an agent that keeps running', async () => {
    const {agent, lines, folder} = await start({
      args: ['-c', 'exec <&-; echo closed; while [ ! -e done ]; do sleep 0.01; done; echo done'],
      stdin: 'x'.repeat(5_000_000),
    });
    await printed(lines, 'closed');
    writeFileSync(path.join(folder, 'done'), '');
    expect(await agent.ended).toMatchObject({exitCode: 0});
    expect(lines).toEqual(['closed', 'done']);
  });

  test('never ends early: an agent that is killed while it reads does not act on half a prompt', async () => {
    const untilMayRead = 'while ((getline line <"may-read") < 0) close("may-read")';
    // Which one is faster is chance; five times in a row is not.
    for (let turn = 0; turn < 5; turn++) {
      const {agent, lines, folder} = await start({
        file: 'awk',
        args: [`NR == 1 {print "reading"; fflush(); ${untilMayRead}} END {print NR >"acted"}`],
        stdin: `${'x'.repeat(2_000)}\n`.repeat(2_500),
      });
      await printed(lines, 'reading');
      writeFileSync(path.join(folder, 'may-read'), '');
      await agent.endEverything();
      expect(textOf(path.join(folder, 'acted'))).toBe('');
    }
  });
});

describe('stopping', () => {
  test('SIGINT ends a cooperative agent, with its last output', async () => {
    const {agent, lines} = await start({args: [agentScript('polite.sh')]});
    await printed(lines, 'ready');
    agent.interrupt();
    expect(await agent.ended).toMatchObject({exitCode: 1, signal: null});
    expect(lines).toEqual(['ready', 'bye']);
  });

  test('an agent that ignores SIGINT survives it, and kill ends it', async () => {
    const {agent, lines} = await start({args: [agentScript('stubborn.sh')]});
    await printed(lines, 'ready');
    agent.interrupt();
    agent.interrupt();
    expect(livenessOf(agent.identity)).toBe('alive');
    agent.kill();
    expect(await agent.ended).toMatchObject({exitCode: null, signal: 'SIGKILL'});
  });

  test.skipIf(!onLinux)('kill reaches tools in other sessions and processes without a name', async () => {
    const {agent, lines} = await start({args: [agentScript('with-tools.sh'), 'stubborn']});
    await printed(lines, /^tool/);
    await printed(lines, /^nameless/);
    await printed(lines, /^agent/);
    const pids = ['tool', 'background', 'nameless', 'agent'].map((word) => pidAfter(word, lines.join('\n')));
    agent.kill();
    await agent.ended;
    await expectGone(pids);
  });

  test.skipIf(!onLinux)(
    'a tool without environment in its own session does not outlive a pause',
    async () => {
      const {agent, lines} = await start({
        args: ['-c', 'env -i setsid sleep 1000 & echo hidden $!; sleep 0.05; echo ready; wait'],
      });
      await printed(lines, 'ready');
      const pid = pidAfter('hidden', lines.join('\n'));
      agent.interrupt();
      await agent.ended;
      expect(processState(pid)).not.toBe(null);
      expect((await agent.endEverything()).remaining).toEqual([]);
      expect(processState(pid)).toBe(null);
    },
  );

  test.skipIf(!onLinux)('endEverything returns when nothing of the run is alive', async () => {
    const {agent, lines} = await start({args: [agentScript('with-tools.sh'), 'stubborn']});
    await printed(lines, /^tool/);
    await printed(lines, /^nameless/);
    const pids = ['tool', 'background', 'nameless'].map((word) => pidAfter(word, lines.join('\n')));
    const end = await agent.endEverything();
    expect(pids.map(processState)).toEqual([null, null, null]);
    expect(end.remaining).toEqual([]);
    expect(end.ended).toBeGreaterThanOrEqual(1);
    expect(await agent.ended).toMatchObject({signal: 'SIGKILL'});
  });

  test.skipIf(!onLinux)('a process that keeps starting its successor is caught', async () => {
    const {agent, lines} = await start({args: [agentScript('runaway.sh')]});
    await eventually(() => expect(lines.length).toBeGreaterThan(20));
    expect(await agent.endEverything()).toMatchObject({remaining: []});
  });

  test.skipIf(!onLinux)('success leaves no background process', async () => {
    const {agent, lines} = await start({args: [agentScript('leaves-child.sh')]});
    expect(await agent.ended).toMatchObject({exitCode: 0});
    const child = pidAfter('child', lines.join('\n'));
    expect(processState(child)).not.toBe(null);
    expect(await agent.endEverything()).toEqual({ended: 1, remaining: []});
    expect(processState(child)).toBe(null);
  });

  test('signals to an agent that is gone do nothing', async () => {
    const {agent} = await start({file: 'true'});
    await agent.ended;
    await agent.endEverything();
    for (const signal of ['interrupt', 'kill', 'suspend', 'wake', 'go'] as const) agent[signal]();
    expect(await agent.endEverything()).toEqual({ended: 0, remaining: []});
  });

  test('killAllSync ends every live agent, and nothing else', async () => {
    const runs = [await start({args: [agentScript('stubborn.sh')]}), await hold({file: 'true'})];
    const finished = await start({args: ['-c', 'exit 4']});
    await finished.agent.ended;
    spawner.killAllSync();
    const exits = await Promise.all(runs.map(({agent}) => agent.ended));
    expect(exits.map(({signal}) => signal)).toEqual(['SIGKILL', 'SIGKILL']);
    expect(await finished.agent.ended).toMatchObject({exitCode: 4});
  });
});

test.skipIf(!onLinux)(
  'a sweep ignores a process with the session id of a leader from another boot',
  async () => {
    const folder = temporaryFolder();
    const {pid, ...ended} = spawnSync('setsid', ['sh', '-c', 'sleep 1000 >/dev/null 2>&1 & echo $!'], {
      encoding: 'utf8',
      cwd: folder,
    });
    const bystander = Number(ended.stdout);
    onTestFinished(() => void process.kill(bystander, 'SIGKILL'));
    const [, , , , , session] = textOf(`/proc/${bystander}/stat`).split(' ');
    const leader = {pid: Number(session), startTime: '1', bootId: 'another', pidNamespace: 'pid:[1]'};
    expect(leader.pid).not.toBe(bystander);
    expect(await spawner.sweepRun(uniqueRunId(), leader)).toEqual({ended: 0, remaining: []});
    expect([processState(bystander), processState(pid)]).toEqual([expect.any(String), null]);
  },
);

describe.skipIf(!onLinux)('suspending', () => {
  test('stops the agent with its tools, and wake continues both', async () => {
    const {agent, lines} = await start({args: [agentScript('with-tools.sh')]});
    await printed(lines, /^tool/);
    await printed(lines, /^agent/);
    const pids = ['agent', 'tool'].map((word) => pidAfter(word, lines.join('\n')));

    agent.suspend();
    await eventually(() => expect(pids.map(isStopped)).toEqual([true, true]));
    agent.wake();
    await eventually(() => expect(pids.map(isStopped)).toEqual([false, false]));
    expect(pids.map(processState)).not.toContain(null);
  });

  test('a suspended agent can be interrupted', async () => {
    const {agent, lines, spec} = await start({args: [agentScript('polite.sh')]});
    await printed(lines, 'ready');
    agent.suspend();
    await eventually(() => expect(markedPids(spec.runId).every(isStopped)).toBe(true));
    agent.interrupt();
    expect(await agent.ended).toMatchObject({exitCode: 1});
    expect(lines).toEqual(['ready', 'bye']);
  });

  test('a suspended agent can be ended', async () => {
    const {agent, lines} = await start({args: [agentScript('polite.sh')]});
    await printed(lines, 'ready');
    agent.suspend();
    await agent.endEverything();
    expect(await agent.ended).toMatchObject({signal: 'SIGKILL'});
  });
});

describe('output', () => {
  test('a child that holds stdout open delays the exit by at most 500 ms', async () => {
    const {agent, lines} = await start({args: [agentScript('leaves-child.sh'), 'holding']});
    const begun = performance.now();
    expect(await agent.ended).toMatchObject({exitCode: 0});
    // The child would hold it for 1,000 s.
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(lines).toContain('result');
  });

  test('a child that never stops printing cannot keep the run open', async () => {
    const {agent} = await start({args: ['-c', 'yes & echo started']});
    expect(await agent.ended).toMatchObject({exitCode: 0});
    expect(await agent.endEverything()).toMatchObject({remaining: []});
  });

  test('a line of more than 1 MiB is counted, not delivered; it is in the log', async () => {
    const size = 1024 * 1024;
    const print = (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' x; echo`;
    const {agent, lines, spec} = await start({args: ['-c', `${print(size)}; ${print(size + 1)}; echo end`]});
    expect(await agent.ended).toMatchObject({droppedLines: 1});
    expect(lines.map((line) => line.length)).toEqual([size, 3]);
    expect(statSync(spec.stdoutFile).size).toBe(2 * size + 1 + 2 + 4);
  });

  test('both streams can be observed as they come', async () => {
    const seen: string[] = [];
    const {agent} = await start({
      args: ['-c', 'printf "o\\303"; printf "\\274\\n"; echo e >&2'],
      onOutput: (stream, text) => seen.push(`${stream}:${text}`),
    });
    await agent.ended;
    const joined = (stream: string) =>
      seen
        .filter((text) => text.startsWith(stream))
        .map((text) => text.slice(7))
        .join('');
    expect([joined('stdout'), joined('stderr')]).toEqual(['oü\n', 'e\n']);
  });

  test('a second segment is appended to the log', async () => {
    const folder = temporaryFolder();
    const stdoutFile = path.join(folder, 'log');
    for (const word of ['one', 'two']) {
      const {agent} = await start({args: ['-c', `echo ${word}`], stdoutFile});
      await agent.ended;
    }
    expect(readFileSync(stdoutFile, 'utf8')).toBe('one\ntwo\n');
  });

  test.skipIf(!onLinux)('a full disk truncates the log, not the run', async () => {
    const {agent, lines} = await start({args: ['-c', 'echo one; echo two'], stdoutFile: '/dev/full'});
    expect(await agent.ended).toMatchObject({exitCode: 0, signal: null, logTruncated: true, droppedLines: 0});
    expect(lines).toEqual(['one', 'two']);
  });

  test('a link in the place of the log is not followed', async () => {
    const folder = temporaryFolder();
    const victim = path.join(folder, 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, path.join(folder, 'log'));
    const {agent} = await start({args: ['-c', 'echo overwritten'], stdoutFile: path.join(folder, 'log')});
    expect(await agent.ended).toMatchObject({exitCode: 0, logTruncated: true});
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });
});

describe.skipIf(!onLinux)('when Blackbird itself ends', () => {
  const build = sharedFolder();
  let controller = '';
  beforeAll(async () => {
    controller = await buildController(build);
  });

  function control(mode: Parameters<typeof startController>[1]['mode'], ...args: string[]) {
    const folder = temporaryFolder();
    const runId = uniqueRunId();
    const started = startController(controller, {folder, runId, mode, command: {file: 'sh', args}});
    const text = (file: string) => textOf(path.join(folder, file));
    const said = (word: string) => eventually(() => pidAfter(word, text('lines')));
    const expectNoSurvivors = () => eventually(() => expect(markedPids(runId)).toEqual([]));
    return {...started, folder, runId, text, said, expectNoSurvivors};
  }

  test('by SIGKILL before go: the agent never ran', async () => {
    const {child, fact, text, expectNoSurvivors} = control('hold', '-c', 'echo > ran');
    await fact('recorded');
    child.kill('SIGKILL');
    await expectNoSurvivors();
    expect(text('ran')).toBe('');
  });

  test.each(['polite', 'stubborn'])('by SIGKILL: a %s agent ends, with its tools', async (kind) => {
    const {child, said, expectNoSurvivors} = control('once', agentScript('with-tools.sh'), kind);
    const pids = [await said('tool'), await said('background'), await said('nameless'), await said('agent')];
    child.kill('SIGKILL');
    await expectGone(pids);
    await expectNoSurvivors();
  });

  test('by SIGKILL: other runs stay, however similar their names', async () => {
    const {child, said, runId} = control('once', agentScript('with-tools.sh'));
    const tool = await said('tool');
    const {agent, lines} = await start({args: [agentScript('stubborn.sh')], runId: `${runId}-01`});
    await printed(lines, 'ready');
    const guardian = await guardianOf(child);
    child.kill('SIGKILL');
    await expectGone([tool, guardian]);
    expect(livenessOf(agent.identity)).toBe('alive');
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('by %s without a handler', async (signal) => {
    const {child, said, expectNoSurvivors} = control('once', agentScript('with-tools.sh'));
    await said('tool');
    child.kill(signal);
    await expectNoSurvivors();
  });

  test.each([
    ['throw', 'an uncaught error', 1],
    ['exit', 'process.exit', 3],
  ] as const)('by %s: %s', async (mode, _name, exitCode) => {
    const {exited, said, expectNoSurvivors} = control(mode, agentScript('with-tools.sh'), 'stubborn');
    expect(await exited).toBe(exitCode);
    await expectGone([await said('background'), await said('agent')]);
    await expectNoSurvivors();
  });

  test('by process.exit: its agent is killed at once, and has no time to react', async () => {
    const script = `trap 'echo > interrupted; exit 1' INT TERM HUP; echo agent $$; while :; do sleep 0.05; done`;
    const {exited, said, text, expectNoSurvivors} = control('exit', '-c', script);
    expect(await exited).toBe(3);
    await expectGone([await said('agent')]);
    await expectNoSurvivors();
    expect(text('interrupted')).toBe('');
  });

  test('while the agent is suspended', async () => {
    const {child, fact, said, expectNoSurvivors} = control('suspend', agentScript('with-tools.sh'));
    await fact('suspended');
    const agent = await said('agent');
    await eventually(() => expect(isStopped(agent)).toBe(true));
    child.kill('SIGKILL');
    await expectGone([agent]);
    await expectNoSurvivors();
  });

  test('after its guardian was lost and replaced', async () => {
    const {child, said, expectNoSurvivors} = control('once', agentScript('with-tools.sh'), 'stubborn');
    const tool = await said('tool');
    const first = await guardianOf(child);
    process.kill(first, 'SIGKILL');
    await guardianOf(child, first);
    child.kill('SIGKILL');
    await expectGone([tool]);
    await expectNoSurvivors();
  });

  test('together with its guardian: the next start sweeps what is left', async () => {
    const {child, said, fact, runId, expectNoSurvivors} = control(
      'once',
      agentScript('with-tools.sh'),
      'stubborn',
    );
    const tool = await said('tool');
    await said('nameless');
    const {recorded} = await fact('recorded');
    const guardian = await guardianOf(child);
    child.kill('SIGSTOP');
    // The reaper, if there is one, would end the rest before we have seen it.
    const leader = Number(recorded);
    process.kill(leader, 'SIGSTOP');
    onTestFinished(() => void (processState(leader) === null || process.kill(leader, 'SIGKILL')));
    process.kill(guardian, 'SIGKILL');
    child.kill('SIGKILL');
    await expectGone([guardian]);
    expect(processState(tool)).not.toBe(null);
    expect(processState(leader)).not.toBe(null);

    const {ended, remaining} = await spawner.sweepRun(`${runId}-0`);
    expect(ended).toBeGreaterThan(0);
    expect(remaining).toEqual([]);
    expect(processState(tool)).toBe(null);
    await expectNoSurvivors();
    expect(await spawner.sweepRun(`${runId}-0`)).toEqual({ended: 0, remaining: []});
  });

  test('the guardian ends too, and does not keep a finished Blackbird alive', async () => {
    const {child, exited, fact, folder} = control('once', '-c', 'while [ ! -e done ]; do sleep 0.01; done');
    const guardian = await guardianOf(child);
    writeFileSync(path.join(folder, 'done'), '');
    expect(await fact('exitCode')).toMatchObject({exitCode: 0, remaining: []});
    expect(await exited).toBe(0);
    await expectGone([guardian]);
  });

  test('inside another run: ending the outer run ends the inner agents', async () => {
    const inner = {folder: temporaryFolder(), runId: uniqueRunId(), mode: 'once'};
    const command = {file: 'sh', args: [agentScript('with-tools.sh'), 'stubborn']};
    const {agent} = await start({
      file: process.execPath,
      args: [controller, JSON.stringify({...inner, command})],
    });
    const lines = () => textOf(path.join(inner.folder, 'lines'));
    await eventually(() => pidAfter('tool', lines()));
    await agent.endEverything();
    await eventually(() => expect(markedPids(inner.runId)).toEqual([]));
  });

  test.each([
    {name: 'in lines', print: 'yes "some line of ordinary length" | head -c 209715200', dropped: 0},
    {name: 'without a line end', print: 'head -c 209715200 /dev/zero', dropped: 1},
  ])('200 MB of output $name take less than 150 MB of memory', async ({print, dropped}) => {
    const {fact} = control('measure', '-c', print);
    const {maxRss, ...exit} = await fact('exitCode');
    expect(exit).toMatchObject({exitCode: 0, logTruncated: false, droppedLines: dropped});
    expect(Number(maxRss)).toBeLessThan(150 * 1024 * 1024);
  });

  test('at 36 random moments: no process survives, no agent ran unrecorded', async () => {
    const kill = async (number: number) => {
      const script = `echo $$ $PPID >> ran; . ${agentScript('with-tools.sh')}`;
      // Every third agent ends by itself, so that kills hit all phases of a run.
      const body =
        number % 3 === 0 ? 'echo $$ $PPID >> ran; nohup setsid sleep 1000 >/dev/null 2>&1 & :' : script;
      const run = control(
        number % 3 === 0 ? 'again' : 'once',
        '-c',
        body,
        'agent',
        number % 2 ? 'stubborn' : '',
      );
      const delay = Math.random() * 150;
      await run.fact('begun');
      // Half of them are at work, however long that takes on a busy machine.
      if (number % 2 === 0) await eventually(() => expect(run.text('ran')).not.toBe(''));
      await new Promise((resolve) => setTimeout(resolve, delay));
      run.child.kill('SIGKILL');
      await run.exited;
      await run.expectNoSurvivors();
      const numbers = (file: string) => run.text(file).split('\n').filter(Boolean);
      // The agent, or the reaper above it.
      const unrecorded = numbers('ran').filter(
        (pids) => !pids.split(' ').some((pid) => numbers('recorded').includes(pid)),
      );
      expect(unrecorded, `killed after ${delay} ms`).toEqual([]);
      return numbers('ran').length;
    };
    let started = 0;
    for (let batch = 0; batch < 6; batch++) {
      const counts = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => kill(batch * 6 + index)));
      started += counts.filter((count) => count > 0).length;
    }
    expect(started).toBeGreaterThanOrEqual(18);
  });
});

afterEach(() => {
  vi.unstubAllEnvs();
});
