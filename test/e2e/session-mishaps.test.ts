import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {type AgencyProject, agencyProject} from '../helpers/session-agency.ts';
import {hasTmux} from '../helpers/terminal.ts';

const ownRunner = (project: AgencyProject) => {
  writeFileSync(path.join(project.repo, 'agency.json'), '{"runners": {"own": "./own.sh"}}');
  writeFileSync(path.join(project.repo, 'own.sh'), '#!/bin/sh\nexec cat\n', {mode: 0o755});
};
const commit = ({git}: AgencyProject) => {
  git('add', '.');
  git('commit', '--quiet', '-m', 'more');
};
const ids = async (project: AgencyProject) =>
  ((await project.json(['ls', '--all'])) as {data: Array<{run_id: string}>}).data.map(({run_id}) => run_id);

/** No record, no folder, no branch, no session. */
async function expectNothingMade(project: AgencyProject) {
  expect(await ids(project)).toEqual([]);
  expect(readdirSync(path.join(project.repoFolder(), 'worktrees'))).toEqual([]);
  expect(project.git('branch', '--list', 'agency/*')).toBe('');
  expect(project.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  expect(project.sessionNames()).toEqual([]);
}

describe.skipIf(!hasTmux)('a run that cannot start leaves nothing behind', () => {
  test("its runner is in the user's folder, but not committed", async () => {
    const project = agencyProject();
    ownRunner(project);
    expect(await project.run(['run', '--name', 'one', '--runner', 'own', '--detached'])).toEqual({
      code: 1,
      out: '',
      err: [
        'error_code: E_RUNNER_NOT_CONFIGURED',
        'runner command not found: ./own.sh',
        '  runner  own',
        '  hint    it is looked for in the worktree, which has only what is committed',
        '  next    agency doctor  see which runners there are',
        '',
      ].join('\n'),
    });
    await expectNothingMade(project);

    commit(project);
    rmSync(path.join(project.repo, 'own.sh'));
    expect(await project.run(['run', '--name', 'one', '--runner', 'own', '--detached'])).toMatchObject({
      code: 0,
      err: 'warning: the session begins without your 1 uncommitted change on main\n',
    });
  });

  test('its repository cannot be remembered', async () => {
    const project = agencyProject();
    await project.begin('one');
    await project.run(['clean', 'one']);
    const known = await ids(project);
    const record = path.join(project.repoFolder(), 'repo.json');
    rmSync(record);
    mkdirSync(record);
    expect(await project.run(['run', '--name', 'two', '--detached'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error_code: E_PERSIST_FAILED\nfailed to write .*repo\.json\n/),
    });
    expect(await ids(project)).toEqual(known);
  });

  test.skipIf(process.platform !== 'linux')('the data folder cannot be created', async () => {
    const project = agencyProject();
    for (const place of ['/proc/agency/data', path.join(project.bin, 'claude')]) {
      const env = {AGENCY_DATA_DIR: place};
      expect(await project.run(['run', '--name', 'one', '--detached'], {env})).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^error_code: E_PERSIST_FAILED\nfailed to create /),
      });
    }
    expect(project.git('branch', '--list', 'agency/*')).toBe('');
    const env = {AGENCY_DATA_DIR: path.join(project.bin, 'claude')};
    expect((await project.run(['doctor'], {env})).out).toContain(`${env.AGENCY_DATA_DIR} cannot be written`);
  });
});

describe.skipIf(!hasTmux)('a runner that ends at once', () => {
  const claude = (project: AgencyProject) => {
    // The kernel may lose output written in the moment of the exit.
    project.addProgram('claude', 'echo "no login"; sleep 0.5; exit 7');
    // A busy machine may take longer to start it than `agency` watches it, so it has ended when that begins.
    const tmux = execFileSync('sh', ['-c', 'command -v tmux'], {env: project.env, encoding: 'utf8'}).trim();
    const isDead = `[ "$('${tmux}' list-panes -a -F '#{pane_dead}')" = 1 ]`;
    project.addProgram(
      'tmux',
      `'${tmux}' "$@" || exit\n[ "$1" != new-session ] || until ${isDead}; do sleep 0.05; done`,
    );
  };
  const told = (next: string) =>
    [
      'error_code: E_RUNNER_EXITED',
      'the runner ended at once (exit code 7)',
      '  runner      claude',
      '  last lines  no login',
      next,
      '',
    ].join('\n');

  test('is reported in the background too, recorded, and leaves no session', async () => {
    const project = agencyProject();
    const {id, session} = await project.begin('refunds');
    await project.run(['kill', id]);
    claude(project);
    expect(await project.run(['resume', id, '--detached'])).toEqual({
      code: 1,
      out: '',
      err: told(
        [
          `  next        agency resume ${id} --detached  try again when the runner works`,
          `              ${'agency doctor'.padEnd(`agency resume ${id} --detached`.length)}  see whether it is installed`,
        ].join('\n'),
      ),
    });
    expect(project.sessionNames()).toEqual([]);
    expect(project.events(id).at(-1)).toMatchObject({
      event: 'runner_exited',
      data: {session_name: session, detached: true, exit_code: 7, last_lines: ['no login']},
    });
  });

  test('in a new run: the worktree stays, and how to start again is shown', async () => {
    const project = agencyProject();
    claude(project);
    const {code, out, err} = await project.run(['run', '--name', 'refunds', '--detached']);
    const [id = ''] = await ids(project);
    expect({code, out}).toEqual({code: 1, out: ''});
    expect(err).toContain(`  last lines  no login\n  run         ${id}\n`);
    expect(err).toContain('next        agency resume refunds --detached  its worktree is ready');
    expect(project.sessionNames()).toEqual([]);
  });

  test('is reported on the terminal, where tmux would have shown nothing', async () => {
    const project = agencyProject();
    claude(project);
    const terminal = project.terminal();
    terminal.type('agency run --name refunds');
    await terminal.until(/the runner ended at once \(exit code 7\)[\s\S]*no login[\s\S]*\[1\]>/);
  });
});

