import {cpSync, readdirSync, rmSync} from 'node:fs';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {demoAgentScript} from '../../src/services/agents/demo.ts';
import {isStopped} from '../helpers/agent-processes.ts';
import {
  demo,
  type EngineProject,
  type Env,
  engineProject,
  pauseInTheMiddle,
  untilAtWork,
} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {planOf, task} from '../helpers/plans.ts';
import {lines} from '../helpers/run-cli.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';
import {hasTmux, openTerminal} from '../helpers/terminal.ts';

// The built program and the built-in agent, paused in every way and continued.

const longWork = demo('write started x', 'sleep 60', 'append done.txt a');
const stubbornWork = demo('ignore-sigint', 'write started x', 'sleep 60');
const oneTask = (prompt: string) => planOf(task('a', {prompt}));

const paused = (pause_reason: string, resumable = true) => ({state: 'paused', pause_reason, resumable});
const pausedLines = [
  'Paused. Resume with: blackbird resume a',
  '        Restart with: blackbird restart a',
] as const;

/** Nothing of any run is alive, the record has the right state, and the plan shows that work is left. */
function expectPaused(project: EngineProject, reason: string): void {
  expect(project.latest('a')).toMatchObject(paused(reason));
  expect(project.latest('a')).not.toHaveProperty('phase');
  expect(project.agents()).toEqual([]);
  expect(project.statuses()).toMatchObject({a: 'in_progress'});
}

