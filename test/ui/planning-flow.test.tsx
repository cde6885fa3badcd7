import {describe, expect, test} from 'vitest';
import {AppError} from '../../src/services/contracts/errors.ts';
import {settle} from '../fakes/services.ts';
import {eventually} from '../helpers/eventually.ts';
import {planOf, task} from '../helpers/plans.ts';
import {keys, type TuiOptions, tuiProject} from './tui-project.tsx';

const proposed = (id: string, fields: object = {}) => ({
  id,
  title: `Build ${id}`,
  description: `The ${id} of the shop, as the customers of the shop will see and use it.`,
  acceptanceCriteria: ['`npm test` passes', 'GET /health returns 200'],
  prompt: `Create src/${id}.ts and verify it with npm test.`,
  ...fields,
});
const tasks = (...list: object[]) => JSON.stringify({questions: [], tasks: list});
const question = JSON.stringify({
  questions: [{id: 'db', prompt: 'Which database?', options: ['pg', 'sqlite']}],
});

/** The planner answers every turn in its session; the last answer is used for all that follow. */
function planning(answers: readonly string[], options: TuiOptions = {plan: planOf(task('old'))}) {
  const project = tuiProject(options);
  const left = [...answers];
  project.agents.play = (agent) => {
    agent.opensSession('session-1');
    agent.says({type: 'activity', activity: {kind: 'read', text: 'read src/shop.ts'}});
    if (left.length > 0) void settle().then(() => agent.succeeds(left.length > 1 ? left.shift() : left[0]));
  };
  const wish = async (text: string) => {
    project.press('P');
    await project.sees('What should be built?');
    project.press(text, keys.ctrlS);
  };
  return {...project, wish};
}

const draftsOf = async ({services}: ReturnType<typeof planning>) => (await services.planDrafts.list()).drafts;

