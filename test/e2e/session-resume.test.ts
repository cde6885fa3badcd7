import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {eventually} from '../helpers/eventually.ts';
import {type AgencyProject, agencyProject} from '../helpers/session-agency.ts';
import {hasTmux} from '../helpers/terminal.ts';

const question = 'restart session? in-tool history will be lost (git state unchanged) [y/N]: ';

const eventNames = (project: AgencyProject, id: string) => project.events(id).map(({event}) => event);

/** The process of the session, to tell a new one from the old. */
const panePid = (project: AgencyProject, session: string) =>
  project.tmux('display-message', '-p', '-t', `=${session}:`, '#{pane_pid}').out;

const clientsOf = (project: AgencyProject) =>
  project.tmux('list-clients', '-F', '#{client_session}').out.split('\n').filter(Boolean);

describe.skipIf(!hasTmux)('resume with the real tmux', () => {
  test('the demonstration of the specification', async () => {
    const project = agencyProject();
    const {id, session} = await project.begin('refunds');
    const meta = project.metaText(id);

    expect(await project.run(['kill', id])).toEqual({code: 0, out: '', err: ''});
    expect(await project.run(['attach', id])).toEqual({
      code: 1,
      out: '',
      err: [
        'error_code: E_SESSION_NOT_FOUND',
        `tmux session '${session}' does not exist`,
        `  next  agency resume ${id} --detached  create it again`,
        '',
      ].join('\n'),
    });

    const terminal = project.terminal();
    terminal.type(`agency resume ${id}`);
    await terminal.until(/claude in .* for refunds/);
    expect(clientsOf(project)).toEqual([session]);
    project.tmux('detach-client', '-s', `=${session}`);
    await terminal.until(/\[0\]>$/);

    await project.run(['kill', id]);
    expect(await project.run(['resume', id, '--detached'])).toEqual({
      code: 0,
      out: `ok: session ${session} ready\n`,
      err: '',
    });
    terminal.type(`clear; agency attach ${id}`);
    await eventually(() => expect(clientsOf(project)).toEqual([session]));
    project.tmux('detach-client', '-s', `=${session}`);
    await terminal.until(/\[0\]>$/);

    const before = panePid(project, session);
    terminal.type(`clear; agency resume ${id} --restart`);
    await terminal.until(question.trim());
    // Typed ahead: the question takes its own line and nothing of the next.
    terminal.press('y', 'Enter', 'a', 'h', 'e', 'a', 'd', 'Enter');
    await eventually(() => expect(clientsOf(project)).toEqual([session]));
    expect(panePid(project, session)).not.toBe(before);
    await terminal.until(/ahead\n+ahead/);
    terminal.type('typed later');
    await terminal.until(/typed later\n+typed later/);
    project.tmux('detach-client', '-s', `=${session}`);
    await terminal.until(/\[0\]>$/);

    expect(eventNames(project, id)).toEqual([
      ...['kill_session', 'resume_create', 'kill_session', 'resume_create', 'resume_restart'],
    ]);
    expect(project.metaText(id)).toBe(meta);
  });

  test('any answer but yes leaves the session alone', async () => {
    const project = agencyProject();
    const {id, session} = await project.begin('refunds');
    const before = panePid(project, session);
    const terminal = project.terminal();
    // Only stdin and stderr must be a terminal.
    for (const [index, answer] of ['n', '', 'yep'].entries()) {
      terminal.type(`clear; agency resume refunds --restart --detached > out${index}`);
      await terminal.until(question.trim());
      terminal.type(answer);
      await terminal.until(/canceled\n\[0\]>/);
    }
    terminal.type('clear; agency resume refunds --restart');
    await terminal.until(question.trim());
    terminal.press('C-d');
    await terminal.until(/canceled\n\[0\]>/);
    expect(panePid(project, session)).toBe(before);
    expect(eventNames(project, id)).toEqual([]);
    expect(readFileSync(path.join(project.repo, 'out0'), 'utf8')).toBe('');
  });

  test('the lock is free while a client is attached', async () => {
    const project = agencyProject();
    const {id, session} = await project.begin('refunds');
    await project.run(['kill', id]);
    const terminal = project.terminal();
    terminal.type(`agency resume ${id}`);
    await eventually(() => expect(clientsOf(project)).toEqual([session]));
    const other = await project.begin('ledger');
    await project.run(['kill', other.id]);
    expect(await project.run(['resume', other.id, '--detached'])).toMatchObject({code: 0});
  });

  test('inside tmux the client switches', async () => {
    const project = agencyProject();
    const {session} = await project.begin('refunds');
    const terminal = project.terminal();
    terminal.type("tmux new-session -s mine env PS1='mine> ' bash --norc");
    await terminal.until('mine>');
    terminal.type('agency resume refunds');
    await eventually(() => expect(clientsOf(project)).toEqual([session]));
    terminal.type('hello');
    await terminal.until(/hello\n+hello/);
    expect(project.sessionNames().sort()).toEqual([session, 'mine'].sort());
  });

  test('the same from inside the session itself: a restart and a clean survive their own terminal', async () => {
    const project = agencyProject();
    project.addProgram('claude', 'exec bash --norc');
    const {id, session, worktree} = await project.begin('refunds');
    const before = panePid(project, session);
    const type = async (line: string) => {
      const pane = ['-t', `=${session}:`];
      await eventually(() => expect(project.tmux('capture-pane', '-p', ...pane).out).toMatch(/[$#]$/));
      project.tmux('send-keys', ...pane, line, 'Enter');
    };
    await type('agency resume refunds --restart --yes');
    await eventually(() => expect(eventNames(project, id)).toEqual(['resume_restart']));
    expect(panePid(project, session)).not.toBe(before);
    await type('agency clean refunds');
    await eventually(() =>
      expect(eventNames(project, id)).toEqual(['resume_restart', 'clean_started', 'clean_finished']),
    );
    expect(() => readFileSync(path.join(worktree, '.git'))).toThrow('ENOENT');
  });

  test('without a terminal it says what to do, and does nothing', async () => {
    const project = agencyProject();
    const {id, session} = await project.begin('refunds');
    const before = panePid(project, session);
    const refused = {
      code: 1,
      out: '',
      err: expect.stringMatching(/^error_code: E_NOT_INTERACTIVE\n.*--detached/),
    };
    expect(await project.run(['resume', id])).toEqual(refused);
    expect(await project.run(['resume', id, '--restart', '--yes'])).toEqual(refused);
    expect(panePid(project, session)).toBe(before);
    expect(await project.run(['resume', id, '--restart'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^error_code: E_CONFIRMATION_REQUIRED\nrefusing to restart without confirmation in non-interactive mode; pass --yes\n/,
      ),
    });
    const inBackground = await project.run(['resume', id, '--restart']);
    expect(inBackground.err).toContain(`  next  agency resume ${id} --restart --yes --detached  end it`);
    await project.run(['kill', id]);
    expect(await project.run(['resume', id])).toEqual(refused);
    expect(await project.run(['run', '--name', 'ledger'])).toEqual(refused);
    expect(project.sessionNames()).toEqual([]);
    expect(eventNames(project, id)).toEqual(['kill_session']);
    expect(project.git('branch', '--list', 'agency/ledger*')).toBe('');
  });

  test('options come before or after the id', async () => {
    const project = agencyProject();
    const {id, session} = await project.begin('refunds');
    for (const args of [
      ['resume', '--detached', id],
      ['resume', id, '--detached'],
      ['resume', id, '--detached', '--yes'],
      ['resume', '--restart', id, '--yes', '--detached'],
    ]) {
      expect(await project.run(args), args.join(' ')).toEqual({
        code: 0,
        out: `ok: session ${session} ready\n`,
        err: '',
      });
    }
  });

  test('ten at once: one session, one creation, ten events', async () => {
    const project = agencyProject();
    const {id, session, worktree} = await project.begin('refunds');
    await project.run(['kill', id]);
    rmSync(path.join(worktree, '.started'));
    const all = await Promise.all(Array.from({length: 10}, () => project.run(['resume', id, '--detached'])));
    expect(all).toEqual(Array(10).fill({code: 0, out: `ok: session ${session} ready\n`, err: ''}));
    expect(project.sessionNames()).toEqual([session]);
    await eventually(() =>
      expect(readFileSync(path.join(worktree, '.started'), 'utf8').split('\n')).toHaveLength(2),
    );
    const names = eventNames(project, id).slice(1);
    expect(names).toHaveLength(10);
    expect(names.filter((name) => name === 'resume_create')).toHaveLength(1);
    expect(names.filter((name) => name === 'resume_attach')).toHaveLength(9);
  });

  test('foreign sessions whose names start like ours are left alone', async () => {
    const project = agencyProject();
    const {id, session} = await project.begin('refunds');
    await project.run(['kill', id]);
    project.tmux('new-session', '-d', '-s', `${session}0`, 'sleep 1000');
    project.tmux('new-session', '-d', '-s', 'agency_', 'sleep 1000');
    const others = project.sessionNames().sort();
    expect(await project.run(['attach', id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('E_SESSION_NOT_FOUND'),
    });
    expect(await project.run(['kill', id])).toEqual({code: 0, out: '', err: `no session for ${id}\n`});
    expect(await project.run(['stop', id])).toEqual({code: 0, out: '', err: `no session for ${id}\n`});
    await project.run(['resume', id, '--detached']);
    await project.run(['resume', id, '--detached', '--restart', '--yes']);
    await project.run(['kill', id]);
    await project.run(['clean', id]);
    expect(project.sessionNames().sort()).toEqual(others);
  });

  test('the runner gets its worktree and the PATH of the resuming user, whatever the server has', async () => {
    const project = agencyProject();
    project.tmux('new-session', '-d', '-s', 'other', 'sleep 1000');
    const {id, session, worktree} = await project.begin('refunds');
    const hidden = path.join(project.home, 'hidden');
    mkdirSync(hidden);
    writeFileSync(
      path.join(hidden, 'late'),
      '#!/bin/sh\necho "late in $PWD, run $AGENCY_RUN_ID"\nexec cat\n',
      {mode: 0o755},
    );
    writeFileSync(path.join(project.repo, 'agency.json'), JSON.stringify({runners: {claude: 'late --x'}}));
    const env = {PATH: `${hidden}:${project.env.PATH}`};
    await project.run(['resume', id, '--restart', '--yes', '--detached'], {env});
    await eventually(() =>
      expect(project.tmux('capture-pane', '-p', '-J', '-t', `=${session}:`).out).toContain(
        `late in ${worktree}, run ${id}`,
      ),
    );
    expect(await project.run(['resume', id, '--restart', '--yes', '--detached'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^error_code: E_RUNNER_NOT_CONFIGURED\nrunner command not found on PATH: late\n/,
      ),
    });
    expect(project.sessionNames()).toContain(session);
  });

  test('neither git nor a script is touched', async () => {
    const project = agencyProject();
    const {id} = await project.begin('refunds');
    writeFileSync(
      path.join(project.repo, 'agency.json'),
      JSON.stringify({version: 1, scripts: {setup: 'touch ran', verify: 'touch ran', archive: 'touch ran'}}),
    );
    project.addProgram('git', `touch '${project.home}/git-ran'; exit 1`);
    await project.run(['kill', id]);
    expect(await project.run(['resume', id, '--detached'])).toMatchObject({code: 0});
    expect(await project.run(['resume', id, '--detached', '--restart', '--yes'])).toMatchObject({code: 0});
    expect(() => readFileSync(`${project.home}/git-ran`)).toThrow('ENOENT');
  });

  test('a missing tmux is named, and nothing is lost', async () => {
    const project = agencyProject();
    const {id, worktree} = await project.begin('refunds');
    await project.run(['kill', id]);
    const PATH = project.bin;
    const {code, out, err} = await project.run(['resume', id, '--detached'], {env: {PATH}});
    expect({code, out}).toEqual({code: 1, out: ''});
    expect(err).toMatch(/^error_code: E_TMUX_NOT_INSTALLED\ntmux is not installed or not on PATH\n/);
    expect(eventNames(project, id)).toEqual(['kill_session']);
    rmSync(worktree, {recursive: true});
    expect(await project.run(['resume', id], {env: {PATH}})).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error_code: E_WORKTREE_MISSING\nworktree missing; run is corrupted\n/),
    });
  });
});
