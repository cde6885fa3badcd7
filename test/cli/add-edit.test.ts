import {describe, expect, test} from 'vitest';
import {family, made, now, planOf, task} from '../helpers/plans.ts';
import {cliProject, lines} from '../helpers/run-cli.ts';

const base = planOf(family(task('shop'), task('api'), task('ui')));

describe('the checks of a task', () => {
  test('are given one by one, replaced as a whole, and removed', async () => {
    const project = cliProject(base);
    await project.run([
      'add',
      '--id',
      'docs',
      '--title',
      'D',
      '--verify',
      'npm test',
      '--verify',
      'npm run lint',
    ]);
    expect(project.tasks().docs?.verify).toEqual(['npm test', 'npm run lint']);
    await project.run(['edit', 'docs', '--verify', 'make check']);
    expect(project.tasks().docs?.verify).toEqual(['make check']);
    await project.run(['edit', 'docs', '--clear-verify']);
    expect(project.tasks().docs).not.toHaveProperty('verify');
  });

  test.each(['', '  ', 'one\ntwo'])('refuses %j', async (command) => {
    const project = cliProject(base);
    const {code, err} = await project.run(['edit', 'api', '--verify', command]);
    expect({code, err: err.includes('It must be a command on one line.')}).toEqual({code: 2, err: true});
    expect(project.tasks().api).toEqual(base.items.get('api'));
  });

  test('are shown with those of its parents, which come first', async () => {
    const checked = planOf(
      family(task('shop', {verify: ['npm test']}), task('api', {verify: ['\u001b[2Jlint']})),
    );
    const {out} = await cliProject(checked).run(['show', 'api']);
    expect(out).toContain('Checks:\n- npm test (from shop)\n- lint\n');
  });
});

