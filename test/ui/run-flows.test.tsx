import {describe, expect, test} from 'vitest';
import {endedSegment, pausedRun, runRecord} from '../fakes/runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {family, now, planOf, task} from '../helpers/plans.ts';
import {keys, tuiProject} from './tui-project.tsx';

const until = (check: () => void) => eventually(check);

/** A project whose plan is on the screen, with an agent that works on its first task. */
async function atWork(plan = planOf(task('a'), task('b'))) {
  const project = tuiProject({plan});
  project.press(keys.enter, 'e');
  await until(() => expect(project.agents.agents[0]?.hasGone).toBe(true));
  project.agents.agent.opensSession('session-1');
  await project.sees('● working');
  return project;
}

describe('executing', () => {
  test('shows what the agent does, its tokens and its cost', async () => {
    const {agents, press, sees, screen} = await atWork();
    agents.agent.says(
      {type: 'activity', activity: {kind: 'edit', text: 'edit src/route.ts +41 −3'}},
      {type: 'activity', activity: {kind: 'command', text: '$ npm test'}},
      {type: 'usage', usage: {input_tokens: 17_000, output_tokens: 1_000, cost_usd: 1.84}},
    );
    await sees('edit src/route.ts +41 −3');
    await sees(/\$ npm test/);
    await sees('● working · 18k tok · $1.84');
    expect(screen()).toContain('ctrl+c pause');
    press('e');
    await sees('e: a task is running: ctrl+c pauses it');
  });

  test('agent text cannot control the terminal', async () => {
    const {agents, sees, screen} = await atWork();
    agents.agent.says({
      type: 'activity',
      activity: {kind: 'message', text: 'a\x1b[2J\x1b]0;owned\x07b\x9b31mc'},
    });
    await sees('abc');
    expect(screen()).not.toMatch(/\x1b|\x07|\x9b|owned/);
  });

  test('continues with the next task, and x stops after this one', async () => {
    const {agents, press, sees, plans} = await atWork(planOf(task('a'), task('b'), task('c')));
    agents.agent.succeeds();
    await until(() => expect(agents.agents).toHaveLength(2));
    press('x');
    await sees('Stops after this task.');
    agents.agent.opensSession('session-2');
    agents.agent.succeeds();
    await sees('Stopped after b, as you asked · 1 ready');
    await until(() => expect(plans.statuses()).toEqual({a: 'done', b: 'done', c: 'todo'}));
    expect(agents.agents).toHaveLength(2);
  });

  test('after x a question does not open until requested', async () => {
    const {agents, press, sees, screen} = await atWork(planOf(task('a'), task('b')));
    press('x');
    await sees('Stops after this task.');
    agents.agent.succeeds(JSON.stringify({blackbird: {questions: [{id: 'q', prompt: 'Which colour?'}]}}));
    await sees('u answer');
    expect(screen()).not.toContain('ctrl+s');
    press('u');
    await sees('ctrl+s');
  });

  test('of the selected task alone', async () => {
    const {agents, press, sees, plans} = tuiProject({plan: planOf(task('a'), task('b'))});
    press(keys.enter, 'j', 'E');
    await until(() => expect(agents.agents[0]?.taskId).toBe('b'));
    agents.agent.opensSession('session-1');
    agents.agent.succeeds();
    await sees('1 done · 1 ready');
    await until(() => expect(plans.statuses()).toEqual({a: 'todo', b: 'done'}));
  });

  test('raw output is one key away', async () => {
    const {output, press, sees} = await atWork();
    output('a-1', '{"type":"raw');
    output('a-1', '"}\nand more\n');
    press('o');
    await sees('{"type":"raw"}');
    await sees('and more');
  });

  test('a check is shown as it runs, with its end and what sent the agent back', async () => {
    const {agents, checks, output, passTime, sees} = await atWork(
      planOf(task('a', {verify: ['npm test \x1b[2Jx']})),
    );
    agents.agent.succeeds();
    await sees('● checking: npm test x');
    await sees('check $ npm test x');
    passTime(65_000);
    output('a-1', 'not yet\n');
    await sees(/Task a +01:05/);
    checks.check.fails('1 test failed');
    await sees('✗ npm test x exit 1');
    await sees('1 test failed');
    await until(() => expect(agents.agents).toHaveLength(2));
    await until(() => expect(agents.agent.hasGone).toBe(true));
    agents.agent.opensSession('session-1');
    agents.agent.succeeds();
    await sees('● checking: npm test x');
    checks.check.passes();
    await sees('✓ npm test x');
  });

  test('silence is shown', async () => {
    const {passTime, sees, tui} = await atWork();
    passTime(65_000);
    tui.clock.set(tui.clock.get() + 1);
    await sees('● working · quiet 01:05');
  });
});

