import {spawn, spawnSync} from 'node:child_process';
import {readdirSync, readlinkSync, realpathSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {build} from 'esbuild';
import {beforeAll, describe, expect, onTestFinished, test, vi} from 'vitest';
import {createGuardian} from '../../../src/services/agents/guardian.ts';
import {guardianScript, heldBack} from '../../../src/services/agents/launcher.ts';
import {hasReaper} from '../../../src/services/agents/reaped-tree.ts';
import {createAgentSpawner} from '../../../src/services/agents/spawn-agent.ts';
import {identifyProcess} from '../../../src/services/system/process-identity.ts';
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

async function start(
  args: readonly string[],
  {isReaped, env = {}}: {isReaped: boolean; env?: Record<string, string>},
) {
  const folder = temporaryFolder();
  const lines: string[] = [];
  const runId = uniqueRunId();
  const agent = await createAgentSpawner({isReaped}).spawn({
    runId,
    command: {file: 'sh', args, stdin: '', env},
    cwd: folder,
    stdoutFile: path.join(folder, 'stdout.log'),
    stderrFile: path.join(folder, 'stderr.log'),
    onLine: (line) => lines.push(line),
  });
  onTestFinished(async () => {
    await agent.endEverything();
    expect(markedPids(runId)).toEqual([]);
  });
  agent.go();
  const printed = (line: string) => eventually(() => expect(lines).toContain(line));
  return {agent, folder, lines, printed, runId};
}

/** Processes hidden from everything but their reaper. */
const detachedPids = (folder: string) =>
  textOf(path.join(folder, 'detached')).split('\n').filter(Boolean).map(Number);
const living = (pids: readonly number[]) => pids.filter((pid) => processState(pid) !== null);
/** Everything that was started there and is alive, whether it reported itself or not. */
const processesIn = (folder: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
    } catch {
      return false;
    }
  });

test.each([
  {name: 'a line of sh', file: '/bin/sh', args: ['-c', 'echo ran']},
  {name: 'several lines of sh', file: '/bin/sh', args: ['-c', 'echo ran\necho again']},
  {name: 'a program', file: '/bin/echo', args: ['ran']},
])('$name never runs when the "go" does not come, or not whole', ({file, args}) => {
  const launcher = heldBack(file, args, {PATH: '/usr/bin:/bin'});
  const given = (input: string) => {
    const {status, stdout} = spawnSync(launcher.file, launcher.args, {input, env: launcher.env});
    return [status, String(stdout).split('\n')[0]];
  };
  expect(['', 'go', 'go\n'].map(given)).toEqual([
    [125, ''],
    [125, ''],
    [0, 'ran'],
  ]);
});

describe
  .skipIf(process.platform !== 'linux')
  .each([true, false].filter((isReaped) => !isReaped || hasReaper()))(
  'when Blackbird dies, and there is a reaper: %s,',
  (isReaped) => {
    const build = sharedFolder();
    let controller = '';
    beforeAll(async () => {
      controller = await buildController(build);
    });

    test('its agent is interrupted before it is killed', async () => {
      const folder = temporaryFolder();
      const script = `trap 'echo > asked; exit 1' INT; echo agent $$; while :; do sleep 0.05; done`;
      const command = {file: 'sh', args: ['-c', script]};
      const {child} = startController(controller, {
        folder,
        runId: uniqueRunId(),
        mode: 'once',
        command,
        isReaped,
      });
      const agent = await eventually(() => pidAfter('agent', textOf(path.join(folder, 'lines'))));
      child.kill('SIGKILL');
      await expectGone([agent]);
      expect(textOf(path.join(folder, 'asked'))).toBe('\n');
    });
  },
);

