import {describe, expect, test} from 'vitest';
import {lineComment} from '../fakes/memory-comment-store.ts';
import {sentBackFeedback} from '../fakes/memory-feedback-store.ts';
import {restingRun, sessionRef} from '../fakes/runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {family, planOf, task} from '../helpers/plans.ts';
import {keys, tuiProject} from './tui-project.tsx';

const until = (check: () => void) => eventually(check);
const reviewed = {execution: {stopAfterEachTask: true}};

/** The first of two tasks is done and at its checkpoint, in a job that waits. */
async function atCheckpoint() {
  const project = tuiProject({plan: planOf(task('a'), task('b')), config: reviewed});
  project.press(keys.enter, 'e');
  await until(() => expect(project.agents.agents[0]?.hasGone).toBe(true));
  project.agents.agent.opensSession(sessionRef);
  project.agents.agent.succeeds();
  await project.sees('Approve and continue');
  return project;
}

describe('the panel of a decision', () => {
  test('is shown next to the plan, where one can move; other tasks can be viewed in the meantime', async () => {
    const {press, sees, lines, screen} = await atCheckpoint();
    expect(lines()[1]).toMatch(/^┌ Plan ─+┐┌ Review ─+┐$/);
    expect(screen()).toMatch(/› +! Task a/);
    press(keys.tab);
    await sees('tab back');
    expect(screen()).toMatch(/❯ +! Task a/);
    press('j');
    await sees(/❯ +[○⊘] Task b/);
    expect(screen()).toContain('[Run]');
    expect(screen()).not.toContain('Approve and continue');
    press(keys.escape);
    await sees('Approve and continue');
    expect(screen()).toMatch(/› +! Task a/);
  });

  test('hides the tabs of its task, so no key changes them unseen', async () => {
    const {press, sees, screen, lines} = await atCheckpoint();
    press(keys.tab);
    await sees('tab back');
    expect(lines().at(-1)).not.toContain('raw output');
    press('o', '1', 'j');
    await sees(/❯ +[○⊘] Task b/);
    expect(screen()).toContain('[Run]');
    press(keys.escape);
    await sees('Approve and continue');
    press(keys.escape);
    await sees('u decide');
    expect(screen()).not.toContain('· raw output');
  });

  test('lists its keys in the order of reading', async () => {
    const {press, sees, screen} = await atCheckpoint();
    press('?');
    await sees('? goes back');
    expect(screen()).toMatch(/↓ j +down/);
    expect(screen()).not.toContain('next match');
  });

  test('asks for the reason of a rejection in whole words', async () => {
    const {press, sees} = await atCheckpoint();
    press('x');
    await sees('Why? A later attempt will see it. Files stay for ');
    await sees(/│ +now\. +│/);
  });

  test('has nothing marked after a look at the plan', async () => {
    const {press, sees, lines} = await atCheckpoint();
    press('y');
    await sees('❯ Approve and continue');
    press(keys.tab);
    await sees('tab back');
    press(keys.tab);
    await sees('d diff');
    expect(lines().join()).not.toContain('❯ Approve');
  });

  test('keeps what was written while the plan is viewed; tab belongs to the text', async () => {
    const {press, sees, seesNot, screen} = await atCheckpoint();
    press('j', 'j', 'j', keys.enter);
    await sees('Request changes');
    press('Use cents');
    await sees('Use cents');
    press(keys.tab);
    await sees(/shift\+tab plan/);
    press(keys.shiftTab, 'j');
    await seesNot('Use cents');
    press(keys.shiftTab);
    await sees('Use cents');
    expect(screen()).toContain('Request changes');
  });

  test('closes when another terminal decides, and says what', async () => {
    const {sees, seesNot, services, runs} = await atCheckpoint();
    const posted = {schema_version: 1, id: 'x', task_id: 'a', run_id: 'a-1', posted_by: null} as const;
    await services.inbox.post({...posted, decision: {state: 'approved_continue'}});
    await sees('a was decided in another terminal: approved');
    await seesNot('Approve and continue');
    await until(() => expect(runs.records('a')).toMatchObject([{decision_state: 'approved_continue'}]));
  });

  test('that another terminal decides also says so after the job that it ends', async () => {
    const {sees, services} = await atCheckpoint();
    const posted = {schema_version: 1, id: 'x', task_id: 'a', run_id: 'a-1', posted_by: null} as const;
    await services.inbox.post({...posted, decision: {state: 'approved_quit'}});
    // First, because at 80 columns the end of the line may be cut off; the counts are also in the header.
    await sees('a was decided in another terminal: approved · 1 done · 1 ready');
  });

  test('that another terminal decides keeps unsent text for the next run of the task', async () => {
    const {press, sees, seesNot, services, agents, drafts} = await atCheckpoint();
    press('j', 'j', 'j', keys.enter);
    await sees('Request changes');
    press('Use cents');
    await sees('Use cents');
    const posted = {schema_version: 1, id: 'x', task_id: 'a', run_id: 'a-1', posted_by: null} as const;
    await services.inbox.post({...posted, decision: {state: 'changes_requested', feedback: 'Be quick'}});
    await seesNot('Use cents');
    await until(() => expect(agents.agents).toHaveLength(2));
    expect(agents.agent.request.prompt).toContain('Be quick');
    expect(agents.agent.request.prompt).not.toContain('Use cents');
    agents.agent.opensSession(sessionRef);
    agents.agent.succeeds();
    await sees('Approve and continue');
    press('j', 'j', 'j', keys.enter);
    await sees('Your draft is back.');
    await sees('Use cents');
    press(keys.ctrlS);
    await until(() => expect(agents.agents).toHaveLength(3));
    agents.agent.succeeds();
    await sees('Approve and continue');
    press('j', 'j', 'j', keys.enter);
    await sees('What should be different?');
    await until(() => expect(drafts.list()).toEqual([]));
  });

  test('has the whole width below 80 columns, tab switches to the plan', async () => {
    const {press, sees, lines, resize} = await atCheckpoint();
    resize(79, 24);
    await sees(/^┌ Review ─+┐$/m);
    expect(lines()[1]).toHaveLength(79);
    press(keys.tab);
    await sees(/^┌ Plan ─+┐$/m);
  });

  test('other keys than those for viewing do nothing there', async () => {
    const {press, sees, screen, plans} = await atCheckpoint();
    press(keys.tab);
    await sees('tab back');
    press('a', 'D', 'q', ',');
    press('j');
    await sees(/❯ +[○⊘] Task b/);
    expect(screen()).not.toContain('New task');
    expect([...plans.plan.items.keys()]).toEqual(['a', 'b']);
  });
});

