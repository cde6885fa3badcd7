import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {mkdirSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {Task} from '../../src/services/contracts/plan.ts';
import {createProcessLock} from '../../src/services/lock/process-lock.ts';
import {createRunStore} from '../../src/services/stores/run-store.ts';
import {pausedRun, restingRun, runRecord} from '../fakes/runs.ts';
import {uniqueRunId} from '../helpers/agent-processes.ts';
import {family, hugeLineage, planOf, task} from '../helpers/plans.ts';
import {cliProject, controlCharacters, lines} from '../helpers/run-cli.ts';

const shop = planOf(
  family(
    task('shop', {title: 'Shop', status: 'in_progress'}),
    task('api', {title: 'Refund endpoint', status: 'done'}),
    task('e2e', {title: 'End to end', deps: ['api']}),
    family(task('ui', {title: 'Screens'}), task('ui-list', {title: 'List', deps: ['api', 'e2e']})),
  ),
  task('held', {title: 'On hold', status: 'blocked'}),
  task('docs', {title: 'Write docs'}),
  task('old', {title: 'Old idea', status: 'skipped'}),
);

const summary = (id: string, fields: Record<string, unknown>) => ({
  id,
  title: '',
  status: 'todo',
  readiness: 'READY',
  leaf: true,
  parentId: null,
  unmetDeps: [],
  ...fields,
});

describe('a task in progress', () => {
  test('is shown with the state of its latest run; only runs at rest show it', async () => {
    const ids = ['paused', 'decision', 'running', 'none'];
    const project = cliProject(planOf(...ids.map((id) => task(id, {status: 'in_progress'}))));
    const runsFolder = path.join(project.folder, '.blackbird/runs');
    mkdirSync(runsFolder, {recursive: true, mode: 0o700});
    const store = createRunStore({folder: runsFolder});
    await store.insert(pausedRun({task_id: 'paused'}));
    await store.insert(restingRun({state: 'succeeded', task_id: 'decision', decision_state: 'pending'}));
    await store.insert(runRecord({task_id: 'running'}));
    const engine = createProcessLock(path.join(project.folder, '.blackbird/lock'));
    const attempt = await engine.acquire({waitSeconds: 0});
    onTestFinished(() => (attempt.acquired ? attempt.lock.release() : undefined));
    expect((await project.run(['list', '--all'])).out).toBe(
      lines(
        'ID        STATUS       READINESS    TITLE',
        'paused    in_progress  PAUSED       Task paused',
        'decision  in_progress  DECISION     Task decision',
        'running   in_progress  IN_PROGRESS  Task running',
        'none      in_progress  IN_PROGRESS  Task none',
      ),
    );
    expect(await project.json(['list', '--all'])).toMatchObject({
      tasks: [{readiness: 'IN_PROGRESS', run: 'paused'}, {run: 'decision'}, {id: 'running'}, {id: 'none'}],
    });

    if (attempt.acquired) await attempt.lock.release();
    const {out} = await project.run(['list', '--all']);
    expect(out).toContain('running   in_progress  PAUSED       Task running');
  });
});

test('a task whose agent outlived its Blackbird is shown as orphaned, with the command to end it', async () => {
  const project = cliProject(planOf(task('a', {status: 'in_progress'})));
  const runsFolder = path.join(project.folder, '.blackbird/runs');
  mkdirSync(runsFolder, {recursive: true, mode: 0o700});
  const run = runRecord({
    run_id: uniqueRunId(),
    provider_session_ref: randomUUID(),
    resumable: true,
    repo_root: realpathSync(project.folder),
  });
  await createRunStore({folder: runsFolder}).insert(run);
  const agent = spawn('sleep', ['1000'], {env: {...process.env, BLACKBIRD_RUN_ID: run.run_id}});
  onTestFinished(() => void agent.kill('SIGKILL'));
  await once(agent, 'spawn');

  expect((await project.run(['list', '--all'])).out).toBe(
    lines('ID  STATUS       READINESS  TITLE', 'a   in_progress  ORPHANED   Task a'),
  );
  expect(await project.json(['list', '--all'])).toMatchObject({tasks: [{id: 'a', run: 'orphaned'}]});
  expect((await project.run(['why', 'a'])).out).toContain('blackbird resume a');
  expect((await project.run(['runs', 'a'])).out).toContain('orphaned (agent alive)');
  const {code, out} = await project.run(['doctor', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    ok: false,
    checks: expect.arrayContaining([
      {
        name: 'agent',
        state: 'wrong',
        found: `run ${run.run_id} of a works without a Blackbird: ${agent.pid}`,
        advice: 'blackbird resume a ends it and continues',
      },
    ]),
  });

  agent.kill('SIGKILL');
  await once(agent, 'exit');
  expect((await project.run(['list', '--all'])).out).toContain('a   in_progress  PAUSED     Task a\n');
});

describe('list', () => {
  test('shows ready tasks, in plan order', async () => {
    const {run} = cliProject(shop);
    expect(await run(['list'])).toEqual({
      code: 0,
      out: lines(
        'ID    STATUS  READINESS  TITLE',
        'e2e   todo    READY      End to end',
        'docs  todo    READY      Write docs',
      ),
      err: '',
    });
  });

  test('gives a script the same as data', async () => {
    const {json, run} = cliProject(shop);
    const tasks = [
      summary('e2e', {title: 'End to end', parentId: 'shop'}),
      summary('docs', {title: 'Write docs'}),
    ];
    expect(await json(['list'])).toEqual({tasks});
    expect(JSON.parse((await run(['--json', 'list'])).out)).toEqual({tasks});
  });

  test.each([
    [['--all'], ['api', 'e2e', 'ui-list', 'held', 'docs', 'old']],
    [['--blocked'], ['ui-list', 'held']],
    [
      ['--blocked', '--all'],
      ['ui-list', 'held'],
    ],
    [['--status', 'done'], ['api']],
    [['--status=skipped', '--blocked'], ['old']],
    [['--status', 'queued'], []],
    [['--features'], ['shop', 'held', 'docs']],
    [
      ['--features', '--all'],
      ['shop', 'held', 'docs', 'old'],
    ],
    [['--features', '--blocked'], ['held']],
    [['--tree'], ['shop', 'api', 'e2e', 'ui', 'ui-list', 'held', 'docs', 'old']],
    [
      ['--tree', '--blocked'],
      ['shop', 'ui', 'ui-list', 'held'],
    ],
    [
      ['--status', 'done', '--tree'],
      ['shop', 'api'],
    ],
  ])('%s selects', async (options, ids) => {
    const {tasks} = (await cliProject(shop).json(['list', ...options])) as {tasks: Array<{id: string}>};
    expect(tasks.map(({id}) => id)).toEqual(ids);
  });

  test('says why a task is blocked', async () => {
    const {run, json} = cliProject(shop);
    expect((await run(['list', '--blocked'])).out).toBe(
      lines(
        'ID       STATUS   READINESS  TITLE',
        'ui-list  todo     BLOCKED    List     unmet deps: e2e',
        'held     blocked  BLOCKED    On hold  manually blocked (deps satisfied)',
      ),
    );
    expect(await json(['list', '--blocked'])).toEqual({
      tasks: [
        summary('ui-list', {title: 'List', readiness: 'BLOCKED', parentId: 'ui', unmetDeps: ['e2e']}),
        summary('held', {title: 'On hold', status: 'blocked', readiness: 'BLOCKED'}),
      ],
    });
  });

  test('draws the tree by indentation', async () => {
    expect((await cliProject(shop).run(['list', '--tree'])).out).toBe(
      lines(
        'ID           STATUS       READINESS    TITLE',
        'shop         in_progress  IN_PROGRESS  Shop',
        '  api        done         DONE         Refund endpoint',
        '  e2e        todo         READY        End to end',
        '  ui         todo         OPEN         Screens',
        '    ui-list  todo         BLOCKED      List             unmet deps: e2e',
        'held         blocked      BLOCKED      On hold          manually blocked (deps satisfied)',
        'docs         todo         READY        Write docs',
        'old          skipped      SKIPPED      Old idea',
      ),
    );
  });

  test('tells a script the depth of a task in the tree', async () => {
    const {tasks} = (await cliProject(shop).json(['list', '--tree'])) as {
      tasks: Array<{id: string; depth: number}>;
    };
    expect(Object.fromEntries(tasks.map(({id, depth}) => [id, depth]))).toEqual({
      shop: 0,
      api: 1,
      e2e: 1,
      ui: 1,
      'ui-list': 2,
      held: 0,
      docs: 0,
      old: 0,
    });
  });

  test('numbers the levels of a very deep tree instead of indenting them', async () => {
    const {out} = await cliProject(hugeLineage(13)).run(['list', '--tree']);
    expect(out.trimEnd().split('\n').slice(10)).toEqual([
      `${'                  g9'.padEnd(28)}  todo    OPEN       Task g9`,
      `${'                    g10'.padEnd(28)}  todo    OPEN       Task g10`,
      '                    (11) g11  todo    OPEN       Task g11',
      '                    (12) g12  todo    READY      Task g12',
    ]);
  });

  test('works from a folder below the project', async () => {
    const {folder, run} = cliProject(shop);
    const below = path.join(folder, 'src', 'deep');
    mkdirSync(below, {recursive: true});
    expect((await run(['list'], {cwd: below})).out).toContain('e2e ');
  });

  test.each([
    [['list', 'extra'], "too many arguments for 'list'. Expected 0 arguments but got 1."],
    [
      ['list', '--status', 'finished'],
      "option '--status <status>' argument 'finished' is invalid. Allowed choices are todo, queued, in_progress, waiting_user, blocked, done, failed, skipped.",
    ],
    [['list', '--status'], "option '--status <status>' argument missing"],
  ])('%s is a usage error', async (args, message) => {
    expect(await cliProject(shop).error(args)).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', message, details: {usage: 'blackbird list [options]'}},
    });
  });
});

