import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {execa} from 'execa';
import {describe, expect, test} from 'vitest';
import {emptyPlanText} from '../../src/machines/policies/plan/empty-plan.ts';
import type {Task} from '../../src/services/contracts/plan.ts';
import {taskStatuses} from '../../src/services/contracts/task-status.ts';
import {type BuiltProject, builtCli, builtProject} from '../helpers/built-cli.ts';
import {hugeChain, hugeLineage, planOf, task} from '../helpers/plans.ts';
import {lines, planFileText} from '../helpers/run-cli.ts';

const tasksOf = (project: BuiltProject): Record<string, Task> => JSON.parse(project.planText()).items;

describe('a clean project', () => {
  test('works as in the examples of the help text', async () => {
    const {folder, run, bash} = builtProject();
    await execa('git', ['init', '-q'], {cwd: folder});
    const {out: help} = await run(['--help']);
    const [, examples = ''] = help.split('Examples:');
    const lineOf = (command: string) =>
      new RegExp(`^ {2}\\$ (blackbird ${command}\\b.*?)(?: {2,}.*)?$`, 'm').exec(examples)?.[1];
    expect(await bash(lineOf('init') ?? '')).toMatchObject({code: 0, err: lines(emptyPlanText)});
    await bash('blackbird agents use demo');
    const planned = await bash(lineOf('plan generate') ?? '');
    expect(planned).toMatchObject({code: 4, out: expect.stringContaining('blackbird plan drafts open')});
    expect(await bash(lineOf('add') ?? '')).toEqual({code: 0, out: 'added e2e\n', err: ''});
    expect(await bash('blackbird add --id api --title "Refund endpoint"')).toMatchObject({code: 0});
    expect(await bash('blackbird deps add e2e api')).toMatchObject({code: 0, out: 'added dep e2e -> api\n'});
    expect((await bash('blackbird list')).out).toBe(
      lines('ID   STATUS  READINESS  TITLE', 'api  todo    READY      Refund endpoint'),
    );
    expect((await bash('blackbird why e2e')).out).toMatch(/^e2e is not ready\n(.*\n)*\nFirst: api\n/);
    const execute = await bash(lineOf('execute') ?? '');
    expect(execute).toMatchObject({code: 4, out: expect.stringContaining('api')});
    expect((await bash(lineOf('report') ?? '')).out).toContain('blackbird review api');
    expect(
      await bash('blackbird validate && cd .blackbird && blackbird review api --approve-quit'),
    ).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^OK\n/),
    });
    expect((await run(['list'])).out).toContain('e2e  todo    READY      Refund e2e test\n');
  });

  test('prints its version, with and without anything else', async () => {
    const {version} = JSON.parse(readFileSync('package.json', 'utf8'));
    const {run, entries} = builtProject();
    expect(await run(['--version'])).toEqual({code: 0, out: `${version}\n`, err: ''});
    expect(await run(['-V', '--json'])).toEqual({code: 0, out: `${version}\n`, err: ''});
    expect(entries()).toEqual([]);
  });

  test('keeps what it writes private, and only its settings in git', async () => {
    const {folder, run} = builtProject();
    await run(['init']);
    expect(statSync(path.join(folder, '.blackbird')).mode & 0o777).toBe(0o700);
    expect(readFileSync(path.join(folder, '.blackbird', '.gitignore'), 'utf8')).toBe(
      '*\n!.gitignore\n!config.json\n',
    );
  });

  test('keeps the mode of a plan that was shared', async () => {
    const {planFile, run} = builtProject(planOf(task('a')));
    chmodSync(planFile, 0o664);
    expect((await run(['set-status', 'a', 'done'])).code).toBe(0);
    expect(statSync(planFile).mode & 0o777).toBe(0o664);
  });
});

