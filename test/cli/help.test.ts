import {readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {settingKeys, settings} from '../../src/services/contracts/config.ts';
import {cliProject, lines} from '../helpers/run-cli.ts';

/** Every command, as its words, found through the help texts themselves. */
async function commandPaths(above: readonly string[] = []): Promise<string[][]> {
  const {out} = await cliProject().run([...above, '--help']);
  const sections = out.split(/\n\n(?=[^\n]+:\n)/);
  const names = sections
    .filter((section) =>
      /^(Look at the plan|Change the plan|Run tasks|Look inside|Set up|Commands):/.test(section),
    )
    .flatMap((section) =>
      [...section.matchAll(/^ {2}([a-z][a-z-]*)(?= |$)/gm)].flatMap(([, name]) => name ?? []),
    )
    .filter((name) => name !== 'help');
  const paths = names.map((name) => [...above, name]);
  const below = await Promise.all(paths.map(commandPaths));
  return paths.flatMap((each, index) => [each, ...(below[index] ?? [])]);
}

describe('help', () => {
  test('without a command lists what there is', async () => {
    const {folder, run} = cliProject();
    const bare = await run([]);
    expect(bare).toEqual({code: 0, out: expect.stringMatching(/^Usage: blackbird /), err: ''});
    for (const args of [['--help'], ['-h'], ['help'], ['--json'], ['--cwd', folder]]) {
      expect(await run(args), args.join(' ')).toEqual(bare);
    }
  });

  test('names the exit codes and has examples', async () => {
    const {out} = await cliProject().run(['--help']);
    expect(out).toContain(
      'Exit codes: 0 done, 1 error, 2 usage, 3 a task failed, 4 a person is needed, 75 only time is needed,\n130 paused.',
    );
    // From nothing to a plan that ran, and its results.
    for (const example of ['demo ', 'init ', 'plan generate "', 'add "', 'execute --review ', 'report '])
      expect(out).toContain(`\n  $ blackbird ${example}`);
  });

  test('lists the commands of the plan', async () => {
    const paths = (await commandPaths()).map((words) => words.join(' '));
    expect(paths).toEqual(
      expect.arrayContaining(
        [
          ...[
            'init',
            'validate',
            'plan',
            'list',
            'show',
            'why',
            'pick',
            'add',
            'edit',
            'move',
            'delete',
            'deps',
          ],
          ...['deps add', 'deps remove', 'deps set', 'set-status', 'doctor', 'completion'],
          ...['config', 'config list', 'config get', 'config set', 'config unset'],
        ].sort(),
      ),
    );
  });

  test('of every command says what it does, how it is called and what it accepts, and touches nothing', async () => {
    const {run, files} = cliProject();
    for (const words of await commandPaths()) {
      const name = words.join(' ');
      const {code, out, err} = await run([...words, '--help']);
      expect({code, err}, name).toEqual({code: 0, err: ''});
      expect(out, name).toMatch(new RegExp(`^Usage: blackbird ${name} .*\n\n[A-Z][^\n]+\\.\n`));
      expect(out, name).toContain('-h, --help');
      expect(out, name).toMatch(/--json +print data as JSON/);
      expect(out, name).toMatch(/--cwd <dir> +work in this folder/);
      expect(out, name).not.toContain('display help');
      // Groups of commands, and those whose examples are there.
      expect(out.match(/^Examples:$/gm), `${name}: an entry in src/cli/help-examples.ts`).toHaveLength(1);
      expect(Math.max(...out.split('\n').map((line) => line.length)), name).toBeLessThanOrEqual(100);
      expect(await run(['help', ...words]), name).toEqual({code, out, err});
    }
    expect(files()).toEqual([]);
  });

  test('every command is in docs/commands.md', async () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/commands.md'), 'utf8');
    const rows = page.split('\n').flatMap((line) => /^\| (`.*?) +\| /.exec(line)?.[1] ?? []);
    const isThere = (name: string) => rows.some((row) => new RegExp(`(^|, )\`${name}\\b`).test(row));
    const names = new Set((await commandPaths()).map(([first = '']) => first));
    expect(
      [...names].filter((name) => !isThere(name)),
      'docs/commands.md has no row for these',
    ).toEqual([]);
  });

  test('every option is in docs/commands.md or docs/sessions.md', async () => {
    const pages = ['commands', 'sessions'].map((name) =>
      readFileSync(path.resolve(import.meta.dirname, `../../docs/${name}.md`), 'utf8'),
    );
    const shown = new Set(pages.join('\n').match(/--[a-z-]+/g));
    const {run} = cliProject();
    const missing = new Set<string>();
    for (const words of await commandPaths()) {
      const {out} = await run([...words, '--help']);
      const own = /^Options:\n(.*?)\n\n/ms.exec(out)?.[1] ?? '';
      for (const [, option = ''] of own.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)) {
        // One of them stands for all fields.
        const name = option.startsWith('--clear-') ? '--clear-prompt' : option;
        if (!shown.has(name)) missing.add(`${words.join(' ')} ${option}`);
      }
    }
    expect([...missing], 'docs/commands.md does not name these').toEqual([]);
  });

  test.each(['execute', 'resume', 'restart', 'review'])('of %s lists the exit codes', async (name) => {
    const {out} = await cliProject().run([name, '--help']);
    expect(out.match(/^Exit codes: 0 /gm)).toHaveLength(1);
  });

  test.each(['plan generate', 'plan refine', 'plan drafts open', 'deps infer'])(
    'of %s lists the exit codes of a planner',
    async (name) => {
      const {out} = await cliProject().run([...name.split(' '), '--help']);
      expect(out.match(/^Exit codes: 0 the plan is saved/gm)).toHaveLength(1);
    },
  );

  test.each(['doctor', 'validate', 'session doctor'])('of %s says when it fails', async (name) => {
    const {out} = await cliProject().run([...name.split(' '), '--help']);
    expect(out.trimEnd()).toMatch(/\nExit codes: 0 nothing is wrong, 1 something is\.$/);
  });

  test('of config set lists every setting with its values and what it is about', async () => {
    const {out} = await cliProject().run(['config', 'set', '--help']);
    for (const key of settingKeys) expect(out).toMatch(new RegExp(`^  ${key} +\\S`, 'm'));
    for (const {about} of Object.values(settings)) expect(out).toContain(`\n    ${about}\n`);
  });

  test('of every command fits a terminal of 80 columns, and all but its examples a narrower one', async () => {
    const {run} = cliProject();
    const isExample = (line: string) => /^ +\$ /.test(line);
    const tooWide: string[] = [];
    for (const words of [[], ...(await commandPaths())]) {
      for (const columns of [80, 60]) {
        const {out} = await run([...words, '--help'], {terminal: {columns}});
        const wide = out.split('\n').filter((line) => line.length > columns);
        tooWide.push(...wide.filter((line) => columns === 80 || !isExample(line)));
      }
    }
    expect(tooWide).toEqual([]);
  });

  test('the version, long and short, also after a command', async () => {
    const {run} = cliProject();
    for (const args of [['--version'], ['-v'], ['-V'], ['list', '-v']]) {
      expect(await run(args)).toEqual({code: 0, out: '1.2.3\n', err: ''});
    }
    expect(await run(['--version'], {name: 'agency'})).toEqual({code: 0, out: '1.2.3\n', err: ''});
  });
});