describe.skipIf(!hasTmux)('in a terminal (tmux)', () => {
  test('Ctrl+C pauses, resume continues in the same session, and the plan does not continue by itself', async () => {
    const project = engineProject(planOf(task('a', {prompt: longWork}), task('b')));
    const terminal = openTerminal(project);
    terminal.type('blackbird execute');
    await untilAtWork(project, 'a');
    terminal.press('C-c');

    const screen = await terminal.until('[130]>');
    expect(screen.split('\n').slice(-3)).toEqual([...pausedLines, '[130]>']);
    expectPaused(project, 'user_interrupt');
    expect(project.runs('b')).toEqual([]);

    const before = project.latest('a');
    terminal.type('clear; blackbird resume a');
    expect(await terminal.until('[0]>')).toMatch(
      /^▶ a {2}Task a {2}\(demo, resumed\)\n✓ a {2}done .*tokens\na is done · 1 ready\n\[0\]>$/,
    );
    const [run, ...others] = project.runs('a');
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      run_id: before?.run_id,
      provider_session_ref: before?.provider_session_ref,
      state: 'succeeded',
      segments: [
        {argv: expect.arrayContaining(['--session-id'])},
        {argv: expect.arrayContaining(['--resume'])},
      ],
    });
    expect(run?.stdout).toContain('Resumed. I know 1 earlier message.');
    expect(project.text('done.txt')).toBe('a\n');
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
  });

  test('a second Ctrl+C forces an agent that ignores the first', async () => {
    const project = engineProject(oneTask(stubbornWork), {config: {execution: {pauseGraceSeconds: 60}}});
    const terminal = openTerminal(project);
    terminal.type('blackbird execute');
    await untilAtWork(project, 'a');
    terminal.press('C-c');
    await terminal.until('pausing…');
    expect(project.agents()).toHaveLength(1);
    // A key press that follows at once counts as the same one.
    await delay(300);
    terminal.press('C-c');

    const screen = await terminal.until('[130]>');
    expect(screen).toContain('forcing the agent to stop…');
    expect(screen.split('\n').slice(-3)).toEqual([...pausedLines, '[130]>']);
    expectPaused(project, 'user_interrupt');
    expect(project.latest('a')?.segments).toMatchObject([{signal: 'SIGKILL'}]);
  });

  test('Ctrl+Z stops the agent, fg continues it', async () => {
    const waits = 'touch started; until [ -e go ]; do sleep 0.02; done; echo done';
    const project = engineProject(oneTask('wait'), {env: {BLACKBIRD_AGENT_CMD: waits}});
    const terminal = openTerminal(project);
    terminal.type('blackbird execute');
    await eventually(() => expect(project.latest('a')).toMatchObject({phase: 'active'}));
    await eventually(() => expect(project.agents()).not.toEqual([]));
    terminal.press('C-z');
    await terminal.until('Stopped');
    await eventually(() => expect(project.agents().filter((pid) => !isStopped(pid))).toEqual([]));
    expect(project.agents()).not.toEqual([]);
    project.write('go', '');
    terminal.type('fg');
    await terminal.until(/✓ a {2}done/);
    await terminal.until('[0]>');
    expect(project.latest('a')).toMatchObject({state: 'succeeded'});
  });

  test('Ctrl+C after Ctrl+Z and fg still pauses', async () => {
    const project = engineProject(oneTask(longWork));
    const terminal = openTerminal(project);
    terminal.type('blackbird execute');
    await untilAtWork(project, 'a');
    terminal.press('C-z');
    await terminal.until('Stopped');
    terminal.type('fg');
    await eventually(() => expect(project.agents().filter(isStopped)).toEqual([]));
    terminal.press('C-c');
    await terminal.until('[130]>');
    expectPaused(project, 'user_interrupt');
  });

  test('holding Ctrl+C down is one pause, and the terminal is as it was', async () => {
    const project = engineProject(oneTask(stubbornWork), {config: {execution: {pauseGraceSeconds: 60}}});
    const terminal = openTerminal(project);
    terminal.type('stty -g > before; blackbird execute; stty -g > after');
    await untilAtWork(project, 'a');
    terminal.press(...Array.from({length: 30}, () => 'C-c'));
    await terminal.until('pausing…');
    await delay(300);
    terminal.press('C-c');
    await terminal.until(pausedLines[0]);
    await eventually(() => expect(project.text('after')).not.toBe(''));
    expect(project.text('after')).toBe(project.text('before'));
    expect(terminal.screen().match(/pausing…/g)).toHaveLength(1);
    expectPaused(project, 'user_interrupt');
  });

  test('a closed window pauses, and the process ends well without its terminal', async () => {
    const project = engineProject(oneTask(longWork));
    const terminal = openTerminal(project);
    terminal.type(`sh -c 'trap "" HUP; blackbird execute 2> told.txt; echo $? > code.txt'`);
    await untilAtWork(project, 'a');
    terminal.close();
    await eventually(() => expectPaused(project, 'terminated'));
    await eventually(() => expect(project.text('code.txt')).toMatch(/\n$/));
    expect(project.text('code.txt')).toBe('130\n');
  });

  test('questions are asked: an option by its number, or free text', async () => {
    const ask = (id: string) =>
      demo(`ask colour Which colour? | midnight blue | green`, `append asked.txt ${id}`);
    const project = engineProject(planOf(task('a', {prompt: ask('a')}), task('b', {prompt: ask('b')})));
    await project.run(['execute', 'a']);
    await project.run(['execute', 'b']);
    const terminal = openTerminal(project);

    terminal.type('clear; blackbird resume a');
    expect(await terminal.until('own answer:')).toBe(
      '? a asks\nI need an answer.\nWhich colour?\n  1) midnight blue\n  2) green\nNumber or your own answer:',
    );
    terminal.type('2');
    await terminal.until('[0]>');
    expect(project.latest('a')).toMatchObject({
      state: 'succeeded',
      answers: [{id: 'colour', value: 'green'}],
    });

    terminal.type('clear; blackbird resume b');
    await terminal.until('own answer:');
    terminal.type('');
    terminal.type('a warm red');
    await terminal.until('[0]>');
    expect(project.latest('b')).toMatchObject({answers: [{id: 'colour', value: 'a warm red'}]});
    expect(project.text('asked.txt')).toBe('a\nb\n');
  });

  test('Ctrl+C and Ctrl+D at a question leave everything as it was', async () => {
    const project = engineProject(oneTask(demo('ask colour Which colour?')));
    await project.run(['execute']);
    const before = [project.planText(), project.runs('a')];
    const terminal = openTerminal(project);
    terminal.type('clear; blackbird resume a');
    await terminal.until('Answer:');
    terminal.press('C-c');
    await terminal.until('[130]>');
    terminal.type('clear; blackbird resume a');
    await terminal.until('Answer:');
    terminal.press('C-d');
    expect(await terminal.until('[1]>')).toContain('error: a still waits for your answer');
    expect([project.planText(), project.runs('a')]).toEqual(before);
  });

  test('an answer survives Ctrl+C at the next question, and is offered until it was delivered', async () => {
    const questions = [
      {id: 'colour', prompt: 'Which colour?', options: ['red', 'blue']},
      {id: 'name', prompt: 'Which name?'},
    ];
    const asks = `printf '%s\\n' '\`\`\`json' '${JSON.stringify({blackbird: {questions}})}' '\`\`\`'`;
    const project = engineProject(oneTask('paint it'), {
      env: {BLACKBIRD_AGENT_CMD: `if grep -q Ada; then echo painted; else ${asks}; fi`},
    });
    await project.run(['execute']);
    const terminal = openTerminal(project);
    terminal.type('clear; blackbird resume a');
    await terminal.until('own answer:');
    terminal.type('2');
    await terminal.until('Answer:');
    terminal.press('C-c');
    await terminal.until('[130]>');
    expect(project.latest('a')).toMatchObject({state: 'waiting'});

    terminal.type('clear; blackbird resume a');
    expect(await terminal.until('yours):')).toBe(
      '? a asks, 1 of 2\nWhich colour?\n  1) red\n  2) blue\nYou answered: blue\nNumber or your own answer (Enter keeps yours):',
    );
    terminal.type('');
    await terminal.until('Answer:');
    terminal.type('Ada');
    await terminal.until('[0]>');
    expect(project.latest('a')).toMatchObject({
      state: 'succeeded',
      answers: [
        {id: 'colour', value: 'blue'},
        {id: 'name', value: 'Ada'},
      ],
    });
    expect(readdirSync(path.join(project.folder, '.blackbird', 'drafts'))).toEqual([]);
  });

  test('restart asks first', async () => {
    const project = engineProject(oneTask(longWork));
    await pauseInTheMiddle(project, 'a');
    const before = [project.planText(), project.runs('a')];
    const terminal = openTerminal(project);
    terminal.type('clear; blackbird restart a');
    await terminal.until('[y/N]:');
    terminal.type('');
    expect(await terminal.until('[1]>')).toContain('error: not restarted; nothing was changed');
    expect([project.planText(), project.runs('a')]).toEqual(before);
  });

  test('the demo asks its question, can be paused and resumed, and says what to try', async () => {
    const project = engineProject(planOf(), {agent: null});
    const terminal = openTerminal(project);
    const folder = path.join(temporaryFolder(), 'sample');
    terminal.type(`blackbird demo ${folder}`);
    await terminal.until('own answer:');
    terminal.type('3');
    await terminal.until('▶ slow  Think for a while (Ctrl+C pauses)');
    await terminal.until('$ sleep 3');
    terminal.press('C-c');
    const screen = await terminal.until('[130]>');
    expect(screen).toContain('Paused. Resume with: blackbird resume slow');
    expect(screen).toContain('You paused the demo. Try next:');

    // In one line: the prompt of a `cd` alone would pass for the end.
    terminal.type(`clear; cd ${folder} && blackbird resume slow --execute`);
    const resumed = await terminal.until('[0]>');
    expect(resumed).toContain('✓ slow');
    expect(resumed).toContain('✓ release');
    expect(resumed).toContain('no ready tasks remaining');
  });

  test.each([
    ['Ctrl+C', 'C-c', '[130]>'],
    ['Ctrl+D', 'C-d', '[1]>'],
  ])('the demo left at its question by %s names the command that continues it', async (_, key, prompt) => {
    const project = engineProject(planOf(), {agent: null});
    const terminal = openTerminal(project);
    const folder = path.join(temporaryFolder(), 'sample');
    terminal.type(`blackbird demo ${folder}`);
    await terminal.until('own answer:');
    terminal.press(key);
    const screen = (await terminal.until(prompt)).replaceAll('\n', '');
    expect(screen).toContain(`cd ${folder} && blackbird resume palette --execute`);
  });
});

