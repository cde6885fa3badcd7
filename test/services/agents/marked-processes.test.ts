import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {accessSync, constants, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {build} from 'esbuild';
import {afterEach, describe, expect, onTestFinished, test, vi} from 'vitest';
import {
  endRun,
  findRunProcesses,
  signalFound,
  signalRun,
} from '../../../src/services/agents/marked-processes.ts';
import {
  countForks,
  type ProcessTable,
  type RunTrace,
  readProcessTable,
  readPsTable,
  type TableRow,
} from '../../../src/services/agents/process-table.ts';
import {createAgentSpawner} from '../../../src/services/agents/spawn-agent.ts';
import {identifyProcess} from '../../../src/services/system/process-identity.ts';
import {
  agentScript,
  expectGone,
  pidAfter,
  processState,
  textOf,
  uniqueRunId,
} from '../../helpers/agent-processes.ts';
import {eventually} from '../../helpers/eventually.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const onLinux = process.platform === 'linux';

/** A process in its own session that has printed its first line, with the marker or without. */
async function run(script: string, env: NodeJS.ProcessEnv): Promise<{child: ChildProcess; pids: number[]}> {
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {PATH: process.env.PATH, ...env},
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const pids = () => text.trim().split(/\s+/).map(Number);
  // Each of them leads its own group.
  onTestFinished(() => {
    for (const pid of [child.pid ?? 0, ...pids()].filter((leader) => leader > 0)) killGroup(pid);
  });
  await eventually(() => expect(text).toContain('\n'));
  return {child, pids: pids()};
}

const waiting = 'echo $$; while :; do sleep 1000; done';
const pidsIn = (trace: RunTrace) => findRunProcesses(trace).found.map(({pid}) => pid);

test('a process that has taken over the pid since the scan gets no signal', async () => {
  const {child, pids} = await run(waiting, {});
  const pid = child.pid ?? 0;
  const startTime = identifyProcess(pid)?.startTime ?? '';
  expect(signalFound({pid, startTime: `${startTime}0`}, 'SIGKILL')).toBe('gone');
  expect(pids.map(processState)).not.toContain(null);
  expect(signalFound({pid, startTime}, 'SIGKILL')).toBe('sent');
  await expectGone(pids);
});

describe('finding', () => {
  test('a marked process with its children, in any session', async () => {
    const runId = uniqueRunId();
    const {pids} = await run(`setsid sh -c '${waiting}' & wait`, {BLACKBIRD_RUN_ID: runId});
    expect(pidsIn({runId})).toEqual(expect.arrayContaining(pids));
    await endRun({runId});
  });

  test.each([
    {name: 'a longer id', value: (id: string) => `${id}0`},
    {name: 'a shorter id', value: (id: string) => id.slice(0, -1)},
    {name: 'the id in another place', value: (id: string) => `x BLACKBIRD_RUN_ID=${id}`},
  ])('is exact: $name is another run', async ({value}) => {
    const runId = uniqueRunId();
    const {pids} = await run(waiting, {BLACKBIRD_RUN_ID: value(runId), OTHER: `${runId}`});
    expect(pidsIn({runId})).toEqual([]);
    expect(await endRun({runId})).toEqual({ended: 0, remaining: []});
    expect(pids.map(processState)).not.toContain(null);
  });

  test('a marker after 300 KB of environment', async () => {
    const runId = uniqueRunId();
    const padding = Object.fromEntries([1, 2, 3].map((number) => [`A${number}`, 'x'.repeat(100_000)]));
    const {pids} = await run(waiting, {...padding, BLACKBIRD_RUN_ID: runId});
    expect(pidsIn({runId})).toEqual(expect.arrayContaining(pids));
    await endRun({runId});
  });

  test.skipIf(!onLinux)(
    'a process that cleared its environment, while it shares a session or a parent',
    async () => {
      const runId = uniqueRunId();
      const nameless = `env -i /bin/sh -c 'echo $$; while :; do /bin/sleep 1000; done'`;
      const {pids} = await run(`setsid ${nameless} & wait`, {BLACKBIRD_RUN_ID: runId});
      expect(pidsIn({runId})).toEqual(expect.arrayContaining(pids));
      await endRun({runId});
      expect(pids.map(processState)).toEqual([null]);
    },
  );

  test.skipIf(!onLinux)(
    'a process between two programs is seen, or the scan counts as unstable',
    async () => {
      const runId = uniqueRunId();
      const forksBefore = countForks();
      // An older leader in another session makes the scans short, and helps to find nothing.
      const {child} = await run(waiting, {});
      const leader = identifyProcess(child.pid ?? 0) ?? undefined;
      const {pids} = await run(`exec sh ${agentScript('restless.sh')}`, {BLACKBIRD_RUN_ID: runId});

      const isCovered = () => {
        const {found, restless} = findRunProcesses({runId, leader, forksBefore});
        return restless.length > 0 || found.some(({pid}) => pid === pids[0]);
      };
      for (let look = 0; look < 1_000; look++) if (!isCovered()) expect.unreachable(`look ${look}`);
      expect(await endRun({runId})).toEqual({ended: 1, remaining: []});
    },
  );

  test('a marked process in our own session, and no other there', async () => {
    const runId = uniqueRunId();
    const start = (env: NodeJS.ProcessEnv) => {
      const child = spawn('sleep', ['1000'], {stdio: 'ignore', env: {PATH: process.env.PATH, ...env}});
      onTestFinished(() => void child.kill('SIGKILL'));
      return child.pid ?? 0;
    };
    const bystander = start({});
    const marked = start({BLACKBIRD_RUN_ID: runId});
    await eventually(() => expect(pidsIn({runId})).toContain(marked));
    expect([pidsIn({runId}), processState(bystander) !== null]).toEqual([[marked], true]);
  });

  test.skipIf(!onLinux)('not the guardian of a Blackbird that an agent started', async () => {
    const runId = uniqueRunId();
    const guardian = `env -i BLACKBIRD_GUARDIAN=1 /bin/sh -c 'echo $$; while :; do /bin/sleep 1000; done'`;
    const {child, pids} = await run(`${guardian} & wait`, {BLACKBIRD_RUN_ID: runId});
    expect(pidsIn({runId})).toEqual([child.pid]);
    await endRun({runId});
    expect(pids.map(processState)).not.toContain(null);
  });

  test.skipIf(!onLinux)('a live leader, although nothing was started after it', async () => {
    const runId = uniqueRunId();
    const {child} = await run('echo $$; exec sleep 1000', {BLACKBIRD_RUN_ID: runId});
    const leader = identifyProcess(child.pid ?? 0) ?? undefined;
    // Other programs start processes in the meantime: repeat until none did during the scan.
    await eventually(() => {
      const forks = countForks() ?? Number.NaN;
      const found = pidsIn({runId, leader, forksBefore: forks - 1});
      expect([countForks(), found]).toEqual([forks, [child.pid]]);
    });
    await endRun({runId});
  });

  test('never this process, even if it belongs to the run', async () => {
    const runId = uniqueRunId();
    vi.stubEnv('BLACKBIRD_RUN_ID', runId);
    const {child} = await run(waiting, {BLACKBIRD_RUN_ID: runId});
    expect(pidsIn({runId})).toEqual([]);
    expect(await endRun({runId})).toEqual({ended: 0, remaining: []});
    expect(processState(child.pid ?? 0)).not.toBe(null);
  });

  test('not a process that took over the pid of a leader', async () => {
    const {child} = await run(waiting, {});
    const identity = identifyProcess(child.pid ?? 0);
    if (!identity) throw new Error('the process is gone');
    const trace = {runId: uniqueRunId(), leader: {...identity, startTime: '1'}};
    expect(await endRun(trace)).toEqual({ended: 0, remaining: []});
    expect(processState(identity.pid)).not.toBe(null);

    expect(await endRun({...trace, leader: identity})).toMatchObject({remaining: []});
    expect(processState(identity.pid)).toBe(null);
  });

  test.skipIf(!onLinux)('with `ps` sees what /proc shows', async () => {
    const runId = uniqueRunId();
    const {pids} = await run(`setsid sh -c '${waiting}' & wait`, {BLACKBIRD_RUN_ID: runId});
    // It may be starting a child between the two looks.
    await eventually(() => {
      const fromPs = findRunProcesses({runId}, readPsTable).found.map(({pid}) => pid);
      expect(fromPs).toEqual(expect.arrayContaining(pids));
      expect(fromPs.toSorted()).toEqual(pidsIn({runId}).toSorted());
    });
    expect(findRunProcesses({runId: `${runId}0`}, readPsTable).found).toEqual([]);
    await endRun({runId});
  });

  test('with a `ps` that a Ctrl+C ended: it is asked again', () => {
    const folder = temporaryFolder();
    const hit = path.join(folder, 'hit');
    const script = `[ -e '${hit}' ] || { : >'${hit}'; kill -INT $$; }\necho "  42  1  42 S Thu Jan  1 00:00:00 1970 sh"`;
    writeFileSync(path.join(folder, 'ps'), `#!/bin/sh\n${script}\n`, {mode: 0o755});
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
    expect(readPsTable({runId: 'any'}).rows).toMatchObject([{pid: 42}]);
  });
});

describe('ending', () => {
  test('kills processes that ignore every other signal, and counts them', async () => {
    const runId = uniqueRunId();
    const {child} = await run(`trap '' INT TERM HUP; echo $$; exec sleep 1000`, {BLACKBIRD_RUN_ID: runId});
    expect(await endRun({runId})).toEqual({ended: 1, remaining: []});
    await expectGone([child.pid ?? 0]);
  });

  test('scans a second time after a kill: a scan is no snapshot, and misses processes started behind it', async () => {
    const runId = uniqueRunId();
    const {pids: victims} = await run(waiting, {BLACKBIRD_RUN_ID: runId});
    const {pids: newborns} = await run(waiting, {BLACKBIRD_RUN_ID: runId});
    const isNewborn = ({pid, parent}: TableRow) => newborns.includes(pid) || newborns.includes(parent);
    const looks: number[] = [];
    const readTable = (trace: RunTrace): ProcessTable => {
      const {rows} = readProcessTable(trace);
      const others = rows.filter((row) => !isNewborn(row));
      looks.push(others.filter(({mark}) => mark === 'run').length);
      // Missed while there are others, and in the first scan that finds none of them.
      const isMissed = looks.at(-1) !== 0 || looks.at(-2) !== 0;
      return {rows: isMissed ? others : rows, restless: []};
    };
    expect(await endRun({runId}, {readTable})).toMatchObject({remaining: []});
    expect([...victims, ...newborns].map(processState)).toEqual([null, null]);
  });

  test('waits for the killed processes, even when nothing identifies them any more', async () => {
    const runId = uniqueRunId();
    const hidden = `setsid env -i /bin/sh -c 'echo $$; exec /bin/sleep 1000'`;
    const {pids} = await run(`${hidden} & wait`, {BLACKBIRD_RUN_ID: runId});
    let looks = 0;
    let slow: TableRow | undefined;
    // Its parent is gone at once, and it remains for three more scans.
    const readTable = (trace: RunTrace): ProcessTable => {
      const {rows} = readProcessTable(trace);
      slow ??= rows.find(({pid}) => pids.includes(pid));
      const isThere = ++looks > 1 && looks < 5 && slow !== undefined;
      return {rows: isThere && slow ? [{...slow, parent: 1}] : rows, restless: []};
    };
    expect(await endRun({runId}, {readTable})).toEqual({ended: 2, remaining: []});
    expect(looks).toBeGreaterThan(5);
  });

  test('scans again when a process ended unseen, because it may have left a child', async () => {
    const runId = uniqueRunId();
    const {pids} = await run(waiting, {BLACKBIRD_RUN_ID: runId});
    let looks = 0;
    const readTable = (trace: RunTrace): ProcessTable =>
      ++looks === 1 ? {rows: [], restless: ['1234']} : {...readProcessTable(trace), restless: ['1234']};
    expect(await endRun({runId}, {readTable})).toMatchObject({remaining: []});
    expect(pids.map(processState)).toEqual([null]);
  });

  describe.skipIf(!onLinux)('with a leader that alone identifies some of its children,', () => {
    /** `hidden` was started behind the first scan, and only its parent identifies it. */
    async function startLed(script: string) {
      const runId = uniqueRunId();
      const hidden = `setsid env -i /bin/sh -c 'echo hidden $$; exec /bin/sleep 1000'`;
      const folder = temporaryFolder();
      const child = spawn('/bin/sh', ['-c', `${hidden} >hidden & ${script}`], {
        cwd: folder,
        detached: true,
        stdio: 'ignore',
        env: {PATH: process.env.PATH, BLACKBIRD_RUN_ID: runId},
      });
      onTestFinished(() => killGroup(child.pid ?? 0));
      const [pid, tool] = await eventually(() => [
        pidAfter('hidden', textOf(path.join(folder, 'hidden'))),
        pidAfter('tool', textOf(path.join(folder, 'tool'))),
      ]);
      onTestFinished(() => killGroup(pid ?? 0));
      const leader = identifyProcess(child.pid ?? 0);
      if (!leader) throw new Error('the leader is gone');
      let looks = 0;
      const readTable = (trace: RunTrace): ProcessTable => {
        const isFirst = ++looks === 1;
        // The leader has time to reach the state in which the first scan left it: stopped, or gone.
        for (let turn = 0; turn < 2_000 && !isFirst; turn++) {
          if (['T', null].includes(processState(leader.pid))) break;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
        }
        const {rows} = readProcessTable(trace);
        return {rows: isFirst ? rows.filter((row) => row.pid !== pid) : rows, restless: []};
      };
      return {end: () => endRun({runId, leader}, {readTable}), pids: [leader.pid, pid, tool].map(Number)};
    }

    test.each([
      {name: 'one that would stay', script: '(echo tool $$; exec sleep 1000) >tool & wait'},
      {
        name: 'one that exits with its tool',
        script: 'setsid sh -c "echo tool \\$\\$; exec sleep 1000" >tool',
      },
    ])('ends it last: $name', async ({script}) => {
      const {end, pids} = await startLed(script);
      expect(await end()).toEqual({ended: 3, remaining: []});
      expect(pids.map(processState)).toEqual([null, null, null]);
    });
  });

  test('kills a stopped process', async () => {
    const runId = uniqueRunId();
    const {child} = await run('echo $$; exec sleep 1000', {BLACKBIRD_RUN_ID: runId});
    signalRun({runId}, 'SIGSTOP');
    await eventually(() => expect(processState(child.pid ?? 0)).toBe('T'));
    expect(await endRun({runId})).toEqual({ended: 1, remaining: []});
  });

  const isRoot = onLinux && process.getuid?.() === 0;
  test.skipIf(!isRoot)('reports processes it may not kill, without waiting for them', async () => {
    const runId = uniqueRunId();
    const {child} = await run('echo $$; exec sleep 1000', {BLACKBIRD_RUN_ID: runId});
    const leader = identifyProcess(child.pid ?? 0);
    const {outputFiles} = await build({
      stdin: {
        contents: `import {endRun} from './src/services/agents/marked-processes.ts';
          console.log(JSON.stringify(await endRun(${JSON.stringify({runId, leader})})));`,
        resolveDir: path.resolve(import.meta.dirname, '../../..'),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
    });
    const begun = performance.now();
    const asNobody = execFileSync(
      process.execPath,
      ['--input-type=module', '-e', outputFiles[0]?.text ?? ''],
      {
        uid: 65_534,
        gid: 65_534,
        cwd: '/',
        encoding: 'utf8',
      },
    );
    expect(JSON.parse(asNobody)).toEqual({ended: 0, remaining: [child.pid]});
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(await endRun({runId})).toEqual({ended: 1, remaining: []});
  });

  test('of many runs at once each ends its own', async () => {
    const runIds = Array.from({length: 5}, uniqueRunId);
    const started = await Promise.all(runIds.map((runId) => run(waiting, {BLACKBIRD_RUN_ID: runId})));
    const pids = started.map(({child}) => child.pid ?? 0);
    const [first = ''] = runIds;
    await endRun({runId: first});
    expect(pids.map((pid) => processState(pid) === null)).toEqual([true, false, false, false, false]);
    await Promise.all(runIds.map((runId) => endRun({runId})));
    expect(pids.map((pid) => processState(pid))).toEqual([null, null, null, null, null]);
  });
});

const lastPid = '/proc/sys/kernel/ns_last_pid';
test.skipIf(!isWritable(lastPid))('pids that wrapped around during a run hide nothing', async () => {
  const highest = Number(readFileSync('/proc/sys/kernel/pid_max', 'latin1'));
  // Other programs may take pids in the meantime: repeat until the agent is at the top and its children at the bottom.
  for (let hasWrapped = false; !hasWrapped; ) hasWrapped = await runsAround(highest);
});

async function runsAround(highest: number): Promise<boolean> {
  const spawner = createAgentSpawner();
  const folder = temporaryFolder();
  const runId = uniqueRunId();
  const lines: string[] = [];
  // The kernel hands out the next pids from here, then starts again at the bottom.
  writeFileSync(lastPid, String(highest - 6));
  const agent = await spawner.spawn({
    runId,
    command: {
      file: 'sh',
      args: ['-c', `for _ in 1 2 3 4 5 6; do setsid sh -c '${waiting}' & done; wait`],
      stdin: '',
      env: {},
    },
    cwd: folder,
    stdoutFile: `${folder}/out`,
    stderrFile: `${folder}/err`,
    onLine: (line) => lines.push(line),
  });
  agent.go();
  await eventually(() => expect(lines).toHaveLength(6));
  const pids = lines.map(Number);
  expect(await agent.endEverything()).toMatchObject({remaining: []});
  expect(pids.map(processState)).toEqual(pids.map(() => null));
  return pids.some((pid) => pid < agent.identity.pid);
}

test.skipIf(!onLinux)('forks are counted', () => {
  const before = countForks() ?? Number.NaN;
  execFileSync('true');
  expect(countForks()).toBeGreaterThan(before);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The test has ended it.
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