describe.skipIf(!hasReaper())(
  'below a reaper, a tool that cleared its environment, session and parent',
  () => {
    const isReaped = true;

    test('does not outlive a pause', async () => {
      const {agent, folder, printed} = await start([agentScript('detached.sh'), 'wait'], {isReaped});
      await printed('ready');
      agent.interrupt();
      expect(await agent.ended).toMatchObject({signal: 'SIGINT'});
      expect(living(detachedPids(folder))).toHaveLength(1);
      expect(await agent.endEverything()).toEqual({ended: 1, remaining: []});
      expect(living(detachedPids(folder))).toEqual([]);
    });

    test('does not outlive a success', async () => {
      const {agent, folder} = await start([agentScript('detached.sh'), 'exit'], {isReaped});
      expect(await agent.ended).toMatchObject({exitCode: 0, signal: null});
      expect(living(detachedPids(folder))).toHaveLength(1);
      expect(await agent.endEverything()).toEqual({ended: 1, remaining: []});
      expect(living(detachedPids(folder))).toEqual([]);
    });

    test.each(['interrupt', 'kill'] as const)('started a moment before it: 10 times %s', async (order) => {
      for (let round = 0; round < 10; round++) {
        const {agent, folder} = await start([agentScript('detached.sh'), 'again'], {isReaped});
        await eventually(() => expect(detachedPids(folder).length).toBeGreaterThan(round));
        agent[order]();
        await agent.ended;
        expect(await agent.endEverything()).toMatchObject({remaining: []});
        expect(processesIn(folder)).toEqual([]);
      }
    });

    test('does not outlive an agent that killed its reaper, nor does the agent', async () => {
      const {agent, lines} = await start(
        [
          '-c',
          'echo agent $$; nohup setsid sleep 1000 >/dev/null 2>&1 & echo tool $!; kill -KILL $PPID; sleep 1000',
        ],
        {isReaped},
      );
      expect(await agent.ended).toMatchObject({signal: 'SIGKILL'});
      await expectGone([pidAfter('agent', lines.join('\n'))]);
      expect(await agent.endEverything()).toMatchObject({remaining: []});
      expect(living(['agent', 'tool'].map((word) => pidAfter(word, lines.join('\n'))))).toEqual([]);
    });

    describe('nothing outlives', () => {
      const build = sharedFolder();
      let controller = '';
      beforeAll(async () => {
        controller = await buildController(build);
      });

      test.each([
        {victims: 'Blackbird', isGuardianKilled: false},
        {victims: 'Blackbird and its guardian', isGuardianKilled: true},
      ])('$victims, at five moments', async ({isGuardianKilled}) => {
        for (let round = 0; round < 5; round++) {
          const folder = temporaryFolder();
          const {child} = startController(controller, {
            folder,
            runId: uniqueRunId(),
            mode: 'once',
            command: {file: 'sh', args: [agentScript('detached.sh'), round % 2 === 0 ? 'wait' : 'again']},
          });
          await eventually(() =>
            expect(detachedPids(folder).length).toBeGreaterThan(round % 2 === 0 ? 0 : round),
          );
          if (isGuardianKilled) {
            const guardian = await guardianOf(child);
            child.kill('SIGSTOP');
            process.kill(guardian, 'SIGKILL');
          }
          child.kill('SIGKILL');
          await eventually(() => expect(processesIn(folder)).toEqual([]));
        }
      });

      test('a Blackbird that lost its guardian', async () => {
        const folder = temporaryFolder();
        const {child, fact} = startController(controller, {
          folder,
          runId: uniqueRunId(),
          mode: 'once',
          command: {file: 'sh', args: [agentScript('detached.sh'), 'exit']},
        });
        process.kill(await guardianOf(child), 'SIGKILL');
        expect(await fact('exitCode')).toMatchObject({exitCode: 0, ended: 1, remaining: []});
        expect(living(detachedPids(folder))).toEqual([]);
      });
    });

    test('the reaper stays awake while its agent is suspended: it must notice when Blackbird dies', async () => {
      const {agent, printed} = await start([agentScript('polite.sh')], {isReaped});
      await printed('ready');
      agent.suspend();
      await eventually(() => expect(isStopped(agent.identity.pid)).toBe(false));
    });

    test.each([
      {name: 'without a locale', env: {}},
      {
        name: 'with variables that perl would obey',
        env: {LC_ALL: 'xx_XX.none', PERL5OPT: '-Mno::such::module', PERL_UNICODE: 'SDA'},
      },
    ])("the reaper keeps the agent's environment as it was, $name", async ({env}) => {
      vi.stubEnv('LC_ALL', undefined);
      onTestFinished(() => void vi.unstubAllEnvs());
      const print = 'env | grep -E "^(PERL|LC_ALL|BLACKBIRD_RUN)" | sort';
      const {agent, lines, runId} = await start(['-c', print], {isReaped, env});
      expect(await agent.ended).toMatchObject({exitCode: 0, stderr: ''});
      const expected = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      expect(lines).toEqual([`BLACKBIRD_RUN_ID=${runId}`, ...expected]);
    });

    test.each([
      {script: 'exit 7', exit: {exitCode: 7, signal: null}},
      {script: 'exit 255', exit: {exitCode: 255, signal: null}},
      {script: 'kill -TERM $$', exit: {exitCode: null, signal: 'SIGTERM'}},
      {script: 'kill -KILL $$', exit: {exitCode: null, signal: 'SIGKILL'}},
    ])('the reaper reports how the agent ended: $script', async ({script, exit}) => {
      const {agent} = await start(['-c', script], {isReaped});
      expect(await agent.ended).toMatchObject(exit);
      expect(await agent.endEverything()).toEqual({ended: 0, remaining: []});
    });
  },
);