describe('P plans with the agent', () => {
  test('from the empty home screen: the request, the proposal as a tree with its findings, saved', async () => {
    const project = planning([tasks(proposed('api'), proposed('web', {parentId: 'api', description: ''}))], {
      plan: planOf(),
      config: {planning: {maxPlanAutoRefinePasses: 0}},
    });
    await project.sees('P: say what you want, and your agent plans it.');
    project.press('P');
    await project.sees('What should be built?');
    project.press('A shop', keys.ctrlS);
    await project.sees('Proposed: 2 added   1 blocking');
    await project.sees('❯ + Build api');
    await project.sees('Build web  1 blocking');
    project.press(keys.down);
    await project.sees('blocking: ');
    // Enter decides nothing.
    project.press(keys.enter);
    expect(project.plans.statuses()).toEqual({});
    project.press('y');
    await project.sees('The plan is saved. · z undoes it');
    expect(project.plans.statuses()).toEqual({api: 'todo', web: 'todo'});
    expect(await draftsOf(project)).toEqual([]);
    project.press('v');
    await project.sees('Build web');
    project.press('z');
    await project.sees('undone: the proposed plan (Z redoes it)');
    expect(project.plans.statuses()).toEqual({});
  });

  test('shows why the planner works again: the quality gate sent its plan back', async () => {
    const project = planning([], {
      plan: planOf(task('old')),
      config: {planning: {maxPlanAutoRefinePasses: 1}},
    });
    await project.wish('A shop');
    await project.sees('planning');
    await eventually(() => expect(project.agents.agents).toHaveLength(1));
    project.agents.agent.succeeds(tasks(proposed('web', {description: ''})));
    await project.sees('the quality gate sent it back: it corrects its plan');
  });

  test('asks, shows the planner at work, revises in the same session', async () => {
    const project = planning([question, tasks(proposed('api')), tasks(proposed('api'), proposed('docs'))]);
    await project.wish('A shop');
    await project.sees('Which database?');
    project.press('2');
    project.press(keys.enter);
    await project.sees('Proposed: 1 added');
    project.press('r');
    await project.sees('What should be different?');
    project.press('With docs', keys.ctrlS);
    await project.sees('Proposed: 2 added');
    expect(project.agents.agents.map(({request}) => request.sessionRef)).toEqual([
      null,
      'session-1',
      'session-1',
    ]);
    expect(project.agents.agents[1]?.request.prompt).toContain('sqlite');
    expect(project.agents.agents[2]?.request.prompt).toContain('With docs');
  });

  test.each([
    {
      name: 'answered',
      first: question,
      ask: 'Which database?',
      sent: ['2', keys.enter],
      seen: 'with your answers',
    },
    {
      name: 'sent back',
      first: tasks(proposed('api')),
      ask: 'Proposed: 1 added',
      sent: ['r', 'With docs', keys.ctrlS],
      seen: 'revising the plan',
    },
  ])('a planner that was $name is seen at work again', async ({first, ask, sent, seen}) => {
    const project = planning([]);
    await project.wish('A shop');
    await project.sees('read src/shop.ts');
    project.agents.agent.succeeds(first);
    await project.sees(ask);
    for (const each of sent) {
      project.press(each);
      await settle();
    }
    await project.sees(new RegExp(`● .*${seen}`));
    await project.sees('esc look at the plan meanwhile');
    project.press(keys.escape);
    await project.sees('P planner');
  });

  test('a plan saved from the home screen is shown, where z undoes it', async () => {
    const project = planning([tasks(proposed('api'), proposed('web'))]);
    await project.wish('A shop');
    await project.sees('Proposed: 2 added');
    project.press('y');
    await project.sees('The plan is saved. · z undoes it');
    await project.sees('[Details]');
    project.press('z');
    await eventually(() => expect(project.plans.statuses()).toEqual({old: 'todo'}));
  });

  test('shows how long the planner has been at work', async () => {
    const project = planning([]);
    await project.wish('A shop');
    await project.sees('read src/shop.ts');
    await project.sees(/ ● [a-z ]+00:00/);
    await project.sees(/^ (\d\d:){2}\d\d {2}read src/m);
    expect(project.lines()[22]).toMatch('ctrl+c pause');
    project.passTime(72_000);
    await project.sees(/ ● .*quiet.* 01:12/);
  });

  test('a proposed task is edited or dropped before it is saved', async () => {
    const project = planning([tasks(proposed('api'), proposed('web'))]);
    await project.wish('A shop');
    await project.sees('❯ + Build api');
    project.press('i');
    await project.sees('Edit api');
    project.press(keys.enter);
    await project.sees('Title · api');
    project.press(' v2', keys.ctrlS);
    await project.sees('❯ + Build api v2');
    project.press(keys.down, 'x');
    await project.sees('Proposed: 1 added');
    project.press('z');
    await project.sees('Proposed: 2 added');
    project.press(keys.down, 'x');
    await project.sees('Proposed: 1 added');
    project.press('y');
    await eventually(() => expect(project.plans.statuses()).toEqual({old: 'todo', api: 'todo'}));
    expect(project.plans.plan.items.get('api')?.title).toBe('Build api v2');
  });

  test('a field saved as it was is no edit', async () => {
    const project = planning([tasks(proposed('api'))]);
    await project.wish('A shop');
    await project.sees('Proposed: 1 added');
    project.press('i');
    await project.sees('Edit api');
    project.press(keys.enter);
    await project.sees('Title · api');
    project.press(keys.ctrlS);
    await project.sees('Proposed: 1 added');
    expect(project.screen()).not.toContain('z take back');
    project.press('z');
    await project.sees('Proposed: 1 added');
  });

  test('the home screen says that the agent is planning, asks, or left a draft', async () => {
    const project = planning([], {plan: planOf()});
    await project.wish('A shop');
    await project.sees('read src/shop.ts');
    project.press(keys.escape);
    await project.sees('Your agent is planning: P shows it, ctrl+c pauses it.');
    project.agents.agent.succeeds(tasks(proposed('api')));
    await project.sees('Proposed: 1 added');
    project.press(keys.escape);
    await project.sees('P continues the plan you left as a draft, or begins another.');
  });

  test('shows how much of a proposed task is visible; available keys are offered, Esc among them', async () => {
    const long = Array.from({length: 20}, (_, index) => `Step ${index + 1}.`).join('\n');
    const list = [proposed('api', {prompt: `Create src/api.ts.\n${long}`}), proposed('web'), proposed('app')];
    const project = planning([tasks(...list)]);
    await project.wish('A shop');
    await project.sees(/Proposed: 3 added +lines 1–15 of 31/);
    await project.sees(' y save  r revise  i edit  x omit  space more  esc later  D discard');
    project.press(keys.space, keys.space);
    await project.sees('Step 20.');
    project.press(keys.down);
    await project.sees('❯ + Build web');
    expect(project.screen()).not.toContain('lines 1–');
    project.press('x');
    await project.sees('❯ + Build app');
    await project.sees(' y save  r revise  i edit  x omit  esc later  z undo  D discard');
    project.resize(60, 24);
    await project.sees(' y save  r revise  i edit  x omit  esc later  z undo');
    project.resize(80, 24);
    project.press('z');
    await project.sees('Proposed: 3 added');
    await project.sees('❯ + Build app');
  });

  test('a proposal left for later is a draft that P opens; D discards it', async () => {
    const project = planning([tasks(proposed('api'))]);
    await project.wish('A shop');
    await project.sees('Proposed: 1 added');
    project.press(keys.escape);
    await project.sees('The proposal is kept as a draft');
    project.press('P');
    await project.sees('Continue: A shop');
    project.press(keys.down, keys.enter);
    await project.sees('Proposed: 1 added');
    expect(project.agents.agents).toHaveLength(1);
    project.press('D');
    await project.sees('Dropped. The plan is unchanged.');
    expect(await draftsOf(project)).toEqual([]);
    expect(project.plans.statuses()).toEqual({old: 'todo'});
  });

  test('Ctrl+C pauses the planner with nothing left running, and the draft can continue', async () => {
    const project = planning([]);
    await project.wish('A shop');
    await project.sees('read src/shop.ts');
    project.press(keys.ctrlC);
    await project.sees('Paused. Ctrl+C again to quit.');
    expect(project.agents.alive()).toEqual([]);
    expect(await draftsOf(project)).toMatchObject([{text: 'A shop'}]);
  });

  test.each([
    {at: 'a question', answer: question, until: 'Which database?'},
    {at: 'the proposal', answer: tasks(proposed('api')), until: 'Proposed: 1 added'},
  ])('Ctrl+C at $at pauses it without an error, and the draft is kept', async ({answer, until}) => {
    const project = planning([answer]);
    await project.wish('A shop');
    await project.sees(until);
    project.press(keys.ctrlC);
    await project.sees('Paused. Ctrl+C again to quit.');
    await project.seesNot('E_NO_DECISION');
    expect(await draftsOf(project)).toMatchObject([{text: 'A shop'}]);
    project.press('P');
    await project.sees('Continue: A shop');
  });

  test('unsent text is there again', async () => {
    const project = planning([]);
    project.press('P');
    await project.sees('What should be built?');
    project.press('A shop with', keys.escape);
    await project.sees('kept as a draft');
    project.press('P');
    await project.sees('A shop with');
  });

  test('text that cannot be stored is not reported as stored', async () => {
    const project = planning([]);
    project.services.drafts.save = () => Promise.reject(new AppError('E_STORE_WRITE', 'the disk is full'));
    project.press('P');
    await project.sees('What should be built?');
    project.press('A shop with', keys.escape);
    await project.sees('This text cannot be kept: the disk is full');
  });

  test('text that could not be sent is there again, and gone once it was', async () => {
    const project = planning([tasks(proposed('api'))]);
    const {save} = project.services.planDrafts;
    const isFull = () => Promise.reject(new AppError('E_STORE_WRITE', 'the disk is full'));
    project.services.planDrafts.save = isFull;
    await project.wish('A shop');
    await project.sees('the disk is full');
    project.services.planDrafts.save = save;
    project.press(keys.enter);
    await project.seesNot('the disk is full');
    project.press('P');
    await project.sees('Your draft is back.');
    project.press(keys.ctrlS);
    await project.sees('Proposed: 1 added');
    await eventually(() => expect(project.drafts.list()).toEqual([]));

    project.services.planDrafts.save = isFull;
    project.press('r');
    await project.sees('What should be different?');
    project.press('With docs', keys.ctrlS);
    await project.sees('the disk is full');
    project.press(keys.enter);
    await project.sees('Proposed: 1 added');
    project.press('r');
    await project.sees('With docs');
  });
});