describe('a checkpoint', () => {
  test('opens by itself, calls the user, and no other task starts before it is answered', async () => {
    const {screen, notices, agents, plans} = await atCheckpoint();
    expect(screen()).toContain('ACTION REQUIRED');
    expect(notices).toEqual(['a waits for your decision']);
    expect(agents.agents).toHaveLength(1);
    await until(() => expect(plans.statuses()).toEqual({a: 'in_progress', b: 'todo'}));
  });

  test('a key that was already typed decides nothing', async () => {
    const {press, sees, runs, agents} = await atCheckpoint();
    press(keys.enter);
    await sees('Select a choice first: ↑ ↓ or j k, then enter.');
    expect(runs.records('a')).toMatchObject([{decision_state: 'pending'}]);
    expect(agents.agents).toHaveLength(1);
  });

  test('waits for an open editor: no key meant for it decides', async () => {
    const {agents, press, sees, screen, notices, runs, plans} = tuiProject({
      plan: planOf(task('a'), task('b')),
      config: reviewed,
    });
    press(keys.enter, 'e');
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    agents.agent.opensSession(sessionRef);
    press('a');
    await sees('New task');
    press('Third');
    agents.agent.succeeds();
    await until(() => expect(notices).toEqual(['a waits for your decision']));
    press(keys.enter, 'and why');
    await sees('and why');
    expect(screen()).toContain('Third');
    expect(screen()).not.toContain('Approve and continue');
    press(keys.ctrlS);
    await sees('Approve and continue');
    expect(runs.records('a')).toMatchObject([{decision_state: 'pending'}]);
    expect([...plans.plan.items.keys()]).toContain('third');
  });

  test('waits for a search, and can be postponed then', async () => {
    const {agents, press, sees, seesNot, screen, notices, runs} = tuiProject({
      plan: planOf(task('a'), task('b')),
      config: reviewed,
    });
    press(keys.enter, 'e');
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    agents.agent.opensSession(sessionRef);
    press('/', 'Ta');
    await sees('/Ta');
    agents.agent.succeeds();
    await until(() => expect(notices).toEqual(['a waits for your decision']));
    press('s');
    await sees('/Tas');
    expect(screen()).not.toContain('Approve and continue');
    press(keys.enter);
    await sees('Approve and continue');
    press(keys.ctrlC);
    await seesNot('Approve and continue');
    expect(runs.records('a')).toMatchObject([{decision_state: 'pending'}]);
  });

  test('approved: the next task runs', async () => {
    const {press, agents, runs, plans} = await atCheckpoint();
    press('j', keys.enter);
    await until(() => expect(agents.agents).toHaveLength(2));
    expect(runs.records('a')).toMatchObject([{decision_state: 'approved_continue'}]);
    await until(() => expect(plans.statuses()).toEqual({a: 'done', b: 'in_progress'}));
  });

  test('approved and quit: the job ends, the screen stays', async () => {
    const {press, sees, agents, runs, isGone} = await atCheckpoint();
    press('j', 'j', keys.enter);
    await sees('1 done');
    expect(runs.records('a')).toMatchObject([{decision_state: 'approved_quit'}]);
    expect([agents.agents.length, isGone()]).toEqual([1, false]);
  });

  test('approved with unsent comments, and committed: the end of the job reports both', async () => {
    const {press, sees, services, agents, runs, resize} = tuiProject({
      plan: planOf(task('a')),
      config: {execution: {stopAfterEachTask: true, commit: 'task'}},
    });
    press(keys.enter, 'e');
    await until(() => expect(agents.agents[0]?.hasGone).toBe(true));
    const [run] = runs.records('a');
    await services.comments.save(lineComment({run_id: run?.run_id ?? ''}));
    agents.agent.succeeds();
    await sees('Approve and continue');
    press('Y');
    await sees('1 comment stays unsent. r sends it, enter continues without.');
    resize(200, 24);
    press(keys.enter);
    await sees(/a (not )?committed.* · 1 comment on a was not sent/);
  });

  test('rejected: the task has failed, and nothing continues', async () => {
    const {press, sees, runs, plans, agents} = await atCheckpoint();
    press('k', keys.enter, 'Too big', keys.ctrlS);
    await sees('✗ Task a');
    expect(runs.records('a')).toMatchObject([
      {decision_state: 'rejected', decision_feedback: 'Too big', state: 'failed'},
    ]);
    await until(() => expect(plans.statuses()).toEqual({a: 'failed', b: 'todo'}));
    await sees(/ · U undoes a$/m);
    expect(agents.agents).toHaveLength(1);
  });

  test('changes requested, with a file by @: the same session receives them, and the checkpoint comes again', async () => {
    const {press, sees, agents, runs} = await atCheckpoint();
    press('j', 'j', 'j', keys.enter);
    await sees('Request changes');
    press('Use cents in @ref');
    await sees('src/refunds.ts');
    press(keys.enter, keys.ctrlS);
    await until(() => expect(agents.agents).toHaveLength(2));
    expect(agents.agent.request).toMatchObject({kind: 'resume', sessionRef});
    expect(agents.agent.request.prompt).toContain('Use cents in @src/refunds.ts');
    agents.agent.opensSession(sessionRef);
    agents.agent.succeeds();
    await sees('Approve and continue');
    expect(runs.records('a')).toMatchObject([
      {decision_state: 'changes_requested', decision_feedback: 'Use cents in @src/refunds.ts'},
      {decision_state: 'pending', resumed_from_run_id: 'a-1'},
    ]);
  });

  test('left for later: the job ends, the tree shows it, u opens it again and approving continues', async () => {
    const {press, sees, seesNot, agents, runs, screen} = await atCheckpoint();
    press(keys.ctrlC);
    await seesNot('Approve and continue');
    await sees(/! Task a +ACTION REQUIRED/);
    expect(runs.records('a')).toMatchObject([{decision_state: 'pending'}]);
    expect(screen()).not.toContain('Paused.');
    expect(screen()).toContain('u decide');
    press('u');
    await sees('Approve and continue');
    press('j', keys.enter);
    await until(() => expect(agents.agents).toHaveLength(2));
    expect(runs.records('a')).toMatchObject([{decision_state: 'approved_continue'}]);
  });

  test('the whole change is one key away', async () => {
    const {press, sees} = await atCheckpoint();
    press('d');
    await sees('+ new');
  });
});

