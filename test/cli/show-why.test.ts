import {describe, expect, test} from 'vitest';
import {family, hugeChain, made, planOf, task} from '../helpers/plans.ts';
import {cliProject, lines} from '../helpers/run-cli.ts';

const shop = planOf(
  family(
    task('shop', {title: 'Shop'}),
    task('api', {
      title: 'Refund endpoint',
      description: 'Two lines\nof text',
      acceptanceCriteria: ['201 on success', '409 when refunded'],
      notes: 'ask Ada',
      prompt: 'Write it.\n',
      deps: ['db', 'auth'],
      depRationale: {db: 'needs the table'},
    }),
  ),
  task('db', {title: 'Table', status: 'done'}),
  task('auth', {title: 'Log in'}),
  task('e2e', {title: 'End to end', deps: ['api']}),
  task('held', {title: 'On hold', status: 'blocked'}),
);

describe('show', () => {
  test('shows all fields of a task and everything it is connected to', async () => {
    expect(await cliProject(shop).run(['show', 'api'])).toEqual({
      code: 0,
      out: lines(
        ...['ID: api', 'Title: Refund endpoint', 'Status: todo'],
        ...['CreatedAt: 2026-01-01T00:00:00Z', 'UpdatedAt: 2026-01-01T00:00:00Z'],
        ...['Parent: shop [todo] Shop', ''],
        ...['Description:', 'Two lines', 'of text', ''],
        ...['Acceptance criteria:', '- 201 on success', '- 409 when refunded', ''],
        ...['Notes:', 'ask Ada', ''],
        ...['Deps:', '- db [done] Table (needs the table)', '- auth [todo] Log in', ''],
        ...['Dependents:', '- e2e [todo] End to end', ''],
        ...['Readiness:', '- deps satisfied: no (unmet: auth)', '- actionable now: false', ''],
        ...['Prompt:', 'Write it.'],
      ),
      err: '',
    });
  });

  test('shows children, and missing ones as such', async () => {
    expect((await cliProject(shop).run(['show', 'shop'])).out).toBe(
      lines(
        ...['ID: shop', 'Title: Shop', 'Status: todo'],
        ...['CreatedAt: 2026-01-01T00:00:00Z', 'UpdatedAt: 2026-01-01T00:00:00Z', ''],
        ...['Children:', '- api [todo] Refund endpoint', ''],
        ...['Deps:', '- (none)', ''],
        ...['Dependents:', '- (none)', ''],
        ...['Readiness:', '- deps satisfied: yes', '- actionable now: false', ''],
        ...['Prompt:', '(empty)'],
      ),
    );
  });

  test('says how to release a task that was blocked by hand', async () => {
    expect((await cliProject(shop).run(['show', 'held'])).out).toContain(
      lines(
        'Readiness:',
        '- deps satisfied: yes',
        '- manually blocked: yes (clear with `blackbird set-status held todo`)',
        '- actionable now: false',
      ),
    );
  });

  test('gives a script everything, with what follows from the plan', async () => {
    expect(await cliProject(shop).json(['show', 'api'])).toEqual({
      id: 'api',
      title: 'Refund endpoint',
      description: 'Two lines\nof text',
      acceptanceCriteria: ['201 on success', '409 when refunded'],
      prompt: 'Write it.\n',
      parentId: 'shop',
      childIds: [],
      deps: ['db', 'auth'],
      status: 'todo',
      createdAt: made,
      updatedAt: made,
      notes: 'ask Ada',
      depRationale: {db: 'needs the table'},
      readiness: 'BLOCKED',
      leaf: true,
      unmetDeps: ['auth'],
      dependents: ['e2e'],
      ready: false,
      checks: [],
    });
  });

  test('has bold labels when the terminal has colour', async () => {
    const {out} = await cliProject(shop).run(['show', 'db'], {terminal: {hasColor: true}});
    expect(out).toContain('\u001b[1mID:\u001b[22m db\n');
  });

  test('shows a timestamp to the second, in UTC', async () => {
    const {out} = await cliProject(
      planOf(
        task('a', {createdAt: '2024-02-29T00:00:00Z', updatedAt: '2026-01-01T01:00:00.123456789+02:00'}),
      ),
    ).run(['show', 'a']);
    expect(out).toContain(lines('CreatedAt: 2024-02-29T00:00:00Z', 'UpdatedAt: 2025-12-31T23:00:00Z'));
  });

  test('accepts an id in any form', async () => {
    const ids = ['__proto__', 'constructor', 'a/b', '../x', '-x', 'CON', 'two words'];
    const {run} = cliProject(planOf(ids.map((id) => task(id))));
    for (const id of ids) {
      expect((await run(['show', '--', id])).out, id).toMatch(new RegExp(`^ID: ${id}\nTitle: Task ${id}\n`));
    }
  });

  test('suggests the task that was meant', async () => {
    expect(await cliProject(shop).run(['show', 'apu'])).toEqual({
      code: 1,
      out: '',
      err: lines(
        'error: unknown id "apu"',
        '  code  E_TASK_NOT_FOUND',
        '  next  blackbird show api    did you mean this one?',
        '        blackbird list --all  see every task',
      ),
    });
  });

  test.each(['__proto__', 'constructor', 'toString', '../x', 'x'.repeat(300), ''])(
    '%j is not a task unless the plan has it',
    async (id) => {
      expect(await cliProject(planOf(task('known'))).error(['show', id])).toEqual({
        code: 1,
        error: {
          code: 'E_TASK_NOT_FOUND',
          message: `unknown id ${JSON.stringify(id)}`,
          details: {},
          causes: [],
          next: [{command: 'blackbird list --all', why: 'see every task'}],
        },
      });
    },
  );

  test.each([
    [['show'], "missing required argument 'taskId'"],
    [['show', 'a', 'b'], "too many arguments for 'show'. Expected 1 argument but got 2."],
  ])('%s is a usage error', async (args, message) => {
    expect(await cliProject(shop).error(args)).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', message, details: {usage: 'blackbird show [options] <taskId>'}},
    });
  });
});

