import {expect, test} from 'vitest';
import {createEngine} from '../../src/machines/engine.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import {pausedRun} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';
import {executeJob, startJob, taskJob} from '../helpers/jobs.ts';
import {planOf, task} from '../helpers/plans.ts';

const told = ({
  provider,
  model,
  effort,
}: {
  provider: string;
  model?: string | undefined;
  effort?: string | undefined;
}) => [provider, model, effort];

test('each task uses its own agent and model, and its record says so', async () => {
  const plan = planOf(task('a'), task('b', {agent: 'codex', model: 'gpt', effort: 'high'}));
  const fake = createFakeServices({plan});
  fake.agents.play = (agent) => agent.succeeds();
  await startJob(createEngine(fake.services), executeJob({model: 'opus'}));
  expect(['a', 'b'].map((id) => told(fake.runs.records(id)[0] ?? {provider: ''}))).toEqual([
    ['claude', 'opus', undefined],
    ['codex', 'opus', 'high'],
  ]);
});

test('a resume keeps the model of its run, unless another one is given', async () => {
  const resume = {type: 'resume', answers: [], feedback: null} as const;
  for (const [options, expected] of [
    [{}, ['claude', 'opus', 'low']],
    [{model: 'haiku'}, ['claude', 'haiku', 'low']],
  ] as const) {
    const plan = planOf(task('a', {status: 'in_progress', agent: 'codex', model: 'gpt'}));
    const fake = createFakeServices({plan, runs: [pausedRun({model: 'opus', effort: 'low'})]});
    fake.agents.play = (agent) => agent.succeeds();
    await startJob(createEngine(fake.services), taskJob('a', resume, options));
    expect(told(fake.runs.records('a')[0] ?? {provider: ''})).toEqual(expected);
  }
});

test.each([
  ['E_AGENT_NOT_FOUND', 'the agent Codex cannot be used'],
  ['E_PROVIDER_REFUSED', 'Codex refuses to edit files for root; nothing was started'],
] as const)(
  'an agent of a later task that fails with %s stops the job before anything starts',
  async (code, message) => {
    const fake = createFakeServices({plan: planOf(task('a'), task('b', {agent: 'codex'}))});
    const {check} = fake.agents;
    fake.agents.check = async (id) => {
      if (id === 'codex') throw new AppError(code, message);
      return check(id, 'edit');
    };
    const outcome = await startJob(createEngine(fake.services), executeJob());
    expect(outcome).toMatchObject({
      output: {
        reason: 'error',
        attempted: [],
        error: {
          code,
          message: `task b names its own agent: ${message}`,
          next: [{command: 'blackbird edit b --clear-agent', why: 'use the agent of the job'}],
        },
      },
    });
    expect(fake.plans.statuses()).toEqual({a: 'todo', b: 'todo'});
  },
);
