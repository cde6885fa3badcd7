import {describe, expect, test} from 'vitest';
import {editTask} from '../../src/machines/policies/plan/plan-edits.ts';
import {setStatus} from '../../src/machines/policies/plan/plan-status.ts';
import {pausedRun} from '../fakes/runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {now, planOf, task, taskIn} from '../helpers/plans.ts';
import {keys, tuiProject} from './tui-project.tsx';

const plan = () => planOf(task('a', {title: 'Refunds'}), task('b', {title: 'Release'}));
const ctrlX = '\x18';
const ctrlS = '\x13';

async function atPlan() {
  const project = tuiProject({plan: plan()});
  await project.sees('blackbird');
  project.press('v');
  await project.sees('Refunds');
  return project;
}

/** In the editor of the title of the selected task. */
async function editingTitle() {
  const project = await atPlan();
  project.press('i');
  await project.sees('Edit a');
  project.press(keys.enter);
  await project.sees('Title · a');
  return project;
}

describe('unsent text', () => {
  test.each([
    {how: 'Esc', key: keys.escape},
    {how: 'Ctrl+C', key: keys.ctrlC},
  ])('for a new task is there again after $how, and gone once it was sent', async ({key}) => {
    const {press, sees, seesNot, drafts, plans} = await atPlan();
    press('a');
    await sees('New task');
    press('Webhook');
    await sees('Webhook');
    press(key);
    await seesNot('New task');
    await eventually(() => expect(drafts.list().map(({kind}) => kind)).toEqual(['new-task']));
    press('a');
    await sees('Your draft is back.');
    press('s');
    await sees('Webhooks');
    press(ctrlS);
    await sees('added webhooks');
    await eventually(() => expect(drafts.list()).toEqual([]));
    expect(taskIn(plans.plan, 'webhooks').title).toBe('Webhooks');
  });

  test('is discarded by its own key', async () => {
    const {press, sees, seesNot, drafts} = await atPlan();
    press('a');
    await sees('New task');
    press('Webhook');
    await sees('Webhook');
    press(ctrlX);
    await seesNot('New task');
    await eventually(() => expect(drafts.list()).toEqual([]));
  });
});

describe('a field that changed in the meantime', () => {
  test('is not overwritten; both values are shown, and the text is still there to be sent', async () => {
    const {press, sees, plans, drafts} = await editingTitle();
    press(' API');
    await sees('Refunds API');
    await plans.update((current) => editTask(current, 'a', {title: 'Theirs'}, now));
    press(ctrlS);
    await sees('a was changed by somebody else meanwhile; nothing was written');
    await sees(/it was +Refunds/);
    await sees(/it is now +Theirs/);
    expect(taskIn(plans.plan, 'a').title).toBe('Theirs');
    press(keys.escape);
    await sees('Refunds API');
    press(ctrlS);
    await eventually(() => expect(taskIn(plans.plan, 'a').title).toBe('Refunds API'));
    await eventually(() => expect(drafts.list()).toEqual([]));
  });

  test('does not conflict with another field: both changes stay', async () => {
    const {press, sees, plans} = await editingTitle();
    press(' API');
    await sees('Refunds API');
    await plans.update((current) => editTask(current, 'a', {prompt: 'Theirs'}, now));
    press(ctrlS);
    await eventually(() => {
      const {title, prompt} = taskIn(plans.plan, 'a');
      expect([title, prompt]).toEqual(['Refunds API', 'Theirs']);
    });
  });

  test('keeps a task from being deleted', async () => {
    const {press, sees, plans} = await atPlan();
    press('D');
    await sees('Delete a');
    await plans.update((current) => editTask(current, 'a', {prompt: 'Theirs'}, now));
    press('y');
    await sees('a was changed by somebody else meanwhile; nothing was written');
    expect(plans.plan.items.has('a')).toBe(true);
  });
});

describe('changes of the plan', () => {
  test('are undone one after another, and redone', async () => {
    const {press, sees, plans} = await atPlan();
    const order = () => [...plans.plan.items.keys()];
    press('J');
    await eventually(() => expect(order()).toEqual(['b', 'a']));
    press('D');
    await sees('Delete a');
    press('y');
    await eventually(() => expect(order()).toEqual(['b']));
    await sees('deleted a (z undoes it)');
    press('z');
    await sees('undone: deleted a (Z redoes it)');
    press('z');
    await sees('undone: moved a');
    expect(order()).toEqual(['a', 'b']);
    press('z');
    await sees('z: there is nothing to undo');
    press('Z');
    await sees('redone: moved a');
    press('Z');
    await sees('redone: deleted a');
    expect(order()).toEqual(['b']);
  });

  test('are undone once each, however quickly the keys come', async () => {
    const {press, sees, plans} = await atPlan();
    const order = () => [...plans.plan.items.keys()];
    press('J');
    await eventually(() => expect(order()).toEqual(['b', 'a']));
    press('D');
    await sees('Delete a');
    press('y');
    await sees('deleted a (z undoes it)');
    press('z', 'z');
    await sees('undone: moved a (Z redoes it)');
    expect(order()).toEqual(['a', 'b']);
    press('Z', 'Z');
    await sees('redone: deleted a');
    expect(order()).toEqual(['b']);
  });

  test('of checks name the open run that keeps its checks', async () => {
    const {press, sees} = tuiProject({
      plan: planOf(task('a', {status: 'in_progress'})),
      runs: [pausedRun()],
    });
    press(keys.enter, 'i');
    await sees('Edit a');
    press('j', 'j', 'j', 'j', keys.enter);
    await sees('ctrl+s');
    press('npm test', ctrlS);
    await sees('An open run keeps the checks it began with (a)');
  });

  test('are not undone over other changes, and a status set by the engine stays', async () => {
    const {press, sees, plans} = await editingTitle();
    press(' API', ctrlS);
    await sees('changed a (z undoes it)');
    await plans.update((current) => setStatus(current, 'a', 'failed', now));
    press('z');
    await eventually(() => {
      const {title, status} = taskIn(plans.plan, 'a');
      expect([title, status]).toEqual(['Refunds', 'failed']);
    });
    await plans.update((current) => editTask(current, 'a', {title: 'Theirs'}, now));
    press('Z');
    await sees('the plan was changed by somebody else since; nothing was written');
    expect(taskIn(plans.plan, 'a').title).toBe('Theirs');
  });
});
