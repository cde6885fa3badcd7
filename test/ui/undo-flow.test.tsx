import {describe, expect, test} from 'vitest';
import {endedSegment, restingRun} from '../fakes/runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {planOf, task} from '../helpers/plans.ts';
import {keys, tuiProject} from './tui-project.tsx';

/** A task that is done, on the screen of the plan; the files are as it left them, or not. */
function doneTask(tree: string) {
  const segments = [{...endedSegment(), baseline_tree: 'before', result_tree: 'after'}];
  const project = tuiProject({
    plan: planOf(task('a', {status: 'done'})),
    runs: [restingRun({state: 'succeeded', baseline_tree: 'before', result_tree: 'after', segments})],
  });
  project.changes.tree = tree;
  project.press(keys.enter, 'U');
  return project;
}

describe('U takes back what a task changed', () => {
  test('after a look at its files; Enter alone changes nothing', async () => {
    const {sees, press, changes, plans} = doneTask('after');
    await sees('changed   before-after');
    press(keys.enter);
    await sees('✓ Task a');
    expect(changes.tree).toBe('after');
    press('U');
    await sees('Undo a Task a?');
    press('y');
    await sees('a is todo again · 1 file taken back');
    expect([changes.tree, plans.statuses()]).toEqual(['before', {a: 'todo'}]);
    press('U');
    await sees('U: its changes were taken back already');
  });

  test('with the files that changed since, and only by force over them', async () => {
    const {sees, press, changes} = doneTask('later');
    await sees('cannot undo a: a file has changed since');
    await sees('conflict  before-after  edited since');
    press('y');
    await eventually(() => expect(changes.tree).toBe('before'));
  });
});
