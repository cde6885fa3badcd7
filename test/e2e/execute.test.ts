import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {unrecordedWarning} from '../../src/machines/policies/job/repository-warnings.ts';
import {timeOfDay} from '../../src/machines/policies/text/durations.ts';
import {providerIds} from '../../src/services/contracts/provider-table.ts';
import {expectGone, processState} from '../helpers/agent-processes.ts';
import {demo, engineProject, untilAtWork} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {family, planOf, task} from '../helpers/plans.ts';
import {cliProject, lines, planFileText} from '../helpers/run-cli.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

// The built program runs plans with the agent that ships with it, without a terminal.

const writes = (id: string) => demo(`append done.txt ${id}`);
const sleepy = demo('write started x', 'sleep 60');
const failing = demo('fail the tests are red');
const asking = demo('ask colour Which colour? | red | green', 'append done.txt answered');

/** Times and tokens differ from run to run. */
const steady = (text: string) =>
  text.replaceAll(/\d+(\.\d+)?s\b/g, '<time>').replaceAll(/\d+(\.\d+k)? tokens/g, '<n> tokens');

const eventsOf = (out: string): Array<{event: string} & Record<string, unknown>> =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('execute', () => {
  test('runs ready tasks in plan order, and those that become ready', async () => {
    const project = engineProject(
      planOf(
        task('late', {prompt: writes('late'), deps: ['group']}),
        family(
          task('group'),
          task('b', {prompt: writes('b'), deps: ['c']}),
          task('c', {prompt: demo('append done.txt c', 'answer c is there')}),
        ),
      ),
    );
    const {code, out, err} = await project.run(['execute']);

    expect({code, err}).toEqual({code: 0, err: ''});
    expect(steady(out)).toBe(
      lines(
        ...['c', 'b', 'late'].flatMap((id) => [
          `▶ ${id}  Task ${id}  (demo)`,
          `✓ ${id}  done  <time>  <n> tokens`,
          ...(id === 'b' ? ['running parent review for group', '✓ parent review passed for group'] : []),
        ]),
        '3 done · no ready tasks remaining',
      ),
    );
    expect(project.text('done.txt')).toBe('c\nb\nlate\n');
    expect(project.statuses()).toEqual({late: 'done', group: 'done', b: 'done', c: 'done'});
    expect(project.runs('c')).toEqual([
      expect.objectContaining({
        task_id: 'c',
        state: 'succeeded',
        run_type: 'execute',
        attempt: 1,
        provider: 'demo',
        provider_session_ref: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resumable: true,
        repo_root: project.folder,
        result: 'c is there',
        exit_code: 0,
        usage: {input_tokens: expect.any(Number), output_tokens: 1},
        segments: [expect.objectContaining({exit_code: 0, signal: null, ended_at: expect.any(String)})],
      }),
    ]);
  });

  test('with nothing to do is a success', async () => {
    const project = engineProject(planOf(task('a', {status: 'done'}), task('b', {status: 'skipped'})));
    const before = project.planText();
    expect(await project.run(['execute'])).toMatchObject({
      code: 0,
      out: 'no ready tasks remaining\n',
      err: '',
    });
    expect(project.planText()).toBe(before);
  });

  test('runs only the named tasks, and a parent means its children', async () => {
    const project = engineProject(
      planOf(task('x'), family(task('p'), task('a'), task('b')), task('c', {deps: ['a']})),
    );
    const named = await project.run(['execute', 'p']);
    expect(named.code).toBe(0);
    expect(named.out.endsWith('\n2 done · 2 ready\n')).toBe(true);
    expect(project.statuses()).toEqual({x: 'todo', p: 'done', a: 'done', b: 'done', c: 'todo'});

    // All that was requested is done.
    expect(await project.run(['execute', 'a'])).toMatchObject({
      code: 0,
      out: 'nothing to run: a is done · 2 ready\n',
      err: '',
    });
    expect(await project.run(['execute', 'p'])).toMatchObject({
      code: 0,
      out: 'nothing to run: a is done, b is done · 2 ready\n',
    });
    expect(await project.run(['execute', 'nope'])).toMatchObject({code: 1, out: ''});
  });

  test('a failed task gives exit code 3, and the others continue', async () => {
    const project = engineProject(planOf(task('a', {prompt: failing}), task('b'), task('c', {deps: ['a']})));
    const {code, out, err} = await project.run(['execute']);
    expect({code, err}).toEqual({code: 3, err: ''});
    expect(steady(out)).toBe(
      lines(
        '▶ a  Task a  (demo)',
        '✗ a  failed  <time>  <n> tokens',
        '  the tests are red',
        '▶ b  Task b  (demo)',
        '✓ b  done  <time>  <n> tokens',
        '1 done, 1 failed · no ready tasks remaining',
        'failed: a',
        'Continue in its session with: blackbird resume a',
        'Start it again with: blackbird retry a, then blackbird execute',
      ),
    );
    expect(project.latest('a')).toMatchObject({
      state: 'failed',
      failure: {kind: 'agent_error', message: 'the tests are red'},
    });
    expect(project.statuses()).toEqual({a: 'failed', b: 'done', c: 'todo'});
  });

  test('starts nothing while a gate is unreadable, unless it is set on the command line', async () => {
    const project = engineProject(planOf(task('a')), {config: {execution: {stopAfterEachTask: 'yes'}}});
    const {code, out, err} = await project.run(['execute']);
    expect({code, out}).toEqual({code: 2, out: ''});
    expect(err).toContain('must be true or false');
    expect(err).toContain('blackbird config set execution.stopAfterEachTask false');
    expect(project.runs('a')).toEqual([]);
    expect(await project.run(['list'])).toMatchObject({code: 0});
    expect(await project.run(['execute', '--no-review'])).toMatchObject({code: 0});
    expect(project.statuses()).toEqual({a: 'done'});
  });

  test.each([
    {how: 'the option', args: ['--stop-on-failure'], config: {}},
    {how: 'the setting', args: [], config: {execution: {stopOnFailure: true}}},
  ])('stops at a failure when $how says so', async ({args, config}) => {
    const project = engineProject(planOf(task('a', {prompt: failing}), task('b')), {config});
    const {code, out} = await project.run(['execute', ...args]);
    expect(code).toBe(3);
    expect(out).toContain('failed: a\n');
    expect(project.statuses()).toEqual({a: 'failed', b: 'todo'});
    expect(project.runs('b')).toEqual([]);
  });

  test('an agent that exits without a result has failed, whatever its exit code', async () => {
    const project = engineProject(planOf(task('a', {prompt: demo('exit 0')})));
    expect((await project.run(['execute'])).code).toBe(3);
    expect(project.latest('a')).toMatchObject({
      state: 'failed',
      failure: {kind: 'agent_error', message: 'the agent gave no result (exit code 0)'},
    });
  });

  test('an agent that is killed from outside has failed', async () => {
    const project = engineProject(planOf(task('a', {prompt: sleepy})));
    const running = project.start(['execute']);
    await untilAtWork(project, 'a');
    process.kill(project.latest('a')?.segments[0]?.pid ?? 0, 'SIGKILL');
    expect((await running.ended).code).toBe(3);
    expect(project.latest('a')).toMatchObject({
      state: 'failed',
      failure: {kind: 'agent_error', message: 'the agent gave no result (ended by SIGKILL)'},
    });
  });

  test('--max-tasks must be at least one', async () => {
    const {code, err} = await engineProject(planOf(task('a'))).run(['execute', '--max-tasks', '0']);
    expect(code).toBe(2);
    expect(err).toContain('It must be at least 1.');
  });

  test('--max-tasks stops after that many', async () => {
    const project = engineProject(planOf(task('a'), task('b'), task('c')));
    const {code, out} = await project.run(['execute', '--max-tasks', '2']);
    expect(code).toBe(0);
    expect(out.endsWith('\n2 done · 1 ready\n')).toBe(true);
    expect(project.statuses()).toEqual({a: 'done', b: 'done', c: 'todo'});
  });

  test('--dry-run shows the order and why, and touches nothing', async () => {
    const project = engineProject(
      planOf(task('a', {deps: ['b']}), task('b'), task('c', {status: 'done'}), task('d', {deps: ['c']})),
    );
    const before = [project.planText(), readdirSync(path.join(project.folder, '.blackbird'))];
    expect(await project.run(['execute', '--dry-run'])).toMatchObject({
      code: 0,
      out: lines(
        'demo · no checks · no checkpoints · no commits · no budget',
        `beware: ${unrecordedWarning}`,
        '1. b  Task b  (ready now)',
        '2. a  Task a  (after b)',
        '3. d  Task d  (its dependencies are done)',
      ),
      err: '',
    });
    const {out} = await project.run(['execute', '--dry-run', '--json', '--max-tasks', '1']);
    expect(JSON.parse(out)).toEqual({
      agent: 'demo',
      agent_source: 'saved',
      rules: {checks: [], checkpoints: false, commits: false, budgets: null},
      obstacles: [],
      warnings: [unrecordedWarning],
      decisions: [],
      reviews: [],
      steps: [{id: 'b', title: 'Task b', why: 'ready now'}],
      waits: null,
    });
    expect([project.planText(), readdirSync(path.join(project.folder, '.blackbird'))]).toEqual(before);
  });

  test('--dry-run says that nobody chose the agent', async () => {
    const project = engineProject(planOf(task('a')), {agent: null});
    const folder = temporaryFolder();
    for (const name of ['claude', 'codex'])
      writeFileSync(path.join(folder, name), '#!/bin/sh\necho 2.1.0\n', {mode: 0o755});
    const env = {PATH: `${folder}:${process.env.PATH}`, IS_SANDBOX: '1'};
    expect((await project.run(['execute', '--dry-run'], {env})).out).toMatch(
      /^claude \(default; blackbird agents use <agent> chooses\) · no checks · /,
    );
    expect((await project.run(['execute', '--dry-run', '--agent', 'claude'], {env})).out).toMatch(
      /^claude · no checks · /,
    );
  });

  test('--dry-run shows a limit, and what continues after it', async () => {
    const project = engineProject(
      planOf(task('a', {prompt: demo('limit 7200')}), task('b'), task('c', {deps: ['a']})),
    );
    expect(await project.run(['execute', '--no-wait'])).toMatchObject({code: 75});
    const {retry_at = ''} = project.latest('a') ?? {};
    const waits = {task_id: 'a', provider: 'demo', reason: 'usage_limit', retry_at};
    const steps = [
      {id: 'a', title: 'Task a', why: 'continues'},
      {id: 'b', title: 'Task b', why: 'ready now'},
      {id: 'c', title: 'Task c', why: 'after a'},
    ];
    const told = async (...args: readonly string[]) =>
      JSON.parse((await project.run(['execute', '--dry-run', '--json', ...args])).out);
    expect(await told()).toMatchObject({waits, steps, obstacles: []});
    const time = timeOfDay(retry_at, new Date().toISOString());
    expect((await project.run(['execute', '--dry-run'])).out).toContain(
      `\nfirst: a wait until ${time}: the usage limit is reached (demo)\n1. a  Task a  (continues)\n`,
    );
    const why = `a cannot continue before ${time}: the usage limit is reached (demo)`;
    expect(await told('--no-wait')).toMatchObject({waits: null, obstacles: [{why, next: null}]});
    // Another task of the same account waits as well.
    expect(await told('b')).toMatchObject({waits: {...waits, task_id: 'b'}, steps: [{id: 'b'}]});
  });

  test('--dry-run shows what would stop the run', async () => {
    const circle = [family(task('p'), task('r', {deps: ['q']})), task('q', {deps: ['p']})];
    const project = engineProject(planOf(task('a'), ...circle));
    project.write(
      '.blackbird/config.json',
      '{"schemaVersion": 1, "execution": {"stopAfterEachTask": "yes"}}',
    );
    const {out} = await project.run(['execute', '--dry-run', '--agent', 'codex']);
    const config = path.join(project.folder, '.blackbird', 'config.json');
    expect(out).toBe(
      lines(
        `stops: nothing was started: execution.stopAfterEachTask in ${config} must be true or false  (blackbird config set execution.stopAfterEachTask false)`,
        'stops: codex: not installed  (npm install -g @openai/codex)',
        'stops: r waits for q, which can never be done as the plan stands  (blackbird why r)',
        'stops: q waits for p, which can never be done as the plan stands  (blackbird why q)',
        `beware: ${unrecordedWarning}`,
        '1. a  Task a  (ready now)',
      ),
    );
  });

  test('--json prints one event a line and nothing else', async () => {
    const project = engineProject(planOf(task('a', {prompt: writes('a')}), task('b', {prompt: failing})));
    const {code, out, err} = await project.run(['execute', '--json']);
    expect({code, err}).toEqual({code: 3, err: ''});
    const events = eventsOf(out);
    const news = ['run.updated', 'agent.news'];
    expect(events.filter(({event}) => !news.includes(event))).toEqual([
      expect.objectContaining({event: 'task.started', task_id: 'a', provider: 'demo'}),
      {event: 'task.settled', run: expect.objectContaining({task_id: 'a', state: 'succeeded'})},
      expect.objectContaining({event: 'task.started', task_id: 'b'}),
      {event: 'task.settled', run: expect.objectContaining({task_id: 'b', state: 'failed'})},
      {
        event: 'job.stopped',
        reason: 'completed',
        message: '1 done, 1 failed · no ready tasks remaining',
        obstacles: [
          {
            task_id: 'b',
            needs: 'retry',
            why: expect.stringMatching(/^failed: ./),
            command: expect.stringContaining(' b'),
          },
        ],
      },
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({
        event: 'agent.news',
        task_id: 'a',
        activity: {kind: 'edit', text: 'edit done.txt +1 −0'},
      }),
    );
    // The last event matches what is on disk; the output stays in its files.
    const last = events.findLast(({event}) => event === 'run.updated')?.run;
    const {stdout: _, stderr: __, ...recorded} = project.latest('b') ?? {};
    expect(last).toEqual(recorded);
  });

  test('--json reports a pause and an error as events and objects too', async () => {
    const project = engineProject(planOf(task('a', {prompt: sleepy})));
    const running = project.start(['execute', '--json']);
    await untilAtWork(project, 'a');
    const second = await project.run(['execute', '--json']);
    expect(second).toMatchObject({code: 1, out: ''});
    expect(JSON.parse(second.err).error.code).toBe('E_REPO_LOCKED');
    running.child.kill('SIGINT');
    const {code, out, err} = await running.ended;
    expect({code, err}).toEqual({code: 130, err: ''});
    const events = eventsOf(out);
    expect(events).toContainEqual({event: 'engine.pausing', forced: false});
    expect(events.at(-1)).toEqual({event: 'job.stopped', reason: 'paused', task_id: 'a', message: 'Paused.'});
  });

  test.each([
    {how: '--stream', args: ['--stream'], env: {}},
    {how: 'BLACKBIRD_AGENT_STREAM', args: [], env: {BLACKBIRD_AGENT_STREAM: '1'}},
  ])("$how shows the agent's text and actions, on stderr", async ({args, env}) => {
    const prompt = demo('print first canary', 'write a.txt x', 'answer done \u{1b}[31mwell');
    const project = engineProject(planOf(task('a', {prompt})));
    const {code, out, err} = await project.run(['execute', ...args], {env});
    expect({code, err}).toEqual({code: 0, err: 'first canary\n  edit a.txt +1 −0\ndone well\n'});
    expect(out).not.toContain('canary');
  });

  test.each([
    {how: 'alone', args: []},
    {how: 'with --stream', args: ['--stream']},
  ])("BLACKBIRD_AGENT_STREAM=raw, $how, shows the agent's output unchanged, on stderr", async ({args}) => {
    const project = engineProject(planOf(task('a', {prompt: demo('print canary')})));
    const {code, out, err} = await project.run(['execute', ...args], {env: {BLACKBIRD_AGENT_STREAM: 'raw'}});
    expect(code).toBe(0);
    expect(err).toContain('{"demo":"message","text":"canary"}\n');
    expect(out).not.toContain('canary');
    const {run_id} = project.latest('a') ?? {};
    expect(project.text(`.blackbird/runs/a/${run_id}.stdout.log`)).toBe(err);
  });

  test('BLACKBIRD_AGENT_DEBUG shows what the agent is told', async () => {
    const project = engineProject(
      planOf(
        task('dep', {prompt: demo('answer the canary sings')}),
        task('a', {
          prompt: 'Do it.\u001b[31m',
          description: 'At length.',
          acceptanceCriteria: ['it is done'],
          deps: ['dep'],
        }),
      ),
    );
    project.write('README.md', 'About this project.');
    const {code, err} = await project.run(['execute'], {env: {BLACKBIRD_AGENT_DEBUG: '1'}});
    expect(code).toBe(0);
    const [, , prompt = ''] = err.split('--- prompt\n');
    for (const part of [
      '# Task\na: Task a',
      '# What to do\nDo it.',
      '# Description\nAt length.',
      '- it is done',
      '- dep: Task dep\n  the canary sings',
      '# About the project (README.md)\nAbout this project.',
      '{"blackbird":{"questions":[',
    ])
      expect(prompt).toContain(part);
    expect(err).not.toContain('\u001b');
    expect(readFileSync(path.join(project.folder, 'README.md'), 'utf8')).toBe('About this project.');
  });

  test('a missing agent stops it before anything is recorded', async () => {
    const project = engineProject(planOf(task('a')), {agent: 'codex', env: {PATH: '/usr/bin:/bin'}});
    const before = project.planText();
    const {code, out, err} = await project.run(['execute']);
    expect({code, out}).toEqual({code: 1, out: ''});
    expect(err).toContain('error: the agent Codex cannot be used: codex is not on the PATH');
    expect(err).toContain('E_AGENT_NOT_FOUND');
    expect(project.planText()).toBe(before);
    expect(existsSync(path.join(project.folder, '.blackbird/runs'))).toBe(false);
  });

  test('an unknown provider is refused with the known ones', async () => {
    const project = engineProject(planOf(task('a')));
    const {code, err} = await project.run(['execute', '--agent', 'gpt']);
    expect(code).toBe(1);
    expect(err).toContain('error: unsupported agent provider "gpt"');
    expect(err).toContain(providerIds.join(', '));
  });

  test('a reader that goes away does not stop the work', async () => {
    const project = engineProject(planOf(task('a', {prompt: sleepy.replace('60', '0.3')}), task('b')));
    const running = project.start(['execute']);
    await untilAtWork(project, 'a');
    running.child.stdout?.destroy();
    expect(await running.ended).toMatchObject({code: 0, err: ''});
    expect(project.statuses()).toEqual({a: 'done', b: 'done'});
  });

  test('no agent starts when its run cannot be recorded', async () => {
    const project = engineProject(planOf(task('a', {prompt: writes('a')})));
    project.write('.blackbird/runs', 'in the way');
    const before = project.planText();
    const {code, out, err} = await project.run(['execute']);
    expect({code, out}).toEqual({code: 1, out: ''});
    expect(err).toContain(path.join(project.folder, '.blackbird/runs'));
    expect(err).not.toContain('this is a bug');
    expect(project.planText()).toBe(before);
    expect(project.text('done.txt')).toBe('');
  });

  test('processes left by a successful agent are ended', async () => {
    const project = engineProject(planOf(task('a', {prompt: demo('spawn-sleeper')})));
    expect((await project.run(['execute'])).code).toBe(0);
    expect(project.agents()).toEqual([]);
    const pid = Number(/sleeper (\d+)/.exec(project.latest('a')?.stdout ?? '')?.[1]);
    expect(processState(pid)).toBe(null);
  });

  test('ids that are not file names, and those that are special in JavaScript, are ordinary ids', async () => {
    const ids = ['../../x y', '__proto__', 'constructor'];
    const project = engineProject(
      planOf(
        ...ids.map((id) => task(id, {prompt: writes('ok')})),
        task("$(touch pwned) it's", {prompt: failing}),
      ),
    );
    const {code, out} = await project.run(['execute']);
    expect(code).toBe(3);
    expect(out).toContain(String.raw`Start it again with: blackbird retry '$(touch pwned) it'\''s', then`);
    expect(project.text('done.txt')).toBe('ok\n'.repeat(ids.length));
    expect(project.planText().match(/"status": "done"/g)).toHaveLength(ids.length);
    expect(readdirSync(path.dirname(project.folder)).sort()).toEqual(['bin', 'home', 'project']);
    expect(readdirSync(project.folder).sort()).toEqual(['.blackbird', 'blackbird.plan.json', 'done.txt']);
  });

  test('the plan is read again before every task, and edits made in the meantime are kept', async () => {
    const waits = 'touch started; until [ -e go ]; do sleep 0.02; done';
    const project = engineProject(planOf(task('a'), task('b'), task('c')), {
      env: {BLACKBIRD_AGENT_CMD: waits},
    });
    const running = project.start(['execute']);
    await eventually(() => expect(existsSync(path.join(project.folder, 'started'))).toBe(true));
    for (const args of [
      ['set-status', 'b', 'skipped'],
      ['add', '--id', 'new', '--title', 'New'],
      ['edit', 'a', '--title', 'Edited'],
      ['delete', 'c'],
    ])
      expect(await project.run(args)).toMatchObject({code: 0, err: ''});
    project.write('go', '');
    expect(await running.ended).toMatchObject({code: 0, err: ''});
    expect(project.statuses()).toEqual({a: 'done', b: 'skipped', new: 'done'});
    expect(JSON.parse(project.planText()).items.a.title).toBe('Edited');
    expect([project.runs('b'), project.runs('c')]).toEqual([[], []]);
  });

  test('a task that is removed from the file while it runs stays removed, and its run is kept', async () => {
    const waits = 'touch started; until [ -e go ]; do sleep 0.02; done';
    const project = engineProject(planOf(task('a'), task('b')), {env: {BLACKBIRD_AGENT_CMD: waits}});
    const running = project.start(['execute']);
    await eventually(() => expect(existsSync(path.join(project.folder, 'started'))).toBe(true));
    // Blackbird itself refuses that; an editor does not.
    expect(await project.run(['delete', 'a'])).toMatchObject({code: 1, out: ''});
    project.write('blackbird.plan.json', planFileText(planOf(task('b'))));
    project.write('go', '');
    // An editor cannot be told from the agent: the plan continues when it is executed again.
    expect(await running.ended).toMatchObject({code: 4, err: ''});
    expect(project.runs('a')).toMatchObject([{state: 'succeeded', side_effects: [{kind: 'plan'}]}]);
    expect(await project.run(['execute'])).toMatchObject({code: 0, err: ''});
    expect(project.statuses()).toEqual({b: 'done'});
  });
});

describe('two at once', () => {
  test('one works, the other is told which one; readers are not disturbed', async () => {
    const project = engineProject(planOf(task('a', {prompt: sleepy}), task('b')));
    const holder = project.start(['execute']);
    await untilAtWork(project, 'a');
    const before = project.planText();

    const second = await project.run(['execute']);
    expect(second).toMatchObject({code: 1, out: ''});
    expect(second.err).toMatch(
      new RegExp(
        `^error: process ${holder.pid} is already executing this plan\\n  pid    ${holder.pid}\\n  since  \\d{4}-.*\\n  lock   .*\\n  code   E_REPO_LOCKED\\n`,
      ),
    );
    for (const args of [
      ['resume', 'a'],
      ['restart', 'a'],
    ]) {
      const {code, err} = await project.run(args);
      expect({args, code, locked: err.includes('E_REPO_LOCKED')}).toEqual({args, code: 1, locked: true});
    }
    expect(project.planText()).toBe(before);
    expect(project.runs('a')).toHaveLength(1);

    const list = await project.run(['list', '--all', '--json']);
    expect(list.code).toBe(0);
    const runs = await project.run(['runs', 'a', '--json']);
    expect(JSON.parse(runs.out).runs).toMatchObject([{state: 'running', phase: 'active'}]);
    expect(await project.run(['show', 'a'])).toMatchObject({code: 0, err: ''});

    holder.child.kill('SIGINT');
    expect((await holder.ended).code).toBe(130);
    expect((await project.run(['execute'])).code).toBe(4);
    expect(project.statuses()).toEqual({a: 'in_progress', b: 'done'});
  });

  test('many at the same moment: each task is run once', async () => {
    const project = engineProject(planOf(task('a', {prompt: writes('a')}), task('b', {prompt: writes('b')})));
    const ends = await Promise.all(Array.from({length: 6}, () => project.run(['execute'])));
    expect(ends.every(({code, err}) => code === 0 || err.includes('E_REPO_LOCKED'))).toBe(true);
    expect(ends.some(({code}) => code === 0)).toBe(true);
    expect(project.text('done.txt')).toBe('a\nb\n');
    expect([project.runs('a'), project.runs('b')].map((runs) => runs.length)).toEqual([1, 1]);
  });

  test('after a killed holder the next one gets the lock', async () => {
    const project = engineProject(planOf(task('a', {prompt: sleepy}), task('b')));
    const holder = project.start(['execute']);
    await untilAtWork(project, 'a');
    const agents = project.agents();
    holder.child.kill('SIGKILL');
    await holder.ended;
    const {code, out, err} = await project.run(['execute']);
    expect({code, err}).toEqual({code: 4, err: ''});
    expect(out).toContain('Ⅱ a was interrupted when Blackbird ended, and is paused: blackbird resume a\n');
    expect(out).toContain('✓ b');
    expect(project.latest('a')).toMatchObject({
      state: 'paused',
      pause_reason: 'process_lost',
      resumable: true,
    });
    await expectGone(agents);
    expect((await project.run(['resume', 'a'])).code).toBe(0);
    expect(project.statuses()).toEqual({a: 'done', b: 'done'});
  });
});

describe('an agent that asks', () => {
  const waitingLines = lines(
    'a waits for your answer',
    '  colour: Which colour? (red | green)',
    'Answer with: blackbird resume a',
  );
  const asked = () => engineProject(planOf(task('a', {prompt: asking}), task('b')));

  test('stops the plan with exit code 4', async () => {
    const project = asked();
    const {code, out, err} = await project.run(['execute']);
    expect({code, err}).toEqual({code: 4, err: ''});
    expect(out.endsWith(waitingLines)).toBe(true);
    expect(project.latest('a')).toMatchObject({
      state: 'waiting',
      questions: [{id: 'colour', prompt: 'Which colour?', options: ['red', 'green']}],
    });
    expect(project.statuses()).toEqual({a: 'waiting_user', b: 'todo'});
    // Other tasks continue when the user says so, and the waiting one is named.
    const next = await project.run(['execute']);
    expect(next.code).toBe(4);
    expect(next.out).toContain('? a waits for your answer: blackbird resume a\n');
    expect(next.out).toMatch(/still in the way:\n {2}a {2}waits for your answer {2}blackbird resume a\n$/);
    expect(project.statuses()).toEqual({a: 'waiting_user', b: 'done'});
  });

  test('continues in its session with the answer', async () => {
    const project = asked();
    await project.run(['execute']);
    const ref = project.latest('a')?.provider_session_ref;
    const {code, err} = await project.run(['resume', 'a', '--answer', 'colour=a=b, or "red"'], {
      env: {BLACKBIRD_AGENT_DEBUG: '1'},
    });
    expect(code).toBe(0);
    expect(err).toContain('- Which colour?\n  a=b, or "red"');
    expect(project.runs('a')).toMatchObject([
      {
        state: 'succeeded',
        provider_session_ref: ref,
        answers: [{id: 'colour', value: 'a=b, or "red"'}],
        segments: [{}, {}],
      },
    ]);
    expect(project.text('done.txt')).toBe('answered\n');
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
  });

  test('accepts only answers to its questions, and needs them all', async () => {
    const project = asked();
    await project.run(['execute']);
    const before = [project.planText(), project.runs('a')];
    for (const args of [[], ['--answer', 'colour=']]) {
      const {code, out, err} = await project.run(['resume', 'a', ...args]);
      expect({code, out}).toEqual({code: 2, out: ''});
      expect(err).toContain('error: a waits for answers: colour');
      expect(err).toContain('Which colour? (red | green)');
      expect(err).toContain('E_NO_INPUT');
      expect(err).toContain("blackbird resume a --answer 'colour=…'");
    }
    for (const {args, says} of [
      {args: ['--answer', 'size=9'], says: 'no question is called "size": it asks "colour"'},
      {args: ['--answer', 'colour'], says: '--answer must have the form id=text, not "colour"'},
      {args: ['--answer', 'colour=a', '--answer', 'colour=b'], says: '"colour" is answered twice'},
    ]) {
      const {code, err} = await project.run(['resume', 'a', ...args]);
      expect({code, error: err.split('\n')[0]}).toEqual({code: 2, error: `error: ${says}`});
    }
    expect([project.planText(), project.runs('a')]).toEqual(before);
  });

  test('is not one that only repeats its prompt', async () => {
    const project = engineProject(planOf(task('a', {prompt: 'paint it'})), {
      env: {BLACKBIRD_AGENT_CMD: 'tee prompt.txt'},
    });
    expect(await project.run(['execute'])).toMatchObject({code: 0, err: ''});
    expect(project.text('prompt.txt')).toMatch(/^# Task\na: .*paint it.*```$/s);
  });

  test('without a session is told everything again, with the answers', async () => {
    const question = '{"blackbird":{"questions":[{"id":"colour","prompt":"Which colour?"}]}}';
    const script = `if grep -q 'a warm red'; then echo x >> done.txt; else printf '%s\\n' '\`\`\`json' '${question}' '\`\`\`'; fi`;
    const project = engineProject(planOf(task('a', {prompt: 'paint it'})), {
      env: {BLACKBIRD_AGENT_CMD: script, BLACKBIRD_AGENT_DEBUG: '1'},
    });
    expect((await project.run(['execute'])).code).toBe(4);
    const {code, err} = await project.run(['resume', 'a', '--answer', 'colour=a warm red']);
    expect(code).toBe(0);
    expect(err).toContain('paint it');
    expect(project.runs('a')).toMatchObject([{state: 'succeeded', segments: [{}, {}]}]);
    expect(project.text('done.txt')).toBe('x\n');
  });
});

describe('the demo', () => {
  test('runs to its end without a user to answer', async () => {
    const project = engineProject(planOf(), {agent: null, env: {PATH: '/usr/bin:/bin'}});
    const folder = path.join(temporaryFolder(), 'a sample');
    const {code, out, err} = await project.run(['demo', folder]);
    expect({code, err}).toEqual({code: 0, err: ''});
    expect(out).toContain('Nobody is here to answer, so the demo does: colour=midnight blue');
    expect(out).toContain('no ready tasks remaining');
    expect(out).toContain(
      '\n4 done · no ready tasks remaining\nWith the job that ended at the question, the whole plan is done.\n',
    );
    expect(out).toContain('\nTry next:\n');
    // Typed as it is, nothing else is removed.
    expect(out).toContain(`rm -r '${folder}'`);
    const {items} = JSON.parse(readFileSync(path.join(folder, 'blackbird.plan.json'), 'utf8'));
    expect(Object.values(items).map((item) => (item as {status: string}).status)).toEqual(
      Array.from({length: 6}, () => 'done'),
    );
    // Its suggestions work in its folder as they are.
    const again = await project.run(['restart', 'release', '--yes'], {cwd: folder});
    expect(again).toMatchObject({code: 0, err: ''});
  });

  test('asks its question once, and fits a terminal of 80 columns', async () => {
    const folder = path.join(temporaryFolder(), 'sample');
    const env = {npm_command: 'exec'};
    const {code, out, err} = await cliProject().run(['demo', folder], {env, terminal: true, answers: ['1']});
    expect(code).toBe(0);
    expect(err.match(/Which colour/g)).toHaveLength(1);
    expect(out).not.toContain('Which colour');
    expect(out).not.toContain('Answer with');
    const rows = `${out}\n${err}`.split(/\n|\r/).filter((line) => !line.includes(folder));
    expect(rows.filter((line) => line.replace(/\u001b\[2K/g, '').length > 80)).toEqual([]);
  });

  test('started by npx in a clone, it says how to have the command everywhere', async () => {
    const project = engineProject(planOf(), {agent: null, env: {npm_command: 'exec'}});
    const {out} = await project.run(['demo', path.join(temporaryFolder(), 'sample')]);
    expect(out).toContain('\n  npm link                          once, in the clone');
    expect(out).not.toContain('npm install');
  });

  test('refuses a folder that is not empty', async () => {
    const project = engineProject(planOf());
    const {code, out, err} = await project.run(['demo', '.']);
    expect({code, out}).toEqual({code: 2, out: ''});
    expect(err).toContain('error: the demo needs an empty folder');
  });

  test('is events only with --json', async () => {
    const project = engineProject(planOf(), {agent: null});
    const {code, out, err} = await project.run(['demo', path.join(temporaryFolder(), 'sample'), '--json']);
    expect({code, err}).toEqual({code: 0, err: ''});
    expect(eventsOf(out).at(-1)).toMatchObject({event: 'job.stopped', reason: 'completed'});
  });
});

// Lines without meaning, and none at all, are tested with spawn-agent.
test('an agent that prints 200 MB of meaningful lines leaves Blackbird small', async () => {
  const project = engineProject(planOf(task('a')));
  const result = '\n{"demo":"result","ok":true,"text":"done"}';
  const command = `yes '{"demo":"message","text":"one more line of output"}' | head -c 200000000; printf '${result}'`;
  const running = project.start(['execute'], {env: {BLACKBIRD_AGENT_CMD: command}});
  let isOver = false;
  void running.ended.then(() => {
    isOver = true;
  });
  /** Its peak memory in MB, while it can be read. */
  let peak = 0;
  await eventually(() => {
    const status = isOver ? '' : readFileSync(`/proc/${running.pid}/status`, 'latin1');
    peak = Math.max(peak, Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
    expect(isOver).toBe(true);
  }, 150_000);
  expect((await running.ended).code).toBe(0);
  expect(peak).toBeLessThan(150);
  expect(project.latest('a')).toMatchObject({state: 'succeeded'});
  const {run_id, stdout = ''} = project.latest('a') ?? {};
  expect(stdout.length).toBeLessThanOrEqual(16 * 1024);
  const log = path.join(project.folder, `.blackbird/runs/a/${run_id}.stdout.log`);
  expect(readFileSync(log).length).toBe(200_000_000 + result.length);
});

describe('hooks', () => {
  test('are told of tasks and of the end of the job before it is over', async () => {
    const plan = planOf(task('a', {prompt: demo('write a.txt hello')}), task('b', {prompt: demo('fail no')}));
    const project = engineProject(plan, {
      config: {hooks: {taskEnded: 'cat >> told', jobEnded: 'cat >> told', needsYou: 'cat >> called'}},
    });
    expect(await project.run(['execute', 'a'])).toMatchObject({code: 0, err: ''});
    const told = project.text('told').trimEnd().split('\n');
    expect(told.map((line) => JSON.parse(line))).toMatchObject([
      {hook: 'taskEnded', folder: project.folder, task_id: 'a', state: 'succeeded'},
      {hook: 'jobEnded', reason: 'completed', tasks: [{task_id: 'a', state: 'succeeded'}]},
    ]);
    expect(project.text('called')).toBe('');
    expect(await project.run(['execute', 'b'])).toMatchObject({code: 3, err: ''});
    expect(JSON.parse(project.text('called'))).toMatchObject({
      hook: 'needsYou',
      folder: project.folder,
      lines: expect.arrayContaining(['failed: b']),
    });
  });

  test('that fail are a warning', async () => {
    const project = engineProject(planOf(task('a')), {config: {hooks: {jobEnded: 'echo lost >&2; exit 3'}}});
    expect(await project.run(['execute'])).toMatchObject({
      code: 0,
      err: 'warning: hooks.jobEnded failed: exit code 3: lost\n',
    });
  });
});