describe.skipIf(!hasTmux)('run and resume', () => {
  test('start the same command in the same folder, from a repository with or without a checkout', async () => {
    const project = agencyProject();
    ownRunner(project);
    commit(project);
    const bare = path.join(project.home, 'bare.git');
    project.git('clone', '--quiet', '--bare', project.repo, bare);
    for (const cwd of [project.repo, bare]) {
      const runner = cwd === bare ? 'claude' : 'own';
      const begun = await project.json(['run', '--name', 'one', '--runner', runner, '--detached'], {cwd});
      const {run_id: id = '', worktree_path: worktree} = begun as Record<string, string>;
      const started = () =>
        project.tmux(
          'display-message',
          '-p',
          '-t',
          `=agency_${id}:`,
          '#{pane_start_command} in #{pane_start_path}',
        ).out;
      const first = started();
      expect(first).toBe(`${runner === 'own' ? './own.sh' : 'claude'} in ${worktree}`);
      await project.run(['kill', id]);
      expect(await project.run(['resume', id, '--detached'], {cwd: project.home})).toMatchObject({code: 0});
      expect(started()).toBe(first);
    }
  });
});

describe.skipIf(!hasTmux)('clean', () => {
  test('of two at once one does it, and the other finds it done', async () => {
    const project = agencyProject();
    const {id, branch} = await project.begin('refunds');
    const both = await Promise.all([1, 2].map(() => project.run(['clean', id])));
    expect(both.map(({out}) => out).sort()).toEqual([
      'already archived\n',
      `cleaned: ${id}\nbranch: ${branch} (kept)\n`,
    ]);
    expect(project.events(id).map(({event}) => event)).toEqual(['clean_started', 'clean_finished']);
  });

  test('without the repository ends nothing and removes nothing', async () => {
    const project = agencyProject();
    const {id, session, worktree} = await project.begin('refunds');
    renameSync(project.repo, `${project.repo}-gone`);
    expect(await project.run(['clean', id, '--force'], {cwd: project.home})).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error_code: E_WORKTREE_REMOVE_FAILED\n/),
    });
    expect(project.sessionNames()).toEqual([session]);
    expect(existsSync(worktree)).toBe(true);
    expect(project.events(id)).toEqual([]);
  });

  test('counts what is on no branch apart from what is on its own', async () => {
    const project = agencyProject();
    const {worktree} = await project.begin('refunds');
    const inside = (...args: readonly string[]) => project.git('-C', worktree, ...args);
    inside('commit', '--quiet', '--allow-empty', '-m', 'on the branch');
    inside('checkout', '--quiet', '--detach');
    inside('commit', '--quiet', '--allow-empty', '-m', 'on none');
    expect((await project.run(['clean', 'refunds'])).err).toMatch(
      /^error_code: E_UNMERGED_COMMITS\n1 commit is on no branch at all; use --force to lose it\n/,
    );
  });
});

describe.skipIf(!hasTmux)('hostile records', () => {
  test('do not hide the others, and doctor says what to do', async () => {
    const project = agencyProject();
    const {id} = await project.begin('refunds');
    const other = `${id}x`;
    const folder = project.runFolder(other);
    mkdirSync(folder);
    const meta = path.join(folder, 'meta.json');
    const json = {...JSON.parse(project.metaText(id)), run_id: other, name: '', worktree_path: '/a\0b'};
    writeFileSync(meta, JSON.stringify(json));
    expect((await project.run(['ls'])).out).toContain(`${other}  -        worktree missing`);
    expect(await project.run(['resume', other])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error_code: E_WORKTREE_MISSING\nworktree missing; run is corrupted\n/),
    });
    expect((await project.run(['show', id.slice(0, 8)])).err).toContain(`  ${other} (-) in repo `);

    writeFileSync(meta, '{');
    expect((await project.run(['doctor'])).out).toContain(`fix ${meta} (it is not valid JSON: `);
  });
});