test('text whose job was dropped by Ctrl+C before its turn is there again, whatever is planned in the meantime', async () => {
  const project = planning([tasks(proposed('api'))]);
  await project.wish('A mill');
  await project.sees('Proposed: 1 added');
  project.press(keys.ctrlC);
  await project.sees('Paused. Ctrl+C again to quit.');
  let release = () => {};
  const writing = project.tui.settle(
    new Promise<void>((resolve) => {
      release = resolve;
    }),
  );
  project.press('P');
  await project.sees('Continue: A mill');
  project.press(keys.enter);
  await project.sees('What should be built?');
  project.press('A shop', keys.ctrlS);
  await project.sees('ctrl+c pause');
  project.press(keys.ctrlC);
  await project.sees('Paused. Ctrl+C again to quit.');
  release();
  await writing;
  project.press('P');
  await project.sees('Continue: A mill');
  project.press(keys.down, keys.enter);
  await project.sees('Proposed: 1 added');
  expect(project.drafts.list()).toMatchObject([{texts: [{text: 'A shop'}]}]);
});

test('a plan that is created for it is named, and a missing agent keeps the request with its next command', async () => {
  const project = planning([], {plan: planOf(), data: {plan: {type: 'none'}}});
  project.agents.failCheck(new AppError('E_AGENT_NOT_FOUND', 'no claude'));
  await project.wish('A shop');
  await project.sees('no claude');
  const [draft] = await draftsOf(project);
  await project.sees(`blackbird plan drafts open ${draft?.draftId}`);
  project.press(keys.escape);
  await project.sees('created an empty plan: blackbird.plan.json');
});

