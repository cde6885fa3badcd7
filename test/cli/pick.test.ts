import {describe, expect, test} from 'vitest';
import {family, now, planOf, task} from '../helpers/plans.ts';
import {cliProject, lines} from '../helpers/run-cli.ts';

const plan = planOf(
  family(task('shop', {title: 'Shop'}), task('2fa-login', {title: 'Second factor'}), task('api')),
  task('e2e', {deps: ['api']}),
  task('held', {status: 'blocked'}),
  task('old', {status: 'done'}),
);

const select = 'Select task (number or id, blank to exit): ';
const act = 'Action ([i]n_progress, [d]one, [b]locked, back, exit): ';
const ready = lines(
  'Ready tasks:',
  '    ID         READINESS  TITLE',
  '1)  2fa-login  READY      Second factor',
  '2)  api        READY      Task api',
);

const statusOf = ({tasks}: ReturnType<typeof cliProject>, id: string) => tasks()[id]?.status;

describe('pick', () => {
  test('lists ready tasks and ends at the end of the input', async () => {
    const project = cliProject(plan);
    const before = project.planText();
    expect(await project.run(['pick'])).toEqual({code: 0, out: ready, err: lines(select)});
    expect(project.planText()).toBe(before);
  });

  test.each([[['']], [['  ']], [['1']], [['1', 'exit']], [['1', 'q']], [['1', 'Quit']], [['1', 'back']]])(
    'ends without a change after %j',
    async (answers) => {
      const project = cliProject(plan);
      const before = project.planText();
      expect((await project.run(['pick'], {answers})).code).toBe(0);
      expect(project.planText()).toBe(before);
    },
  );

  test('shows the task, sets its status and lists again', async () => {
    const project = cliProject(plan);
    const {code, out, err} = await project.run(['pick'], {answers: ['2', 'done']});
    expect({code, err}).toEqual({code: 0, err: lines(select, act, select)});
    expect(out.startsWith(`${ready}ID: api\nTitle: Task api\n`)).toBe(true);
    expect(out.split('(empty)\n')[1]).toBe(
      lines(
        'updated api status to done',
        'Ready tasks:',
        '    ID         READINESS  TITLE',
        '1)  2fa-login  READY      Second factor',
        '2)  e2e        READY      Task e2e',
      ),
    );
    expect(project.tasks().api).toEqual({...plan.items.get('api'), status: 'done', updatedAt: now});
  });

  test.each([
    ['i', 'in_progress'],
    ['in_progress', 'in_progress'],
    ['In-Progress', 'in_progress'],
    ['in progress', 'in_progress'],
    ['d', 'done'],
    [' DONE ', 'done'],
    ['b', 'blocked'],
    ['blocked', 'blocked'],
  ])('%j sets %s', async (word, status) => {
    const project = cliProject(plan);
    await project.run(['pick'], {answers: ['api', word]});
    expect(statusOf(project, 'api')).toBe(status);
  });

  test('prefers an id over a number, and accepts only plain numbers', async () => {
    const named = cliProject(plan);
    await named.run(['pick'], {answers: ['2fa-login', 'i']});
    expect(statusOf(named, '2fa-login')).toBe('in_progress');
    expect(statusOf(named, 'api')).toBe('todo');

    const numbered = cliProject(planOf(task('a'), task('1')));
    await numbered.run(['pick'], {answers: ['1', 'i']});
    expect([statusOf(numbered, 'a'), statusOf(numbered, '1')]).toEqual(['todo', 'in_progress']);
  });

  test('asks again after an invalid answer', async () => {
    const answers = ['0', '3', '2x', '-1', 'toString', '1', 'finish', 'constructor', 'b'];
    const {code, err} = await cliProject(plan).run(['pick'], {answers});
    expect({code, err}).toEqual({
      code: 0,
      err: lines(
        ...Array.from({length: 5}, () => [select, 'invalid selection; try again']).flat(),
        select,
        ...Array.from({length: 2}, () => [act, 'invalid action; try again']).flat(),
        ...[act, select],
      ),
    });
  });

  test.each([
    [['--blocked'], ['e2e', 'held']],
    [['--all'], ['2fa-login', 'api', 'e2e', 'held', 'old']],
    [
      ['--all', '--include-non-leaf'],
      ['shop', '2fa-login', 'api', 'e2e', 'held', 'old'],
    ],
    [['--include-non-leaf'], ['shop', '2fa-login', 'api']],
  ])('%s chooses from', async (options, ids) => {
    const {run, json} = cliProject(plan);
    const {tasks} = (await json(['pick', ...options])) as {tasks: Array<{id: string}>};
    expect(tasks.map(({id}) => id)).toEqual(ids);
    const {out} = await run(['pick', ...options]);
    expect([...out.matchAll(/^\d+\) +(\S+)/gm)].map(([, id]) => id)).toEqual(ids);
  });

  test('has a header and fits on a terminal', async () => {
    const {out} = await cliProject(planOf(task('a', {title: 'x'.repeat(100)}))).run(['pick'], {
      terminal: true,
    });
    expect(out).toBe(
      lines('Ready tasks:', '    ID  READINESS  TITLE', `1)  a   READY      ${'x'.repeat(60)}…`),
    );
  });

  test('with nothing to pick says so and ends', async () => {
    expect(await cliProject(planOf()).run(['pick'])).toEqual({
      code: 0,
      out: 'no tasks found (add tasks with `blackbird add`)\n',
      err: '',
    });
    const waiting = planOf(
      task('a', {status: 'blocked'}),
      task('b', {deps: ['a']}),
      task('c', {status: 'done'}),
    );
    expect((await cliProject(waiting).run(['pick'])).out).toBe(
      '0 ready; 1 blocked on deps; 1 manually blocked in leaf scope; try `blackbird list --blocked` or `blackbird why a` for details\n',
    );
    expect((await cliProject(planOf(task('a'))).run(['pick', '--blocked'])).out).toBe('0 blocked\n');
  });

  test('refuses what the plan does not allow', async () => {
    const project = cliProject(plan);
    const before = project.planText();
    const {code, err} = await project.run(['pick', '--include-non-leaf'], {answers: ['shop', 'd']});
    expect(code).toBe(1);
    expect(err).toContain('error: "shop" cannot be done before its children are\n');
    expect(project.planText()).toBe(before);
  });

  test('accepts no arguments', async () => {
    expect(await cliProject(plan).error(['pick', 'api'])).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', details: {usage: 'blackbird pick [options]'}},
    });
  });
});