describe('why', () => {
  test('walks the chain down to what must happen first, and the command for it', async () => {
    const {run} = cliProject(shop);
    expect(await run(['why', 'e2e'])).toEqual({
      code: 0,
      out: lines(
        'e2e is not ready',
        '  e2e  End to end  [todo]  waits for 1',
        '    needs api  Refund endpoint  [todo]  not done yet, waits for 1',
        '      needs auth  Log in  [todo]  ready now',
        '',
        'First: auth',
        '',
        '  blackbird execute auth',
      ),
      err: '',
    });
  });

  test('gives a script the same chain', async () => {
    expect(await cliProject(shop).json(['why', 'api'])).toEqual({
      id: 'api',
      ready: false,
      conditions: [
        {id: 'api', title: 'Refund endpoint', status: 'todo', role: 'task', depth: 0, reason: 'waits for 1'},
        {
          id: 'auth',
          title: 'Log in',
          status: 'todo',
          role: 'dependency',
          depth: 1,
          reason: 'ready now',
          next: {command: 'blackbird execute auth', why: 'run it'},
        },
      ],
      first: ['auth'],
    });
  });

  test('a parent waits for its children', async () => {
    expect((await cliProject(shop).run(['why', 'shop'])).out).toBe(
      lines(
        'shop is not ready',
        '  shop  Shop  [todo]  done when its children are (1 to go)',
        '    child api  Refund endpoint  [todo]  not done yet, waits for 1',
        '      needs auth  Log in  [todo]  ready now',
        '',
        'First: auth',
        '',
        '  blackbird execute auth',
      ),
    );
  });

  test.each([
    ['auth', ['auth is ready', '  auth  Log in  [todo]  ready now', '', '  blackbird execute auth']],
    ['db', ['db is done', '  db  Table  [done]  done, nothing is left to do']],
    [
      'held',
      [
        'held is blocked',
        '  held  On hold  [blocked]  blocked by hand',
        '',
        '  blackbird set-status held todo',
      ],
    ],
  ])('%s needs nothing else', async (id, expected) => {
    expect(await cliProject(shop).run(['why', id])).toEqual({code: 0, out: lines(...expected), err: ''});
  });

  test('shows a chain of many levels without ever longer lines', async () => {
    const {out} = await cliProject(hugeChain(2_000)).run(['why', 't0']);
    expect(out).toContain(`\n${' '.repeat(22)}(1999) needs t1999  Task t1999  [todo]  ready now\n`);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThan(100);
  });

  test('refuses an unknown task, and requires one', async () => {
    const {error} = cliProject(shop);
    expect(await error(['why', 'nobody'])).toMatchObject({code: 1, error: {code: 'E_TASK_NOT_FOUND'}});
    expect(await error(['why'])).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', details: {usage: 'blackbird why [options] <taskId>'}},
    });
  });
});
