import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {repoId, runId, sessionMeta} from '../fakes/session-runs.ts';
import {type CliOptions, cliProject, controlCharacters, lines} from '../helpers/run-cli.ts';

/** Records without any tmux or git on the path: what the commands print by themselves. */
function agency(...runs: ReadonlyArray<Parameters<typeof sessionMeta>[0]>) {
  const project = cliProject();
  const data = path.join(project.home, 'data');
  for (const fields of runs) {
    const meta = sessionMeta({worktree_path: project.folder, ...fields});
    const folder = path.join(data, 'repos', meta.repo_id, 'runs', meta.run_id);
    mkdirSync(folder, {recursive: true});
    writeFileSync(path.join(folder, 'meta.json'), JSON.stringify(meta));
  }
  const options: CliOptions = {name: 'agency', env: {AGENCY_DATA_DIR: data}};
  return {
    ...project,
    data,
    run: (args: readonly string[], more: CliOptions = {}) => project.run(args, {...options, ...more}),
  };
}

describe('usage', () => {
  test.each([
    {args: ['resume'], message: "missing required argument 'id'", name: 'agency resume'},
    {args: ['resume', 'x', '--frob'], message: "unknown option '--frob'", name: 'agency resume'},
    {
      args: ['resume', 'x', 'y'],
      message: "too many arguments for 'resume'. Expected 1 argument but got 2.",
      name: 'agency resume',
    },
    {args: ['run'], message: "required option '--name <name>' not specified", name: 'agency run'},
    {args: ['frobnicate'], message: "unknown command 'frobnicate'", name: 'agency'},
  ])('$args: the code first, then the problem and the usage', async ({args, message, name}) => {
    const {code, out, err} = await agency().run(args);
    expect({code, out}).toEqual({code: 2, out: ''});
    const [first, second, ...rest] = err.split('\n');
    expect([first, second]).toEqual(['error_code: E_USAGE', message]);
    expect(rest.join('\n')).toContain(`  usage  ${name} [options]`);
  });

  test.each(['resume', 'run', 'ls', 'show', 'attach', 'stop', 'kill', 'clean', 'doctor'])(
    '%s --help goes to stdout',
    async (command) => {
      const {code, out, err} = await agency().run([command, '--help']);
      expect({code, err}).toEqual({code: 0, err: ''});
      expect(out).toMatch(new RegExp(`^Usage: agency ${command} `));
    },
  );

  test('without a command it lists what there is', async () => {
    const bare = await agency().run([]);
    expect(bare).toEqual({code: 0, out: expect.stringMatching(/^Usage: agency /), err: ''});
    expect(await agency().run(['--help'])).toEqual(bare);
  });

  test('blackbird session alone asks for a command', async () => {
    expect(await cliProject().run(['session'])).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'blackbird session requires a subcommand: run|ls|show|attach|resume|stop|kill|clean|doctor',
      ),
    });
  });
});

describe('errors', () => {
  test('start with the code, then the message alone', async () => {
    expect(await agency().run(['resume', '2026'])).toEqual({
      code: 1,
      out: '',
      err: lines(
        'error_code: E_RUN_NOT_FOUND',
        'run not found: 2026',
        '  next  agency ls --all --all-repos  see all sessions',
      ),
    });
  });

  test('are plain at the start, whatever the terminal can show', async () => {
    const {err} = await agency().run(['resume', '2026'], {terminal: {hasColor: true}});
    expect(err).toMatch(/^error_code: E_RUN_NOT_FOUND\nrun not found: 2026\n/);
  });

  test('are one JSON object when that is requested', async () => {
    const {code, err} = await agency().run(['show', '2026', '--json']);
    expect({code, error: JSON.parse(err).error}).toEqual({
      code: 1,
      error: expect.objectContaining({code: 'E_RUN_NOT_FOUND', message: 'run not found: 2026'}),
    });
  });

  test('name all that could be meant', async () => {
    const project = agency({}, {run_id: '20260110120000-b000', name: 'ledger'});
    const {err} = await project.run(['kill', '2026']);
    expect(err).toBe(
      lines(
        'error_code: E_RUN_ID_AMBIGUOUS',
        'ambiguous run_id "2026" matches multiple runs:',
        `  ${runId} (refunds) in repo ${repoId}`,
        `  20260110120000-b000 (ledger) in repo ${repoId}`,
        '  hint  use the full run_id',
        '  next  agency ls --all --all-repos  see all sessions',
      ),
    );
  });

  test('text of a record or a user does not control the terminal', async () => {
    const hostile = '\u001b]0;title\u0007\u001b[31mred\u202e';
    const project = agency({name: hostile, branch: hostile, runner: hostile});
    for (const args of [
      ['ls'],
      ['show', runId],
      ['show', hostile],
      ['resume', 'x\u001b[2J'],
      ['ls', '--json'],
    ]) {
      const {out, err} = await project.run(args);
      expect(out + err, args.join(' ')).not.toMatch(controlCharacters);
    }
  });
});

