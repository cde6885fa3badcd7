import {describe, expect, test} from 'vitest';
import type {Task} from '../../src/services/contracts/plan.ts';
import {endedSegment, restingRun} from '../fakes/runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {planOf, task} from '../helpers/plans.ts';
import {keys, tuiProject} from './tui-project.tsx';

/** A done task, on the plan screen; the files are as it left them, or not. */
function doneTask(tree: string, ...others: readonly Task[]) {
  const segments = [{...endedSegment(), baseline_tree: 'before', result_tree: 'after'}];
  const project = tuiProject({
    plan: planOf(task('a', {status: 'done'}), ...others),
    runs: [restingRun({state: 'succeeded', baseline_tree: 'before', result_tree: 'after', segments})],
  });
  project.changes.tree = tree;
  project.press(keys.enter, 'g', 'U');
  return project;
}

describe('U undoes what a task changed', () => {
  test('after showing its files; Enter alone changes nothing', async () => {
    const {sees, press, changes, plans} = doneTask('after');
    await sees('changed   before-after');
    press(keys.enter);
    await sees('✓ Task a');
    expect(changes.tree).toBe('after');
    press('U');
    await sees('Undo a Task a?');
    press('y');
    await sees('a is todo again · 1 file undone');
    expect([changes.tree, plans.statuses()]).toEqual(['before', {a: 'todo'}]);
    press('U');
    await sees(/U: already undone; blackbird undo a \S+ brings it back/);
    press('3');
    await sees('Undone   this change is no longer');
    press('2');
    await sees('○ ready · undone');
  });

  test('with the files that changed since, and only with force over them', async () => {
    const {sees, press, changes} = doneTask('later');
    await sees('cannot undo a: a file has changed since');
    await sees('conflict  before-after  edited since');
    // The key that undoes a change elsewhere does nothing here.
    press('y', 'Y');
    await sees('F undo by force');
    expect(changes.tree).toBe('later');
    press('F');
    await eventually(() => expect(changes.tree).toBe('before'));
    await sees('1 file undone, 1 of them by force');
  });

  test('and does not ask over a dialog that was opened in the meantime', async () => {
    const {sees, press, changes} = doneTask('after');
    press('a');
    await sees('New task');
    press('y');
    await sees(/^ {2}y/m);
    press(keys.escape);
    await sees('Undo a Task a?');
    expect(changes.tree).toBe('after');
  });

  test('not while a job works that started in the meantime; that one continues and can be paused', async () => {
    const {sees, press, changes, agents, runs} = doneTask('after', task('b'));
    press('e');
    await eventually(() => expect(agents.agents[0]?.hasGone).toBe(true));
    agents.agent.opensSession('session-1');
    await sees('Undo a Task a?');
    press('y');
    await sees('this Blackbird is already running a job');
    press(keys.enter);
    await sees('ctrl+c pause');
    expect(changes.tree).toBe('after');
    press(keys.ctrlC);
    await eventually(() => expect(runs.records('b')[0]?.state).toBe('paused'));
  });
});
