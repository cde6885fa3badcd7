import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {restingRun} from '../fakes/runs.ts';
import {planOf, task} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';

test.each([
  {where: 'in a script', options: {}},
  {where: 'on a terminal, where --json asks nobody', options: {terminal: true}},
])('a done task is run again only with --yes $where', async ({options}) => {
  const project = cliProject(planOf(task('a', {status: 'done'})));
  const folder = path.join(project.folder, '.blackbird/runs/a');
  mkdirSync(folder, {recursive: true});
  writeFileSync(path.join(folder, 'a-1.json'), JSON.stringify(restingRun({state: 'succeeded'})));
  const before = project.files();
  expect(await project.error(['restart', 'a'], options)).toMatchObject({
    code: 1,
    error: {code: 'E_CONFIRMATION_REQUIRED', message: 'a is done; pass --yes to run it again'},
  });
  expect(project.files()).toEqual(before);
});

test('an undone task asks nothing: it is refused, and execute is suggested', async () => {
  const project = cliProject(planOf(task('a')));
  const folder = path.join(project.folder, '.blackbird/runs/a');
  mkdirSync(folder, {recursive: true});
  const run = {...restingRun({state: 'succeeded'}), superseded_by_run_id: 'a-2'};
  writeFileSync(path.join(folder, 'a-1.json'), JSON.stringify(run));
  expect(await project.error(['restart', 'a'])).toMatchObject({
    code: 1,
    error: {code: 'E_RESTART_REFUSED', next: [{command: 'blackbird execute a'}]},
  });
});

test('asks first, and says what becomes of the run and its changes', async () => {
  const project = cliProject(planOf(task('a', {status: 'done'})));
  const folder = path.join(project.folder, '.blackbird/runs/a');
  mkdirSync(folder, {recursive: true});
  const run = restingRun({state: 'succeeded', repo_root: project.folder});
  writeFileSync(path.join(folder, 'a-1.json'), JSON.stringify(run));
  expect((await project.run(['restart', 'a'], {terminal: true, answers: ['n']})).err).toBe(
    [
      'Run a-1 (succeeded) stays in the history, and its changes stay in the files.',
      'Restart a? [y/N]: ',
      'error: not restarted; nothing was changed',
      '  code  E_CANCELED',
      '',
    ].join('\n'),
  );
});
