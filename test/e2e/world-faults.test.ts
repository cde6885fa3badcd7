import {execFileSync, spawnSync} from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {systemErrorCode} from '../../src/services/contracts/errors.ts';
import {builtCli} from '../helpers/built-cli.ts';
import {demo, type EngineProject, engineProject} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {canMount, mountTmpfs, remount} from '../helpers/mounts.ts';
import {planOf, task} from '../helpers/plans.ts';

// The built program in an environment that fails: it says what is wrong and what to do, starts nothing and loses
// nothing, and once the environment is repaired everything continues.

const twoTasks = planOf(
  task('a', {prompt: demo('write a.txt done')}),
  task('b', {deps: ['a'], prompt: demo('write b.txt done')}),
);
const oneTask = planOf(task('a', {prompt: demo('write a.txt done')}));
const stateOf = (project: EngineProject) => path.join(project.folder, '.blackbird');

/** An agent that works until the test releases it, so that no test depends on how long something takes. */
const patientAgent = {
  BLACKBIRD_AGENT_CMD: 'cat >/dev/null; touch started; until [ -e go ]; do sleep 0.05; done',
};
const untilStarted = (project: EngineProject) =>
  eventually(() => expect(existsSync(path.join(project.folder, 'started'))).toBe(true));
const letGo = (project: EngineProject) => writeFileSync(path.join(project.folder, 'go'), '');

const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups'];

function canBeNobody(): boolean {
  const args = [...nobody, process.execPath, '--version'];
  return process.getuid?.() === 0 && spawnSync('setpriv', args, {cwd: '/'}).status === 0;
}

type Refusal = {readonly code: string; readonly says: string; readonly next: string};

/** Refused by name, with the next command; the plan is unchanged and no agent was started. */
async function expectRefusal(project: EngineProject, {code, says, next}: Refusal): Promise<void> {
  const before = project.planText();
  const {code: exitCode, err} = await project.run(['execute', '--json']);
  const {error} = JSON.parse(err.trim().split('\n').at(-1) ?? '');
  expect({exitCode, code: error.code}).toEqual({exitCode: 1, code});
  expect(error.message).toContain(says);
  expect(error.next[0]?.command).toContain(next);
  expect(project.planText()).toBe(before);
  expect({a: existsSync(path.join(project.folder, 'a.txt')), agents: project.agents()}).toEqual({
    a: false,
    agents: [],
  });
}

/** A script in place of Claude Code does not mind root. */
const standInClaude = {agent: 'claude', env: {IS_SANDBOX: '1'}} as const;

async function expectAllDone(project: EngineProject): Promise<void> {
  expect(await project.run(['execute'])).toMatchObject({code: 0});
  expect(new Set(Object.values(project.statuses()))).toEqual(new Set(['done']));
}

/** The records folder, on its own small disk. */
function onSmallDisk(project: EngineProject): string {
  const folder = stateOf(project);
  const agent = readFileSync(path.join(folder, 'agent.json'));
  mountTmpfs(folder, 'size=512k,mode=700');
  writeFileSync(path.join(folder, 'agent.json'), agent);
  return folder;
}

function fill(folder: string): string {
  const file = path.join(folder, 'filler');
  try {
    for (;;) appendFileSync(file, Buffer.alloc(512));
  } catch (error) {
    expect(systemErrorCode(error)).toBe('ENOSPC');
  }
  return file;
}

describe.skipIf(!canMount)('a disk (needs root, to mount one)', () => {
  test('that is full before anything starts', async () => {
    const project = engineProject(oneTask);
    const filler = fill(onSmallDisk(project));
    await expectRefusal(project, {code: 'E_STORE_WRITE', says: 'the disk is full', next: 'df -h'});
    rmSync(filler);
    await expectAllDone(project);
  });

  test('that becomes full while an agent works: the work stops, and what was recorded stays', async () => {
    const project = engineProject(twoTasks, {env: patientAgent});
    const folder = onSmallDisk(project);
    const running = project.start(['execute']);
    await untilStarted(project);
    const filler = fill(folder);
    letGo(project);
    const {code, err} = await running.ended;
    expect({code, agents: project.agents()}).toEqual({code: 1, agents: []});
    expect(err).toContain('the disk is full');
    // A file that Blackbird was just writing may have left space for the end of the run, and for nothing after it.
    const isRecorded = project.latest('a')?.state === 'succeeded';
    expect(project.statuses()).toEqual({a: isRecorded ? 'done' : 'in_progress', b: 'todo'});
    rmSync(filler);
    if (!isRecorded) {
      expect(await project.run(['restart', 'a', '--yes'])).toMatchObject({code: 0});
      expect(project.runs('a').map(({state}) => state)).toEqual(['paused', 'succeeded']);
    }
    await expectAllDone(project);
  });

  test('that is read-only: existing records can be read', async () => {
    const project = engineProject(oneTask);
    const folder = onSmallDisk(project);
    remount(folder, 'ro');
    await expectRefusal(project, {code: 'E_STORE_WRITE', says: 'the file system is read-only', next: 'df'});
    expect(await project.run(['list'])).toMatchObject({code: 0, err: ''});
    expect((await project.run(['doctor'])).out).toContain('cannot be written: the file system is read-only');
    remount(folder, 'rw');
    await expectAllDone(project);
  });
});