describe('an empty list', () => {
  test('prints nothing for a script', async () => {
    expect(await cliProject(planOf()).json(['list'])).toEqual({tasks: []});
  });

  test('is explained, without mixing into the data', async () => {
    const notice = async (tasks: readonly Task[], ...options: string[]) => {
      const {code, out, err} = await cliProject(planOf(tasks)).run(['list', ...options]);
      expect({code, out}).toEqual({code: 0, out: ''});
      return err;
    };
    expect(await notice([])).toBe(
      'The plan is empty. Fill it with: blackbird plan generate, or blackbird add\n',
    );
    expect(await notice([task('a', {status: 'done'}), task('b', {status: 'blocked'})])).toBe(
      'No task is ready: 1 done, 1 blocked. See: blackbird list --all\n',
    );
    expect(await notice([task('a')], '--status', 'done')).toBe('No task matches.\n');
  });
});

describe('the table on a terminal', () => {
  test('has a header', async () => {
    expect((await cliProject(shop).run(['list'], {terminal: true})).out).toBe(
      lines(
        'ID    STATUS  READINESS  TITLE',
        'e2e   todo    READY      End to end',
        'docs  todo    READY      Write docs',
      ),
    );
  });

  test('uses colour when the terminal does', async () => {
    const {out} = await cliProject(planOf(task('a', {deps: ['b']}), task('b'))).run(['list', '--all'], {
      terminal: {hasColor: true},
    });
    const e = '\u001b[';
    expect(out).toBe(
      lines(
        `${e}2mID${e}22m  ${e}2mSTATUS${e}22m  ${e}2mREADINESS${e}22m  ${e}2mTITLE${e}22m`,
        `a   ${e}33mtodo${e}39m    ${e}33mBLOCKED${e}39m    Task a  ${e}2munmet deps: b${e}22m`,
        `b   ${e}34mtodo${e}39m    ${e}34mREADY${e}39m      Task b`,
      ),
    );
  });

  test('is clipped to its columns: titles, reasons and very long ids first, the other ids last', async () => {
    const deps = Array.from({length: 20}, (_, index) => task(`dependency-${index}`));
    const {run} = cliProject(
      planOf(
        task('short', {title: 'T'.repeat(200), deps: deps.map(({id}) => id)}),
        task('w'.repeat(200), {title: 'x'.repeat(79)}),
        deps,
      ),
    );
    const shown = async (columns: number) =>
      (await run(['list', '--all'], {terminal: {columns}})).out.trimEnd().split('\n');
    for (const columns of [60, 80, 132]) {
      for (const line of await shown(columns)) expect(line.length).toBeLessThanOrEqual(columns);
    }
    const [, first, second] = await shown(80);
    expect(first).toBe(`short${' '.repeat(21)}todo    BLOCKED    ${'T'.repeat(15)}…  unmet deps: depe…`);
    expect(second).toBe(`${'w'.repeat(12)}…${'w'.repeat(11)}  todo    READY      ${'x'.repeat(15)}…`);
    const narrow = await shown(60);
    expect(narrow[2]).toBe('wwwwwwwww…wwwwwww  todo    READY      xxxxxxxxx…');
  });

  test('leaves a line that just fits alone and clips one that is longer', async () => {
    const title = 'x'.repeat(80 - 'a   todo    READY      '.length);
    const fitting = await cliProject(planOf(task('a', {title}))).run(['list'], {terminal: true});
    expect(fitting.out.split('\n')[1]).toBe(`a   todo    READY      ${title}`);
    const longer = await cliProject(planOf(task('a', {title: `${title}y`}))).run(['list'], {terminal: true});
    expect(longer.out.split('\n')[1]).toBe(`a   todo    READY      ${title.slice(1)}…`);
  });

  test('counts wide characters as two columns and combining marks as none', async () => {
    const wide = planOf(
      task('日本', {title: '返金のエンドポイント'.repeat(6)}),
      task('✅', {title: 'e\u0301'.repeat(90)}),
      task('a', {title: '🚀 launch'}),
    );
    const {out} = await cliProject(wide).run(['list'], {terminal: true});
    expect(out).toBe(
      lines(
        'ID    STATUS  READINESS  TITLE',
        `日本  todo    READY      ${'返金のエンドポイント'.repeat(6).slice(0, 27)}…`,
        `✅    todo    READY      ${'e\u0301'.repeat(54)}…`,
        'a     todo    READY      🚀 launch',
      ),
    );
  });

  test('is whole and plain elsewhere', async () => {
    const title = 'x'.repeat(300);
    expect((await cliProject(planOf(task('a', {title}))).run(['list'])).out).toBe(
      lines('ID  STATUS  READINESS  TITLE', `a   todo    READY      ${title}`),
    );
  });
});

