import {spawn} from 'node:child_process';
import {mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {builtInRunners} from '../../src/machines/policies/session/session-runner.ts';
import {createProcessLock} from '../../src/services/lock/process-lock.ts';
import {repoId, runId, session} from '../fakes/session-runs.ts';
import {addProgram, type Resumed, type ResumeOptions, sessionProject} from '../helpers/session-project.ts';

const [has, create, release, kill, attach] = [
  'hasSession',
  'newSession',
  'release',
  'killSession',
  'attach',
].map((call) => `${call} ${session}`) as [string, string, string, string, string];
const ready = `ok: session ${session} ready\n`;
const question = 'restart session? in-tool history will be lost (git state unchanged) [y/N]: ';

const eventOf = (event: string, data: object) => ({
  schema_version: '1.0',
  timestamp: '2026-01-12T08:30:00Z',
  repo_id: repoId,
  run_id: runId,
  event,
  data: {session_name: session, runner: 'claude', detached: false, restart: false, ...data},
});

/** One run, whose session runs or not; every resume must leave its record as it is. */
function project({isRunning = false} = {}) {
  const made = sessionProject();
  const meta = made.addRun();
  const before = made.metaText();
  const run = () => made.tmux.sessions.set(session, {name: session, cwd: '/', argv: ['old'], env: {}});
  if (isRunning) run();
  const resume = async (options: ResumeOptions = {}): Promise<Resumed> => {
    const resumed = await made.resume(options);
    expect(made.metaText()).toBe(before);
    return resumed;
  };
  return {...made, meta, run, resume};
}

const locks = ({log}: Resumed) => log.filter((call) => call === 'lock').length;
const quiet = {out: '', err: '', error: null};

describe('the cases of the specification', () => {
  test('1. session exists: attached to, no lock', async () => {
    const {resume, events} = project({isRunning: true});
    const resumed = await resume();
    expect(resumed).toEqual({...quiet, log: [has, 'resume_attach', attach]});
    expect(locks(resumed)).toBe(0);
    expect(events()).toEqual([eventOf('resume_attach', {})]);
  });

  test('2. session exists, detached: the line, no attach, no lock', async () => {
    const {resume, events} = project({isRunning: true});
    const resumed = await resume({detached: true});
    expect(resumed).toEqual({...quiet, out: ready, log: [has, 'resume_attach']});
    expect(events()).toEqual([eventOf('resume_attach', {detached: true})]);
  });

  test('3. session missing: created under the lock, then attached to', async () => {
    const {resume, events, tmux, worktree} = project();
    const resumed = await resume();
    expect(resumed).toEqual({
      ...quiet,
      log: [has, 'lock', has, create, release, 'resume_create', 'unlock', attach],
    });
    expect(locks(resumed)).toBe(1);
    expect(tmux.sessions.get(session)).toMatchObject({name: session, cwd: worktree, argv: ['claude']});
    expect(events()).toEqual([eventOf('resume_create', {})]);
  });

  test('4. session missing, detached: created, the line, no attach', async () => {
    const {resume, events} = project();
    const resumed = await resume({detached: true});
    expect(resumed).toEqual({
      ...quiet,
      out: ready,
      log: [has, 'lock', has, create, release, 'resume_create', 'unlock'],
    });
    expect(events()).toEqual([eventOf('resume_create', {detached: true})]);
  });

  test.each([true, false])(
    '5. restart with --yes (detached: %s): killed, created, never asked',
    async (detached) => {
      const {resume, events, tmux} = project({isRunning: true});
      const resumed = await resume({restart: true, yes: true, detached});
      expect(resumed).toEqual({
        ...quiet,
        out: detached ? ready : '',
        log: [
          ...[has, 'lock', has, kill, create, release, 'resume_restart', 'unlock'],
          ...(detached ? [] : [attach]),
        ],
      });
      expect(tmux.sessions.get(session)?.argv).toEqual(['claude']);
      expect(events()).toEqual([eventOf('resume_restart', {detached, restart: true})]);
    },
  );

  test('6. restart, no terminal, no --yes: refused, nothing done', async () => {
    const {resume, events} = project({isRunning: true});
    const resumed = await resume({restart: true, terminal: {isInteractive: false}});
    expect(resumed).toMatchObject({
      out: '',
      err: '',
      log: [has],
      error: {
        code: 'E_CONFIRMATION_REQUIRED',
        message: 'refusing to restart without confirmation in non-interactive mode; pass --yes',
      },
    });
    expect(events()).toEqual([]);
  });

  test.each([[['n']], [['']], [['yep']], [[]], [['no', 'yes']]])(
    '7. restart, answered %j: canceled',
    async (answers) => {
      const {resume, events} = project({isRunning: true});
      for (const detached of [false, true]) {
        const resumed = await resume({restart: true, detached, answers});
        expect(resumed).toEqual({...quiet, err: `${question}canceled\n`, log: [has]});
      }
      expect(events()).toEqual([]);
    },
  );

  test.each(['y', 'Y', 'yes', 'YES', 'Yes', 'yes\r'])(
    '7b. restart, answered %j: continues',
    async (answer) => {
      const {resume} = project({isRunning: true});
      expect(await resume({restart: true, answers: [answer]})).toEqual({
        ...quiet,
        err: question,
        log: [has, 'lock', has, kill, create, release, 'resume_restart', 'unlock', attach],
      });
    },
  );

  test.each([
    {
      case: 8,
      archive: {archived_at: '2026-01-11T00:00:00Z'},
      reason: 'archived',
      message: 'run is archived; cannot resume',
    },
    {case: 9, archive: {}, reason: 'missing', message: 'worktree missing; run is corrupted'},
    {case: 9, archive: null, reason: 'missing', message: 'worktree missing; run is corrupted'},
  ])(
    '$case. worktree missing, $reason: an event, and no call to tmux',
    async ({archive, reason, message}) => {
      const {resume, events, addRun, worktree, elsewhere} = sessionProject();
      const file = path.join(elsewhere, 'file');
      writeFileSync(file, '');
      symlinkSync('loop', path.join(elsewhere, 'loop'));
      const places = [`${worktree}-gone`, file, '', 'relative', path.join(elsewhere, 'loop'), '/a\0b'];
      for (const place of places) {
        addRun({worktree_path: place, archive: archive as never});
        expect(await resume({restart: true})).toMatchObject({
          out: '',
          err: '',
          log: ['resume_failed'],
          error: {code: 'E_WORKTREE_MISSING', message},
        });
      }
      const {data, ...envelope} = eventOf('resume_failed', {restart: true, reason});
      expect(events()).toEqual(Array(6).fill({...envelope, data}));
    },
  );
});

describe('the worktree', () => {
  test('may be a link to a folder', async () => {
    const {resume, addRun, worktree, elsewhere} = sessionProject();
    const link = path.join(elsewhere, 'link');
    symlinkSync(worktree, link);
    addRun({worktree_path: link});
    expect(await resume({detached: true})).toMatchObject({out: ready, error: null});
  });

  test('that exists is resumed, archived or not', async () => {
    const {resume, addRun} = sessionProject();
    addRun({archive: {archived_at: '2026-01-11T00:00:00Z'}, flags: {abandoned: true}});
    expect(await resume({detached: true})).toMatchObject({out: ready, error: null});
  });

  test('is never written into', async () => {
    const {resume, files, worktree} = project();
    await resume();
    expect(files().filter((file) => file.startsWith(`${path.basename(worktree)}/`))).toEqual([]);
  });
});

describe('the run', () => {
  test.each(['20260110120000', '2026', 'refunds', ` ${runId} `])(
    'is found as %j, and named by its id',
    async (ref) => {
      const {resume} = project();
      expect(await resume({ref, detached: true})).toMatchObject({out: ready, error: null});
    },
  );

  test('that does not exist leaves no trace', async () => {
    const {resume, files} = project();
    const before = files();
    expect(await resume({ref: '2027'})).toMatchObject({
      log: [],
      error: {code: 'E_RUN_NOT_FOUND', message: 'run not found: 2027'},
    });
    expect(files()).toEqual(before);
  });

  test('that is ambiguous leaves no trace either', async () => {
    const {resume, addRun, events} = project();
    addRun({run_id: '20260110120000-b000', name: 'other'});
    expect(await resume({ref: '2026'})).toMatchObject({log: [], error: {code: 'E_RUN_ID_AMBIGUOUS'}});
    expect(events()).toEqual([]);
  });

  test.each([
    ['', 'it is empty'],
    ['{', 'it is not valid JSON'],
    ['[]', 'it does not contain a JSON object'],
    ['{"run_id":"x"}', 'schema_version: '],
    [
      JSON.stringify({schema_version: '1.0', run_id: 'other', repo_id: repoId, created_at: 'x'}),
      'it names another run',
    ],
  ])('with the record %j is broken', async (text, reason) => {
    const {resume, addRun, runFolder} = sessionProject();
    addRun();
    writeFileSync(path.join(runFolder(), 'meta.json'), text);
    const {error, log} = await resume();
    expect(error).toMatchObject({
      code: 'E_RUN_BROKEN',
      message: 'run exists but meta.json is unreadable or invalid',
    });
    expect(error?.details.find(([label]) => label === 'reason')?.[1]).toContain(reason);
    expect(log).toEqual([]);
  });

  test('two whose names start alike are two', async () => {
    const {resume, addRun, tmux} = project();
    const longer = `${runId}x`;
    addRun({run_id: longer, name: 'refunds-2'});
    await resume({ref: longer, detached: true});
    expect([...tmux.sessions.keys()]).toEqual([`agency_${longer}`]);
    expect(await resume({ref: runId, detached: true})).toMatchObject({out: ready, error: null});
    expect([...tmux.sessions.keys()]).toEqual([`agency_${longer}`, session]);
  });
});

describe('the runner', () => {
  const agencyJson = (folder: string, json: unknown) =>
    writeFileSync(path.join(folder, 'agency.json'), JSON.stringify(json));

  test('is what agency.json says, as one argument', async () => {
    const {resume, repo, tmux, bin} = project();
    agencyJson(repo, {
      version: 1,
      runners: {claude: 'mine --with "two words"'},
      scripts: {setup: 'rm -rf /'},
    });
    await resume();
    expect(tmux.sessions.get(session)?.argv).toEqual(['mine --with "two words"']);
    expect(tmux.sessions.get(session)?.env).toMatchObject({
      PATH: bin,
      AGENCY_RUN_ID: runId,
      AGENCY_NAME: 'refunds',
    });
  });

  test('comes from the record, not from the current defaults, nor from an earlier command', async () => {
    const {resume, repo, tmux, addRun} = sessionProject();
    addRun({runner: 'codex', runner_cmd: 'mine'});
    agencyJson(repo, {defaults: {runner: 'claude'}});
    await resume();
    expect(tmux.sessions.get(session)?.argv).toEqual(['codex']);
  });

  test.each([
    [
      'nobody',
      {},
      'E_RUNNER_NOT_CONFIGURED',
      `runner "nobody" not configured; set runners.nobody or choose ${builtInRunners.join('/')}`,
    ],
    [
      'claude',
      {runners: {claude: ''}},
      'E_RUNNER_NOT_CONFIGURED',
      'runner "claude" has empty command in runners config',
    ],
    [
      'claude',
      {runners: {claude: 'nowhere'}},
      'E_RUNNER_NOT_CONFIGURED',
      'runner command not found on PATH: nowhere',
    ],
    [
      'claude',
      {runners: {claude: './nowhere'}},
      'E_RUNNER_NOT_CONFIGURED',
      'runner command not found: ./nowhere',
    ],
    [
      'claude',
      {runners: {claude: 'blocked'}},
      'E_RUNNER_NOT_CONFIGURED',
      'runner command is not executable: blocked',
    ],
    ['claude', {runners: {claude: ['claude']}}, 'E_INVALID_AGENCY_JSON', 'runners.claude must be a string'],
    ['claude', {version: 3}, 'E_INVALID_AGENCY_JSON', 'version must be 1'],
  ])('%s with %j cannot start: the old session stays', async (runner, json, code, message) => {
    const {resume, repo, tmux, addRun, events, bin} = sessionProject();
    addRun({runner});
    agencyJson(repo, json);
    addProgram(bin, 'blocked', 0o644);
    tmux.sessions.set(session, {name: session, cwd: '/', argv: ['old'], env: {}});
    expect(await resume({restart: true, yes: true})).toMatchObject({log: [has], error: {code, message}});
    expect(tmux.sessions.get(session)?.argv).toEqual(['old']);
    tmux.sessions.clear();
    expect(await resume()).toMatchObject({log: [has], error: {code, message}});
    expect(events()).toEqual([]);
  });

  test('does not matter when the session runs', async () => {
    const {resume, repo, tmux, addRun} = sessionProject();
    addRun({runner: 'nobody'});
    writeFileSync(path.join(repo, 'agency.json'), '{');
    tmux.sessions.set(session, {name: session, cwd: '/', argv: ['old'], env: {}});
    expect(await resume({detached: true})).toMatchObject({out: ready, error: null});
  });

  test('is found through the stored repository, whatever the working directory', async () => {
    const {resume, repo, elsewhere, tmux, addRun, data} = sessionProject();
    agencyJson(repo, {runners: {claude: 'mine'}});
    agencyJson(elsewhere, {runners: {claude: 'codex'}});
    mkdirSync(path.join(elsewhere, '.git'));
    addRun();
    await resume({cwd: elsewhere});
    expect(tmux.sessions.get(session)?.argv).toEqual(['mine']);

    tmux.sessions.clear();
    addRun({repo_root: ''});
    writeFileSync(path.join(data, 'repos', repoId, 'repo.json'), JSON.stringify({repo_root_last_seen: repo}));
    await resume({cwd: elsewhere});
    expect(tmux.sessions.get(session)?.argv).toEqual(['mine']);
  });

  test('is looked for around the working directory, then in the worktree, when nothing is stored', async () => {
    const {resume, repo, elsewhere, worktree, tmux, addRun} = sessionProject();
    addRun({repo_root: ''});
    agencyJson(worktree, {runners: {claude: 'codex'}});
    await resume({cwd: elsewhere});
    expect(tmux.sessions.get(session)?.argv).toEqual(['codex']);

    tmux.sessions.clear();
    mkdirSync(path.join(repo, '.git'));
    mkdirSync(path.join(repo, 'deep'));
    agencyJson(repo, {runners: {claude: 'mine'}});
    await resume({cwd: path.join(repo, 'deep')});
    expect(tmux.sessions.get(session)?.argv).toEqual(['mine']);
  });
});

describe('the lock', () => {
  const held = async ({data}: {data: string}) => {
    const lock = createProcessLock(path.join(data, 'repos', repoId, '.lock'));
    const attempt = await lock.acquire({waitSeconds: 0});
    if (!attempt.acquired) throw new Error('somebody else has it');
    onTestFinished(() => attempt.lock.release());
  };

  test('of another process does not matter when nothing is to be changed', async () => {
    const made = project({isRunning: true});
    await held(made);
    expect(await made.resume({detached: true})).toMatchObject({out: ready, error: null});
  });

  test('of another process stops a change, and its holder is named', async () => {
    const made = project();
    await held(made);
    const {error, log} = await made.resume();
    expect(error?.code).toBe('E_REPO_LOCKED');
    expect(error?.message).toMatch(
      new RegExp(
        `^repo ${repoId} is locked by pid ${process.pid} since \\S+ \\(lock file: .*/${repoId}/.lock\\)$`,
      ),
    );
    expect(log).toEqual([has, 'lock']);
    expect(made.events()).toEqual([]);
  });

  test('that a dead process held stops nothing', async () => {
    const made = project();
    const child = spawn('true');
    await new Promise((resolve) => child.once('exit', resolve));
    const holder = {pid: child.pid, startTime: '1', bootId: 'gone', pidNamespace: '', since: 'x'};
    writeFileSync(path.join(made.data, 'repos', repoId, '.lock'), JSON.stringify(holder));
    expect(await made.resume({detached: true})).toMatchObject({out: ready, error: null});
  });
});

describe('the events', () => {
  test('are appended, also after a torn line', async () => {
    const {resume, runFolder} = project({isRunning: true});
    const file = path.join(runFolder(), 'events.jsonl');
    writeFileSync(file, '{"event":"first"}\n{"event":"cut');
    await resume({detached: true});
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.slice(0, 2)).toEqual(['{"event":"first"}', '{"event":"cut']);
    expect(JSON.parse(lines[2] ?? '')).toEqual(eventOf('resume_attach', {detached: true}));
    expect(lines.slice(3)).toEqual(['']);
  });

  test('of a new session that cannot be written fail the command before it attaches', async () => {
    const {resume, runFolder, tmux} = project();
    mkdirSync(path.join(runFolder(), 'events.jsonl'));
    const {out, error, log} = await resume();
    expect(error).toMatchObject({code: 'E_PERSIST_FAILED', message: 'failed to append resume_create event'});
    expect({out, log}).toEqual({out: '', log: [has, 'lock', has, create, release, 'unlock']});
    expect(tmux.sessions.has(session)).toBe(true);
  });

  test('of a running session print a warning when they cannot be written, and it is attached to', async () => {
    const {resume, runFolder} = project({isRunning: true});
    const file = path.join(runFolder(), 'events.jsonl');
    mkdirSync(file);
    const {out, err, error, log} = await resume();
    expect({out, error, log}).toEqual({out: '', error: null, log: [has, attach]});
    expect(err).toMatch(
      /^warning: failed to append resume_attach event: .*EISDIR.*; the session is not affected\n$/,
    );
    expect(err).toContain(file);
  });

  test('do not follow a link out of the folder', async () => {
    const {resume, runFolder, elsewhere} = project({isRunning: true});
    const victim = path.join(elsewhere, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, path.join(runFolder(), 'events.jsonl'));
    expect(await resume()).toMatchObject({error: null, err: expect.stringContaining('ELOOP')});
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });
});

test('two at once: one creates, the other attaches; one session, two events', async () => {
  const {resume, events, tmux} = project();
  const both = await Promise.all([resume({detached: true}), resume({detached: true})]);
  expect(both.map(({out, error}) => ({out, error}))).toEqual(Array(2).fill({out: ready, error: null}));
  expect([...tmux.sessions.keys()]).toEqual([session]);
  expect(
    events()
      .map((event) => (event as {event: string}).event)
      .sort(),
  ).toEqual(['resume_attach', 'resume_create']);
});