describe('a usage error', () => {
  test.each([
    {
      args: ['version'],
      message: "unknown command 'version'",
      hint: 'Did you mean --version?',
      name: 'blackbird',
    },
    {args: ['run'], message: "unknown command 'run'", hint: 'Did you mean execute?', name: 'blackbird'},
    {args: ['lst'], message: "unknown command 'lst'", hint: 'Did you mean list?', name: 'blackbird'},
    {args: ['frobnicate'], message: "unknown command 'frobnicate'", name: 'blackbird'},
    {args: ['help', 'frobnicate'], message: "unknown command 'frobnicate'", name: 'blackbird'},
    {
      args: ['help', 'excute'],
      message: "unknown command 'excute'",
      hint: 'Did you mean execute?',
      name: 'blackbird',
    },
    {
      args: ['deps', 'ad', 'a', 'b'],
      message: "unknown command 'ad'",
      hint: 'Did you mean add?',
      name: 'blackbird deps',
    },
    {args: ['deps', 'help', 'x'], message: "unknown command 'x'", name: 'blackbird deps'},
    {
      args: ['list', '--al'],
      message: "unknown option '--al'",
      hint: 'Did you mean --all?',
      name: 'blackbird list',
    },
    {args: ['list', '--inspect'], message: "unknown option '--inspect'", name: 'blackbird list'},
    {args: ['list', '-x'], message: "unknown option '-x'", name: 'blackbird list'},
    {
      args: ['--jsno', 'list'],
      message: "unknown option '--jsno'",
      hint: 'Did you mean --json?',
      name: 'blackbird',
    },
    {args: ['show', 'a', '--treee'], message: "unknown option '--treee'", name: 'blackbird show'},
    {
      args: ['config', 'set', '--globl', 'k', 'v'],
      message: "unknown option '--globl'",
      hint: 'Did you mean --global?',
      name: 'blackbird config set',
    },
    {args: ['--cwd'], message: "option '--cwd <dir>' argument missing", name: 'blackbird'},
  ])('$message: suggests what was meant, and shows the usage', async ({args, message, hint, name}) => {
    const {run, files} = cliProject();
    const {code, out, err} = await run(args);
    expect({code, out}).toEqual({code: 2, out: ''});
    const [first, ...rest] = err.trimEnd().split('\n');
    expect(first).toBe(`error: ${message}`);
    expect(rest).toEqual([
      ...(hint === undefined ? [] : [`  hint   ${hint}`]),
      expect.stringMatching(new RegExp(`^ {2}usage {2}${name} \\[options\\]`)),
      '  code   E_USAGE',
      `  next   ${name} --help  see what it takes`,
    ]);
    expect(files()).toEqual([]);
  });

  test('is one JSON object with --json', async () => {
    expect(await cliProject().error(['lst'])).toEqual({
      code: 2,
      error: {
        code: 'E_USAGE',
        message: "unknown command 'lst'",
        details: {hint: 'Did you mean list?', usage: 'blackbird [options] [command]'},
        causes: [],
        next: [{command: 'blackbird --help', why: 'see what it takes'}],
      },
    });
  });
});