describe('Ctrl+C', () => {
  test('pauses, shows the banner word for word, and quits when pressed again', async () => {
    const {press, sees, runs, isGone, plans, agents} = await atWork();
    press(keys.ctrlC);
    await sees(/^ Paused\. Ctrl\+C again to quit\.$/m);
    await sees(/Ⅱ Task a +paused/);
    expect(runs.records('a')).toMatchObject([
      {state: 'paused', pause_reason: 'user_interrupt', resumable: true},
    ]);
    await until(() => expect(plans.statuses()).toEqual({a: 'in_progress', b: 'todo'}));
    expect(agents.agents).toHaveLength(1);
    expect(isGone()).toBe(false);
    const before = runs.records('a');
    press(keys.ctrlC);
    expect(isGone()).toBe(true);
    expect(runs.records('a')).toEqual(before);
  });

  test('twice in quick succession forces an agent that ignores it', async () => {
    const {press, sees, agents, runs} = await atWork();
    agents.agent.obeys = {interrupt: false, kill: true};
    press(keys.ctrlC);
    await sees('Pausing… Ctrl+C again to force.');
    expect(agents.agent.isAlive).toBe(true);
    press(keys.ctrlC);
    await sees(/Paused\. Ctrl\+C again to quit\./);
    expect(agents.agent.isAlive).toBe(false);
    expect(runs.records('a')).toMatchObject([{state: 'paused'}]);
  });

  test('at rest says that it quits when pressed again', async () => {
    const {press, sees, isGone} = tuiProject({plan: planOf(task('a'))});
    press(keys.ctrlC);
    await sees(/^ Ctrl\+C again to quit\.$/m);
    expect(isGone()).toBe(false);
    press(keys.ctrlC);
    expect(isGone()).toBe(true);
  });

  test('q asks before it pauses and quits', async () => {
    const {press, sees, isGone, runs} = await atWork();
    press('q');
    await sees('A task is running');
    press('n');
    await sees('● working');
    press('q');
    await sees('A task is running');
    press('y');
    await until(() => expect(isGone()).toBe(true));
    expect(runs.records('a')).toMatchObject([{state: 'paused'}]);
  });

  test('q says so when the job ends while it asks', async () => {
    const {press, sees, seesNot, isGone, agents} = await atWork();
    press('q');
    await sees('A task is running');
    agents.agent.fails({kind: 'agent_error', message: 'broken'});
    await until(() => expect(agents.agents).toHaveLength(2));
    agents.agent.fails({kind: 'agent_error', message: 'broken'});
    await sees('The job has ended');
    await seesNot('Pause and quit');
    press('y');
    await until(() => expect(isGone()).toBe(true));
  });
});

