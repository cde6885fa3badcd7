import path from 'node:path';
import {expect, test} from 'vitest';
import {createSurroundingsReader} from '../../../src/services/git/surroundings.ts';
import {testRepository} from './test-repository.ts';

test("a file that is not Blackbird's is told of in its own folder, what is Blackbird's is not", async () => {
  const {folder, env, write} = testRepository();
  for (const name of ['p.sh', 'x/payload.sh', 'x/y/second.sh', 'runs/a/a-1.json', 'config.json', 'plan.lock'])
    write(`.blackbird/${name}`, '{}');
  write('.blackbird/.config.json.12.0123456789ab.tmp', '');
  write('.blackbird/lock.c.12.0123456789abcdef', '');
  write('.blackbird/.payload.12.0123456789ab.tmp', '');
  const reader = createSurroundingsReader({
    root: folder,
    stateFolder: path.join(folder, '.blackbird'),
    runsFolder: path.join(folder, '.blackbird/runs'),
    settings: {},
    env,
  });
  expect(await reader.ignoredSince(new Date(0).toISOString())).toEqual({
    ...{count: 0, names: []},
    hidden: {
      count: 3,
      names: ['.blackbird/.payload.12.0123456789ab.tmp', '.blackbird/p.sh', '.blackbird/x/ (2 files)'],
    },
  });
  expect(await reader.ignoredSince('2999-01-01T00:00:00.000Z')).toEqual({count: 0, names: []});
});

test.each([
  {name: 'of a file', text: '{"execution": {"commit": "task"}}', known: [{execution: {commit: 'task'}}]},
  {name: 'of no file', text: null, known: [null]},
  {name: 'of no object', text: '[1]', known: []},
  {name: 'of no JSON', text: '{', known: []},
  {name: 'too deep to be written', text: `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, known: []},
])('the settings $name are read with their digest', async ({text, known}) => {
  const {folder, env, write} = testRepository();
  if (text !== null) write('config.json', text);
  const reader = createSurroundingsReader({
    root: folder,
    stateFolder: path.join(folder, '.blackbird'),
    runsFolder: path.join(folder, '.blackbird/runs'),
    settings: {'.blackbird/config.json': path.join(folder, 'config.json'), 'agent.json': '/nowhere'},
    env,
  });
  expect([...((await reader.look()).contents ?? [])]).toEqual(
    known.map((content) => ['.blackbird/config.json', content]),
  );
});

test.each([
  {name: 'are told', limits: {}, told: {count: 1, names: ['made.log']}},
  {
    name: 'that git cannot list in time are not passed over in silence',
    limits: {timeLimitMs: 0},
    told: {count: 0, names: [], isCut: true},
  },
])('new ignored files $name', async ({limits, told}) => {
  const {folder, env, write} = testRepository();
  write('.gitignore', '*.log\n');
  write('made.log', 'by the agent');
  const reader = createSurroundingsReader({
    root: folder,
    stateFolder: path.join(folder, '.blackbird'),
    runsFolder: path.join(folder, '.blackbird/runs'),
    settings: {},
    env,
    ...limits,
  });
  expect(await reader.ignoredSince(new Date(0).toISOString())).toEqual(told);
});