describe('add', () => {
  test('adds a task at the end of the top level', async () => {
    const project = cliProject(base);
    expect(await project.run(['add', '--id', 'docs', '--title', 'Write docs'])).toEqual({
      code: 0,
      out: 'added docs\n',
      err: '',
    });
    expect(Object.keys(project.tasks())).toEqual(['shop', 'api', 'ui', 'docs']);
    expect(project.tasks().docs).toEqual(task('docs', {title: 'Write docs', createdAt: now, updatedAt: now}));
  });

  test('accepts every field and a position among the siblings', async () => {
    const project = cliProject(base);
    const fields = [
      '--description',
      'about',
      '--prompt',
      'do it',
      '--notes',
      'ask',
      '--ac',
      'one',
      '--ac=two',
    ];
    const place = ['--parent', 'shop', '--index', '1'];
    expect(await project.json(['add', '--title', 'Docs', '--id', 'docs', ...fields, ...place])).toEqual({
      id: 'docs',
    });
    const {shop, docs} = project.tasks();
    expect(shop).toEqual({...task('shop'), childIds: ['api', 'docs', 'ui'], updatedAt: now});
    expect(docs).toEqual(
      task('docs', {
        title: 'Docs',
        description: 'about',
        prompt: 'do it',
        notes: 'ask',
        acceptanceCriteria: ['one', 'two'],
        parentId: 'shop',
        createdAt: now,
        updatedAt: now,
      }),
    );
  });

  test('places a task before the first at the top level', async () => {
    const project = cliProject(base);
    await project.run(['add', '--id', 'first', '--title', 't', '--index', '0', '--parent', 'root']);
    expect(Object.keys(project.tasks())).toEqual(['first', 'shop', 'api', 'ui']);
  });

  test('derives a unique id from the title', async () => {
    const project = cliProject(planOf());
    expect(await project.json(['add', '--title', 'Write the greeting!'])).toEqual({id: 'write-the-greeting'});
    expect(await project.json(['add', '--title', 'write: the greeting'])).toEqual({
      id: 'write-the-greeting-2',
    });
    expect(Object.keys(project.tasks())).toEqual(['write-the-greeting', 'write-the-greeting-2']);
  });

  test('accepts the title as its argument, once', async () => {
    const project = cliProject(planOf());
    expect(await project.json(['add', 'Write it'])).toEqual({id: 'write-it'});
    expect(project.tasks()['write-it']?.title).toBe('Write it');
    expect(await project.run(['add', 'One', '--title', 'Two'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('error: the title is given twice'),
    });
    expect(Object.keys(project.tasks())).toEqual(['write-it']);
  });

  test('asks for the title', async () => {
    const project = cliProject(planOf());
    expect(await project.run(['add', '--id', 'a'], {answers: ['Asked for']})).toEqual({
      code: 0,
      out: 'added a\n',
      err: 'Title: \n',
    });
    expect(project.tasks().a?.title).toBe('Asked for');
  });

  test.each([
    ['the input ends', [], undefined],
    ['the answer is blank', [' '], undefined],
    ['the option is blank', [], ' '],
  ])('without a title nothing is added: %s', async (_case, answers, title) => {
    const project = cliProject(planOf());
    const before = project.planText();
    const {code, out, err} = await project.run(['add', ...(title === undefined ? [] : ['--title', title])], {
      answers,
    });
    expect({code, out}).toEqual({code: 2, out: ''});
    expect(err.replace(/^Title: \n/, '')).toBe(
      lines(
        'error: title is required (use --title or enter it interactively)',
        '  usage  blackbird add [options] [title]',
        '  code   E_NO_INPUT',
        '  next   blackbird add --help  see what it takes',
      ),
    );
    expect(project.planText()).toBe(before);
  });

  test('a missing plan is reported before anything is asked', async () => {
    const {planFile, run} = cliProject();
    const {code, err} = await run(['add'], {answers: ['a title']});
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`^error: plan file not found: ${planFile}\n`));
  });

  test.each([
    '../x',
    'a/b',
    'CON',
    'nul.txt',
    'x'.repeat(65),
    'x'.repeat(300),
    '.hidden',
    '-x',
    'a b',
    'a\u0000',
    'ä',
    'a.',
  ])('%j cannot be the id of a new task', async (id) => {
    const project = cliProject(base);
    const before = project.planText();
    expect(await project.error(['add', `--id=${id}`, '--title', 't'])).toMatchObject({
      code: 2,
      error: {
        code: 'E_TASK_ID',
        message: `${JSON.stringify(id)} cannot be a task id`,
        details: {allowed: expect.any(String), usage: 'blackbird add [options] [title]'},
      },
    });
    expect(project.planText()).toBe(before);
  });

  test.each(['__proto__', 'constructor', '2fa', 'x'.repeat(64), 'a.b_c-d'])('%j can be one', async (id) => {
    const project = cliProject(base);
    expect(await project.json(['add', '--id', id, '--title', 't'])).toEqual({id});
    expect((await project.run(['show', id])).out).toMatch(new RegExp(`^ID: ${id}\nTitle: t\n`));
    expect(Object.keys(project.tasks())).toContain(id);
  });

  test.each([
    [['--id', 'api'], 'id already exists: "api"'],
    [['--id', 'API'], 'id "API" differs from "api" only in case'],
    [['--id='], 'id is required'],
    [['--parent', 'nobody'], 'unknown parent id "nobody"'],
    [['--parent', 'shop', '--index', '3'], 'index out of range: 3 (valid: 0..2)'],
    [['--index', '2'], 'index out of range: 2 (valid: 0..1)'],
  ])('%s is refused and nothing is written', async (options, message) => {
    const project = cliProject(base);
    const before = project.planText();
    expect(await project.error(['add', '--title', 't', ...options])).toMatchObject({
      code: 1,
      error: {code: 'E_PLAN_EDIT', message},
    });
    expect(project.planText()).toBe(before);
  });

  test.each([
    [['--index', '-1'], "option '--index <n>' argument '-1' is invalid. It must be a whole number."],
    [['--index', '1.5'], "option '--index <n>' argument '1.5' is invalid. It must be a whole number."],
    [
      ['--index', '9'.repeat(30)],
      `option '--index <n>' argument '${'9'.repeat(30)}' is invalid. It must be a whole number.`,
    ],
    [['--ac'], "option '--ac <text>' argument missing"],
    [['word'], 'the title is given twice'],
    [['two', 'words'], "too many arguments for 'add'. Expected 1 argument but got 2."],
  ])('%s is a usage error', async (options, message) => {
    expect(await cliProject(base).error(['add', '--title', 't', ...options])).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', message, details: {usage: 'blackbird add [options] [title]'}},
    });
  });
});