test('C has the agent change the selected task; a plan that changed in the meantime is reported, with what is possible', async () => {
  const operations = [{op: 'edit', id: 'old', title: 'New title'}];
  const project = planning([JSON.stringify({questions: [], operations})], {
    plan: planOf(task('old', {status: 'failed'})),
    config: {planning: {maxPlanAutoRefinePasses: 0}},
  });
  project.press(keys.enter, 'C');
  await project.sees('What should change? · old and below');
  project.press('Rename it', keys.ctrlS);
  await project.sees('❯ ~ New title');
  await project.services.plans.update((plan) => ({
    ...plan,
    items: new Map(plan.items).set('old', task('old', {status: 'failed', title: 'Mine'})),
  }));
  project.press('y');
  await project.sees('the plan was changed by somebody else meanwhile');
  expect(project.plans.statuses()).toEqual({old: 'failed'});
  project.press(keys.enter);
  await project.sees('The proposal no longer fits the plan');
  await project.sees('r revise');
});

test('a failed action leads back to no proposal once the job was paused', async () => {
  const project = planning([tasks(proposed('api'))]);
  await project.wish('A shop');
  await project.sees('Proposed: 1 added');
  const {update} = project.services.plans;
  project.services.plans.update = () => Promise.reject(new AppError('E_STORE_WRITE', 'the disk is full'));
  project.press('y');
  await project.sees('the disk is full');
  project.services.plans.update = update;
  project.press(keys.ctrlC);
  await eventually(() => expect(project.tui.facts().isBusy).toBe(false));
  project.press(keys.enter);
  await project.sees('Paused. Ctrl+C again to quit.');
});

test.each([
  {columns: 80, rows: 24},
  {columns: 200, rows: 60},
  {columns: 60, rows: 15},
])('fits a terminal of $columns × $rows', async (size) => {
  const many = Array.from({length: 30}, (_, index) => proposed(`task-${index}`));
  const project = planning([tasks(...many)], {plan: planOf(), size});
  await project.wish('A shop');
  await project.sees('Proposed: 30 added');
  const lines = project.screen().split('\n');
  expect(lines.length).toBeLessThanOrEqual(size.rows);
  expect(lines.every((line) => line.length <= size.columns)).toBe(true);
  expect(lines.findLast((line) => line.trim() !== '')).toContain('y save');
});