describe('many processes at once', () => {
  test('eight different statuses all succeed and are all on disk, round after round', async () => {
    const ids = taskStatuses.map((_, index) => `t${index}`);
    const project = builtProject(planOf(ids.map((id) => task(id, {status: 'todo'}))));
    for (let round = 0; round < 6; round++) {
      const wanted = ids.map(
        (id, index) => [id, taskStatuses[(index + round) % taskStatuses.length] ?? ''] as const,
      );
      const runs = await Promise.all(wanted.map(([id, status]) => project.run(['set-status', id, status])));
      expect(runs).toEqual(
        wanted.map(([id, status]) => ({code: 0, out: `updated ${id} status to ${status}\n`, err: ''})),
      );
      expect(Object.values(tasksOf(project)).map(({id, status}) => [id, status])).toEqual(wanted);
    }
    expect(project.entries()).toEqual(['.blackbird', 'blackbird.plan.json']);
  });

  test('one of eight creates the plan, the others find it; then all eight add to it', async () => {
    const project = builtProject();
    const eight = Array.from({length: 8}, (_, index) => index);
    const created = await Promise.all(eight.map(() => project.run(['init', '--json'])));
    expect(created.map(({out}) => JSON.parse(out).created).sort()).toEqual([...Array(7).fill(false), true]);
    const added = await Promise.all(eight.map((n) => project.run(['add', '--id', `t${n}`, '--title', 't'])));
    expect(added.map(({code}) => code)).toEqual(eight.map(() => 0));
    expect(Object.keys(tasksOf(project)).sort()).toEqual(eight.map((n) => `t${n}`));
  });

  test('killed in the middle of many edits, the plan is whole and nothing is in the way', async () => {
    const ids = Array.from({length: 2_000}, (_, index) => `t${index}`);
    const project = builtProject(planOf(ids.map((id) => task(id))));
    const start = performance.now();
    expect(await project.run(['edit', 't9', '--title', 'first'])).toMatchObject({code: 0});
    const usual = performance.now() - start;

    const victims = ids.slice(0, 5);
    for (let round = 0; round < 8; round++) {
      const title = `round ${round}`;
      const killed = victims.map(async (id, index) => {
        const args = [builtCli, 'edit', id, '--title', title];
        const writer = spawn(process.execPath, args, {
          cwd: project.folder,
          env: project.env,
          stdio: 'ignore',
        });
        const end = once(writer, 'exit');
        // From before it reads to after it wrote, a little later in every round.
        await delay(usual * (0.2 + index * 0.4 + round * 0.05));
        writer.kill('SIGKILL');
        return (await end)[0] as number | null;
      });
      const [spared, ...ends] = await Promise.all([project.run(['edit', 't5', '--title', title]), ...killed]);
      expect(spared).toEqual({code: 0, out: 'updated t5\n', err: ''});
      const tasks = tasksOf(project);
      expect(Object.keys(tasks)).toEqual(ids);
      expect(tasks.t5?.title).toBe(title);
      victims.forEach((id, index) => {
        if (ends[index] === 0) expect(tasks[id]?.title).toBe(title);
        else expect(tasks[id]?.title).toMatch(/^(Task t\d|round \d)$/);
      });
    }
    expect(await project.run(['validate'])).toEqual({code: 0, out: 'OK\n', err: ''});
    const last = await project.run(['edit', 't0', '--title', 'last']);
    expect(last).toEqual({code: 0, out: 'updated t0\n', err: ''});
    expect(project.entries()).toEqual(['.blackbird', 'blackbird.plan.json']);
  });
});

describe('the streams', () => {
  const many = planOf(Array.from({length: 3_000}, (_, index) => task(`t${index}`, {title: 'x'.repeat(60)})));

  test('a reader that goes away early is no error', async () => {
    const {bash} = builtProject(many);
    for (const command of ['list', 'list --json', 'why t0', '--help']) {
      const {out, err} = await bash(`blackbird ${command} | head -1; echo "\${PIPESTATUS[@]}"`);
      expect({command, last: out.trimEnd().split('\n').at(-1), err}).toEqual({command, last: '0 0', err: ''});
    }
  });

  test('closed streams are no error', async () => {
    const {bash} = builtProject(planOf(task('a')));
    expect(await bash('blackbird set-status a done <&- >&- 2>&-; echo $?')).toMatchObject({out: '0\n'});
    expect(await bash('blackbird pick <&-')).toMatchObject({code: 0});
  });

  test.runIf(existsSync('/dev/full'))('output that cannot be written is an error', async () => {
    const {bash} = builtProject(many);
    for (const command of ['list', 'list --json', '--help']) {
      const {code, err} = await bash(`blackbird ${command} >/dev/full`);
      expect({command, code, err}).toEqual({
        command,
        code: 1,
        err: lines(
          'error: cannot write the output: ENOSPC: no space left on device, write',
          '  code  E_STORE_WRITE',
        ),
      });
    }
    expect(await bash('blackbird show nobody 2>/dev/full; echo $?')).toEqual({code: 0, out: '1\n', err: ''});
  });

  test('prompts end at the end of the input, with the cursor on a new line', async () => {
    const {run, bash, planText} = builtProject(planOf(task('a')));
    const before = planText();
    expect(await run(['pick'])).toEqual({
      code: 0,
      out: lines('Ready tasks:', '    ID  READINESS  TITLE', '1)  a   READY      Task a'),
      err: 'Select task (number or id, blank to exit): \n',
    });
    expect((await run(['pick'], {input: 'a\n'})).err).toMatch(/exit\): \n$/);
    expect((await run(['add'])).err).toMatch(/^Title: \nerror: title is required/);
    expect((await run(['edit', 'a'])).err).toBe('title [Task a] (blank keeps it): \n');
    // A folder as input can be opened, but not read.
    expect((await bash('blackbird pick </')).code).toBe(0);
    expect(planText()).toBe(before);
  });

  test('answers may come all at once', async () => {
    const project = builtProject(planOf(task('a'), task('b')));
    const {code} = await project.run(['pick'], {input: '1\nnonsense\ndone\nb\ni\n\n'});
    expect(code).toBe(0);
    expect(Object.values(tasksOf(project)).map(({status}) => status)).toEqual(['done', 'in_progress']);
  });

  describe('on a terminal', () => {
    /** What the program prints on a terminal without a known width. */
    const onTerminal = async (project: BuiltProject, command: string, env = {}) => {
      const {stdout} = await execa('script', ['-qec', `blackbird ${command}`, '/dev/null'], {
        cwd: project.folder,
        env: {...project.env, TERM: 'xterm', ...env},
        extendEnv: false,
        input: '',
        reject: false,
      });
      return stdout.replaceAll('\r', '');
    };
    const colour = /\u001b\[\d+m/g;

    test('there are a header, colour and 80 columns', async () => {
      const project = builtProject(planOf(task('a', {title: 'x'.repeat(200)})));
      const shown = await onTerminal(project, 'list');
      expect(shown).toMatch(colour);
      const [header, row] = shown.replace(colour, '').split('\n');
      expect(header).toBe('ID  STATUS  READINESS  TITLE');
      expect(row).toBe(`a   todo    READY      ${'x'.repeat(56)}…`);
    });

    test.each([{NO_COLOR: '1'}, {TERM: 'dumb'}])('%j means no colour', async (env) => {
      const project = builtProject(planOf(task('a')));
      const shown = await onTerminal(project, 'list', env);
      expect(shown).not.toMatch(colour);
      expect(shown).toContain('ID  STATUS  READINESS  TITLE');
    });
  });
});