describe.skipIf(process.platform !== 'linux')('a guardian', () => {
  /** A process in its own group, like an agent. */
  const startWard = () => {
    const {pid = 0} = spawn('sleep', ['1000'], {detached: true, stdio: 'ignore'});
    onTestFinished(() => {
      if (processState(pid) !== null) process.kill(pid, 'SIGKILL');
    });
    const leader = identifyProcess(pid);
    if (leader === null) throw new Error('sleep did not start');
    return {leader, isReaped: false};
  };

  test('leaves alone the processes it was told to forget, and so does its replacement', async () => {
    const folder = temporaryFolder();
    const outfile = path.join(folder, 'guardian.mjs');
    const source = path.resolve(import.meta.dirname, '../../../src/services/agents/guardian.ts');
    await build({
      entryPoints: [source],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
    });
    const [ward, kept] = [startWard(), startWard()];
    writeFileSync(
      path.join(folder, 'blackbird.mjs'),
      `import {createGuardian} from './guardian.mjs';
       const guardian = createGuardian();
       const [ward, kept] = ${JSON.stringify([ward, kept])};
       await guardian.watch(ward);
       guardian.forget(ward);
       if (process.argv[2] === 'replaced') await guardian.watch(kept);
       process.stdout.write('forgotten');
       setInterval(() => {}, 1_000);`,
    );
    for (const isReplaced of [false, true]) {
      const args = [path.join(folder, 'blackbird.mjs'), isReplaced ? 'replaced' : ''];
      const child = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'inherit']});
      onTestFinished(() => void child.kill('SIGKILL'));
      await new Promise((resolve) => child.stdout.once('data', resolve));
      let guardian = await guardianOf(child);
      if (isReplaced) {
        process.kill(guardian, 'SIGKILL');
        guardian = await guardianOf(child, guardian);
      }
      child.kill('SIGKILL');
      await expectGone([guardian]);
      expect(processState(ward.leader.pid)).toBe('S');
    }
    expect(processState(kept.leader.pid)).toBeNull();
  });

  test('that died unnoticed is replaced by the next agent', async () => {
    const guardiansHere = () =>
      textOf(`/proc/${process.pid}/task/${process.pid}/children`)
        .trim()
        .split(' ')
        .map(Number)
        .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes('guardian'));
    const others = guardiansHere();
    const own = () => guardiansHere().filter((pid) => !others.includes(pid));
    const guardian = createGuardian();
    const [first, second] = [startWard(), startWard()];
    await guardian.watch(first);
    onTestFinished(() => [first, second].forEach(guardian.forget));
    const [pid = 0] = own();
    process.kill(pid, 'SIGKILL');
    // It is gone before this process, which is busy in the meantime, hears of it.
    while (processState(pid) !== null) textOf('/proc/self/stat');
    await guardian.watch(second);
    const [next = 0, ...more] = own();
    expect(more).toEqual([]);
    expect(next).not.toBe(pid);
    // It knew its wards before anything was written to it: this process could die right after starting it.
    expect(textOf(`/proc/${next}/cmdline`)).toContain(`alone:${first.leader.pid}:`);
  });

  test('that a Ctrl+C ended at its start is replaced at once', async () => {
    const {start, starts} = hitAtStart(2);
    const guardian = createGuardian({start});
    const ward = startWard();
    await guardian.watch(ward);
    onTestFinished(() => guardian.forget(ward));
    expect(starts()).toBe(3);
  });

  test('ends the wards it was started with, even if nobody tells it of any', async () => {
    const {leader} = startWard();
    const ward = `alone:${leader.pid}:${leader.startTime}:nobody`;
    spawnSync('/bin/sh', ['-c', guardianScript, 'blackbird-guardian', ward], {stdio: 'ignore'});
    await expectGone([leader.pid]);
  });
});