describe('.blackbird', () => {
  test('that is a link: nothing is created or changed behind it', async () => {
    const project = engineProject(oneTask);
    const elsewhere = path.join(project.folder, '..', 'elsewhere');
    renameSync(stateOf(project), elsewhere);
    symlinkSync('../elsewhere', stateOf(project));
    await expectRefusal(project, {code: 'E_STORE_UNSAFE', says: 'is a symbolic link', next: 'ls -ld'});
    expect(readdirSync(elsewhere)).toEqual(['agent.json']);
    rmSync(stateOf(project));
    renameSync(elsewhere, stateOf(project));
    await expectAllDone(project);
  });

  test('that is a file', async () => {
    const project = engineProject(oneTask);
    rmSync(stateOf(project), {recursive: true});
    writeFileSync(stateOf(project), 'mine');
    await expectRefusal(project, {code: 'E_STORE_READ', says: 'not a directory', next: 'ls -ld'});
    expect(readFileSync(stateOf(project), 'utf8')).toBe('mine');
  });
});

describe('HOME', () => {
  test('that is not set: a plan does not need it', async () => {
    await expectAllDone(engineProject(oneTask, {env: {HOME: undefined}}));
  });

  test('that does not exist cannot hold settings, and that is reported; a plan does not need it', async () => {
    const project = engineProject(oneTask, {env: {HOME: '/nonexistent/home'}});
    const {code, err} = await project.run(['config', 'set', '--global', 'execution.stopOnFailure', 'true']);
    expect(code).toBe(1);
    expect(err).toContain('its folder does not exist; nothing was changed');
    expect(err).toContain('mkdir -p /nonexistent/home');
    await expectAllDone(project);
  });
});

test('a stopped Blackbird keeps its lock, and continues when it is continued', async () => {
  const project = engineProject(twoTasks, {env: patientAgent});
  const running = project.start(['execute']);
  await untilStarted(project);
  running.child.kill('SIGSTOP');
  const {code, err} = await project.run(['execute']);
  expect({code, isNamed: err.includes('E_REPO_LOCKED')}).toEqual({code: 1, isNamed: true});
  // Its agent ends in the meantime.
  letGo(project);
  await eventually(() => expect(project.agents()).toEqual([]));
  running.child.kill('SIGCONT');
  expect(await running.ended).toMatchObject({code: 0});
  expect(project.statuses()).toEqual({a: 'done', b: 'done'});
});

test('a clock that goes back a year, then forward by ten: the order of runs does not depend on it', async () => {
  const project = engineProject(planOf(task('a')), {
    env: {
      ...patientAgent,
      NODE_OPTIONS: `--require ${path.join(import.meta.dirname, '../fixtures/moving-clock.cjs')}`,
    },
  });
  const clock = path.join(project.folder, '..', 'clock');
  const year = 365 * 24 * 60 * 60 * 1000;
  for (const shift of [-year, 10 * year]) {
    const running = project.start(['execute'], {env: {CLOCK_FILE: clock}});
    await untilStarted(project);
    writeFileSync(clock, String(shift));
    letGo(project);
    expect(await running.ended).toMatchObject({code: 0});
    for (const file of ['started', 'go']) rmSync(path.join(project.folder, file));
    expect(await project.run(['set-status', 'a', 'todo'])).toMatchObject({code: 0});
  }
  expect(project.runs('a').map(({attempt, state}) => [attempt, state])).toEqual([
    [1, 'succeeded'],
    [2, 'succeeded'],
  ]);
  const {out} = await project.run(['runs', 'a', '--json'], {env: {CLOCK_FILE: clock}});
  expect(JSON.parse(out).runs.map(({attempt}: {attempt: number}) => attempt)).toEqual([1, 2]);
  expect((await project.run(['report'], {env: {CLOCK_FILE: clock}})).out).not.toMatch(/-\d+(\.\d+)?s/);
});

test('an agent that disappears in the middle of a plan: what is done is done, and it continues once it is back', async () => {
  const project = engineProject(twoTasks, standInClaude);
  const bin = path.join(project.folder, '..', 'bin', 'claude');
  const ref = '11111111-1111-4111-8111-111111111111';
  const say = (line: object) => `echo '${JSON.stringify(line)}'`;
  const program = [
    '#!/bin/sh',
    'case "$1" in --version) echo "2.1.197 (Claude Code)"; exit;; --help) echo "usage"; exit;; esac',
    'cat >/dev/null',
    say({type: 'system', subtype: 'init', session_id: ref}),
    `[ -e keep ] || rm "$0"`,
    say({type: 'result', subtype: 'success', is_error: false, result: 'ok', session_id: ref, num_turns: 1}),
  ].join('\n');
  writeFileSync(bin, program);
  chmodSync(bin, 0o755);
  const {code, err} = await project.run(['execute']);
  expect({code, isNamed: err.includes('E_AGENT_NOT_FOUND')}).toEqual({code: 1, isNamed: true});
  expect(err).toContain('blackbird agents');
  expect({statuses: project.statuses(), runs: project.runs('b')}).toEqual({
    statuses: {a: 'done', b: 'todo'},
    runs: [],
  });
  writeFileSync(path.join(project.folder, 'keep'), '');
  writeFileSync(bin, program);
  chmodSync(bin, 0o755);
  await expectAllDone(project);
});