describe('--cwd', () => {
  test('names the folder to work in, before and after the command', async () => {
    const {folder, planFile, run} = cliProject();
    const created = {code: 0, out: lines(`created plan: ${planFile}`)};
    expect(await run(['--cwd', folder, 'init'], {cwd: '/'})).toMatchObject(created);
    const ok = {code: 0, out: 'OK\n', err: ''};
    for (const args of [
      ['validate', '--cwd', folder],
      [`--cwd=${folder}`, 'validate'],
      ['--cwd', 'project', 'validate'],
    ]) {
      expect(await run(args, {cwd: `${folder}/..`}), args.join(' ')).toEqual(ok);
    }
  });

  test('must be a folder', async () => {
    const {planFile, folder, run} = cliProject('{}');
    for (const wrong of [planFile, `${folder}/nowhere`]) {
      expect(await run(['list', '--cwd', wrong])).toEqual({
        code: 2,
        out: '',
        err: lines(
          `error: --cwd: no such folder: ${wrong}`,
          '  usage  blackbird list [options]',
          '  code   E_USAGE',
          '  next   blackbird list --help  see what it takes',
        ),
      });
    }
  });

  test.each([
    {name: 'a path that is not UTF-8, as Node.js reads it', options: [], cwd: '/tmp/caf\uFFFD'},
    {name: 'the same, named by --cwd', options: ['--cwd', '/tmp/caf\uFFFD'], cwd: '/'},
  ])('reports the path and not the option: $name', async ({options, cwd}) => {
    const {run} = cliProject('{}');
    expect(await run(['list', ...options], {cwd})).toEqual({
      code: 1,
      out: '',
      err: lines(
        'error: the path of this folder is not valid UTF-8, so Node.js cannot open it; rename it: /tmp/caf\uFFFD',
        '  code  E_STORE_READ',
      ),
    });
  });

  test('is not reported when it was not given and the current folder is gone', async () => {
    const {run, folder} = cliProject('{}');
    expect(await run(['list'], {cwd: `${folder}/gone`})).toEqual({
      code: 1,
      out: '',
      err: lines(`error: the current folder does not exist any more: ${folder}/gone`, '  code  E_STORE_READ'),
    });
  });
});