/** The real program with a large plan; each policy with 100,000 tasks is tested in `huge-plans`. */
const largeSize = 20_000;

describe('a plan of 20,000 tasks', () => {
  test('is listed, checked and changed, and only the change is written differently', async () => {
    const project = builtProject(planOf(Array.from({length: largeSize}, (_, index) => task(`t${index}`))));
    const before = project.planText();
    expect(await project.run(['validate'])).toEqual({code: 0, out: 'OK\n', err: ''});

    const {code, out, err} = await project.run(['list']);
    expect({code, err}).toEqual({code: 0, err: ''});
    const [, ...rows] = out.trimEnd().split('\n');
    expect([rows.length, rows[0], rows.at(-1)]).toEqual([
      largeSize,
      't0      todo    READY      Task t0',
      't19999  todo    READY      Task t19999',
    ]);

    const updated = await project.run(['set-status', 't17777', 'done']);
    expect(updated).toEqual({code: 0, out: 'updated t17777 status to done\n', err: ''});
    const [was, is] = [before.split('\n'), project.planText().split('\n')];
    expect(is.length).toBe(was.length);
    expect(is.filter((line, index) => line !== was[index])).toEqual([
      '      "status": "done",',
      expect.stringMatching(/^ {6}"updatedAt": "20\d\d-/),
    ]);
    expect(project.entries()).toEqual(['.blackbird', 'blackbird.plan.json']);
  });

  test('in one chain is explained to its end', async () => {
    const {run} = builtProject(hugeChain(largeSize));
    const {code, out, err} = await run(['why', 't0']);
    expect({code, err}).toEqual({code: 0, err: ''});
    expect(out).toContain('\nFirst: t19999\n');
    expect(out.length).toBeLessThan(200 * largeSize);
  });

  test('each below the other is a tree that can be printed', async () => {
    const {run} = builtProject(hugeLineage(largeSize));
    const {code, out, err} = await run(['list', '--tree']);
    expect({code, err}).toEqual({code: 0, err: ''});
    const [, ...rows] = out.trimEnd().split('\n');
    expect(rows.length).toBe(largeSize);
    expect(rows.at(-1)).toBe(`${' '.repeat(20)}(19999) g19999  todo    READY      Task g19999`);
    const {out: settled} = await run(['set-status', 'g19999', 'done']);
    expect(settled.trimEnd().split('\n').length).toBe(largeSize);
  });
});

describe('an unusable plan file', () => {
  const valid = planFileText(planOf(task('a'), task('b')));
  const reading = [['validate'], ['list'], ['show', 'a'], ['why', 'a'], ['pick']];
  const writing = [
    ['set-status', 'a', 'done'],
    ['add', '--id', 'c', '--title', 'c'],
    ['edit', 'a', '--title', 'new'],
    ['delete', 'a'],
    ['move', 'a', '--parent', 'b'],
    ['deps', 'set', 'a', 'b'],
  ];

  /** Every command fails with its own code and leaves the folder as it is. */
  async function expectFailure(project: BuiltProject, commands: readonly string[][], code: string) {
    const before = snapshot(project.folder);
    for (const args of commands) {
      const run = await project.run([...args, '--json']);
      expect({args, code: run.code, out: run.out}).toEqual({args, code: 1, out: ''});
      const {error} = JSON.parse(run.err);
      expect({args, code: error.code, message: error.message}).toEqual({
        args,
        code,
        message: expect.stringContaining(project.folder),
      });
      expect(snapshot(project.folder)).toEqual(before);
    }
  }

  const contents: ReadonlyArray<readonly [string, string | Buffer]> = [
    ['is empty', ''],
    ['is blank', '\n\n'],
    ['is null', 'null'],
    ['is a list', '[]'],
    ['is binary', Buffer.from(Array.from({length: 4096}, (_, index) => (index * 7) % 256))],
    ['is truncated', valid.slice(0, -20)],
    ['has a byte order mark', `\ufeff${valid}`],
    ['is nested 100,000 levels deep', '{"items":'.repeat(100_000) + '}'.repeat(100_000)],
    ['is nested 100,000 levels deep and cut off', '['.repeat(100_000)],
  ];

  test.each(contents)('%s', async (_name, content) => {
    const project = builtProject('');
    writeFileSync(project.planFile, content);
    await expectFailure(project, [['list'], ['set-status', 'a', 'done']], 'E_STORE_CORRUPT');
  });

  test('is a folder', async () => {
    const project = builtProject();
    mkdirSync(project.planFile);
    await expectFailure(project, [...reading, ...writing], 'E_STORE_CORRUPT');
  });

  test('is a pipe without a writer', async () => {
    const project = builtProject();
    await execa('mkfifo', [project.planFile]);
    await expectFailure(project, [...reading, ...writing], 'E_STORE_CORRUPT');
  });

  test('is read-only: can be read, not changed', async () => {
    const project = builtProject(valid);
    chmodSync(project.planFile, 0o444);
    for (const args of reading) expect(await project.run(args)).toMatchObject({code: 0});
    await expectFailure(project, writing, 'E_STORE_WRITE');
    expect(statSync(project.planFile).mode & 0o777).toBe(0o444);
  });

  test('is a link: can be read, and neither the link nor its target is changed', async () => {
    const project = builtProject();
    const target = path.join(project.folder, 'elsewhere.json');
    writeFileSync(target, valid);
    symlinkSync('elsewhere.json', project.planFile);
    for (const args of reading) expect(await project.run(args)).toMatchObject({code: 0});
    await expectFailure(project, writing, 'E_STORE_UNSAFE');
    expect(lstatSync(project.planFile).isSymbolicLink()).toBe(true);
  });

  test('is a dangling link: init does not write through it', async () => {
    const project = builtProject();
    symlinkSync('nowhere.json', project.planFile);
    await expectFailure(project, [['init']], 'E_STORE_UNSAFE');
    await expectFailure(project, reading, 'E_PLAN_NOT_FOUND');
  });

  test('is a link to itself', async () => {
    const project = builtProject();
    symlinkSync('blackbird.plan.json', project.planFile);
    await expectFailure(project, reading, 'E_STORE_READ');
    await expectFailure(project, [...writing, ['init']], 'E_STORE_READ');
  });

  test('has a link as its state folder: can be read, not changed', async () => {
    const project = builtProject(valid);
    const elsewhere = path.join(project.folder, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync('elsewhere', path.join(project.folder, '.blackbird'));
    for (const args of reading) expect(await project.run(args)).toMatchObject({code: 0});
    await expectFailure(project, writing, 'E_STORE_UNSAFE');
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('has a file where the state folder should be: can be read, not changed', async () => {
    const project = builtProject(valid);
    writeFileSync(path.join(project.folder, '.blackbird'), 'mine');
    for (const args of reading) expect(await project.run(args)).toMatchObject({code: 0});
    await expectFailure(project, writing, 'E_STORE_UNSAFE');
  });
});

/** Every entry of a folder with its kind and content; of the state folder only itself, because its lock comes and goes. */
function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name !== '.blackbird')
      .map((name) => {
        const file = path.join(folder, name);
        const found = lstatSync(file);
        const content = found.isFile() ? readFileSync(file, 'base64') : '';
        return [name, `${found.mode} ${content}`];
      }),
  );
}