describe('u', () => {
  const paused = {
    plan: planOf(task('a', {status: 'in_progress'})),
    runs: [pausedRun({task_id: 'a', run_id: 'a-1'})],
  };

  test('earlier messages stay above new ones, and questions are not shown as JSON', async () => {
    const {press, sees, agents, screen} = tuiProject({
      ...paused,
      runs: [pausedRun({task_id: 'a', run_id: 'a-1', segments: [endedSegment()]})],
    });
    press(keys.enter, '2');
    await sees('readable log of a-1');
    press('u');
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    const asks = {blackbird: {questions: [{id: 'db', prompt: 'Which database?'}]}};
    agents.agent.opensSession();
    agents.agent.says({type: 'message', text: `Hm.\n\`\`\`json\n${JSON.stringify(asks)}\n\`\`\``});
    await sees(/readable log of a-1.*you: go on.*“Hm\.”.*\? Which database\?/s);
    expect(screen()).not.toContain('blackbird"');
  });

  test('continues a paused run in its own session', async () => {
    const {press, sees, agents, runs} = tuiProject(paused);
    press(keys.enter);
    await sees('u resume');
    press('u');
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    expect(agents.agent.request).toMatchObject({
      kind: 'resume',
      sessionRef: runs.records('a')[0]?.provider_session_ref,
    });
    agents.agent.opensSession(agents.agent.request.sessionRef ?? '');
    agents.agent.succeeds();
    await sees('a is done · no ready tasks remaining');
    expect(runs.records('a')).toMatchObject([{run_id: 'a-1', state: 'succeeded'}]);
  });

  test('is not offered without a session, and says why', async () => {
    const run = pausedRun({task_id: 'a', run_id: 'a-1', resumable: false, provider_session_ref: ''});
    const {press, sees, screen, agents} = tuiProject({...paused, runs: [run]});
    press(keys.enter);
    await sees('R restart');
    expect(screen()).not.toContain('u resume');
    press('u');
    await sees('u: it has no session to continue in: R restarts it');
    expect(agents.agents).toEqual([]);
  });

  test.each([
    {columns: 80, seen: /^ Paused\. {2}u: it has no session to continue in: R restarts it$/m},
    {
      columns: 120,
      seen: /^ Paused\. Ctrl\+C again to quit\. {2}u: it has no session to continue in: R restarts it$/m,
    },
  ])('says so next to the banner of a pause, in $columns columns', async ({columns, seen}) => {
    const {agents, press, sees} = tuiProject({plan: planOf(task('a')), size: {columns, rows: 24}});
    press(keys.enter, 'e');
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    press(keys.ctrlC);
    await sees(/^ Paused\. Ctrl\+C again to quit\.$/m);
    press('u');
    await sees(seen);
    press('j');
    await sees(/^ Paused\. Ctrl\+C again to quit\.$/m);
  });

  test('a refusal is shown with everything that is known', async () => {
    const {press, sees, agents, runs} = tuiProject(paused);
    press(keys.enter, 'u');
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    agents.agent.fails({kind: 'resume_rejected', message: 'No conversation found'});
    await sees('cannot resume a: No conversation found');
    await sees('E_RESUME_REJECTED');
    await sees('blackbird restart a');
    press(keys.enter);
    await sees(/Ⅱ Task a +paused/);
    expect(runs.records('a')).toMatchObject([{state: 'paused'}]);
  });

  test.each(['esc', 'ctrl+c'])(
    'about a task that is deleted in the meantime are left with %s',
    async (way) => {
      const questions = [{id: 'colour', prompt: 'Which colour?'}];
      const waiting = runRecord({task_id: 'a', run_id: 'a-1', state: 'waiting', questions, resumable: true});
      const project = tuiProject({
        plan: planOf(task('a', {status: 'waiting_user'}), task('b')),
        runs: [waiting],
      });
      project.press(keys.enter, 'u');
      await project.sees('Which colour?');
      await project.plans.update(() => planOf(task('b')));
      await project.sees('The task is no longer in the plan.');
      project.press(way === 'esc' ? keys.escape : keys.ctrlC);
      await project.sees('❯  ○ Task b');
      expect(project.isGone()).toBe(false);
    },
  );

  test('answers what an agent asked', async () => {
    const questions = [{id: 'colour', prompt: 'Which colour?', options: ['blue', 'green']}];
    const waiting = runRecord({task_id: 'a', run_id: 'a-1', state: 'waiting', questions, resumable: true});
    const {press, sees, agents, runs} = tuiProject({
      plan: planOf(task('a', {status: 'waiting_user'})),
      runs: [waiting],
    });
    press(keys.enter);
    await sees('ACTION REQUIRED');
    press('u');
    await sees('Which colour?');
    press(keys.down, keys.down, keys.enter);
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    expect(runs.records('a')).toMatchObject([{state: 'running', answers: [{id: 'colour', value: 'green'}]}]);
  });

  test('an answer survives Ctrl+C at the next question', async () => {
    const questions = [
      {id: 'colour', prompt: 'Which colour?', options: ['blue', 'green']},
      {id: 'size', prompt: 'Which size?', options: ['S', 'M']},
    ];
    const waiting = runRecord({task_id: 'a', run_id: 'a-1', state: 'waiting', questions, resumable: true});
    const {press, sees, seesNot, agents, runs, drafts} = tuiProject({
      plan: planOf(task('a', {status: 'waiting_user'})),
      runs: [waiting],
    });
    press(keys.enter);
    await sees('ACTION REQUIRED');
    press('u');
    await sees('Which colour?');
    press(keys.down, keys.down, keys.enter);
    await sees('Which size?');
    press(keys.ctrlC);
    await seesNot('Which size?');
    press('u');
    await sees('❯ 2  green');
    press(keys.enter);
    await sees('Which size?');
    press(keys.down, keys.enter);
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    expect(runs.records('a')).toMatchObject([{answers: [{value: 'green'}, {value: 'S'}]}]);
    agents.agent.succeeds();
    await until(() => expect(drafts.list()).toEqual([]));
  });

  test('an answer from another terminal closes the panel, says so, and keeps what was typed', async () => {
    const questions = [{id: 'colour', prompt: 'Which colour?'}];
    const waiting = runRecord({task_id: 'a', run_id: 'a-1', state: 'waiting', questions, resumable: true});
    const {press, sees, seesNot, runs, drafts, tell} = tuiProject({
      plan: planOf(task('a', {status: 'waiting_user'})),
      runs: [waiting],
    });
    press(keys.enter);
    await sees('ACTION REQUIRED');
    press('u');
    await sees('Which colour?');
    press('bl');
    await sees('bl');
    tell();
    await sees('Which colour?');
    await runs.update('a', 'a-1', (run) => ({...run, state: 'succeeded', updated_at: now}));
    tell();
    await seesNot('Which colour?');
    await sees('a was answered in another terminal · what you wrote is kept as a draft');
    await until(() => expect(drafts.list()).toMatchObject([{kind: 'answers', texts: [{text: 'bl'}]}]));
  });

  test('a question that ends a job is asked at once, and the user is called', async () => {
    const {agents, sees, notices} = await atWork(planOf(task('a')));
    agents.agent.succeeds('```json\n{"blackbird":{"questions":[{"id":"q","prompt":"Why?"}]}}\n```');
    await sees('Why?');
    expect(notices).toEqual(['a needs you']);
  });

  test('a question that is open at a pause does not open by itself; the line above the keys leads there', async () => {
    const asks = runRecord({
      task_id: 'b',
      run_id: 'b-1',
      state: 'waiting' as const,
      resumable: true,
      questions: [{id: 'q', prompt: 'Why?', options: ['so', 'else']}],
    });
    const plan = planOf(task('a'), task('b', {status: 'waiting_user'}));
    const {agents, press, sees, screen, notices, tell} = tuiProject({plan, runs: [asks]});
    press(keys.enter, 'e');
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    press(keys.ctrlC);
    await sees('Paused. Ctrl+C again to quit.  a task needs you: n goes there, u opens it');
    tell();
    press('j', 'k', keys.enter);
    await sees('tab pane');
    expect(screen()).not.toContain('Why?');
    expect(notices).toEqual([]);
    press(keys.tab, 'n');
    await sees('u answer');
    press('u');
    await sees('Why?');
  });
});

