import {describe, expect, test} from 'vitest';
import {createEngine} from '../../src/machines/engine.ts';
import {editTask} from '../../src/machines/policies/plan/plan-edits.ts';
import {setStatus} from '../../src/machines/policies/plan/plan-status.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import {question} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {executeJob, startJob, taskJob} from '../helpers/jobs.ts';
import {now, planOf, task} from '../helpers/plans.ts';

const resume = (answers = [] as Array<{id: string; value: string}>, feedback: string | null = null) =>
  taskJob('a', {type: 'resume', answers, feedback});
const answer = [{id: question.id, value: 'blue'}];
const asked = JSON.stringify({blackbird: {questions: [question]}});

/** A task whose first run is paused, waits for an answer, or is done. */
async function firstRun(end: 'paused' | 'waiting' | 'done') {
  const fake = createFakeServices({plan: planOf(task('a', {title: 'Refunds', prompt: 'Add refunds.'}))});
  const {agents, plans} = fake;
  agents.obeys = {interrupt: true, kill: true};
  agents.play = (agent) => {
    agent.opensSession();
    agent.says({type: 'message', text: 'I begin.'});
    if (end === 'waiting') agent.succeeds(`\`\`\`json\n${asked}\n\`\`\``);
    if (end === 'done') agent.succeeds();
  };
  const engine = createEngine(fake.services);
  const finished = startJob(engine, executeJob());
  await settle();
  if (end === 'paused') engine.pause('user_interrupt');
  await finished;
  agents.play = (agent) => {
    agent.opensSession();
    agent.succeeds();
  };
  const update = (change: (plan: Plan) => Plan) => plans.update(change);
  return {
    ...fake,
    engine,
    edit: (fields: Parameters<typeof editTask>[2]) => update((plan) => editTask(plan, 'a', fields, now)),
    makeReady: () => update((plan) => setStatus(plan, 'a', 'todo', now)),
    prompt: () => agents.agent.request.prompt,
    record: () => fake.runs.records('a').at(-1),
  };
}

const changed = '# The task was changed';

describe('a task that was edited while it rested', () => {
  test.each([
    {end: 'paused', job: resume(), rest: '\n\nYou were interrupted.'},
    {end: 'waiting', job: resume(answer), rest: '\n\n# Answers to your questions'},
    {end: 'waiting', job: resume([], 'Hurry.'), rest: '\n\n# Requested changes\nHurry.'},
    {end: 'done', job: resume([], 'Hurry.'), rest: '\n\n# Requested changes\nHurry.'},
  ] as const)('$end: the agent is told what changed, before the rest', async ({end, job, rest}) => {
    const {engine, edit, prompt} = await firstRun(end);
    await edit({prompt: 'Add returns.', acceptanceCriteria: ['fast']});
    await startJob(engine, job);
    const text = [
      changed,
      'The following replaces the earlier text. Everything else is unchanged.\n',
      '## What to do\nAdd returns.\n',
      '## Acceptance criteria\n- fast',
    ].join('\n');
    expect(prompt().startsWith(`${text}${rest}`)).toBe(true);
  });

  test('and was not edited: the agent is told nothing', async () => {
    const {engine, edit, prompt} = await firstRun('paused');
    await edit({notes: 'for myself'});
    await startJob(engine, resume());
    expect(prompt()).not.toContain(changed);
  });

  test('is told once', async () => {
    const {engine, agents, edit, prompt} = await firstRun('paused');
    await edit({title: 'Returns'});
    agents.play = (agent) => {
      agent.opensSession();
      agent.says({type: 'message', text: 'I see.'});
    };
    const finished = startJob(engine, resume());
    await settle();
    expect(prompt()).toContain('## Title\nReturns');
    engine.pause('user_interrupt');
    await finished;
    agents.play = (agent) => agent.succeeds();
    await startJob(engine, resume());
    expect(prompt()).not.toContain(changed);
    await startJob(engine, resume([], 'Hurry.'));
    expect(prompt()).not.toContain(changed);
  });

  test.each([
    {name: 'the resume fails', fail: true},
    {name: 'it is paused before the model answered', fail: false},
  ])('is told again when $name', async ({fail}) => {
    const {engine, agents, edit, prompt, record} = await firstRun('paused');
    const told = record()?.context?.told;
    await edit({title: 'Returns'});
    agents.play = (agent) => {
      if (fail) agent.fails({kind: 'rate_limit', message: 'later'});
      else agent.opensSession();
    };
    const finished = startJob(engine, resume());
    await settle();
    engine.pause('user_interrupt');
    await finished;
    expect(record()).toMatchObject({state: 'paused', context: {told}});
    expect(record()?.context).not.toHaveProperty('telling');
    agents.play = (agent) => agent.succeeds();
    await startJob(engine, resume());
    expect(prompt()).toContain('## Title\nReturns');
    expect(record()?.context?.told).toEqual({...told, title: 'digest of Returns'});
  });
});

describe('a task that was made ready although its run could continue', () => {
  test.each(['paused', 'waiting'] as const)(
    '%s: the next run replaces it, as a restart does',
    async (end) => {
      const {engine, makeReady, runs} = await firstRun(end);
      await makeReady();
      await startJob(engine, executeJob());
      expect(runs.records('a')).toMatchObject([
        {run_id: 'a-1', state: end, superseded_by_run_id: 'a-2'},
        {run_id: 'a-2', state: 'succeeded', restart_of_run_id: 'a-1'},
      ]);
    },
  );

  test('done: the next run is independent', async () => {
    const {engine, makeReady, runs} = await firstRun('done');
    await makeReady();
    await startJob(engine, executeJob());
    expect(runs.records('a')).toMatchObject([{run_id: 'a-1'}, {run_id: 'a-2', state: 'succeeded'}]);
    expect(runs.records('a')[0]).not.toHaveProperty('superseded_by_run_id');
    expect(runs.records('a')[1]).not.toHaveProperty('restart_of_run_id');
  });

  test('paused: stopping the new run before it starts leaves the old one resumable', async () => {
    const {engine, agents, makeReady, runs, plans} = await firstRun('paused');
    await makeReady();
    const release = agents.holdLaunch();
    const finished = startJob(engine, executeJob());
    await settle();
    engine.pause('user_interrupt');
    release();
    await finished;
    expect(runs.records('a')).toMatchObject([
      {run_id: 'a-1', state: 'paused'},
      {run_id: 'a-2', state: 'canceled'},
    ]);
    expect(runs.records('a')[0]).not.toHaveProperty('superseded_by_run_id');
    expect(plans.statuses()).toEqual({a: 'todo'});
  });
});
