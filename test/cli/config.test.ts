import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {settingText} from '../../src/machines/policies/setting-types.ts';
import {settingKeys, settings} from '../../src/services/contracts/config.ts';
import {planOf, task} from '../helpers/plans.ts';
import {type CliProject, cliProject, controlCharacters} from '../helpers/run-cli.ts';

const key = 'execution.pauseGraceSeconds';

const fileOf = (project: CliProject, layer: 'project' | 'global') =>
  path.join(layer === 'project' ? project.folder : project.home, '.blackbird', 'config.json');

function writeConfig(project: CliProject, layer: 'project' | 'global', content: unknown): string {
  const file = fileOf(project, layer);
  mkdirSync(path.dirname(file), {recursive: true, mode: 0o700});
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const readConfig = (project: CliProject, layer: 'project' | 'global') =>
  JSON.parse(readFileSync(fileOf(project, layer), 'utf8'));

describe('config list', () => {
  test('shows every setting, its default and what it is for', async () => {
    const {code, out, err} = await cliProject(planOf()).run(['config', 'list']);
    expect({code, err}).toEqual({code: 0, err: ''});
    expect(
      out
        .slice(out.indexOf('\n') + 1)
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual(
      settingKeys.map((name) => {
        const {default: value, about} = settings[name];
        return [name, settingText(value), 'default', about];
      }),
    );
  });

  test('shows where each value comes from: project over global over default', async () => {
    const project = cliProject(planOf());
    writeConfig(project, 'global', {execution: {pauseGraceSeconds: 20, stopOnFailure: true}});
    writeConfig(project, 'project', {schemaVersion: 1, execution: {pauseGraceSeconds: 30}});
    const {settings: rows, warnings} = (await project.json(['config', 'list'])) as {
      settings: Array<{key: string}>;
      warnings: unknown;
    };
    expect(warnings).toEqual([]);
    expect(rows.map(({key: name}) => name)).toEqual(settingKeys);
    expect(rows.filter(({key: name}) => name.startsWith('execution.'))).toEqual(
      expect.arrayContaining([
        {key, value: 30, source: 'project', about: settings[key].about},
        {
          key: 'execution.stopOnFailure',
          value: true,
          source: 'global',
          about: settings['execution.stopOnFailure'].about,
        },
      ]),
    );
  });

  test('has a header on a terminal and fits', async () => {
    const {out} = await cliProject(planOf()).run(['config', 'list'], {terminal: true});
    expect(out).toMatch(/^KEY +VALUE +SOURCE +ABOUT\n/);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(out).toMatch(
      /\nThe agent is not a setting: blackbird agents shows it and where it was chosen.\n$/,
    );
  });

  test('warns about values it ignores or adjusts, and continues', async () => {
    const project = cliProject(planOf());
    const global = writeConfig(project, 'global', '{"execution":');
    const local = writeConfig(project, 'project', {
      execution: {pauseGraceSeconds: 999, stopOnFailure: 'yes'},
    });
    const {code, out, err} = await project.run(['config', 'list']);
    expect(code).toBe(0);
    expect(out).toMatch(/^execution\.pauseGraceSeconds +120 +project/m);
    expect(err.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`warning: ${global} is ignored: it is not valid JSON`),
      `warning: ${local}: execution.stopOnFailure must be true or false; it is ignored`,
      `warning: ${local}: ${key} is 999, outside 1 to 120; 120 is used`,
    ]);
  });

  test('shows no control character of a broken file', async () => {
    const project = cliProject(planOf());
    writeConfig(project, 'project', '\u001b[2J\u009b31m');
    writeConfig(project, 'global', {schemaVersion: '\u009b31m\u202e'});
    const {err} = await project.run(['config', 'list']);
    expect(err).not.toBe('');
    expect(err).not.toMatch(controlCharacters);
  });
});

describe('config get', () => {
  test('prints the value alone, or with its source', async () => {
    const project = cliProject(planOf());
    expect(await project.run(['config', 'get', key])).toEqual({code: 0, out: '10\n', err: ''});
    expect(await project.json(['config', 'get', key])).toEqual({key, value: 10, source: 'default'});
  });

  test('needs no plan', async () => {
    expect((await cliProject().run(['config', 'get', key])).out).toBe('10\n');
  });
});

