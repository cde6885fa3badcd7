import {describe, expect, test} from 'vitest';
import {family, now, planOf, task} from '../helpers/plans.ts';
import {cliProject, lines} from '../helpers/run-cli.ts';

const plan = planOf(
  family(task('shop'), task('api'), task('ui', {deps: ['api']})),
  task('docs', {deps: ['ui'], depRationale: {ui: 'shows it'}}),
  task('empty'),
);

/** Runs a command that must be refused, and checks that the plan is unchanged. */
async function refused(args: readonly string[]): Promise<{code: number; error: unknown}> {
  const project = cliProject(plan);
  const before = project.planText();
  const result = await project.error(args);
  expect(project.planText()).toBe(before);
  return result;
}

const edges = (tasks: ReturnType<ReturnType<typeof cliProject>['tasks']>) =>
  Object.fromEntries(Object.values(tasks).map(({id, deps}) => [id, deps]));

describe('move', () => {
  test('moves a task under another parent', async () => {
    const project = cliProject(plan);
    expect(await project.run(['move', 'docs', '--parent', 'shop'])).toEqual({
      code: 0,
      out: 'moved docs\n',
      err: '',
    });
    const {shop, docs} = project.tasks();
    expect(shop).toEqual({...plan.items.get('shop'), childIds: ['api', 'ui', 'docs'], updatedAt: now});
    expect(docs).toEqual({...plan.items.get('docs'), parentId: 'shop', updatedAt: now});
  });

  test('moves it to a position, with the options before the task', async () => {
    const project = cliProject(plan);
    const moved = await project.json(['move', '--parent', 'shop', '--index', '0', 'ui']);
    expect(moved).toEqual({id: 'ui', parentId: 'shop'});
    expect(project.tasks().shop?.childIds).toEqual(['ui', 'api']);
  });

  test('moves it to the top level', async () => {
    const project = cliProject(plan);
    expect(await project.json(['move', 'api', '--parent', 'root'])).toEqual({id: 'api', parentId: null});
    expect(project.tasks().shop?.childIds).toEqual(['ui']);
    expect(project.tasks().api?.parentId).toBeNull();
  });

  test.each([
    [['nobody', '--parent', 'root'], 'E_TASK_NOT_FOUND', 'unknown id "nobody"'],
    [['docs', '--parent', 'nobody'], 'E_PLAN_EDIT', 'unknown parent id "nobody"'],
    [['shop', '--parent', 'ui'], 'E_PLAN_EDIT', 'hierarchy cycle detected: shop -> ui -> shop'],
    [['shop', '--parent', 'shop'], 'E_PLAN_EDIT', 'hierarchy cycle detected: shop -> shop'],
    [['ui', '--parent', 'shop', '--index', '2'], 'E_PLAN_EDIT', 'index out of range: 2 (valid: 0..1)'],
    [
      ['docs', '--parent', 'ui'],
      'E_PLAN_EDIT',
      'invalid move (would violate plan invariants): "docs" cannot depend on its own ancestor "ui"',
    ],
  ])('%s is refused and nothing is written', async (args, code, message) => {
    expect(await refused(['move', ...args])).toMatchObject({code: 1, error: {code, message}});
  });

  test.each([
    [['docs'], 'move requires --parent <parentId|root>, --index <n> or both'],
    [['--parent', 'shop'], "missing required argument 'taskId'"],
    [
      ['docs', '--parent', 'shop', '--index', 'x'],
      "option '--index <n>' argument 'x' is invalid. It must be a whole number.",
    ],
  ])('%s is a usage error', async (args, message) => {
    expect(await refused(['move', ...args])).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', message, details: {usage: 'blackbird move [options] <taskId>'}},
    });
  });
});