describe('an agent that is replaced in the middle of a plan', () => {
  const ref = '11111111-1111-4111-8111-111111111111';
  const program = (version: string, ...lines: readonly object[]) =>
    [
      '#!/bin/sh',
      `case "$1" in --version) echo "${version} (Claude Code)"; exit;; --help) echo "usage"; exit;; esac`,
      'cat >/dev/null',
      ...lines.map((line) => `echo '${JSON.stringify(line)}'`),
      '[ ! -e next ] || mv next "$0"',
    ].join('\n');
  const opening = {type: 'system', subtype: 'init', session_id: ref};
  const result = {type: 'result', subtype: 'success', is_error: false, result: 'ok', session_id: ref};

  function replacedBy(text: string, mode: number) {
    const project = engineProject(twoTasks, standInClaude);
    const bin = path.join(project.folder, '..', 'bin', 'claude');
    writeFileSync(bin, program('2.1.197', opening, result));
    chmodSync(bin, 0o755);
    const next = path.join(project.folder, 'next');
    writeFileSync(next, text);
    chmodSync(next, mode);
    return project;
  }

  test('by a newer one that prints more: the plan continues', async () => {
    const news = {type: 'telemetry_of_tomorrow', payload: {deep: [1, 2]}};
    const project = replacedBy(program('3.0.0', news, opening, news, result), 0o755);
    await expectAllDone(project);
  });

  const started = {
    exit: 3,
    statuses: {a: 'done', b: 'failed'},
    said: 'the agent gave no result (exit code 0)',
  };
  const refused = {exit: 1, statuses: {a: 'done', b: 'todo'}, said: 'E_AGENT_NOT_FOUND'};
  test.each([
    {what: 'by one that may not be run', text: '#!/bin/sh\n', mode: 0o644, ...refused},
    {what: 'by rubbish', text: '\x7fELF rubbish', mode: 0o755, ...refused},
    {what: 'by one that answers nothing', text: '#!/bin/sh\nexit 0\n', mode: 0o755, ...started},
  ])('$what: what is done is done, and the rest is not taken for done', async (next) => {
    const project = replacedBy(next.text, next.mode);
    const {code, out, err} = await project.run(['execute']);
    expect({code, statuses: project.statuses()}).toEqual({code: next.exit, statuses: next.statuses});
    expect(out + err).toContain(next.said);
    expect(project.agents()).toEqual([]);
  });
});

test('with hardly a file descriptor: nothing starts, and it says why', () => {
  const project = engineProject(twoTasks);
  const before = project.planText();
  const {status, stderr} = spawnSync(
    'sh',
    ['-c', `ulimit -n 40; exec "$0" "$@"`, process.execPath, builtCli, 'execute'],
    {
      cwd: project.folder,
      env: project.env,
      encoding: 'utf8',
    },
  );
  expect({status, stderr}).toEqual({status: 1, stderr: expect.stringContaining('too many files are open')});
  expect(stderr).toContain('ulimit -n 1024');
  expect(project.planText()).toBe(before);
  expect(project.runs('a')).toEqual([]);
});

describe.skipIf(!canBeNobody())('two users of one project (needs root and setpriv)', () => {
  test('the other one is told whose it is, sees no record and changes nothing', async () => {
    const project = engineProject(twoTasks);
    expect(await project.run(['execute', 'a'])).toMatchObject({code: 0});
    // The project's files are shared, its records are not.
    for (const folder of [path.dirname(project.folder), project.folder]) chmodSync(folder, 0o777);
    chmodSync(stateOf(project), 0o700);
    const program = path.join(path.dirname(project.folder), 'program');
    cpSync(path.dirname(builtCli), program, {recursive: true});
    execFileSync('chmod', ['-R', 'a+rX', program]);
    const before = project.planText();
    const asNobody = (...args: string[]) => {
      const {status, stdout, stderr} = spawnSync(
        'setpriv',
        [...nobody, process.execPath, path.join(program, path.basename(builtCli)), ...args],
        {
          cwd: project.folder,
          env: project.env,
          encoding: 'utf8',
        },
      );
      return {code: status, out: stdout, err: stderr};
    };
    for (const args of [['execute'], ['runs', 'a'], ['set-status', 'b', 'done']]) {
      const {code, out, err} = asNobody(...args);
      expect({args, code, out}).toEqual({args, code: 1, out: ''});
      expect(err).toContain('permission denied');
      expect(err).toContain('see whose it is: a project has one user at a time');
    }
    expect(asNobody('doctor').out).toContain('cannot be written: permission denied');
    expect(project.planText()).toBe(before);
    expect(await project.run(['execute'])).toMatchObject({code: 0});
  });
});