describe('restart', () => {
  const done = {
    plan: planOf(task('a', {status: 'failed'})),
    runs: [runRecord({task_id: 'a', run_id: 'a-1', state: 'failed'})],
  };

  test('asks first; no changes nothing', async () => {
    const {press, sees, agents} = tuiProject(done);
    press(keys.enter, 'R');
    await sees('Restart a Task a?');
    press(keys.enter);
    await sees('✗ Task a');
    expect(agents.agents).toEqual([]);
  });

  test('starts a new run that is linked to the old one', async () => {
    const {press, sees, agents, runs} = tuiProject(done);
    press(keys.enter, 'R');
    await sees('Restart a');
    press('y');
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    agents.agent.opensSession('session-9');
    agents.agent.succeeds();
    await sees('a is done · no ready tasks remaining');
    expect(runs.records('a')).toMatchObject([
      {run_id: 'a-1', superseded_by_run_id: 'a-2'},
      {run_id: 'a-2', restart_of_run_id: 'a-1', state: 'succeeded'},
    ]);
  });

  test('t makes a failed task ready, s sets any status', async () => {
    const {press, sees, plans} = tuiProject(done);
    press(keys.enter, 't');
    await sees('a is ready again');
    await sees('○ Task a');
    await until(() => expect(plans.statuses()).toEqual({a: 'todo'}));
    press('s');
    await sees('Status of a');
    press(keys.up, keys.enter);
    await sees('a is skipped');
    await until(() => expect(plans.statuses()).toEqual({a: 'skipped'}));
  });
});