describe('signals', () => {
  test.each([
    {signal: 'SIGINT', reason: 'user_interrupt'},
    {signal: 'SIGTERM', reason: 'terminated'},
    {signal: 'SIGHUP', reason: 'terminated'},
  ] as const)('$signal pauses', async ({signal, reason}) => {
    const project = engineProject(oneTask(longWork));
    const running = project.start(['execute']);
    await untilAtWork(project, 'a');
    running.child.kill(signal);
    const {code, out, err} = await running.ended;
    expect({code, err}).toEqual({code: 130, err: ''});
    expect(out.endsWith(lines(...pausedLines))).toBe(true);
    expectPaused(project, reason);
  });

  test('an agent that ignores the interrupt is killed after its grace period', async () => {
    const project = engineProject(oneTask(stubbornWork), {config: {execution: {pauseGraceSeconds: 1}}});
    const {code, out} = await pauseInTheMiddle(project, 'a');
    expect(code).toBe(130);
    expect(out).not.toContain('forcing');
    expectPaused(project, 'user_interrupt');
    const [segment] = project.latest('a')?.segments ?? [];
    expect(segment).toMatchObject({signal: 'SIGKILL'});
  });

  test('two signals of one key press are one request', async () => {
    // Takes its time to exit; a kill would not let it.
    const polite = [
      `trap 'sleep 0.4; echo bye > goodbye; exit 1' INT`,
      `echo '{"demo":"session","id":"0195d27e-46c6-4b0f-bd54-657f920eee8d"}'`,
      'echo x > started',
      'while :; do sleep 0.02; done',
    ].join('\n');
    const project = engineProject(oneTask('wait'), {env: {BLACKBIRD_AGENT_CMD: polite}});
    const running = project.start(['execute']);
    await untilAtWork(project, 'a');
    // Without a wait, in which a busy machine could let a quarter of a second pass.
    for (const signal of ['SIGINT', 'SIGINT'] as const) running.child.kill(signal);
    const {code, out} = await running.ended;
    expect(code).toBe(130);
    expect(project.text('goodbye')).toBe('bye\n');
    expect(out.match(/pausing/g)).toHaveLength(1);
    expectPaused(project, 'user_interrupt');
  });

  test('a pause while the agent exits after its result stops before the next task', async () => {
    const prompt = demo('linger 60', 'write started x');
    const project = engineProject(planOf(task('a', {prompt}), task('b')));
    const running = project.start(['execute']);
    await eventually(() => expect(project.latest('a')?.resumable).toBe(true));
    const log = () => project.text(`.blackbird/runs/a/${project.latest('a')?.run_id}.stdout.log`);
    await eventually(() => expect(log()).toContain('"result"'));
    running.child.kill('SIGINT');
    const {code, out} = await running.ended;
    expect(code).toBe(130);
    expect(out).toContain('Paused before the next task.');
    expect(project.latest('a')).toMatchObject({state: 'succeeded'});
    expect(project.runs('b')).toEqual([]);
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
    expect(project.agents()).toEqual([]);
  });

  test('a pause at the end of a resumed task does not continue the plan', async () => {
    const prompt = demo('linger 60', 'write started x', 'sleep 60');
    const project = engineProject(planOf(task('a', {prompt}), task('b')));
    await pauseInTheMiddle(project, 'a');
    project.write('started', '');
    // The session no longer remembers `linger`: the second process must be told again.
    const running = project.start(['resume', 'a', '--execute', '--feedback', 'demo: linger 61']);
    const log = () => project.text(`.blackbird/runs/a/${project.latest('a')?.run_id}.stdout.log`);
    await eventually(() => expect(log()).toContain('"result"'));
    running.child.kill('SIGINT');
    const {code, out} = await running.ended;
    expect(out).toContain('Paused before the next task.');
    expect(code).toBe(130);
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
    expect(project.runs('b')).toEqual([]);
  });

  test('a pause before the agent has started leaves nothing running', async () => {
    const project = engineProject(oneTask(longWork));
    const running = project.start(['execute']);
    await eventually(() => expect(project.latest('a')).toBeDefined());
    running.child.kill('SIGINT');
    const {code, out} = await running.ended;
    expect(code).toBe(130);
    const run = project.latest('a');
    // Released or not: both are right, and nothing in between.
    if (run?.state === 'canceled') {
      expect(out).toContain('Paused before the next task.');
      expect(project.statuses()).toEqual({a: 'todo'});
    } else {
      expect(run).toMatchObject({state: 'paused', pause_reason: 'user_interrupt'});
      expect(project.statuses()).toEqual({a: 'in_progress'});
    }
    expect(project.agents()).toEqual([]);
  });
});

