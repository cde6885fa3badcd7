import {expect, test} from 'vitest';
import {providerIds} from '../../src/services/contracts/provider-table.ts';
import {demo, engineProject} from '../helpers/engine-project.ts';
import {planOf, task} from '../helpers/plans.ts';

test('agent, model and effort of a task reach its agent, with every resume', async () => {
  const project = engineProject(planOf(task('a', {prompt: demo('ask q Which one?', 'write done.txt x')})), {
    agent: 'claude',
  });
  const {run, latest} = project;
  expect((await run(['edit', 'a', '--agent', 'demo', '--model', 'small', '--effort', 'high'])).code).toBe(0);
  expect((await run(['show', 'a'])).out).toContain('Agent: demo\nModel: small\nEffort: high\n');
  expect((await run(['execute'])).code).toBe(4);
  expect((await run(['resume', 'a', '--answer', 'q=this', '--model', 'large'])).code).toBe(0);
  const {provider, model, effort, segments = []} = latest('a') ?? {};
  expect({provider, model, effort}).toEqual({provider: 'demo', model: 'large', effort: 'high'});
  expect(segments.map(({argv}) => argv.slice(argv.indexOf('--model')))).toEqual([
    ['--model', 'small', '--effort', 'high'],
    ['--model', 'large', '--effort', 'high'],
  ]);
  expect((await run(['edit', 'a', '--clear-model'])).code).toBe(0);
  expect((await run(['show', 'a', '--json'])).out).not.toContain('"model"');
});

test('an invalid agent or model is refused when it is typed', async () => {
  const {run} = engineProject(planOf(task('a')));
  expect(await run(['edit', 'a', '--agent', 'nobody'])).toMatchObject({
    code: 2,
    err: expect.stringContaining(providerIds.join(', ')),
  });
  expect(await run(['execute', '--model', '--yes'])).toMatchObject({code: 2});
  expect(await run(['add', '--id', 'b', '--title', 'B', '--model', 'two words'])).toMatchObject({code: 2});
});
