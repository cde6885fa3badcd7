import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {unrecordedWarning} from '../../src/machines/policies/job/repository-warnings.ts';
import {emptyPlanText} from '../../src/machines/policies/plan/empty-plan.ts';
import {family, planOf, task} from '../helpers/plans.ts';
import {cliProject, controlCharacters, lines} from '../helpers/run-cli.ts';

describe('init', () => {
  test('creates an empty plan, and then leaves it alone', async () => {
    const {planFile, planText, run, json} = cliProject();
    expect(await run(['init'])).toEqual({
      code: 0,
      out: lines(`created plan: ${planFile}`),
      err: lines(emptyPlanText, `warning: ${unrecordedWarning}`),
    });
    expect(planText()).toBe('{\n  "schemaVersion": 1,\n  "items": {}\n}\n');
    expect(await run(['init'])).toEqual({code: 0, out: lines(`plan already exists: ${planFile}`), err: ''});
    expect(await json(['init'])).toEqual({created: false, file: planFile});
  });

  test('reports to a script what it created', async () => {
    const {planFile, json} = cliProject();
    expect(await json(['init'])).toEqual({created: true, file: planFile});
  });

  test('warns of nothing in a repository', async () => {
    const {folder, run} = cliProject();
    mkdirSync(path.join(folder, '.git'));
    writeFileSync(path.join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
    expect((await run(['init'])).err).toBe(lines(emptyPlanText));
  });

  test('does not touch a plan it cannot read', async () => {
    const {planText, run} = cliProject('not a plan');
    expect(await run(['init'])).toMatchObject({code: 0, err: ''});
    expect(planText()).toBe('not a plan');
  });

  test('creates a plan right here, even below another project', async () => {
    const {folder, run} = cliProject(planOf());
    const below = path.join(folder, 'below');
    mkdirSync(below);
    const {out} = await run(['init'], {cwd: below});
    expect(out).toBe(lines(`created plan: ${path.join(below, 'blackbird.plan.json')}`));
  });

  test('accepts no arguments', async () => {
    const {run, files} = cliProject();
    expect(await run(['init', 'here'])).toEqual({
      code: 2,
      out: '',
      err: lines(
        "error: too many arguments for 'init'. Expected 0 arguments but got 1.",
        '  usage  blackbird init [options]',
        '  code   E_USAGE',
        '  next   blackbird init --help  see what it takes',
      ),
    });
    expect(files()).toEqual([]);
  });
});

describe('validate', () => {
  test('says OK', async () => {
    const {planFile, run, json} = cliProject(planOf(family(task('a'), task('b', {deps: []}))));
    expect(await run(['validate'])).toEqual({code: 0, out: 'OK\n', err: ''});
    expect(await json(['validate'])).toEqual({valid: true, file: planFile, problems: []});
  });

  test('finds the project from a folder below it', async () => {
    const {folder, run} = cliProject(planOf());
    const below = path.join(folder, 'deep', 'below');
    mkdirSync(below, {recursive: true});
    expect(await run(['validate'], {cwd: below})).toEqual({code: 0, out: 'OK\n', err: ''});
  });

  test('looks no further up than the repository', async () => {
    const {folder, run} = cliProject(planOf());
    const repository = path.join(folder, 'other');
    mkdirSync(path.join(repository, '.git'), {recursive: true});
    expect(await run(['validate'], {cwd: repository})).toEqual({
      code: 1,
      out: '',
      err: lines(
        `error: plan file not found: ${path.join(repository, 'blackbird.plan.json')}`,
        '  code  E_PLAN_NOT_FOUND',
        '  next  blackbird init  create an empty plan here',
      ),
    });
  });

  const broken = planOf(task('a', {deps: ['ghost'], title: ''}), task('b', {parentId: 'a'}));

  test('lists every problem', async () => {
    const {planFile, run} = cliProject(broken);
    expect(await run(['validate'])).toEqual({
      code: 1,
      out: lines(
        `invalid plan: ${planFile}`,
        '- $.items["a"].title: required',
        '- $.items["a"].deps[0]: unknown dep id "ghost"',
        '- $.items["b"].parentId: parent "a" must include "b" in childIds',
      ),
      err: 'validation failed: 3 problems\n',
    });
  });

  test('lists the same for a script, and nothing on stderr', async () => {
    const {planFile, run} = cliProject(broken);
    const {code, out, err} = await run(['validate', '--json']);
    expect({code, err, data: JSON.parse(out)}).toEqual({
      code: 1,
      err: '',
      data: {
        valid: false,
        file: planFile,
        problems: [
          {path: '$.items["a"].title', message: 'required'},
          {path: '$.items["a"].deps[0]', message: 'unknown dep id "ghost"'},
          {path: '$.items["b"].parentId', message: 'parent "a" must include "b" in childIds'},
        ],
      },
    });
  });

  test('counts a single problem as one', async () => {
    const {run} = cliProject(planOf(task('a', {title: ' '})));
    expect((await run(['validate'])).err).toBe('validation failed: 1 problem\n');
  });

  test('shows no control character of a broken plan', async () => {
    const {run} = cliProject(planOf(task('a\u009b31mred\u202e', {deps: ['\u001b]0;x\u0007']})));
    const plain = await run(['validate']);
    expect(plain).toMatchObject({code: 1, err: 'validation failed: 2 problems\n'});
    expect(plain.out).not.toMatch(controlCharacters);
    expect((await run(['validate', '--json'])).out).not.toMatch(controlCharacters);
  });
});

describe('an unusable plan', () => {
  const other = ['list', 'show a', 'why a', 'pick', 'set-status a done', 'add --title t', 'edit a --title t'];

  test.each(other)('%s: reports the first problem and where to see the rest', async (words) => {
    const {planFile, run} = cliProject(planOf(task('a', {title: '', status: 'todo', deps: ['x']})));
    expect(await run(words.split(' '))).toEqual({
      code: 1,
      out: '',
      err: lines(
        `error: plan is invalid: ${planFile}`,
        '  $.items["a"].title    required',
        '  $.items["a"].deps[0]  unknown dep id "x"',
        '  code                  E_PLAN_INVALID',
        '  next                  blackbird validate  see everything that is wrong',
      ),
    });
  });

  test.each(other)('%s: the file is missing', async (words) => {
    const {planFile, run} = cliProject();
    expect(await run(words.split(' '))).toEqual({
      code: 1,
      out: '',
      err: lines(
        `error: plan file not found: ${planFile}`,
        '  code  E_PLAN_NOT_FOUND',
        '  next  blackbird init  create an empty plan here',
      ),
    });
  });

  test.each([
    ['empty', '', 'it is empty'],
    ['blank', ' \n', 'it is empty'],
    ['null', 'null', 'it contains null'],
    ['a list', '[]', 'it does not contain a JSON object'],
    ['a byte order mark', '\ufeff{}', 'it begins with a byte order mark'],
    ['deep nesting', '['.repeat(100_000) + ']'.repeat(100_000), 'it is nested deeper than 64 levels'],
    ['binary', Buffer.from([0xff, 0xfe, 0x00, 0x80]), 'it is not UTF-8 text'],
  ])('%s: refuses it by name and leaves it alone', async (_name, content, reason) => {
    const {planFile, error, files} = cliProject('');
    writeFileSync(planFile, content);
    for (const words of ['validate', ...other]) {
      expect(await error(words.split(' ')), words).toEqual({
        code: 1,
        error: {
          code: 'E_STORE_CORRUPT',
          message: `the plan ${planFile} cannot be used: ${reason}`,
          details: {file: planFile, reason},
          causes: [],
          next: expect.any(Array),
        },
      });
    }
    expect(files().filter((file) => !file.startsWith('.blackbird'))).toEqual(['blackbird.plan.json']);
  });
});

describe('plan lint', () => {
  const plan = planOf(
    task('a', {
      description: 'The page lists every order of the last week, newest first.',
      acceptanceCriteria: ['it shows 20 orders', '`npm test` passes'],
      prompt: 'Add the page and a test for it.',
      verify: ['npm test'],
    }),
  );

  test('says OK when nothing is left to guess', async () => {
    const {run, json} = cliProject(plan);
    expect(await run(['plan', 'lint'])).toEqual({code: 0, out: 'OK\n', err: ''});
    expect(await json(['plan', 'lint'])).toEqual({
      findings: [],
      counts: {blocking: 0, warning: 0, hint: 0},
    });
  });

  test('names what is blocking, how to fix it, and exits with 3', async () => {
    const {run} = cliProject(planOf(task('a', {...plan.items.get('a'), prompt: ''})));
    expect(await run(['plan', 'lint'])).toEqual({
      code: 3,
      out: lines(
        'a',
        '  blocking  has no prompt',
        '    tell the agent what to do, where, and how to see that it is done  (leaf_prompt_missing)',
        '1 blocking',
        'Blocking: an agent would have to guess. execute runs these tasks anyway; --yes would not save them.',
      ),
      err: '',
    });
  });
});