describe('delete', () => {
  test('deletes a task that nothing depends on', async () => {
    const project = cliProject(plan);
    expect(await project.run(['delete', 'docs'])).toEqual({code: 0, out: 'deleted 1 item\n', err: ''});
    expect(Object.keys(project.tasks())).toEqual(['shop', 'api', 'ui', 'empty']);
  });

  test('deletes a subtree and the dependencies on it, when told to', async () => {
    const project = cliProject(plan);
    expect(await project.run(['delete', '--force', 'shop', '--cascade-children'])).toEqual({
      code: 0,
      out: lines('deleted 3 items', 'detached deps from: docs'),
      err: '',
    });
    expect(edges(project.tasks())).toEqual({docs: [], empty: []});
    expect(project.tasks().docs?.depRationale).toEqual({});
  });

  test('reports to a script what was deleted', async () => {
    const args = ['delete', 'shop', '--cascade-children', '--force'];
    expect(await cliProject(plan).json(args)).toEqual({
      deleted: ['shop', 'api', 'ui'],
      detached: ['docs'],
    });
  });

  test.each([
    [['nobody'], 'E_TASK_NOT_FOUND', 'unknown id "nobody"'],
    [['shop'], 'E_PLAN_EDIT', 'refusing to delete "shop": has children (use --cascade-children)'],
    [
      ['ui'],
      'E_PLAN_EDIT',
      'refusing to delete: would break dependents (ui (dependents: docs)). Use --force to remove those dep edges',
    ],
    [
      ['shop', '--cascade-children'],
      'E_PLAN_EDIT',
      'refusing to delete: would break dependents (ui (dependents: docs)). Use --force to remove those dep edges',
    ],
  ])('%s is refused and nothing is written', async (args, code, message) => {
    expect(await refused(['delete', ...args])).toMatchObject({code: 1, error: {code, message}});
  });

  test('requires a task', async () => {
    expect(await refused(['delete', '--force'])).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', details: {usage: 'blackbird delete [options] <taskId>'}},
    });
  });
});

describe('deps', () => {
  test('add makes a task depend on another, once', async () => {
    const project = cliProject(plan);
    const added = {code: 0, out: 'added dep empty -> docs\n', err: ''};
    expect(await project.run(['deps', 'add', 'empty', 'docs'])).toEqual(added);
    expect(project.tasks().empty).toEqual(task('empty', {deps: ['docs'], updatedAt: now}));
    const before = project.planText();
    const again = {code: 0, out: 'empty already depends on docs\n', err: ''};
    expect(await project.run(['deps', 'add', 'empty', 'docs'])).toEqual(again);
    expect(await project.json(['deps', 'add', 'empty', 'docs'])).toEqual({
      id: 'empty',
      deps: ['docs'],
      changed: false,
    });
    expect(project.planText()).toBe(before);
  });

  test('remove ends that', async () => {
    const project = cliProject(plan);
    const removed = {code: 0, out: 'removed dep docs -> ui\n', err: ''};
    expect(await project.run(['deps', 'remove', 'docs', 'ui'])).toEqual(removed);
    expect(project.tasks().docs).toEqual(task('docs', {depRationale: {}, updatedAt: now}));
    const nothing = {code: 0, out: 'docs does not depend on ui\n', err: ''};
    expect(await project.run(['deps', 'remove', 'docs', 'ui'])).toEqual(nothing);
    expect(await project.json(['deps', 'remove', 'ui', 'api'])).toEqual({id: 'ui', deps: [], changed: true});
  });

  test('set replaces all, without repeats', async () => {
    const project = cliProject(plan);
    const set = {code: 0, out: 'set docs deps (2)\n', err: ''};
    expect(await project.run(['deps', 'set', 'docs', 'api', 'empty', 'api'])).toEqual(set);
    expect(edges(project.tasks()).docs).toEqual(['api', 'empty']);
    expect(await project.json(['deps', 'set', 'docs'])).toEqual({id: 'docs', deps: [], changed: true});
    expect(await project.json(['deps', '--json', 'set', 'docs'])).toEqual({
      id: 'docs',
      deps: [],
      changed: false,
    });
  });

  test.each([
    [['add', 'nobody', 'api'], 'E_TASK_NOT_FOUND', 'unknown id "nobody"'],
    [['add', 'docs', 'nobody'], 'E_PLAN_EDIT', 'unknown dep id "nobody"'],
    [['add', 'docs', 'docs'], 'E_PLAN_EDIT', 'cannot add self-dependency: "docs"'],
    [['add', 'api', 'docs'], 'E_PLAN_EDIT', 'dependency cycle detected: api -> docs -> ui -> api'],
    [['add', 'api', 'shop'], 'E_PLAN_EDIT', '"api" cannot depend on its own ancestor "shop"'],
    [['set', 'shop', 'empty', 'api'], 'E_PLAN_EDIT', '"shop" cannot depend on its own descendant "api"'],
    [['remove', 'nobody', 'api'], 'E_TASK_NOT_FOUND', 'unknown id "nobody"'],
  ])('%s is refused and nothing is written', async (args, code, message) => {
    expect(await refused(['deps', ...args])).toMatchObject({code: 1, error: {code, message}});
  });

  test.each([
    [['deps'], 'blackbird deps requires a subcommand: add|remove|set', 'blackbird deps [options] [command]'],
    [
      ['deps', 'add', 'docs'],
      "missing required argument 'depId'",
      'blackbird deps add [options] <taskId> <depId>',
    ],
    [
      ['deps', 'remove', 'a', 'b', 'c'],
      "too many arguments for 'remove'. Expected 2 arguments but got 3.",
      'blackbird deps remove [options] <taskId> <depId>',
    ],
    [
      ['deps', 'set'],
      "missing required argument 'taskId'",
      'blackbird deps set [options] <taskId> [depId...]',
    ],
  ])('%s is a usage error', async (args, message, usage) => {
    const result = await refused(args);
    expect(result).toMatchObject({code: 2, error: {code: 'E_USAGE', details: {usage}}});
    // More subcommands may come; these exist.
    expect((result.error as {message: string}).message.startsWith(message)).toBe(true);
  });
});

