import {existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {builtInRunners} from '../../src/machines/policies/session/session-runner.ts';
import {eventually} from '../helpers/eventually.ts';
import {type AgencyProject, agencyProject} from '../helpers/session-agency.ts';
import {hasTmux} from '../helpers/terminal.ts';

type View = Record<string, unknown>;

const listed = async (project: AgencyProject, ...args: readonly string[]) =>
  ((await project.json(['ls', ...args])) as {data: View[]}).data;
const shown = async (project: AgencyProject, id: string) =>
  ((await project.json(['show', id])) as {data: View}).data;
const eventNames = (project: AgencyProject, id: string) => project.events(id).map(({event}) => event);

describe.skipIf(!hasTmux)('run', () => {
  test('creates a branch, a worktree and a session, and says where they are', async () => {
    const project = agencyProject();
    const {code, out, err} = await project.run(['run', '--name', 'refunds', '--detached']);
    expect({code, err}).toEqual({code: 0, err: ''});
    const fields = Object.fromEntries(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/: (.*)/s).slice(0, 2)),
    );
    const id = fields.run_id ?? '';
    expect(id).toMatch(/^\d{14}-[0-9a-f]{4}$/);
    const repoId = path.basename(project.repoFolder());
    expect(fields).toEqual({
      run_id: id,
      name: 'refunds',
      runner: 'claude',
      parent: 'main',
      branch: `agency/refunds-${id.slice(-4)}`,
      worktree: path.join(project.data, 'repos', repoId, 'worktrees', id),
      tmux: `agency_${id}`,
    });
    expect(project.sessionNames()).toEqual([`agency_${id}`]);
    await eventually(() =>
      expect(project.tmux('capture-pane', '-p', '-J', '-t', `=agency_${id}:`).out).toContain(
        `claude in ${fields.worktree} for refunds`,
      ),
    );
    expect(project.git('-C', fields.worktree ?? '', 'symbolic-ref', '--short', 'HEAD')).toBe(fields.branch);
    expect(JSON.parse(project.metaText(id))).toEqual({
      schema_version: '1.0',
      run_id: id,
      repo_id: repoId,
      name: 'refunds',
      runner: 'claude',
      parent_branch: 'main',
      branch: fields.branch,
      worktree_path: fields.worktree,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      repo_root: project.repo,
      tmux_session_name: `agency_${id}`,
    });
    expect(JSON.parse(readFileSync(path.join(project.repoFolder(), 'repo.json'), 'utf8'))).toMatchObject({
      repo_id: repoId,
      repo_root_last_seen: project.repo,
    });
    expect(project.events(id)).toEqual([]);
  });

  test('attaches at once in a terminal', async () => {
    const project = agencyProject();
    const terminal = project.terminal();
    terminal.type('agency run --name refunds');
    await terminal.until(/claude in .* for refunds/);
    const [session = ''] = project.sessionNames();
    project.tmux('detach-client', '-s', `=${session}`);
    await terminal.until(/tmux: agency_[\s\S]*\[0\]>$/);
  });

  test('takes runner and parent from the command line, otherwise from agency.json', async () => {
    const project = agencyProject();
    project.git('branch', 'dev');
    project.addProgram('mine', 'exec cat');
    const json = {runners: {mine: 'mine'}, defaults: {runner: 'mine', parent_branch: 'dev'}};
    writeFileSync(path.join(project.repo, 'agency.json'), JSON.stringify(json));
    const first = await project.begin('one');
    expect(await shown(project, first.id)).toMatchObject({runner: 'mine', parent_branch: 'dev'});
    const second = await project.begin('two', '--runner', 'codex', '--parent', 'main');
    expect(await shown(project, second.id)).toMatchObject({runner: 'codex', parent_branch: 'main'});
  });

  test('from a subfolder or another worktree it is the same repository, and the current branch', async () => {
    const project = agencyProject();
    const {worktree, branch} = await project.begin('one');
    mkdirSync(path.join(worktree, 'deep'));
    const meta = (await project.json(['run', '--name', 'two', '--detached'], {
      cwd: path.join(worktree, 'deep'),
    })) as View;
    expect(meta).toMatchObject({parent_branch: branch, repo_root: project.repo});
    expect(await listed(project)).toHaveLength(2);
  });

  test('says that it starts without uncommitted changes', async () => {
    const project = agencyProject();
    writeFileSync(path.join(project.repo, 'new'), '');
    expect(await project.run(['run', '--name', 'one', '--detached'])).toMatchObject({
      code: 0,
      err: 'warning: the session begins without your 1 uncommitted change on main\n',
    });
  });

  test.each<[string, readonly string[], string, string, ((project: AgencyProject) => void)?]>([
    ['an invalid name', ['--name', 'No Name'], 'E_INVALID_NAME', 'name must be lower case'],
    ['a name that is an option', ['--name=--all'], 'E_INVALID_NAME', 'name must be lower case'],
    [
      'an unknown parent',
      ['--name', 'one', '--parent', 'nowhere'],
      'E_PARENT_BRANCH_NOT_FOUND',
      "local branch 'nowhere' not found; checkout or fetch parent locally (no auto-fetch in v1)",
    ],
    [
      'a parent that is an option',
      ['--name', 'one', '--parent=--help'],
      'E_PARENT_BRANCH_NOT_FOUND',
      "local branch '--help' not found",
    ],
    [
      'an unknown runner',
      ['--name', 'one', '--runner', 'nobody'],
      'E_RUNNER_NOT_CONFIGURED',
      `runner "nobody" not configured; set runners.nobody or choose ${builtInRunners.join('/')}`,
    ],
    [
      'a missing runner',
      ['--name', 'one'],
      'E_RUNNER_NOT_CONFIGURED',
      'runner command not found on PATH: claude',
      ({bin}) => rmSync(path.join(bin, 'claude')),
    ],
    [
      'a detached HEAD',
      ['--name', 'one'],
      'E_PARENT_BRANCH_NOT_FOUND',
      'current branch is empty; provide --parent',
      ({git}) => git('checkout', '--quiet', '--detach'),
    ],
    [
      'a broken agency.json',
      ['--name', 'one'],
      'E_INVALID_AGENCY_JSON',
      'invalid json: ',
      ({repo}) => writeFileSync(path.join(repo, 'agency.json'), '{'),
    ],
    [
      'an empty repository',
      ['--name', 'one'],
      'E_EMPTY_REPO',
      'repository has no commits; create an initial commit first',
      ({git}) => git('update-ref', '-d', 'refs/heads/main'),
    ],
    [
      'no repository',
      ['--name', 'one'],
      'E_NO_REPO',
      'not inside a git repository',
      ({repo}) => rmSync(path.join(repo, '.git'), {recursive: true}),
    ],
  ])('%s is refused before anything is created', async (_, args, code, message, prepare = () => {}) => {
    const project = agencyProject();
    prepare(project);
    const run = await project.run(['run', '--detached', ...args]);
    expect({code: run.code, out: run.out}).toEqual({code: 1, out: ''});
    expect(run.err.split('\n').slice(0, 2)).toEqual([
      `error_code: ${code}`,
      expect.stringContaining(message),
    ]);
    expect(existsSync(path.join(project.data, 'repos'))).toBe(false);
    expect(project.sessionNames()).toEqual([]);
  });

  test('a name is in use until its session is archived; of two at once one gets it', async () => {
    const project = agencyProject();
    const both = await Promise.all([1, 2].map(() => project.run(['run', '--name', 'one', '--detached'])));
    expect(both.map(({code}) => code).sort()).toEqual([0, 1]);
    expect(both.find(({code}) => code === 1)?.err).toMatch(
      /^error_code: E_NAME_EXISTS\nname 'one' is already used by an active run\n/,
    );
    expect(await project.run(['clean', 'one'])).toMatchObject({code: 0});
    expect(await project.run(['run', '--name', 'one', '--detached'])).toMatchObject({code: 0});
  });

  test('a worktree that cannot be created leaves no record', async () => {
    const project = agencyProject();
    project.git('branch', 'agency');
    expect(await project.run(['run', '--name', 'one', '--detached'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error_code: E_WORKTREE_CREATE_FAILED\ngit worktree add failed: /),
    });
    expect(await listed(project, '--all')).toEqual([]);
  });
});