describe('resume', () => {
  test('can be paused again; every process is a segment of the one run', async () => {
    const prompt = demo('write started x', 'sleep 60', 'write again x', 'sleep 60', 'append done.txt a');
    const project = engineProject(oneTask(prompt));
    await pauseInTheMiddle(project, 'a');
    const second = project.start(['resume', 'a']);
    await untilAtWork(project, 'a', 'again');
    second.child.kill('SIGINT');
    expect(await second.ended).toMatchObject({code: 130, err: ''});
    expectPaused(project, 'user_interrupt');
    expect((await project.run(['resume', 'a'])).code).toBe(0);
    expect(project.runs('a')).toHaveLength(1);
    expect(project.latest('a')).toMatchObject({
      state: 'succeeded',
      segments: [{exit_code: 1}, {exit_code: 1}, {exit_code: 0}],
    });
    expect(project.latest('a')?.stdout).toContain('Resumed. I know 3 earlier messages.');
    expect(project.text('done.txt')).toBe('a\n');
  });

  test('uses the provider of the run, whatever was chosen since', async () => {
    const project = engineProject(oneTask(longWork));
    await pauseInTheMiddle(project, 'a');
    project.write('.blackbird/agent.json', '{"schemaVersion":1,"selectedAgent":"codex"}');
    expect(await project.run(['resume', 'a'])).toMatchObject({code: 0, err: ''});
    expect(project.latest('a')).toMatchObject({state: 'succeeded', provider: 'demo'});
  });

  test('has nothing to do for a task that is done or never ran', async () => {
    const project = engineProject(planOf(task('a'), task('b')));
    await project.run(['execute', 'a']);
    for (const [id, reason, next] of [
      ['a', 'its latest run succeeded', 'blackbird resume a --feedback <text>'],
      ['b', 'it has never run', 'blackbird execute b'],
    ] as const) {
      const {code, out, err} = await project.run(['resume', id]);
      expect({code, out}).toEqual({code: 1, out: ''});
      expect(err).toContain(`error: nothing to resume for ${id}: ${reason}`);
      expect(err).toContain('E_NOTHING_TO_RESUME');
      expect(err).toContain(`next  ${next}  `);
    }
  });

  test('sends an ended run back to work with feedback, as a new run in the same session', async () => {
    const project = engineProject(oneTask(demo('append done.txt a')));
    await project.run(['execute']);
    const [first] = project.runs('a');
    expect((await project.run(['resume', 'a', '--feedback', 'demo: append done.txt b'])).code).toBe(0);
    expect(project.runs('a')).toMatchObject([
      {run_id: first?.run_id, state: 'succeeded'},
      {
        resumed_from_run_id: first?.run_id,
        provider_session_ref: first?.provider_session_ref,
        state: 'succeeded',
      },
    ]);
    expect(project.text('done.txt')).toBe('a\nb\n');
  });

  test('sends the session an answer again when it was stopped before it could receive it', async () => {
    const project = engineProject(oneTask(demo('ask colour Which colour?')), {
      env: {BLACKBIRD_AGENT_CMD: 'sh ./agent.sh'},
    });
    const demoAgent = `exec '${process.execPath}' '${demoAgentScript()}' "$@"`;
    project.write('agent.sh', demoAgent);
    await project.run(['execute']);

    project.write(
      'agent.sh',
      'echo "{\\"demo\\":\\"session\\",\\"id\\":\\"$2\\"}"\necho x > started\nexec sleep 60',
    );
    const running = project.start(['resume', 'a', '--answer', 'colour=a warm red']);
    await untilAtWork(project, 'a');
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);

    project.write('agent.sh', demoAgent);
    const {code, err} = await project.run(['resume', 'a'], {env: {BLACKBIRD_AGENT_DEBUG: '1'}});
    expect(code).toBe(0);
    expect(err).toContain('a warm red');
  });
});

