import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {builtInRunners} from '../../src/machines/policies/session/session-runner.ts';
import {settingKeys} from '../../src/services/contracts/config.ts';
import {providerIds} from '../../src/services/contracts/provider-table.ts';
import {taskStatuses} from '../../src/services/contracts/task-status.ts';
import {createRunStore} from '../../src/services/stores/run-store.ts';
import {pausedRun, restingRun} from '../fakes/runs.ts';
import {planOf, task} from '../helpers/plans.ts';
import {type CliOptions, type CliProject, cliProject} from '../helpers/run-cli.ts';

const plan = planOf(
  ...[task('api', {title: 'Refund\u001b[31m endpoint'}), task('e2e'), task('ns:one')],
  // A shell would split or run these; a command would take the last for an option.
  ...['two words', '$(date)', 'a*', "it's", '-x'].map((id) => task(id)),
);

/** The values offered for the last word, with their descriptions. */
async function offered(project: CliProject, words: readonly string[], options?: CliOptions) {
  const {code, out, err} = await project.run(['__complete', '--', ...words], options);
  expect({code, err}).toEqual({code: 0, err: ''});
  return Object.fromEntries(
    out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t')),
  ) as Record<string, string>;
}

const valuesFor = async (words: readonly string[], project = cliProject(plan)) =>
  Object.keys(await offered(project, words));