describe('foreign text', () => {
  const hostile = '\u001b[2J\u001b]0;owned\u0007\rover\u009b31m\u202egnp.exe\u2066\u0000\u0008end\nsecond';

  test.each([
    {args: ['list'], terminal: true as const},
    {args: ['list', '--tree'], terminal: undefined},
    {args: ['list', '--json'], terminal: undefined},
    {args: ['show', 'bad\u202eid'], terminal: undefined},
    {args: ['show', 'bad\u202eid', '--json'], terminal: true as const},
    {args: ['why', 'bad\u202eid'], terminal: true as const},
    {args: ['pick'], terminal: true as const},
    {args: ['set-status', 'bad\u202eid', 'queued'], terminal: undefined},
    {args: ['set-status', 'bad\u202edi', 'queued'], terminal: undefined},
  ])('of a plan never controls the terminal: $args', async ({args, terminal}) => {
    const {run} = cliProject(
      planOf(
        task('bad\u202eid', {
          title: hostile,
          description: hostile,
          prompt: hostile,
          notes: hostile,
          acceptanceCriteria: [hostile],
          deps: ['b'],
          depRationale: {b: hostile},
        }),
        task('b', {title: hostile, status: 'done'}),
      ),
    );
    const {out, err} = await run(args, {...(terminal ? {terminal} : {}), answers: ['bad\u202eid', 'i']});
    expect(out + err).not.toMatch(controlCharacters);
    expect(out + err).not.toBe('');
  });

  test('stays on the line of its row', async () => {
    const {out} = await cliProject(planOf(task('a', {title: hostile}))).run(['list']);
    expect(out).toBe(lines('ID  STATUS  READINESS  TITLE', 'a   todo    READY      overgnp.exeend second'));
  });
});
