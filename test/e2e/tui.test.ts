import {spawnSync} from 'node:child_process';
import {describe, expect, onTestFinished, test} from 'vitest';
import {isStopped} from '../helpers/agent-processes.ts';
import {demo, type EngineProject, engineProject, untilAtWork} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {planOf, task} from '../helpers/plans.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';
import {hasTmux, openTerminal} from '../helpers/terminal.ts';

const long = (id: string) =>
  task(id, {prompt: demo('print At work.', `write started-${id} yes`, 'sleep 60', `write done-${id} yes`)});

/** The terminal UI at the plan, in a terminal of 80×24. */
async function openTui(project: EngineProject) {
  const terminal = openTerminal(project);
  terminal.resize(80, 24);
  onTestFinished(() => terminal.press('q'));
  terminal.type('blackbird');
  await terminal.until('Next');
  terminal.press('Enter');
  await terminal.until('┌ Plan');
  return terminal;
}

/** Waits until the terminal shows it now. */
const sees = (terminal: ReturnType<typeof openTerminal>, text: string | RegExp) =>
  eventually(() => expect(terminal.visible()).toMatch(text));

describe.skipIf(!hasTmux)('the terminal UI in a real terminal (needs tmux)', () => {
  test('pauses, says so, quits, and leaves the terminal as it was; later it resumes', async () => {
    const project = engineProject(planOf(long('a'), task('b')));
    const terminal = await openTui(project);
    terminal.press('e');
    await untilAtWork(project, 'a', 'started-a');
    await sees(terminal, 'At work.');
    terminal.press('C-c');
    await sees(terminal, /^ Paused\. Ctrl\+C again to quit\.$/m);
    expect(project.latest('a')).toMatchObject({
      state: 'paused',
      pause_reason: 'user_interrupt',
      resumable: true,
    });
    expect(project.agents()).toEqual([]);
    terminal.press('C-c');
    await sees(terminal, /\[0\]>$/);
    expect(terminal.visible()).not.toMatch(/┌ Plan|Ctrl\+C again/);
    expect(terminal.visible()).toMatch(/^Ⅱ a {2}.* {2}paused {2}blackbird resume a$/m);
    expect(project.statuses()).toEqual({a: 'in_progress', b: 'todo'});

    terminal.type('blackbird');
    await sees(terminal, 'A task is paused');
    terminal.press('Enter', 'u');
    await sees(terminal, 'Resumed. I know');
    await eventually(() => expect(project.text('done-a')).not.toBe(''));
    await sees(terminal, 'a is done · 1 ready');
    expect(project.runs('a')).toMatchObject([{state: 'succeeded'}]);
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
  });

  test('Ctrl+C twice at once does not wait for an agent that ignores it', async () => {
    const prompt = demo('ignore-sigint', 'write started-a yes', 'sleep 60');
    const project = engineProject(planOf(task('a', {prompt})), {
      config: {execution: {pauseGraceSeconds: 120}},
    });
    const terminal = await openTui(project);
    terminal.press('e');
    await untilAtWork(project, 'a', 'started-a');
    terminal.press('C-c', 'C-c');
    await sees(terminal, 'Paused. Ctrl+C again to quit.');
    expect(project.latest('a')).toMatchObject({state: 'paused'});
    expect(project.agents()).toEqual([]);
  });

  test('restarts after a question, and the old run stays', async () => {
    const project = engineProject(planOf(task('a', {prompt: demo('fail no luck')})));
    const terminal = await openTui(project);
    terminal.press('e');
    await sees(terminal, '1 failed · no ready tasks remaining');
    project.write(
      'blackbird.plan.json',
      project.planText().replace('demo: fail no luck', 'demo: print better'),
    );
    terminal.press('R');
    await sees(terminal, 'Restart a');
    terminal.press('y');
    // Not by the screen, on which the sentence of the first job may still be.
    await eventually(() => expect(project.statuses()).toEqual({a: 'done'}));
    await sees(terminal, 'no ready tasks remaining');
    const [first, second] = project.runs('a');
    expect([first, second]).toMatchObject([
      {state: 'failed', superseded_by_run_id: second?.run_id},
      {state: 'succeeded', restart_of_run_id: first?.run_id},
    ]);
  });

  test('a checkpoint: the change, a request with @, and approval', async () => {
    const project = engineProject(planOf(task('a', {prompt: demo('write page.html hello')}), task('b')), {
      config: {execution: {stopAfterEachTask: true}},
    });
    project.write('notes.md', 'remember the title');
    const terminal = await openTui(project);
    terminal.press('e');
    await sees(terminal, 'Approve and continue');
    terminal.press('j', 'j', 'j');
    await sees(terminal, '❯ Request changes');
    terminal.press('Enter');
    await sees(terminal, 'What should be different?');
    terminal.press('-l', 'demo: write page.html see @not');
    await sees(terminal, 'notes.md');
    terminal.press('Enter');
    await sees(terminal, '@notes.md');
    terminal.press('C-s');
    await eventually(() => expect(project.text('page.html')).toMatch(/^see @notes\.md/));
    await sees(terminal, 'Approve and continue');
    terminal.press('j', 'j', 'Enter');
    await sees(terminal, '✓ Task a');
    expect(project.runs('a')).toMatchObject([
      {decision_state: 'changes_requested'},
      {decision_state: 'approved_quit', state: 'succeeded'},
    ]);
    await eventually(() => expect(project.statuses()).toEqual({a: 'done', b: 'todo'}));
  });

  test('a question is asked and answered', async () => {
    const prompt = demo('ask colour Which colour? | blue | green', 'print painted');
    const project = engineProject(planOf(task('a', {prompt})));
    const terminal = await openTui(project);
    terminal.press('e');
    await sees(terminal, 'answer later');
    terminal.press('Down', 'Down');
    await sees(terminal, '❯ 2  green');
    terminal.press('Enter');
    await sees(terminal, 'no ready tasks remaining');
    expect(project.latest('a')).toMatchObject({
      state: 'succeeded',
      answers: [{id: 'colour', value: 'green'}],
    });
  });

  test('settings are written where they are shown', async () => {
    const project = engineProject(planOf(task('a')));
    const terminal = await openTui(project);
    terminal.press(',');
    await sees(terminal, /stopAfterEachTask +false/);
    terminal.press('Enter');
    await sees(terminal, /stopAfterEachTask +true +true/);
    expect(JSON.parse(project.text('.blackbird/config.json'))).toEqual({
      schemaVersion: 1,
      execution: {stopAfterEachTask: true},
    });
    terminal.press('d');
    await sees(terminal, /stopAfterEachTask +false +-/);
  });

  test('shrinks to 40×12 and grows back, whole each time', async () => {
    const project = engineProject(planOf(long('a'), task('b')));
    const terminal = await openTui(project);
    // The first frame may come in parts; its last line is the last of them.
    await sees(terminal, /^└─+┘└─+┘\n\n .*q quit/m);
    const before = terminal.visible();
    terminal.resize(40, 12);
    await sees(terminal, /^└─{38}┘$/m);
    const small = terminal.visible().split('\n');
    expect(small).toHaveLength(12);
    expect(small.filter((line) => line.startsWith('│')).every((line) => line.length === 40)).toBe(true);
    terminal.resize(80, 24);
    await eventually(() => expect(terminal.visible()).toBe(before));
  });

  test('shows at once what others do', async () => {
    const project = engineProject(planOf(long('a'), task('b')));
    const terminal = await openTui(project);
    expect(await project.run(['set-status', 'b', 'skipped'])).toMatchObject({code: 0});
    await sees(terminal, /– Task b +skipped/);
    const other = project.start(['execute', 'a']);
    await sees(terminal, /● Task a/);
    await sees(terminal, `Process ${other.pid} is working on this project`);
    terminal.press('e');
    await sees(terminal, `e: process ${other.pid} is working on this project`);
    await untilAtWork(project, 'a', 'started-a');
    other.child.kill('SIGINT');
    await sees(terminal, /Ⅱ Task a +paused/);
  });

  test('SIGTERM pauses what runs and exits; an agent that is killed is only a failed task', async () => {
    const project = engineProject(planOf(long('a'), long('b')));
    const terminal = await openTui(project);
    terminal.press('e');
    await untilAtWork(project, 'a', 'started-a');
    process.kill(project.latest('a')?.segments.at(-1)?.pid ?? 0, 'SIGKILL');
    await sees(terminal, /✗ Task a +failed/);
    await untilAtWork(project, 'b', 'started-b');
    process.kill(project.latest('b')?.owner?.pid ?? 0, 'SIGTERM');
    await sees(terminal, /\[0\]>$/);
    expect(terminal.visible()).not.toContain('Plan');
    expect(project.latest('b')).toMatchObject({state: 'paused', pause_reason: 'terminated'});
    expect(project.agents()).toEqual([]);
  });

  test('a session gets the terminal and returns it', async () => {
    const project = engineProject(planOf(task('a')));
    const sockets = temporaryFolder();
    onTestFinished(() => {
      spawnSync('tmux', ['kill-server'], {env: {...process.env, TMUX: '', TMUX_TMPDIR: sockets}});
    });
    project.write(
      'agency.json',
      '{"version": 1, "runners": {"mine": "bash --norc"}, "defaults": {"runner": "mine"}}',
    );
    const terminal = openTerminal(project);
    const who = '-c user.name=me -c user.email=me@example.com';
    terminal.type(`unset TMUX; export TMUX_TMPDIR=${sockets} AGENCY_DATA_DIR=${sockets}/agency`);
    terminal.type(`git init -q && git ${who} commit -q --allow-empty -m first`);
    terminal.type('blackbird session run --name refunds --detached; blackbird');
    await terminal.until('Next');
    terminal.press('S');
    await sees(terminal, /❯ refunds +active/);
    terminal.press('Enter');
    await sees(terminal, /^\[agency_/m);
    terminal.press('C-b', 'd');
    await sees(terminal, /❯ refunds +active/);
    terminal.press('q');
    await sees(terminal, /\[0\]>$/);
  });

  test('unsent text is on disk when a signal ends it', async () => {
    const project = engineProject(planOf(task('a')));
    const terminal = openTerminal(project);
    terminal.type("sh -c 'echo $$ > pid; exec blackbird'");
    await terminal.until('Next');
    terminal.press('Enter', 'a');
    await sees(terminal, 'New task');
    terminal.press('W', 'e', 'b');
    await sees(terminal, / {2}Web/);
    process.kill(Number(project.text('pid')), 'SIGTERM');
    await sees(terminal, /\[0\]>$/);
    terminal.type('blackbird');
    await terminal.until('Next');
    terminal.press('Enter', 'a');
    await sees(terminal, 'Your draft is back.');
    await sees(terminal, / {2}Web/);
    terminal.press('C-c', 'q');
  });

  test('Ctrl+Z stops it and its agent, fg continues both', async () => {
    const project = engineProject(planOf(long('a')));
    const terminal = await openTui(project);
    terminal.press('e');
    await untilAtWork(project, 'a', 'started-a');
    terminal.press('C-z');
    await sees(terminal, /Stopped/);
    expect(terminal.visible()).not.toContain('┌ Plan');
    // All but the process that guards them.
    const agents = () => project.agents().filter((pid) => pid !== project.latest('a')?.segments.at(-1)?.pid);
    expect(agents()).not.toEqual([]);
    await eventually(() => expect(agents().every(isStopped)).toBe(true));
    terminal.type('fg');
    await sees(terminal, '● working');
    await eventually(() => expect(agents().some(isStopped)).toBe(false));
    terminal.press('C-c');
    await sees(terminal, 'Paused. Ctrl+C again to quit.');
  });

  test('a crash restores the terminal, says what happened, and leaves no agent', async () => {
    const project = engineProject(planOf(long('a')));
    project.write(
      'crash.mjs',
      `import {existsSync} from 'node:fs';
if (process.argv[1]?.endsWith('blackbird')) {
  const look = setInterval(() => {
    if (existsSync('now')) throw new Error('boom');
  }, 20);
  look.unref();
}
`,
    );
    const terminal = openTerminal(project);
    terminal.type('NODE_OPTIONS="--import $PWD/crash.mjs" blackbird');
    await terminal.until('Next');
    terminal.press('Enter');
    await sees(terminal, '┌ Plan');
    terminal.press('e');
    await sees(terminal, '● working');
    await untilAtWork(project, 'a', 'started-a');
    project.write('now', '');
    await terminal.until(/Error: boom/);
    await terminal.until(/\[\d+\]>$/);
    expect(terminal.visible()).not.toContain('┌ Plan');
    await eventually(() => expect(project.agents()).toEqual([]));
  });

  test('shows its screen even when `CI` is set', async () => {
    const project = engineProject(planOf(task('a')), {env: {CI: 'true'}});
    const terminal = await openTui(project);
    terminal.resize(60, 16);
    await sees(terminal, /^└─{58}┘$/m);
  });

  test('without a terminal it prints the help', async () => {
    const project = engineProject(planOf());
    const {code, out} = await project.run([]);
    expect({code, first: out.split('\n')[0]}).toEqual({
      code: 0,
      first: 'Usage: blackbird [options] [command]',
    });
  });
});
