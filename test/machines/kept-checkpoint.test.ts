import {expect, test} from 'vitest';
import {createEngine} from '../../src/machines/engine.ts';
import {pausedRun, restingRun, sessionRef} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';
import {executeJob, taskJob} from '../helpers/jobs.ts';
import {now, planOf, task} from '../helpers/plans.ts';

const pending = {
  state: 'succeeded',
  provider_session_ref: sessionRef,
  resumable: true,
  decision_required: true,
  decision_state: 'pending',
} as const;

test.each([
  {name: 'at its checkpoint', run: restingRun(pending), options: {}, asked: true},
  {name: 'that was paused', run: pausedRun({decision_required: true}), options: {}, asked: true},
  {name: 'without one', run: pausedRun(), options: {}, asked: false},
  {
    name: 'at one that the task made necessary',
    run: restingRun({...pending, decision_forced: true}),
    options: {},
    asked: false,
  },
  {name: 'with --no-review', run: restingRun(pending), options: {isReviewed: false}, asked: false},
])('a restart has the checkpoint of the run it replaces: $name', async ({run, options, asked}) => {
  const plan = planOf(task('a', {status: 'in_progress'}), task('b', {deps: ['a']}));
  const {agents, plans, runs, services} = createFakeServices({plan, runs: [run]});
  agents.obeys = {interrupt: true, kill: true};
  agents.play = (agent) => {
    agent.opensSession();
    agent.succeeds();
  };
  const engine = createEngine(services);
  const result = await engine.start(taskJob('a', {type: 'restart'}, {isAttended: false, ...options}));
  expect(result).toMatchObject({reason: asked ? 'decision_required' : 'completed'});
  expect(runs.records('a').at(-1)?.decision_state).toBe(asked ? 'pending' : undefined);
  expect(plans.statuses()).toEqual({a: asked ? 'in_progress' : 'done', b: 'todo'});
});

test.each([
  {options: {}, asked: true},
  {options: {isReviewed: false}, asked: false},
])(
  'the plan continues with a run held at a limit, and keeps its checkpoint: %j',
  async ({options, asked}) => {
    const held = pausedRun({
      pause_reason: 'usage_limit',
      retry_at: now,
      decision_required: true,
      failure: {kind: 'rate_limit', message: 'no', reset_at: now},
    });
    const plan = planOf(task('a', {status: 'in_progress'}), task('b', {deps: ['a']}));
    const {agents, plans, runs, services} = createFakeServices({plan, runs: [held]});
    agents.play = (agent) => agent.succeeds();
    const result = await createEngine(services).start(executeJob({isAttended: false, ...options}));
    expect(runs.records('a')[0]?.segments).toHaveLength(2);
    expect(result).toMatchObject({reason: asked ? 'decision_required' : 'completed'});
    expect(plans.statuses()).toEqual({a: asked ? 'in_progress' : 'done', b: asked ? 'todo' : 'done'});
  },
);