describe('an impossible resume', () => {
  const unknownRef = '9da519ae-64e4-42e4-85fc-7c3305f70aa3';
  type Refusal = {
    readonly name: string;
    readonly prepare: (project: EngineProject) => {cwd?: string; env?: Env; args?: readonly string[]};
    readonly reason: (project: EngineProject, cwd: string) => string;
    /** What comes before the suggestion to restart. */
    readonly next?: string;
  };

  test.each<Refusal>([
    {
      name: 'in a copy of the project',
      prepare: ({folder}) => {
        const cwd = path.join(temporaryFolder(), 'copy');
        cpSync(folder, cwd, {recursive: true});
        return {cwd};
      },
      reason: ({folder}, cwd) => `it belongs to another working folder: ${folder} (this is ${cwd})`,
    },
    {
      name: 'without a session ref',
      prepare: (project) => {
        project.changeLatest('a', {provider_session_ref: '', resumable: false});
        return {};
      },
      reason: () => 'no session ref was captured before it stopped',
    },
    {
      name: 'with an invalid session ref',
      prepare: (project) => {
        project.changeLatest('a', {provider_session_ref: '--last'});
        return {};
      },
      reason: () => 'its session ref does not have the form that demo uses',
    },
    {
      name: 'with a session that was not stored',
      prepare: (project) => {
        project.changeLatest('a', {resumable: false});
        return {};
      },
      reason: () => 'the provider had not stored the session yet when it stopped',
    },
    {
      name: 'by another provider with --agent',
      prepare: () => ({args: ['--agent', 'codex']}),
      reason: () => 'it belongs to another program: it was started by demo, but codex was asked for',
      next: 'blackbird resume a --agent demo  continue with the program that has its session',
    },
    {
      name: 'by another provider in the environment',
      prepare: () => ({env: {BLACKBIRD_AGENT_PROVIDER: 'claude'}}),
      reason: () => 'it belongs to another program: it was started by demo, but claude was asked for',
      next: 'blackbird resume a --agent demo  continue with the program that has its session',
    },
  ])('$name is refused with the whole diagnosis', async ({prepare, reason, next}) => {
    const project = engineProject(oneTask(longWork));
    await pauseInTheMiddle(project, 'a');
    const {cwd = project.folder, env = {}, args = []} = prepare(project);
    const before = [project.planText(), project.runs('a')];
    const run = project.latest('a');

    const {code, out, err} = await project.run(['resume', 'a', ...args], {cwd, env});

    expect({code, out}).toEqual({code: 1, out: ''});
    expect(err).toBe(
      lines(
        `error: cannot resume a: ${reason(project, cwd)}`,
        '  task      a  Task a',
        `  run       ${run?.run_id}  paused ${run?.paused_at}`,
        '  provider  demo',
        `  session   ${run?.provider_session_ref || '(none)'}`,
        `  reason    ${reason(project, cwd)}`,
        '  code      E_RESUME_REFUSED',
        ...(next === undefined
          ? ['  next      blackbird restart a  start again; the conversation is forgotten']
          : [
              `  next      ${next}`,
              '            blackbird restart a              start again; the conversation is forgotten',
            ]),
      ),
    );
    expect([project.planText(), project.runs('a')]).toEqual(before);
  });

  test('because the provider lost the session is rejected with the whole diagnosis', async () => {
    const project = engineProject(oneTask(longWork));
    await pauseInTheMiddle(project, 'a');
    const [plan, run] = [project.planText(), project.latest('a')];
    const ref = run?.provider_session_ref;
    rmSync(path.join(project.folder, '.blackbird/demo-sessions', `${ref}.json`));

    const {code, err} = await project.run(['resume', 'a']);

    expect(code).toBe(1);
    const after = project.latest('a');
    expect(err).toBe(
      lines(
        `error: cannot resume a: no demo session ${ref}`,
        '  task      a  Task a',
        `  run       ${run?.run_id}  paused ${run?.paused_at}`,
        '  provider  demo',
        `  session   ${ref}`,
        `  reason    no demo session ${ref}`,
        '  code      E_RESUME_REJECTED',
        '  next      blackbird resume a   try again once it is fixed',
        '            blackbird restart a  start again; the conversation is forgotten',
      ),
    );
    expect(after).toMatchObject({
      ...paused('user_interrupt'),
      run_id: run?.run_id,
      paused_at: run?.paused_at,
      provider_session_ref: ref,
      failure: {kind: 'resume_rejected'},
    });
    expect(project.runs('a')).toHaveLength(1);
    expect(project.planText()).toBe(plan);
  });

  test('is one JSON object on stderr for scripts, and no event reports a start', async () => {
    const project = engineProject(oneTask(longWork));
    await pauseInTheMiddle(project, 'a');
    project.changeLatest('a', {provider_session_ref: unknownRef, resumable: false});
    const {code, out, err} = await project.run(['resume', 'a', '--json']);
    expect({code, out}).toEqual({code: 1, out: ''});
    expect(JSON.parse(err).error).toMatchObject({
      code: 'E_RESUME_REFUSED',
      details: {provider: 'demo', session: unknownRef},
      next: [{command: 'blackbird restart a'}],
    });
  });
});

