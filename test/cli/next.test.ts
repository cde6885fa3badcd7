import {expect, test} from 'vitest';
import {planOf, task} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';

test('next shows the task that execute would start with', async () => {
  const {run, json} = cliProject(
    planOf(task('a', {status: 'done'}), task('c', {deps: ['b']}), task('b', {deps: ['a']}), task('d')),
  );
  expect((await run(['next'])).out).toMatch(/^ID: b\n/);
  expect(await json(['next'])).toMatchObject({task: {id: 'b', readiness: 'READY'}});
});

test('next says when no task is ready', async () => {
  const {run, json} = cliProject(planOf(task('a', {status: 'done'})));
  expect(await run(['next'])).toEqual({
    code: 0,
    out: '',
    err: 'No task is ready. See: blackbird list --all\n',
  });
  expect(await json(['next'])).toEqual({task: null});
});
