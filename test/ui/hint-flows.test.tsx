import {describe, expect, test} from 'vitest';
import {sentBackFeedback} from '../fakes/memory-feedback-store.ts';
import {pausedRun, restingRun, sessionRef} from '../fakes/runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {family, now, planOf, task} from '../helpers/plans.ts';
import {keys, tuiProject} from './tui-project.tsx';

const undecided = restingRun({state: 'succeeded', decision_required: true, decision_state: 'pending'});

describe('the last lines name keys that do what they say', () => {
  test('in the tab Diff: u decides, and n is for the next file there', async () => {
    const {press, sees, lines} = tuiProject({
      plan: planOf(task('a', {status: 'in_progress'}), task('b', {status: 'in_progress'}), task('c')),
      runs: [undecided, {...undecided, task_id: 'b', run_id: 'b-1'}],
    });
    await sees('Approve and continue');
    press(keys.escape);
    await sees('2 tasks need you: n goes there, u opens it');
    press('d');
    await sees('2 tasks need you: esc, then n goes there, u opens it');
    expect(lines().at(-1)).toContain('u decide');
  });

  test('for a single task that needs the user and is selected, u is enough', async () => {
    const {press, sees} = tuiProject({
      plan: planOf(task('a', {status: 'in_progress'}), task('b')),
      runs: [undecided],
    });
    await sees('Approve and continue');
    press(keys.escape);
    await sees('a task needs you: u opens it');
    press('d');
    await sees(/\[Diff\]/);
    await sees('a task needs you: u opens it');
    press(keys.tab, 'j');
    await sees('a task needs you: n goes there, u opens it');
  });

  test('a task that was sent back and has no session is opened, to be read or dismissed', async () => {
    const {press, sees, pendingFeedback, tell} = tuiProject({
      plan: planOf(family(task('p'), task('a', {status: 'done'})), task('z')),
      runs: [restingRun({state: 'succeeded', resumable: false})],
    });
    pendingFeedback.set('a', sentBackFeedback({feedback: 'The totals are wrong.'}));
    press(keys.enter);
    tell();
    await sees('a task needs you: n goes there, u opens it');
    press('n');
    await sees('a task needs you: u opens it');
  });

  test('of a change made beside a diff: z zooms there; without a diff z undoes', async () => {
    const {press, sees} = tuiProject({
      plan: planOf(task('a', {status: 'done'}), task('b')),
      runs: [restingRun({state: 'succeeded'})],
    });
    press(keys.enter, 'g', 'd', 'a');
    await sees('New task');
    press('Tests', keys.ctrlS);
    await sees('added tests (esc, then z undoes it)');
    await sees('it has not run yet');
    press('z');
    await sees('undone: added tests');
    press(keys.tab, 'g', 'd');
    await sees('+ new');
    press('i');
    await sees('Edit a');
    press(keys.enter);
    await sees('Title');
    press('!', keys.ctrlS);
    await sees('changed a (esc, then z undoes it)');
    press(keys.escape);
    await sees(/❯ +✓ Task a!/);
    press('z');
    await sees('undone: changed a');
  });

  test('in 60 columns: help stays', async () => {
    const {press, sees, lines} = tuiProject({
      plan: planOf(task('a', {status: 'in_progress'}), task('b')),
      runs: [pausedRun()],
      size: {columns: 60, rows: 20},
    });
    press(keys.enter);
    await sees('Ⅱ Task a');
    expect(lines().at(-1)?.trimEnd()).toBe(' e execute   u resume   R restart   tab pane   ? help');
  });

  test('for an empty plan without an agent: only how to add tasks', async () => {
    const data = {provider: {id: 'claude', source: 'none'}, isAgentInstalled: false} as const;
    const {press, sees, screen} = tuiProject({plan: planOf(), data});
    press(keys.enter);
    await sees(/the plan is empty: a adds/);
    expect(screen()).not.toContain('your agent');
  });

  test('for a plan that is searched or filtered: how to see all of it again', async () => {
    const {press, sees, seesNot, lines} = tuiProject({plan: planOf(task('a'), task('b'))});
    press(keys.enter);
    await sees('[Details]');
    expect(lines().at(-1)).not.toContain('esc');
    press('f');
    await sees('Plan · open');
    expect(lines().at(-1)).toContain('esc clear');
    press(keys.escape);
    await seesNot('Plan · open');
    press('/', 'b', keys.enter);
    await sees(/Plan \/b ─.*\n.*\n(.*\n)*.*esc clear/);
  });

  test('for an empty plan: how to add tasks, and no search', async () => {
    const {press, sees, lines, screen} = tuiProject({plan: planOf()});
    press(keys.enter);
    await sees(/the plan is empty: a adds/);
    expect(screen()).toContain('P has your agent plan');
    expect(lines().at(-1)).toBe(
      ' tab pane   ? help   q quit   P plan with your agent   a add a task   w agent',
    );
    press('/');
    await sees('/: the plan is empty');
  });

  test('an editor of the plan saves', async () => {
    const {press, sees} = tuiProject({plan: planOf(task('a'))});
    press(keys.enter, 'a');
    await sees('ctrl+s save');
  });

  test('before the plan is read nothing says that it is missing', async () => {
    const {tui, press, sees} = tuiProject({plan: planOf(task('a'))});
    tui.patch({data: null});
    press('e');
    await sees('e: the plan is still being read');
  });

  test('raw output is offered when there is any', async () => {
    const {press, sees, lines} = tuiProject({plan: planOf(task('a'))});
    press(keys.enter, '2');
    await sees('it has not run yet');
    expect(lines().at(-1)).not.toContain('raw output');
    press('o');
    await sees('o: it has not run yet');
  });
});