describe.skipIf(!hasTmux)('ls and show', () => {
  test('show what there is and its state', async () => {
    const project = agencyProject();
    expect(await project.run(['ls'])).toEqual({
      code: 0,
      out: 'no active runs (use --all to include archived)\n',
      err: '',
    });
    expect(await project.run(['ls', '--all'])).toMatchObject({out: 'no runs found\n'});
    const one = await project.begin('one');
    const two = await project.begin('two');
    const three = await project.begin('three');
    const four = await project.begin('four');
    await project.run(['kill', one.id]);
    await project.run(['stop', two.id]);
    rmSync(three.worktree, {recursive: true});
    await project.run(['clean', four.id]);
    mkdirSync(path.join(project.repoFolder(), 'runs', 'x-broken'));
    const statuses = async (...args: readonly string[]) =>
      Object.fromEntries((await listed(project, ...args)).map(({run_id, status}) => [run_id, status]));
    const active = {
      [one.id]: 'idle',
      [two.id]: 'needs attention',
      [three.id]: 'worktree missing',
      'x-broken': 'broken',
    };
    expect(await statuses()).toEqual(active);
    expect(await statuses('--all')).toEqual({...active, [four.id]: 'archived'});
    expect((await listed(project)).at(-1)).toMatchObject({run_id: 'x-broken', problem: 'it does not exist'});

    await project.run(['resume', two.id, '--detached']);
    expect(await shown(project, 'two')).toEqual({
      run_id: two.id,
      repo_id: path.basename(project.repoFolder()),
      name: 'two',
      status: 'active',
      runner: 'claude',
      parent_branch: 'main',
      branch: two.branch,
      worktree_path: two.worktree,
      repo_root: project.repo,
      session_name: two.session,
      session_exists: true,
      created_at: expect.any(String),
      archived_at: null,
      last_event: expect.stringMatching(/^resume_/),
      problem: null,
    });
    expect(await project.run(['show', 'two', '--path'])).toEqual({
      code: 0,
      out: `${two.worktree}\n`,
      err: '',
    });
    expect((await project.run(['show', four.id])).out).toMatch(
      /\nstatus: archived\ncreated: .*\narchived: .*\n/,
    );
    expect(await project.run(['show', 'x-broken'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^error_code: E_RUN_BROKEN\nrun exists but meta.json is unreadable or invalid\n/,
      ),
    });
  });

  test('list one repository inside it, and all outside', async () => {
    const project = agencyProject();
    await project.begin('one');
    const other = path.join(project.home, 'other');
    mkdirSync(other);
    project.git('clone', '--quiet', '.', other);
    await project.json(['run', '--name', 'one', '--detached'], {cwd: other});
    expect(await listed(project)).toHaveLength(1);
    expect(await listed(project, '--all-repos')).toHaveLength(2);
    expect(await project.json(['ls'], {cwd: project.home})).toMatchObject({data: [{}, {}]});
    // The same name in two repositories: the current one, or neither.
    expect((await project.json(['show', 'one'], {cwd: other})) as View).toMatchObject({
      data: {repo_root: other},
    });
    const {code, err} = await project.run(['show', 'one'], {cwd: project.home});
    expect(code).toBe(1);
    expect(err).toMatch(
      /^error_code: E_RUN_REF_AMBIGUOUS\nambiguous name "one" matches multiple runs:\n {2}\d{14}-/,
    );
  });
});