test('a decision that was left on disk opens by itself', async () => {
  const run = restingRun({state: 'succeeded', decision_required: true, decision_state: 'pending'});
  const {sees, notices} = tuiProject({plan: planOf(task('a', {status: 'in_progress'})), runs: [run]});
  await sees('Approve and continue');
  expect(notices).toEqual(['a needs you']);
});

describe('feedback of a parent review', () => {
  const sentBack = (id: string) => sentBackFeedback({childTaskId: id, feedback: 'The totals are wrong.'});
  const project = () => {
    const plan = planOf(family(task('p'), task('a', {status: 'done'}), task('b', {status: 'done'})));
    const runs = ['a', 'b'].map((id) =>
      restingRun({
        task_id: id,
        run_id: `${id}-1`,
        state: 'succeeded',
        provider_session_ref: sessionRef,
        resumable: true,
      }),
    );
    const opened = tuiProject({plan, runs});
    for (const id of ['a', 'b']) opened.pendingFeedback.set(id, sentBack(id));
    opened.tell();
    return opened;
  };
  const editFeedback = async ({press, sees}: Pick<ReturnType<typeof project>, 'press' | 'sees'>) => {
    press(keys.enter, 'n', 'u');
    await sees('Not passed: 2 tasks are sent back');
    press('j', 'j', keys.enter);
    await sees('leave it out');
    press('j', keys.enter);
    await sees('Feedback for a');
  };

  test('is shown with the tasks it is for, and can be dismissed', async () => {
    const {press, sees, seesNot, pendingFeedback} = project();
    press(keys.enter, 'n', 'u');
    await sees('Not passed: 2 tasks are sent back');
    await sees('The totals are wrong.');
    press(keys.up, keys.enter);
    await seesNot('Not passed');
    expect([...pendingFeedback]).toEqual([]);
  });

  test('for a task without a session is read and dismissed all the same', async () => {
    const done = restingRun({task_id: 'a', run_id: 'a-1', state: 'succeeded', provider_session_ref: ''});
    const plan = planOf(family(task('p'), task('a', {status: 'done'})), task('b'));
    const {press, sees, seesNot, screen, pendingFeedback, tell} = tuiProject({plan, runs: [done]});
    pendingFeedback.set('a', sentBack('a'));
    tell();
    press(keys.enter, 'n', '1');
    await sees('u shows the review');
    press('u');
    await sees('Not passed: 1 task is sent back');
    expect(screen()).toContain('(no session)');
    press(keys.up, keys.enter);
    await seesNot('Not passed');
    await until(() => expect([...pendingFeedback]).toEqual([]));
  });

  test('a job started while a dismissal is being written waits for it, and Ctrl+C drops the job', async () => {
    let release = () => {};
    const dismissing = new Promise<void>((resolve) => {
      release = resolve;
    });
    const done = restingRun({
      task_id: 'a',
      run_id: 'a-1',
      state: 'succeeded',
      provider_session_ref: sessionRef,
      resumable: true,
    });
    const plan = planOf(family(task('p'), task('a', {status: 'done'})), task('b'));
    const {press, sees, seesNot, pendingFeedback, tell, agents, log} = tuiProject({
      plan,
      runs: [done],
      dismissing,
    });
    pendingFeedback.set('a', sentBack('a'));
    tell();
    press(keys.enter, 'n', 'u');
    await sees('Not passed: 1 task is sent back');
    press(keys.up, keys.enter);
    await seesNot('Not passed');
    press('e');
    await sees('ctrl+c pause');
    press('x');
    await sees('it has not begun yet');
    press(keys.ctrlC);
    await sees('Paused. Ctrl+C again to quit.');
    press('e');
    await sees('ctrl+c pause');
    expect(log).toEqual([]);
    release();
    await until(() => expect(agents.agents).toHaveLength(1));
    expect([...pendingFeedback]).toEqual([]);
  });

  test('answered in another terminal, it closes and says so; unsent text stays a draft', async () => {
    const {press, sees, seesNot, pendingFeedback, tell, lines} = project();
    await editFeedback({press, sees});
    expect(lines().find((line) => line.includes('ctrl+s'))).toContain('ctrl+s save');
    press('Also: ');
    pendingFeedback.delete('b');
    tell();
    await sees('Feedback for a');
    pendingFeedback.delete('a');
    tell();
    await sees('the review of p was answered in another terminal');
    await seesNot('Not passed');
  });

  test('opens by itself when it is read from disk after the job that left it', async () => {
    const {agents, press, sees, seesNot, screen, pendingFeedback, tell} = tuiProject({
      plan: planOf(family(task('p'), task('a')), task('b', {deps: ['p']})),
    });
    press('e');
    await eventually(() => expect(agents.agents[0]?.hasGone).toBe(true));
    agents.agent.fails({kind: 'agent_error', message: 'broken'});
    await sees('1 failed');
    expect(screen()).not.toContain('Not passed');
    pendingFeedback.set('a', sentBack('a'));
    tell();
    await sees('Not passed: 1 task is sent back');
    press(keys.ctrlC);
    await seesNot('Not passed');
    tell();
    expect(screen()).not.toContain('Not passed');
  });

  test('is edited for one task, and left out for another, before anything is sent', async () => {
    const {press, sees, pendingFeedback} = project();
    await editFeedback({press, sees});
    press('Also: ', keys.ctrlS);
    await until(() => expect(pendingFeedback.get('a')?.feedback).toMatch(/Also: /));
    await sees('Not passed: 2 tasks are sent back');
    press('j', 'j', keys.enter);
    await sees('leave it out');
    press('j', 'j', 'x');
    await sees('Not passed: 1 task is sent back');
    expect([...pendingFeedback.keys()]).toEqual(['a']);
  });

  test('is edited beside the plan: tab is text, shift+tab looks at the plan, Ctrl+C decides later', async () => {
    const {press, sees, seesNot, lines, pendingFeedback} = project();
    await editFeedback({press, sees});
    expect(lines()[1]).toMatch(/^┌ Plan ─+┐┌ Parent review ─+┐$/);
    press(keys.tab, 'x');
    await sees(/wrong\. {4}x/);
    press(keys.shiftTab);
    await sees('tab back');
    press('j');
    await sees(/❯ +! Task b/);
    press(keys.tab);
    await sees('ctrl+s save');
    press('y');
    await sees(/wrong\. {4}xy/);
    press(keys.ctrlC);
    await seesNot('Feedback for a');
    expect(pendingFeedback.get('a')?.feedback).toBe('The totals are wrong.');
    press('u');
    await sees('Not passed');
    press('j', 'j', keys.enter);
    await sees('leave it out');
    press('j', keys.enter);
    await sees('Your draft is back');
    await sees(/wrong\. {4}xy/);
  });

  test('later leaves it', async () => {
    const {press, sees, pendingFeedback} = project();
    press(keys.enter, 'n', 'u');
    await sees('Not passed');
    press(keys.ctrlC);
    await sees(/! Task a +ACTION REQUIRED/);
    press('e');
    await sees('e: no task is ready');
    expect([...pendingFeedback.keys()]).toEqual(['a', 'b']);
  });
});