test('an unselected choice is asked for, also for feedback', async () => {
  const {press, sees, tell, pendingFeedback} = tuiProject({
    plan: planOf(family(task('p'), task('a', {status: 'done'}))),
    runs: [restingRun({state: 'succeeded', provider_session_ref: sessionRef, resumable: true})],
  });
  pendingFeedback.set('a', sentBackFeedback({feedback: 'The totals are wrong.'}));
  tell();
  press(keys.enter, 'G', 'u');
  await sees('Resume these tasks now');
  press(keys.enter);
  await sees('Select a choice first');
  press('j', 'j', keys.enter);
  await sees('edit its feedback');
  press('x');
  await sees('Select a task first');
  expect(pendingFeedback.size).toBe(1);
});

test('a pause requested in another terminal is shown while it pauses and when it has', async () => {
  const {press, sees, agents, requests, jobs} = tuiProject({plan: planOf(task('a'), task('b'))});
  press(keys.enter, 'e');
  await eventually(() => expect(agents.agents[0]?.hasGone).toBe(true));
  agents.agent.opensSession('session-1');
  expect(requests.ask('pause', jobs.ids()[0] ?? '')).toBe(true);
  await sees('Paused. Ctrl+C again to quit.  asked for in another terminal');
});

test('quitting while a task waits for its time does not say that one runs', async () => {
  const {press, sees, tui, agents} = tuiProject({plan: planOf(task('a'))});
  press(keys.enter, 'e');
  await eventually(() => expect(agents.agents[0]?.hasGone).toBe(true));
  const {job} = tui.get();
  const wait = {
    ...({taskId: 'a', runId: 'a-1', provider: 'claude', reason: 'usage_limit'} as const),
    until: now,
    foundAt: now,
    isTooLong: false,
  };
  if (job) tui.patch({job: {...job, wait}});
  await sees('x stop now');
  press('q');
  await sees('A task waits for its time');
  await sees('The next execute continues it when its time has come.');
  press(keys.escape);
});

test('the history shows each decision, and its reason', async () => {
  const {press, sees} = tuiProject({
    plan: planOf(task('a', {status: 'done'})),
    runs: [
      restingRun({
        state: 'succeeded',
        decision_required: true,
        decision_state: 'rejected',
        decision_feedback: 'Use cents.',
        decision_history: [{decision_state: 'approved_quit', decision_resolved_at: now, withdrawn_at: now}],
      }),
    ],
  });
  press(keys.enter, '4');
  await sees('decision rejected: Use cents.');
  await sees('withdrawn approved');
});