describe('set-status', () => {
  test.each(['queued', 'in_progress', 'waiting_user', 'blocked', 'done', 'failed', 'skipped'])(
    'sets %s',
    async (status) => {
      const project = cliProject(plan);
      const updated = {code: 0, out: `updated empty status to ${status}\n`, err: ''};
      expect(await project.run(['set-status', 'empty', status])).toEqual(updated);
      expect(project.tasks().empty).toEqual({...task('empty'), status, updatedAt: now});
    },
  );

  test('parents follow their children, both ways', async () => {
    const project = cliProject(plan);
    await project.run(['set-status', 'api', 'done']);
    expect(await project.run(['set-status', 'ui', 'done'])).toEqual({
      code: 0,
      out: lines('updated ui status to done', 'updated shop status to done'),
      err: '',
    });
    expect(await project.json(['set-status', 'ui', 'todo'])).toEqual({
      id: 'ui',
      status: 'todo',
      changed: true,
      parents: [{id: 'shop', status: 'in_progress'}],
    });
  });

  test('the status it already has is no change', async () => {
    const project = cliProject(plan);
    const before = project.planText();
    expect(await project.json(['set-status', 'api', 'todo'])).toEqual({
      id: 'api',
      status: 'todo',
      changed: false,
      parents: [],
    });
    expect(project.planText()).toBe(before);
  });

  test.each([
    [['nobody', 'done'], 'E_TASK_NOT_FOUND', 'unknown id "nobody"'],
    [['__proto__', 'done'], 'E_TASK_NOT_FOUND', 'unknown id "__proto__"'],
    [['shop', 'done'], 'E_PLAN_EDIT', '"shop" cannot be done before its children are'],
  ])('%s is refused and nothing is written', async (args, code, message) => {
    expect(await refused(['set-status', ...args])).toMatchObject({code: 1, error: {code, message}});
  });

  test.each([
    [['api'], "missing required argument 'status'"],
    [
      ['api', 'Done'],
      "value 'Done' is invalid for argument 'status'. Allowed choices are todo, queued, in_progress, waiting_user, blocked, done, failed, skipped.",
    ],
    [['api', 'done', 'x'], "too many arguments for 'set-status'. Expected 2 arguments but got 3."],
  ])('%s is a usage error', async (args, message) => {
    expect(await refused(['set-status', ...args])).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', message, details: {usage: 'blackbird set-status [options] <taskId> <status>'}},
    });
  });
});
