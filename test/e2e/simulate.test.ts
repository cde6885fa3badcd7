import {expect, test} from 'vitest';
import {demo, engineProject} from '../helpers/engine-project.ts';
import {family, planOf, task} from '../helpers/plans.ts';

const works = demo('answer done');

test('the simulated order is the order of execution', async () => {
  const project = engineProject(
    planOf(
      task('late', {prompt: works, deps: ['group']}),
      family(
        task('group'),
        task('b', {prompt: works, deps: ['c']}),
        task('c', {prompt: works}),
        family(task('inner'), task('d', {prompt: works, deps: ['e']})),
      ),
      task('e', {prompt: works}),
    ),
  );
  const simulated = await project.run(['simulate', '--runs', '3', '--json']);
  expect({code: simulated.code, err: simulated.err}).toEqual({code: 0, err: ''});
  const {order, checked} = JSON.parse(simulated.out);
  expect(checked).toBe(3);

  const {code, out} = await project.run(['execute', '--json']);
  expect(code).toBe(0);
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const begun = events.flatMap(({event, task_id, parent_task_id}) =>
    event === 'task.started' ? [task_id] : event === 'review.started' ? [`review of ${parent_task_id}`] : [],
  );
  expect(order).toEqual(begun);
});