describe('without tmux and git', () => {
  test('what is on disk can be seen', async () => {
    const project = agency(
      {},
      {run_id: '20260111000000-0001', created_at: '2026-01-11T00:00:00Z', name: 'ledger'},
    );
    expect(await project.run(['ls'])).toEqual({
      code: 0,
      out: lines(
        'RUN_ID               NAME     STATUS  RUNNER  BRANCH               CREATED',
        '20260111000000-0001  ledger   idle    claude  agency/refunds-a3f2  2026-01-11 00:00',
        `${runId}  refunds  idle    claude  agency/refunds-a3f2  2026-01-10 12:00`,
      ),
      err: '',
    });
    expect((await project.run(['show', 'ledger'])).out).toBe(
      lines(
        ...['run: 20260111000000-0001', 'name: ledger', `repo: ${repoId}`, 'runner: claude', 'parent: main'],
        ...['branch: agency/refunds-a3f2', `worktree: ${project.folder}`, ''],
        ...[
          'tmux: agency_20260111000000-0001 (none running)',
          'status: idle',
          'created: 2026-01-11T00:00:00Z',
        ],
        'last_event: -',
      ),
    );
  });

  test('nothing is created by reading', async () => {
    const project = agency();
    for (const args of [['ls'], ['show', 'x'], ['resume', 'x'], ['doctor'], ['clean', 'x']])
      await project.run(args);
    expect(project.files()).toEqual([]);
    expect((await project.run(['ls', '--all'])).out).toBe('no runs found\n');
  });

  test.each(['resume', 'attach', 'stop', 'kill'])('%s names what is missing', async (command) => {
    const {code, err} = await agency({}).run([command, runId]);
    expect(code).toBe(1);
    expect(err).toMatch(/^error_code: E_TMUX_NOT_INSTALLED\ntmux is not installed or not on PATH\n/);
  });

  test('doctor says what to install', async () => {
    const {code, out} = await agency().run(['doctor']);
    expect(code).toBe(1);
    expect(out).toMatch(
      /✗ wrong +git .*not installed\n.*install git\n✗ wrong +tmux .*not installed\n.*install tmux 3\.2 or newer\n/,
    );
  });
});

describe('the data folder', () => {
  const where = async (env: CliOptions['env']) => {
    const project = cliProject();
    const {checks} = JSON.parse(
      (await project.run(['doctor', '--json'], {name: 'agency', env: {...env}})).out,
    ) as {
      checks: Array<{name: string; found: string}>;
    };
    const found = checks.find(({name}) => name === 'data')?.found.replace(' is created on first use', '');
    return found?.replace(project.home, '~').replace(project.folder, '.');
  };

  test.skipIf(process.platform === 'darwin').each([
    [{}, '~/.local/share/agency'],
    [{AGENCY_DATA_DIR: ''}, '~/.local/share/agency'],
    [{XDG_DATA_HOME: '/xdg'}, '/xdg/agency'],
    [{XDG_DATA_HOME: 'relative'}, '~/.local/share/agency'],
    [{XDG_DATA_HOME: '/xdg', AGENCY_DATA_DIR: '/data'}, '/data'],
    [{AGENCY_DATA_DIR: 'data'}, './data'],
    [{AGENCY_DATA_DIR: '~/data'}, './~/data'],
  ])('%j: %s', async (env, expected) => {
    expect(await where(env)).toBe(expected);
  });
});
