import {describe, expect, test} from 'vitest';
import {pausedRun, restingRun} from '../fakes/runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {family, planOf, task} from '../helpers/plans.ts';
import {keys, type TuiOptions, tuiProject} from './tui-project.tsx';

const shop = () => planOf(family(task('p'), task('a'), task('b')), task('x'), task('y'), task('z'));

async function browsing(options: TuiOptions = {}) {
  const project = tuiProject({plan: shop(), ...options});
  project.press(keys.enter);
  await project.sees('Plan');
  return {...project, selected: () => project.tui.facts().task?.id};
}

describe('a running task is selected where it is visible', () => {
  test('below a collapsed task, until it is collapsed again', async () => {
    const {agents, press, sees, selected} = await browsing();
    press('F', 'G', 'e');
    await eventually(() => expect(agents.agents[0]?.hasGone).toBe(true));
    await sees(/▾ ● Task p/);
    await sees(/❯ +● Task a/);
    press('F');
    await sees(/❯▸ ● Task p/);
    agents.agent.opensSession('session-1');
    agents.agent.succeeds();
    await eventually(() => expect(agents.agents).toHaveLength(2));
    await sees(/● Task p +1\/2/);
    expect(selected()).toBe('p');
  });

  test('behind a filter that it does not match', async () => {
    const {agents, press, sees, selected} = await browsing();
    press('f', 'f');
    await sees('Plan · ready');
    press('G', 'e');
    await eventually(() => expect(agents.agents).toHaveLength(1));
    await sees(/❯ +● Task a/);
    expect(selected()).toBe('a');
  });
});

describe('a key never acts on a task far from the selected one', () => {
  test('when a task is hidden by collapsing', async () => {
    const {press, sees} = await browsing();
    press('g', 'j', 'j');
    await sees(/❯ +○ Task b/);
    press('F');
    await sees(/❯▸ ◦ Task p/);
  });

  test('when someone else deletes it', async () => {
    const {press, sees, plans, tell} = await browsing();
    press('G', 'k');
    await sees('❯  ○ Task y');
    const {y: _, ...rest} = Object.fromEntries(plans.plan.items);
    plans.plan = {...plans.plan, items: new Map(Object.entries(rest))};
    tell();
    await sees('❯  ○ Task z');
  });

  test('when an addition is undone, and redone', async () => {
    const {press, sees} = await browsing();
    press('G', 'k', 'a');
    await sees('New task');
    press('Refund page', keys.ctrlS);
    await sees('❯  ○ Refund page');
    press('z');
    await sees('❯  ○ Task z');
    press('g', 'Z');
    await sees('❯  ○ Refund page');
  });
});

test('a search or a filter that matches nothing selects nothing, and keeps the place', async () => {
  const {press, sees, selected} = await browsing();
  press('G', 'k', '/', 'q', 'q');
  await sees('no task matches');
  await sees('no task is selected');
  expect(selected()).toBe(undefined);
  press(keys.escape);
  await sees('❯  ○ Task y');
  press('f', 'f', 'f', 'f');
  await sees('no task matches the filter');
  press(keys.escape);
  await sees('❯  ○ Task y');
});

test('which pane has the keys is seen without colours', async () => {
  const {press, sees} = await browsing();
  await sees(/❯▾ ◦ Task p|❯ +○ Task a/);
  press(keys.tab);
  await sees(/›▾ ◦ Task p|› +○ Task a/);
  press(keys.tab);
  await sees(/❯▾ ◦ Task p|❯ +○ Task a/);
});

test('a collapsed task shows what failed or rests below it', async () => {
  const plan = planOf(
    family(task('p'), task('a', {status: 'in_progress'})),
    family(task('q'), task('b', {status: 'failed'}), task('c', {status: 'in_progress'})),
  );
  const {press, sees} = await browsing({
    plan,
    runs: [pausedRun(), pausedRun({task_id: 'c', run_id: 'c-1'})],
  });
  await sees(/▾ . Task q +0\/2/);
  press('F');
  await sees(/▸ . Task p +paused/);
  await sees(/▸ . Task q +failed/);
});

test('x stops after the current task when the plan continues after an approval', async () => {
  const {agents, press, sees, plans} = tuiProject({
    plan: planOf(task('a', {status: 'in_progress'}), task('b'), task('c')),
    runs: [restingRun({state: 'succeeded', decision_required: true, decision_state: 'pending'})],
  });
  press(keys.enter, 'u');
  await sees('Approve and continue');
  press('y', keys.enter);
  await eventually(() => expect(agents.agents[0]?.hasGone).toBe(true));
  press('x');
  await sees('Stops after this task.');
  agents.agent.opensSession('session-1');
  agents.agent.succeeds();
  await sees('Approve and continue');
  press('y', keys.enter);
  await eventually(() => expect(plans.statuses()).toEqual({a: 'done', b: 'done', c: 'todo'}));
  expect(agents.agents).toHaveLength(1);
});