describe.skipIf(process.platform !== 'linux')('without a reaper', () => {
  const isReaped = false;

  test('a tool in its own session does not outlive a success', async () => {
    const {agent, lines} = await start([agentScript('leaves-child.sh')], {isReaped});
    expect(await agent.ended).toMatchObject({exitCode: 0});
    expect(await agent.endEverything()).toEqual({ended: 1, remaining: []});
    expect(living([pidAfter('child', lines.join('\n'))])).toEqual([]);
  });

  test('a process that cannot be killed is reported, and killed by the next attempt', async () => {
    const {agent, printed} = await start([agentScript('stubborn.sh')], {isReaped});
    await printed('ready');
    const refusal = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), {code: 'EPERM'});
    });
    const {remaining} = await agent.endEverything().finally(() => refusal.mockRestore());
    expect(remaining).toContain(agent.identity.pid);
    expect(await agent.endEverything()).toMatchObject({remaining: []});
    expect(processState(agent.identity.pid)).toBeNull();
  });

  test('kill reaches tools in other sessions', async () => {
    const {agent, lines, printed} = await start([agentScript('with-tools.sh'), 'stubborn'], {isReaped});
    await eventually(() => ['tool', 'nameless', 'agent'].map((word) => pidAfter(word, lines.join('\n'))));
    await printed(`agent ${agent.identity.pid}`);
    agent.kill();
    expect(await agent.ended).toMatchObject({signal: 'SIGKILL'});
    await expectGone(['tool', 'background', 'nameless'].map((word) => pidAfter(word, lines.join('\n'))));
  });

  test('a tool that hides is ended if its parent was seen', async () => {
    vi.useFakeTimers({toFake: ['setInterval']});
    onTestFinished(() => void vi.useRealTimers());
    const parent = `setsid env -i /bin/sh -c '/bin/sleep 1000 >/dev/null 2>&1 & echo hidden $!; while [ ! -e done ]; do /bin/sleep 0.01; done'`;
    const {agent, lines, folder} = await start(['-c', `${parent}; echo left`], {isReaped});
    const hidden = await eventually(() => pidAfter('hidden', lines.join('\n')));
    vi.advanceTimersByTime(1_000);
    writeFileSync(path.join(folder, 'done'), '');
    expect(await agent.ended).toMatchObject({exitCode: 0});
    expect(living([hidden])).toEqual([hidden]);
    expect(await agent.endEverything()).toEqual({ended: 1, remaining: []});
    expect(living([hidden])).toEqual([]);
  });

  describe('when Blackbird dies', () => {
    const build = sharedFolder();
    let controller = '';
    beforeAll(async () => {
      controller = await buildController(build);
    });

    test.each([
      {guardian: 'the guardian it started', isReplaced: false, signals: []},
      {
        guardian: 'a guardian that was asked to go itself',
        isReplaced: false,
        signals: ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const,
      },
      {guardian: 'the one that took the place of a guardian it lost', isReplaced: true, signals: []},
    ])('its agent and tools are ended by $guardian', async ({isReplaced, signals}) => {
      const folder = temporaryFolder();
      const {child} = startController(controller, {
        folder,
        runId: uniqueRunId(),
        mode: 'once',
        command: {file: 'sh', args: [agentScript('with-tools.sh'), 'stubborn']},
        isReaped,
      });
      const pids = await eventually(() => {
        const text = textOf(path.join(folder, 'lines'));
        return ['tool', 'background', 'nameless', 'agent'].map((word) => pidAfter(word, text));
      });
      for (const signal of signals) process.kill(await guardianOf(child), signal);
      if (isReplaced) {
        const first = await guardianOf(child);
        process.kill(first, 'SIGKILL');
        await guardianOf(child, first);
      }
      child.kill('SIGKILL');
      await expectGone(pids);
    });
  });
});