describe('edit', () => {
  const api = task('api', {
    title: 'Old',
    description: 'old about',
    prompt: 'old prompt',
    notes: 'old notes',
    acceptanceCriteria: ['old'],
  });
  const plan = planOf(api);

  test.each([
    [['--title', 'New'], {title: 'New'}],
    [['--description', 'new', '--prompt', 'now'], {description: 'new', prompt: 'now'}],
    [['--clear-description', '--clear-prompt'], {description: '', prompt: ''}],
    [['--notes', ''], {notes: ''}],
    [['--ac', 'one', '--ac', 'two'], {acceptanceCriteria: ['one', 'two']}],
    [['--ac-clear'], {acceptanceCriteria: []}],
  ])('%s changes only that', async (options, change) => {
    const project = cliProject(plan);
    expect(await project.run(['edit', 'api', ...options])).toEqual({code: 0, out: 'updated api\n', err: ''});
    expect(project.tasks().api).toEqual({...api, ...change, updatedAt: now});
  });

  test('options may come before the task', async () => {
    const project = cliProject(plan);
    expect(await project.json(['edit', '--title', 'New', '--ac', 'x', 'api'])).toEqual({
      id: 'api',
      changed: true,
    });
    expect(project.tasks().api).toEqual({...api, title: 'New', acceptanceCriteria: ['x'], updatedAt: now});
  });

  test('removes notes', async () => {
    const project = cliProject(plan);
    await project.run(['edit', 'api', '--clear-notes']);
    const {notes: _, ...rest} = api;
    expect(project.tasks().api).toEqual({...rest, updatedAt: now});
  });

  test('writes nothing when nothing changes', async () => {
    const project = cliProject(plan);
    const before = project.planText();
    expect(await project.run(['edit', 'api', '--title', 'Old', '--ac', 'old'])).toEqual({
      code: 0,
      out: 'api is unchanged\n',
      err: '',
    });
    expect(await project.json(['edit', 'api', '--title', 'Old'])).toEqual({id: 'api', changed: false});
    expect(project.planText()).toBe(before);
  });

  const questions = [
    'title [Old] (blank keeps it): ',
    'description [old about] (blank keeps it): ',
    'prompt [old prompt] (blank keeps it): ',
    'notes [old notes] (blank keeps it; CLEAR removes them): ',
  ];

  test('asks for every field when no option is given; blank keeps the value', async () => {
    const project = cliProject(plan);
    expect(await project.run(['edit', 'api'], {answers: ['New', '', '  ', 'CLEAR']})).toEqual({
      code: 0,
      out: 'updated api\n',
      err: lines(...questions),
    });
    const {notes: _, ...rest} = api;
    expect(project.tasks().api).toEqual({...rest, title: 'New', updatedAt: now});
  });

  test('the end of the input keeps the rest', async () => {
    const project = cliProject(plan);
    expect(await project.run(['edit', 'api'], {answers: ['New']})).toEqual({
      code: 0,
      out: 'updated api\n',
      err: lines(...questions.slice(0, 2)),
    });
    expect(project.tasks().api).toEqual({...api, title: 'New', updatedAt: now});
  });

  test('the end of the input at once changes nothing', async () => {
    const project = cliProject(plan);
    const before = project.planText();
    expect(await project.run(['edit', 'api'])).toEqual({
      code: 0,
      out: 'api is unchanged\n',
      err: lines(...questions.slice(0, 1)),
    });
    expect(project.planText()).toBe(before);
  });

  test('--json and --cwd are not edits: it still asks', async () => {
    const {folder, run} = cliProject(plan);
    expect(await run(['edit', 'api', '--json', '--cwd', folder])).toMatchObject({
      code: 0,
      err: lines(...questions.slice(0, 1)),
    });
  });

  test.each([
    [['api', '--title', ' '], 'title cannot be empty'],
    [
      ['api', '--notes', 'x', '--clear-notes'],
      "option '--clear-notes' cannot be used with option '--notes <text>'",
    ],
    [['api', '--ac', 'x', '--ac-clear'], "option '--ac-clear' cannot be used with option '--ac <text>'"],
    [[], "missing required argument 'taskId'"],
  ])('%s is a usage error', async (args, message) => {
    const project = cliProject(plan);
    const before = project.planText();
    expect(await project.error(['edit', ...args])).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', message, details: {usage: 'blackbird edit [options] <taskId>'}},
    });
    expect(project.planText()).toBe(before);
  });

  test('an unknown task is reported before anything is asked', async () => {
    expect(await cliProject(plan).error(['edit', 'nobody'], {answers: ['x']})).toMatchObject({
      code: 1,
      error: {code: 'E_TASK_NOT_FOUND'},
    });
  });

  test('keeps unknown fields and the layout', async () => {
    const odd = `{"extra":{"a":1},"schemaVersion":1,\n"items":{ "a":{"id":"a","title":"t","x":[1, 2],
      "acceptanceCriteria":[],"childIds":[],"deps":[],"status":"todo","createdAt":"${made}","updatedAt":"${made}"}}}`;
    const project = cliProject(odd);
    await project.run(['edit', 'a', '--title', 'new']);
    const updated = odd.replace('"title":"t"', '"title":"new"');
    expect(project.planText()).toBe(updated.replace(`"updatedAt":"${made}"`, `"updatedAt":"${now}"`));
  });
});
