import {spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {text} from 'node:stream/consumers';
import {describe, expect, test} from 'vitest';
import {createHookRunner} from '../../../src/services/system/hook-runner.ts';
import {awakeProgram, createKeepAwake} from '../../../src/services/system/keep-awake.ts';
import {processState} from '../../helpers/agent-processes.ts';
import {bundleWorker} from '../../helpers/bundle-worker.ts';
import {eventually} from '../../helpers/eventually.ts';
import {hitAtStart} from '../../helpers/hit-at-start.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const env = {PATH: process.env.PATH};

describe('a hook command', () => {
  test('gets one JSON object on stdin, in the project folder', async () => {
    const cwd = temporaryFolder();
    const hooks = createHookRunner({cwd, env});
    expect(await hooks.run('cat > told.json; echo noise', {task_id: "it's; rm -rf $HOME"})).toBeNull();
    expect(readFileSync(path.join(cwd, 'told.json'), 'utf8')).toBe('{"task_id":"it\'s; rm -rf $HOME"}\n');
  });

  test.each([
    {command: 'echo first >&2; echo no route >&2; exit 3', problem: 'exit code 3: no route'},
    {command: 'exit 1', problem: 'exit code 1'},
    {command: 'kill -TERM $$', problem: 'it was ended by SIGTERM'},
    {command: 'exec 0<&-; exit 0', problem: null},
  ])('$command: $problem', async ({command, problem}) => {
    const hooks = createHookRunner({cwd: temporaryFolder(), env});
    expect(await hooks.run(command, {text: 'x'.repeat(1_000_000)})).toBe(problem);
  });

  test('runs once although a Ctrl+C ends it before it ran', async () => {
    const cwd = temporaryFolder();
    const hooks = createHookRunner({cwd, env, start: hitAtStart(2).start});
    expect(await hooks.run('cat >> told.json', {task_id: 'a'})).toBeNull();
    expect(readFileSync(path.join(cwd, 'told.json'), 'utf8')).toBe('{"task_id":"a"}\n');
  });

  test('is not repeated when it ran, whatever ended it', async () => {
    const cwd = temporaryFolder();
    const hooks = createHookRunner({cwd, env});
    expect(await hooks.run('echo >> ran; read -r line; kill -INT $$', {})).toBe('it was ended by SIGINT');
    expect(readFileSync(path.join(cwd, 'ran'), 'utf8')).toBe('\n');
  });

  test('is ended at its time limit, with what it started', async () => {
    const cwd = temporaryFolder();
    const hooks = createHookRunner({cwd, env, timeLimitMs: 2_000});
    expect(await hooks.run('sleep 1000 & echo $! > child; wait', {})).toBe('it took longer than 2 s');
    const child = Number(readFileSync(path.join(cwd, 'child'), 'utf8'));
    await eventually(() => expect(processState(child)).toBeNull());
  });

  test('is ended when it is no longer waited for', async () => {
    const cwd = temporaryFolder();
    const hooks = createHookRunner({cwd, env});
    const ended = hooks.run('echo > started; sleep 1000', {});
    await eventually(() => readFileSync(path.join(cwd, 'started')));
    hooks.stop();
    expect(await ended).toBe('it was ended by SIGKILL');
  });
});

describe('the machine is kept awake', () => {
  test('by the program of the system, until released', async () => {
    const folder = temporaryFolder();
    writeFileSync(
      path.join(folder, 'systemd-inhibit'),
      `#!/bin/sh\necho "$$ $*" > '${folder}/called'\nfor last; do :; done\nexec "$last"\n`,
      {mode: 0o755},
    );
    const release = createKeepAwake({PATH: `${folder}:${process.env.PATH}`})();
    const [pid = '', ...args] = await eventually(() => {
      const words = readFileSync(path.join(folder, 'called'), 'utf8').trim().split(' ');
      expect(words.length).toBeGreaterThan(1);
      return words;
    });
    expect(args.join(' ')).toBe(
      '--what=idle:sleep --who=Blackbird --why=A plan is being executed --mode=block cat',
    );
    expect(processState(Number(pid))).not.toBeNull();
    release();
    await eventually(() => expect(processState(Number(pid))).toBeNull());
  });

  test('by nothing when there is none', () => {
    expect(awakeProgram({PATH: temporaryFolder()})).toBeNull();
    createKeepAwake({PATH: temporaryFolder()})()();
  });
});

test('when no more files can be opened, programs that cannot be started are reported, and nothing waits', async () => {
  const folder = temporaryFolder();
  const worker = await bundleWorker('helpers/workers/no-files.worker.ts', folder);
  writeFileSync(path.join(folder, 'systemd-inhibit'), '#!/bin/sh\n', {mode: 0o755});
  const limited = 'ulimit -n 64; exec "$0" "$1"';
  // In its own group: a signal to an unused pid goes to the whole group.
  const {stdout, stderr} = spawn('sh', ['-c', limited, process.execPath, worker], {
    env: {PATH: `${folder}:${process.env.PATH}`},
    detached: true,
  });
  const [told, complaints] = await Promise.all([text(stdout), text(stderr)]);
  expect({complaints, told: told && JSON.parse(told)}).toEqual({
    complaints: '',
    told: {
      hook: 'spawn sh EMFILE',
      program: {type: 'failed', reason: 'spawn /bin/true EMFILE'},
      guardian: 'no pipe to it could be opened',
    },
  });
});