describe.skipIf(!hasTmux)('stop and kill', () => {
  test('stop presses Ctrl+C, marks the record and leaves the rest alone', async () => {
    const project = agencyProject();
    project.addProgram('claude', "trap 'touch stopped' INT; touch begun; while :; do sleep 0.1; done");
    const {id, session, worktree} = await project.begin('refunds');
    const meta = path.join(project.runFolder(id), 'meta.json');
    writeFileSync(meta, project.metaText(id).replace('{', '{"unknown": {"kept": 1.50},'));
    await eventually(() => expect(existsSync(path.join(worktree, 'begun'))).toBe(true));
    expect(await project.run(['stop', 'refunds'])).toEqual({code: 0, out: '', err: ''});
    await eventually(() => expect(existsSync(path.join(worktree, 'stopped'))).toBe(true));
    expect(project.sessionNames()).toEqual([session]);
    expect(project.events(id)).toMatchObject([{event: 'stop', data: {session_name: session, keys: ['C-c']}}]);
    expect(JSON.parse(project.metaText(id))).toMatchObject({
      unknown: {kept: 1.5},
      flags: {needs_attention: true},
    });
  });

  test('kill ends the session and nothing else', async () => {
    const project = agencyProject();
    const {id, session, worktree} = await project.begin('refunds');
    const meta = project.metaText(id);
    expect(await project.run(['kill', 'refunds'])).toEqual({code: 0, out: '', err: ''});
    expect(project.events(id)).toMatchObject([{event: 'kill_session', data: {session_name: session}}]);
    expect(project.sessionNames()).toEqual([]);
    expect(existsSync(worktree)).toBe(true);
    expect(project.metaText(id)).toBe(meta);
    expect(await project.run(['kill', 'refunds'])).toEqual({code: 0, out: '', err: `no session for ${id}\n`});
    expect(eventNames(project, id)).toEqual(['kill_session']);
  });
});