test('a run that was paused, then asked, keeps waiting when its session is lost', async () => {
  const prompt = demo('write started x', 'sleep 60', 'ask colour Which colour?');
  const project = engineProject(oneTask(prompt));
  await pauseInTheMiddle(project, 'a');
  expect((await project.run(['resume', 'a'])).code).toBe(4);
  const ref = project.latest('a')?.provider_session_ref;
  rmSync(path.join(project.folder, '.blackbird/demo-sessions', `${ref}.json`));

  const {code, err} = await project.run(['resume', 'a', '--answer', 'colour=red']);

  expect(code).toBe(1);
  expect(err).toContain('E_RESUME_REJECTED');
  expect(project.latest('a')).toMatchObject({state: 'waiting', questions: [{id: 'colour'}]});
  expect(project.statuses()).toEqual({a: 'waiting_user'});
});

describe('restart', () => {
  test('starts a new run in a new session and keeps the old one, linked both ways', async () => {
    const project = engineProject(oneTask(longWork));
    await pauseInTheMiddle(project, 'a');
    const [old] = project.runs('a');
    project.write('blackbird.plan.json', project.planText().replace('sleep 60', 'sleep 0'));

    const {code, out, err} = await project.run(['restart', 'a']);

    expect({code, err}).toEqual({code: 0, err: ''});
    expect(out).toMatch(
      /^▶ a {2}Task a {2}\(demo\)\n✓ a {2}done .*\na is done · no ready tasks remaining\n$/,
    );
    const [first, second, ...others] = project.runs('a');
    expect(others).toEqual([]);
    expect(first).toMatchObject({run_id: old?.run_id, state: 'paused', superseded_by_run_id: second?.run_id});
    expect(second).toMatchObject({state: 'succeeded', attempt: 2, restart_of_run_id: old?.run_id});
    expect(second?.provider_session_ref).not.toBe(old?.provider_session_ref);
    expect(second?.stdout).not.toContain('Resumed.');
    expect(project.statuses()).toEqual({a: 'done'});
  });

  test('needs a run', async () => {
    const project = engineProject(oneTask(''));
    const {code, out, err} = await project.run(['restart', 'a']);
    expect({code, out}).toEqual({code: 1, out: ''});
    expect(err).toContain('error: a has no run to restart');
    expect(err).toContain('E_RESTART_REFUSED');
    expect(project.runs('a')).toEqual([]);
  });
});