test('a collapsed parent shows that a task below it waits for you', async () => {
  const questions = [{id: 'q', prompt: 'Why?'}];
  const {press, sees} = tuiProject({
    plan: planOf(family(task('p'), task('a', {status: 'waiting_user'}))),
    runs: [runRecord({task_id: 'a', run_id: 'a-1', state: 'waiting', questions})],
  });
  press(keys.enter, keys.left, keys.left);
  await sees(/▸ ◦ Task p +ACTION REQUIRED/);
});

describe('a parent', () => {
  const done = {status: 'done'} as const;

  test('whose review is due says so in every view', async () => {
    const plan = planOf(family(task('p'), task('a', done)), task('late', {deps: ['p']}));
    const {press, sees} = tuiProject({plan});
    await sees('The review of p is due: e continues with it.');
    press(keys.enter, keys.left, keys.left);
    await sees(/Task p +review due/);
    press('u');
    await sees('u: its review is due: e continues with it');
  });

  test('that only waits for its review is executed, and refused once it is done', async () => {
    const {press, sees, seesNot, plans} = tuiProject({plan: planOf(family(task('p'), task('a', done)))});
    await sees('The review of p is due: e continues with it.');
    press(keys.enter, 'e');
    await until(() => expect(plans.statuses()).toEqual({p: 'done', a: 'done'}));
    await sees('no ready tasks remaining');
    await seesNot('e execute');
    press('e');
    await sees('e: no task is ready');
  });

  test('shows the output of its review after it ended', async () => {
    const review = runRecord({
      task_id: 'p',
      run_id: 'p-1',
      run_type: 'review',
      state: 'succeeded',
      parent_review_passed: true,
    });
    const {press, sees} = tuiProject({
      plan: planOf(family(task('p', done), task('a', done))),
      runs: [review],
    });
    press(keys.enter, 'g', '2');
    await sees('readable log of p-1');
    await sees('✓ review passed');
    press('o');
    await sees('raw log of p-1');
    press('4');
    await sees('✓ review passed  p-1');
  });

  test('whose review sent tasks back is not shown as succeeded', async () => {
    const review = runRecord({
      task_id: 'p',
      run_id: 'p-1',
      run_type: 'review',
      state: 'succeeded',
      parent_review_passed: false,
    });
    const {press, sees} = tuiProject({plan: planOf(family(task('p'), task('a'))), runs: [review]});
    press(keys.enter, 'g', '4');
    await sees('↩ review sent back  p-1');
  });
});

describe('a job that waits for a limit', () => {
  async function waiting() {
    const project = await atWork(planOf(task('b')));
    project.tui.say({tone: 'good', text: 'the review of p passed'});
    project.agents.agent.fails({kind: 'rate_limit', message: 'limit'});
    return project;
  }

  test('shows the countdown without a key press, and where r tries now', async () => {
    const {press, sees, seesNot} = await waiting();
    await sees(/Ⅱ b {2}usage limit {2}resumes .*r tries now/);
    press(',');
    await sees('Settings');
    await sees(/Ⅱ b {2}usage limit {2}resumes/);
    await seesNot('r tries now');
    press(keys.escape);
    await sees('r tries now');
    press('e');
    await sees(/e: waiting for claude until .*: r tries now/);
  });
});

describe('the tabs of a task', () => {
  test('keep their whole names beside the position', async () => {
    const description = Array.from({length: 40}, (_, line) => `Line ${line}.`).join('\n');
    const {press, sees} = tuiProject({plan: planOf(task('a', {description}))});
    press(keys.enter);
    await sees(/\[Details\] Run Diff History ─+ 1–19 of \d+ ┐/);
  });
});