describe.skipIf(!hasTmux)('clean', () => {
  test('archives: session and worktree go, branch and record stay, resume refuses', async () => {
    const project = agencyProject();
    const {id, branch, worktree} = await project.begin('refunds');
    writeFileSync(path.join(worktree, '.started'), 'ignored files go with it');
    expect(await project.run(['clean', 'refunds'])).toEqual({
      code: 0,
      out: `cleaned: ${id}\nbranch: ${branch} (kept)\n`,
      err: '',
    });
    expect(existsSync(worktree)).toBe(false);
    expect(project.sessionNames()).toEqual([]);
    expect(project.git('branch', '--list', branch)).toContain(branch);
    expect(project.git('worktree', 'list', '--porcelain')).not.toContain(worktree);
    const meta = project.metaText(id);
    expect(JSON.parse(meta).archive).toEqual({archived_at: expect.stringMatching(/Z$/)});
    expect(await project.run(['resume', id, '--restart'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^error_code: E_WORKTREE_MISSING\nrun is archived; cannot resume\n/),
    });
    expect(project.metaText(id)).toBe(meta);
    expect(project.events(id).map(({event, data}) => [event, (data as View).reason])).toEqual([
      ['clean_started', undefined],
      ['clean_finished', undefined],
      ['resume_failed', 'archived'],
    ]);
    expect(await project.run(['clean', id])).toEqual({code: 0, out: 'already archived\n', err: ''});
  });

  test('refuses while there are changes, or commits that are nowhere else', async () => {
    const project = agencyProject();
    const {id, branch, worktree, session} = await project.begin('refunds');
    writeFileSync(path.join(worktree, 'work'), 'text');
    expect(await project.run(['clean', 'refunds'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^error_code: E_DIRTY_WORKTREE\nworktree has uncommitted changes; use --force to discard them\n.*\?\? work/,
      ),
    });
    project.git('-C', worktree, 'add', 'work');
    project.git('-C', worktree, 'commit', '--quiet', '-m', 'work');
    expect(await project.run(['clean', 'refunds'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        new RegExp(`^error_code: E_UNMERGED_COMMITS\n1 commit is only on branch ${branch};`),
      ),
    });
    expect(project.sessionNames()).toEqual([session]);
    expect(project.events(id)).toEqual([]);

    project.git('branch', 'merged', branch);
    expect(await project.run(['clean', 'refunds'])).toMatchObject({code: 0});
    expect(existsSync(worktree)).toBe(false);
  });

  test('with force keeps the branch, and names commits that are on none', async () => {
    const project = agencyProject();
    const {branch, worktree} = await project.begin('refunds');
    project.git('-C', worktree, 'commit', '--quiet', '--allow-empty', '-m', 'work');
    const tip = project.git('rev-parse', branch);
    expect(await project.run(['clean', 'refunds', '--force'])).toMatchObject({code: 0, err: ''});
    expect(project.git('rev-parse', branch)).toBe(tip);

    const other = await project.begin('ledger');
    project.git('-C', other.worktree, 'checkout', '--quiet', '--detach');
    project.git('-C', other.worktree, 'commit', '--quiet', '--allow-empty', '-m', 'lost');
    const head = project.git('-C', other.worktree, 'rev-parse', 'HEAD');
    expect(await project.run(['clean', 'ledger'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('1 commit is on no branch at all; use --force to lose it'),
    });
    expect(await project.run(['clean', 'ledger', '--force'])).toMatchObject({
      code: 0,
      err: `warning: 1 commit is on no branch any more; to keep what was made: git branch <name> ${head}\n`,
    });
  });

  test('works from anywhere, and for a worktree or a repository that is gone', async () => {
    const project = agencyProject();
    const one = await project.begin('one');
    const two = await project.begin('two');
    const three = await project.begin('three');
    expect(await project.run(['clean', 'one'], {cwd: one.worktree})).toMatchObject({code: 0});
    rmSync(two.worktree, {recursive: true});
    expect(await project.run(['clean', 'two'], {cwd: project.home})).toMatchObject({code: 0});
    expect(project.git('worktree', 'list', '--porcelain')).not.toContain(two.worktree);
    rmSync(three.worktree, {recursive: true});
    renameSync(project.repo, `${project.repo}-gone`);
    expect(await project.run(['clean', 'three'], {cwd: project.home})).toMatchObject({code: 0});
    expect(await listed({...project, json: (args) => project.json(args, {cwd: project.home})})).toEqual([]);
  });

  test('a record that points elsewhere is not followed', async () => {
    const project = agencyProject();
    const {id} = await project.begin('refunds');
    const victim = path.join(project.home, 'victim');
    project.git('worktree', 'add', '--quiet', victim);
    const meta = path.join(project.runFolder(id), 'meta.json');
    const json = {...JSON.parse(project.metaText(id)), worktree_path: victim};
    writeFileSync(meta, JSON.stringify(json));
    expect(await project.run(['clean', id, '--force'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('error_code: E_STORE_UNSAFE'),
    });
    expect(existsSync(path.join(victim, '.git'))).toBe(true);
  });

  test('a folder unknown to git is left to the user', async () => {
    const project = agencyProject();
    const {id, worktree} = await project.begin('refunds');
    project.git('worktree', 'remove', '--force', worktree);
    mkdirSync(worktree);
    writeFileSync(path.join(worktree, 'precious'), '');
    expect(await project.run(['clean', id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('error_code: E_WORKTREE_REMOVE_FAILED'),
    });
    expect(existsSync(path.join(worktree, 'precious'))).toBe(true);
    expect(eventNames(project, id)).toEqual([]);
  });
});

describe.skipIf(!hasTmux)('both programs', () => {
  test('have the same commands, each under its own name', async () => {
    const project = agencyProject();
    const {id, session} = await project.begin('refunds');
    const inside = (args: readonly string[]) => project.run(['session', ...args], {name: 'blackbird'});
    expect(await inside(['resume', id, '--detached'])).toEqual({
      code: 0,
      out: `ok: session ${session} ready\n`,
      err: '',
    });
    expect(await inside(['resume', '2000'])).toEqual({
      code: 1,
      out: '',
      err: [
        'error: run not found: 2000',
        '  code  E_RUN_NOT_FOUND',
        '  next  blackbird session ls --all --all-repos  see all sessions',
        '',
      ].join('\n'),
    });
    const [agency, blackbird] = await Promise.all([project.run(['--help']), inside(['--help'])]);
    const commands = (out: string) => [...out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    expect(commands(agency.out).filter((name) => name !== 'completion')).toEqual(commands(blackbird.out));
  });

  test('doctor says whether sessions can work', async () => {
    const project = agencyProject();
    const {id, worktree} = await project.begin('refunds');
    expect(await project.json(['doctor'])).toMatchObject({ok: true});
    rmSync(worktree, {recursive: true});
    writeFileSync(path.join(project.repo, 'agency.json'), '{"runners": {"mine": "nowhere"}}');
    const {code, out} = await project.run(['doctor']);
    expect(code).toBe(1);
    expect(out).toContain(`${id} (worktree missing)`);
    expect(out).toContain(`agency clean ${id}`);
    expect(out).toContain('runner command not found on PATH: nowhere');
  });

  test('completion offers sessions, in either program', async () => {
    const project = agencyProject();
    const {id} = await project.begin('refunds');
    const offered = async (words: readonly string[], name: 'agency' | 'blackbird' = 'agency') =>
      (await project.run(['__complete', '--', ...words], {name})).out
        .split('\n')
        .flatMap((line) => line.split('\t')[0] || []);
    expect(await offered(['resume', 'ref'])).toEqual(['refunds']);
    expect(await offered(['session', 'kill', '20'], 'blackbird')).toEqual([id]);
    expect(await offered(['resume', '--re'])).toEqual(['--restart']);
    expect(await offered(['cl'])).toEqual(['clean']);
    expect(await offered(['add', '--id', ''], 'blackbird')).toEqual([]);
    const {out} = await project.run(['completion', 'bash']);
    expect(out).toContain('agency __complete -- ');
    expect(out).not.toContain('blackbird');
  });
});
