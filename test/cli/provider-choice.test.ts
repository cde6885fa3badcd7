import {mkdirSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {chooseProvider, requireProviderId} from '../../src/cli/job/provider-choice.ts';
import {programIds, providerIds, providerTable} from '../../src/services/contracts/provider-table.ts';
import {errorOf, seen} from '../helpers/errors.ts';
import {planOf} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

describe('the provider', () => {
  type Wishes = Parameters<typeof chooseProvider>[0];
  const all: Wishes = {
    option: 'Demo',
    customCommand: 'my-agent',
    environment: 'codex',
    saved: 'codex',
    installed: () => ['codex'],
  };
  const command = {...all, option: undefined};
  const environment = {...command, customCommand: null};
  const saved = {...environment, environment: ''};

  const cases: ReadonlyArray<{name: string; wishes: Wishes; choice: unknown}> = [
    {name: 'named for this call', wishes: all, choice: {id: 'demo', source: 'option'}},
    {name: 'as a custom command', wishes: command, choice: {id: 'custom', source: 'command'}},
    {name: 'from the environment', wishes: environment, choice: {id: 'codex', source: 'environment'}},
    {name: 'that was saved', wishes: saved, choice: {id: 'codex', source: 'saved'}},
    {
      name: 'that is the only one installed',
      wishes: {...saved, saved: null},
      choice: {id: 'codex', source: 'installed'},
    },
    ...(
      [
        [[], 'none'],
        [['codex', 'claude'], 'default'],
      ] as const
    ).map(([ids, source]) => ({
      name: `as a last resort, with ${ids.length} installed`,
      wishes: {...saved, saved: null, installed: () => ids},
      choice: {id: 'claude', source},
    })),
  ];
  test.each(cases)('$name takes precedence over all that follow', ({wishes, choice}) => {
    expect(chooseProvider(wishes)).toEqual(choice);
  });

  test.each(['custom', 'gpt'])('%s is not a name to choose', (name) => {
    expect(seen(errorOf(() => requireProviderId(name)))).toEqual({
      code: 'E_AGENT_UNKNOWN',
      message: `unsupported agent provider "${name}"`,
      details: [['known', providerIds.join(', ')]],
      next: [{command: 'blackbird agents', why: 'see what is installed'}],
    });
  });
});

test('an unreadable saved choice does not prevent naming an agent', async () => {
  const project = cliProject(planOf());
  mkdirSync(path.join(project.folder, '.blackbird'), {recursive: true});
  writeFileSync(path.join(project.folder, '.blackbird/agent.json'), '{broken');
  const list = (env: Record<string, string>) =>
    project.run(['agents', '--json'], {env: {PATH: '/nowhere', ...env}});
  expect(await list({})).toMatchObject({code: 1, err: expect.stringContaining('E_STORE_CORRUPT')});
  const {code, out} = await list({BLACKBIRD_AGENT_PROVIDER: 'demo'});
  const {agents} = JSON.parse(out) as {agents: Array<{id: string; chosen: string | null}>};
  expect({code, chosen: agents.filter(({chosen}) => chosen !== null)}).toMatchObject({
    code: 0,
    chosen: [{id: 'demo', chosen: 'environment'}],
  });
});

test('agents ends with the commands to install what is missing', async () => {
  const {out} = await cliProject(planOf()).run(['agents'], {env: {PATH: '/nowhere'}});
  expect(out.split('\n').slice(1 + providerIds.length)).toEqual([
    'No agent for real work is installed yet.',
    ...programIds.map((id) => `Install ${id} with: ${providerTable[id].install}`),
    '',
  ]);
});

test('agents marks none as in use while none is installed', async () => {
  const {out} = await cliProject(planOf()).run(['agents'], {env: {PATH: '/nowhere'}});
  expect(out).not.toContain('*');
  expect(out).not.toContain('choose');
});

test('agents fits a terminal of 80 columns: where each one is, and below the table why it is used', async () => {
  const {run} = cliProject(planOf());
  const env = {PATH: '/nowhere', BLACKBIRD_AGENT_PROVIDER: 'demo'};
  const {out} = await run(['agents'], {env, terminal: true});
  const rows = out.trimEnd().split('\n');
  expect(rows.filter(({length}) => length > 80)).toEqual([]);
  for (const id of programIds)
    expect(out).toMatch(new RegExp(`${id} +not installed +${id} is not on the PATH`));
  expect(rows[1 + providerIds.length]).toBe('* demo: BLACKBIRD_AGENT_PROVIDER');
});

test('agents only looks: it leaves nothing behind', async () => {
  const project = cliProject();
  expect(await project.run(['agents'], {env: {PATH: '/nowhere'}})).toMatchObject({code: 0, err: ''});
  expect(project.files()).toEqual([]);
});

test('agents writes nothing through a link in place of the state folder', async () => {
  const [project, elsewhere, programs] = [cliProject(), temporaryFolder(), temporaryFolder()];
  symlinkSync(elsewhere, path.join(project.folder, '.blackbird'));
  writeFileSync(path.join(programs, 'codex'), '#!/bin/sh\necho codex-cli 0.50.0\n', {mode: 0o755});
  const {code, err} = await project.run(['agents'], {env: {PATH: `${programs}:/usr/bin:/bin`}});
  expect({code, err}).toEqual({code: 1, err: expect.stringContaining('E_STORE_UNSAFE')});
  expect(readdirSync(elsewhere)).toEqual([]);
});