describe('config set and unset', () => {
  test('new checks for all tasks: open runs, which keep theirs, are named', async () => {
    const project = cliProject(planOf(task('a', {status: 'in_progress'}), task('b')));
    const kept = 'An open run keeps the checks it began with (a); a restart takes the new ones.\n';
    expect(await project.run(['config', 'set', 'execution.verify', 'npm test'])).toEqual({
      code: 0,
      out: `set execution.verify = ["npm test"] (project)\n${kept}`,
      err: '',
    });
    expect(await project.json(['config', 'unset', 'execution.verify'])).toEqual({
      key: 'execution.verify',
      layer: 'project',
      value: null,
      keeps_checks: ['a'],
    });
    // Without a plan there is nobody to name.
    expect((await cliProject().run(['config', 'set', 'execution.verify', 'npm test'])).out).toBe(
      'set execution.verify = ["npm test"] (project)\n',
    );
  });

  test("writes the project's file, private, and unset reverts it", async () => {
    const project = cliProject(planOf());
    expect(await project.run(['config', 'set', key, '42'])).toEqual({
      code: 0,
      out: `set ${key} = 42 (project)\n`,
      err: '',
    });
    expect(readConfig(project, 'project')).toEqual({schemaVersion: 1, execution: {pauseGraceSeconds: 42}});
    expect(statSync(fileOf(project, 'project')).mode & 0o777).toBe(0o600);
    expect(project.files()).toEqual([
      ...['.blackbird', '.blackbird/.gitignore', '.blackbird/config.json', '.blackbird/config.lock'],
      'blackbird.plan.json',
    ]);
    expect(await project.json(['config', 'get', key])).toEqual({key, value: 42, source: 'project'});

    expect(await project.run(['config', 'unset', key])).toEqual({
      code: 0,
      out: `unset ${key} (project)\n`,
      err: '',
    });
    expect(await project.json(['config', 'get', key])).toEqual({key, value: 10, source: 'default'});
  });

  test("--global writes the user's file, wherever the option is", async () => {
    const project = cliProject(planOf());
    expect(await project.json(['config', 'set', '--global', key, '42'])).toEqual({
      key,
      layer: 'global',
      value: 42,
    });
    expect(await project.json(['config', 'set', 'execution.stopOnFailure', 'true', '--global'])).toEqual({
      key: 'execution.stopOnFailure',
      layer: 'global',
      value: true,
    });
    expect(readConfig(project, 'global')).toEqual({
      schemaVersion: 1,
      execution: {pauseGraceSeconds: 42, stopOnFailure: true},
    });
    expect(project.files()).toEqual(['blackbird.plan.json']);
    expect(await project.json(['config', 'unset', key, '--global'])).toEqual({
      key,
      layer: 'global',
      value: null,
    });
  });

  test('keeps unknown fields', async () => {
    const project = cliProject(planOf());
    writeConfig(project, 'project', {mine: [1], execution: {later: 'x'}});
    await project.run(['config', 'set', key, '5']);
    expect(readConfig(project, 'project')).toEqual({
      mine: [1],
      execution: {later: 'x', pauseGraceSeconds: 5},
    });
  });

  test('does not write over a file it cannot read', async () => {
    const project = cliProject(planOf());
    const file = writeConfig(project, 'project', '{broken');
    expect(await project.error(['config', 'set', key, '5'])).toMatchObject({
      code: 1,
      error: {code: 'E_STORE_CORRUPT', details: {file}},
    });
    expect(readFileSync(file, 'utf8')).toBe('{broken');
  });

  test.each([
    [['set', key, '0'], `${key} must be a whole number from 1 to 120, not "0"`],
    [['set', key, '121'], `${key} must be a whole number from 1 to 120, not "121"`],
    [['set', key, '1e1'], `${key} must be a whole number from 1 to 120, not "1e1"`],
    [['set', 'execution.stopOnFailure', 'yes'], 'execution.stopOnFailure must be true or false, not "yes"'],
    [['set', 'nope', '1'], 'unknown configuration key "nope"'],
    [['set', '__proto__', '1'], 'unknown configuration key "__proto__"'],
    [['get', 'execution'], 'unknown configuration key "execution"'],
    [['unset', 'constructor'], 'unknown configuration key "constructor"'],
  ])('%s is refused and nothing is written', async (args, message) => {
    const project = cliProject(planOf());
    expect(await project.error(['config', ...args])).toMatchObject({
      code: 2,
      error: {code: 'E_CONFIG', message, details: {usage: expect.stringContaining(`config ${args[0]}`)}},
    });
    expect(project.files()).toEqual(['blackbird.plan.json']);
  });

  test.each(['1', '120'])('%s is within the limits', async (value) => {
    expect((await cliProject(planOf()).run(['config', 'set', key, value])).code).toBe(0);
  });

  test.each([
    [['config'], 'blackbird config requires a subcommand: list|get|set|unset'],
    [['config', 'set', key], "missing required argument 'value'"],
    [['config', 'get'], "missing required argument 'key'"],
  ])('%s is a usage error', async (args, message) => {
    expect(await cliProject(planOf()).error(args)).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', message},
    });
  });

  test('unset creates no file', async () => {
    const project = cliProject(planOf());
    expect((await project.run(['config', 'unset', key])).out).toBe(`unset ${key} (project)\n`);
    expect(project.files()).toEqual(['blackbird.plan.json']);
  });
});
