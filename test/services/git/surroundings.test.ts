import path from 'node:path';
import {expect, test} from 'vitest';
import {createSurroundingsReader} from '../../../src/services/git/surroundings.ts';
import {testRepository} from './test-repository.ts';

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