describe('completions at the cursor', () => {
  test('commands, with what they do', async () => {
    const commands = await offered(cliProject(), ['']);
    expect(Object.keys(commands)).toEqual(
      expect.arrayContaining(['list', 'show', 'set-status', 'deps', 'config', 'completion', 'help']),
    );
    expect(commands.show).toBe('show one task in full, with its parent, children and dependencies');
    expect(commands.help).toBe('show help for a command');
    expect(Object.keys(commands)).not.toContain('__complete');
    expect(await valuesFor(['se'])).toContain('set-status');
    expect(await valuesFor(['zz'])).toEqual([]);
  });

  test.each([
    [
      ['deps', ''],
      ['add', 'remove', 'set', 'help'],
    ],
    [
      ['help', 'd'],
      ['delete', 'deps', 'doctor'],
    ],
    [['deps', 'help', 'a'], ['add']],
    [['help', 'deps', 'a'], ['add']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
  ])('%j: the names of commands', async (words, expected) => {
    expect(await valuesFor(words)).toEqual(expect.arrayContaining(expected));
  });

  test.each([
    [['execute', '--agent', ''], providerIds],
    [
      ['agents', 'use', 'c'],
      ['codex', 'claude'],
    ],
    [['session', 'run', '--runner', ''], builtInRunners],
    [
      ['config', 'set', 'execution.stopOnFailure', ''],
      ['true', 'false'],
    ],
    [
      ['config', 'set', 'execution.onLimit', ''],
      ['wait', 'stop'],
    ],
    [['config', 'set', 'execution.retries', ''], []],
  ])('%j: the possible values', async (words, expected) => {
    expect(await valuesFor(words)).toEqual(expected);
  });

  test.each([
    ['execute', '--agent', 'c'],
    ['add', '--agent', 'c'],
  ])('%s %s %s: agents with their titles', async (...words) => {
    expect(await offered(cliProject(plan), words)).toEqual({codex: 'Codex', claude: 'Claude Code'});
  });

  test('the runs of the typed task, newest first, with their states', async () => {
    const project = cliProject(plan);
    const runsFolder = path.join(project.folder, '.blackbird/runs');
    mkdirSync(runsFolder, {recursive: true, mode: 0o700});
    const store = createRunStore({folder: runsFolder});
    await store.insert(restingRun({task_id: 'api', run_id: 'api-1', state: 'failed'}));
    await store.insert(pausedRun({task_id: 'api', run_id: 'api-2', attempt: 2}));
    expect(await offered(project, ['diff', 'api', ''])).toEqual({'api-2': 'paused', 'api-1': 'failed'});
    expect(await offered(project, ['logs', 'e2e', ''])).toEqual({});
  });

  test.each([
    [['list', '--t'], ['--tree']],
    [['list', '--all', '--b'], ['--blocked']],
    [['list', '--c'], ['--cwd']],
    [
      ['edit', 'api', '--clear-'],
      [
        '--clear-description',
        '--clear-prompt',
        '--clear-notes',
        '--clear-agent',
        '--clear-model',
        '--clear-effort',
        '--clear-verify',
      ],
    ],
    [['--v'], ['--version']],
    [['deps', 'add', '--he'], ['--help']],
    [['config', 'set', '--g'], ['--global']],
  ])('%j: the options of that command', async (words, expected) => {
    expect(await valuesFor(words)).toEqual(expected);
  });

  const ids = ['api', 'e2e', 'ns:one'];

  test.each([
    [['show', ''], ids],
    [['why', 'a'], ['api']],
    [['show', 'ns:'], ['ns:one']],
    [['show', '--json', 'e'], ['e2e']],
    [['--json', 'show', 'e'], ['e2e']],
    [['deps', 'add', 'api', ''], ids],
    [['deps', 'set', 'api', 'e2e', 'ns:one', ''], ids],
    [['edit', '--title', 'new', ''], ids],
    [
      ['move', 'api', '--parent', ''],
      ['root', ...ids],
    ],
    [['add', '--parent=r'], ['--parent=root']],
    [['add', '--parent=a'], ['--parent=api']],
    [['show', '--', ''], ids],
    [['set-status', ''], ids],
  ])('%j: tasks', async (words, expected) => {
    expect(await valuesFor(words)).toEqual(expected);
  });

  test.each([
    [['set-status', 'api', ''], taskStatuses],
    [['set-status', 'api', 'd'], ['done']],
    [['list', '--status', ''], taskStatuses],
    [['list', '--status=in'], ['--status=in_progress']],
    [['list', '--status=s', '--status', 'q'], ['queued']],
  ])('%j: statuses', async (words, expected) => {
    expect(await valuesFor(words)).toEqual(expected);
  });

  test.each([
    [['config', 'get', ''], settingKeys],
    [['config', 'unset', 'planning'], settingKeys.filter((key) => key.startsWith('planning'))],
  ])('%j: settings', async (words, expected) => {
    expect(await valuesFor(words)).toEqual(expected);
  });

  test.each([
    [['show', 'api', '']],
    [['set-status', 'api', 'done', '']],
    [['frobnicate', '']],
    [['add', '--title', '']],
    [['list', '']],
    [['--cwd', '']],
  ])('%j: nothing', async (words) => {
    expect(await valuesFor(words)).toEqual([]);
  });

  test('titles are included on one line, without control characters', async () => {
    expect(await offered(cliProject(plan), ['show', 'a'])).toEqual({api: 'Refund endpoint'});
  });

  test('the typed folder decides whose tasks they are', async () => {
    const project = cliProject(plan);
    const {folder, home} = project;
    writeFileSync(
      path.join(home, 'blackbird.plan.json'),
      JSON.stringify({schemaVersion: 1, items: {h: task('h')}}),
    );
    for (const words of [
      ['--cwd', folder, 'show', 'a'],
      [`--cwd=${folder}`, 'show', 'a'],
      ['show', '--cwd', folder, 'a'],
    ]) {
      expect(Object.keys(await offered(project, words, {cwd: '/'})), words.join(' ')).toEqual(['api']);
    }
    expect(await valuesFor(['--cwd', '~', 'show', ''], project)).toEqual(['h']);
    expect(await valuesFor(['--cwd=~/', 'show', ''], project)).toEqual(['h']);
    expect(await valuesFor(['--cwd', '/nowhere', 'show', ''], project)).toEqual([]);
  });

  test.each(['', 'null', '{"schemaVersion":2,"items":{}}'])(
    'with a plan of %j only the tasks are missing',
    async (text) => {
      expect(await valuesFor(['show', ''], cliProject(text))).toEqual([]);
      expect(await valuesFor(['set-status', 'x', 'd'], cliProject(text))).toEqual(['done']);
    },
  );

  test('without any words it offers the commands', async () => {
    const {code, out} = await cliProject().run(['__complete']);
    expect(code).toBe(0);
    expect(out).toContain('list\t');
  });
});

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('prints the script of %s, and nothing else', async (shell) => {
    const {code, out, err} = await cliProject().run(['completion', shell]);
    expect({code, err}).toEqual({code: 0, err: ''});
    expect(out).toContain('blackbird __complete -- ');
  });

  test('says how to use the scripts', async () => {
    const {out} = await cliProject().run(['completion', '--help']);
    expect(out).toContain('source <(blackbird completion bash)');
  });

  test.each([
    [['completion'], "missing required argument 'shell'"],
    [
      ['completion', 'tcsh'],
      "value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.",
    ],
  ])('%s is a usage error', async (args, message) => {
    expect(await cliProject().error(args)).toMatchObject({
      code: 2,
      error: {code: 'E_USAGE', message, details: {usage: 'blackbird completion [options] <shell>'}},
    });
  });
});
