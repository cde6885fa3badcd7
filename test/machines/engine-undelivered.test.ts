import {describe, expect, test} from 'vitest';
import {keepSentFeedback} from '../../src/machines/actors/sent-feedback.ts';
import {createEngine} from '../../src/machines/engine.ts';
import type {Draft} from '../../src/services/contracts/draft.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {answersDraft} from '../fakes/memory-draft-store.ts';
import {changedRun, pausedRun, question, waitingRun} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';
import {executeJob, startJob, taskJob} from '../helpers/jobs.ts';
import {now, planOf, task} from '../helpers/plans.ts';

const restart = taskJob('a', {type: 'restart'});
const resume = (feedback: string | null) => taskJob('a', {type: 'resume', answers: [], feedback});

function openRun(run: RunRecord, status: 'in_progress' | 'waiting_user' | 'done' = 'in_progress') {
  const fake = createFakeServices({plan: planOf(task('a', {status})), runs: [run]});
  fake.agents.obeys = {interrupt: true, kill: true};
  fake.agents.play = (each) => {
    each.opensSession();
    each.succeeds();
  };
  return {...fake, engine: createEngine(fake.services), told: () => fake.agents.agent.request.prompt};
}

test('feedback to an ended run is delivered with what earlier resumes could not deliver', async () => {
  const {engine, agents, runs, told} = openRun(changedRun({run_id: 'a-1', task_id: 'a'}), 'done');
  const {play} = agents;
  agents.play = (each) => each.fails({kind: 'resume_rejected', message: 'gone'});
  await startJob(engine, resume('Use cents'));
  await startJob(engine, resume('Add tests'));
  agents.play = play;
  await startJob(engine, resume('Be quick'));
  expect(told()).toContain('# Requested changes\nUse cents\n\nAdd tests\n\nBe quick\n');
  expect(runs.records('a').map(({feedback}) => feedback)).toEqual([
    undefined,
    'Use cents',
    'Use cents\n\nAdd tests',
    'Use cents\n\nAdd tests\n\nBe quick',
  ]);
});

describe('a restart tells the agent what was never delivered', () => {
  test.each<{name: string; run: RunRecord; status?: 'done'}>([
    {name: 'a paused run', run: pausedRun()},
    {name: 'an ended run', run: changedRun({run_id: 'a-1', task_id: 'a'}), status: 'done'},
  ])('feedback of a refused resume of $name', async ({run, status}) => {
    const {engine, agents, runs, told} = openRun(run, status ?? 'in_progress');
    const {play} = agents;
    agents.play = (each) => each.fails({kind: 'resume_rejected', message: 'gone'});
    await startJob(engine, resume('Use cents'));
    agents.play = play;
    expect(await startJob(engine, restart)).toMatchObject({output: {outcome: 'succeeded'}});
    expect(told()).toContain('# Requested changes\nUse cents');
    expect(told().match(/# Rules/g)).toHaveLength(1);
    expect(runs.records('a').at(-1)).toMatchObject({feedback: 'Use cents'});
  });

  test('answers of a refused resume', async () => {
    const answers = [{id: question.id, value: 'blue', prompt: question.prompt, undelivered: true}];
    const {engine, told} = openRun(waitingRun({answers}), 'waiting_user');
    await startJob(engine, restart);
    expect(told()).toContain('# Answers to your questions\n- Which color?\n  blue');
  });

  test('feedback of a job that was paused before it started', async () => {
    const {engine, services, told, drafts} = openRun(pausedRun());
    await keepSentFeedback(services, pausedRun(), 'Use cents');
    await startJob(engine, restart);
    expect(told()).toContain('# Requested changes\nUse cents');
    expect(drafts.list()).toEqual([]);
  });

  test('and nothing that a completed run received', async () => {
    const {engine, told} = openRun(changedRun({run_id: 'a-1', task_id: 'a', feedback: 'Old words'}), 'done');
    await startJob(engine, restart);
    expect(told()).not.toContain('Old words');
  });
});

const daysBefore = (days: number) => new Date(Date.parse(now) - days * 24 * 3600 * 1000).toISOString();

test('drafts that no editor opens are removed after a month, others stay', async () => {
  const plan = planOf(task('a', {status: 'in_progress'}), task('b', {status: 'done'}));
  const done = changedRun({run_id: 'b-1', task_id: 'b'});
  const {services, drafts} = createFakeServices({plan, runs: [pausedRun(), done]});
  const old = (fields: Partial<Draft>) => ({...answersDraft(fields), updatedAt: daysBefore(31)});
  const recent = (fields: Partial<Draft>) => ({...answersDraft(fields), updatedAt: daysBefore(29)});
  const kept = [
    old({kind: 'new-task', taskId: '', runId: ''}),
    old({kind: 'edits', taskId: 'a', runId: ''}),
    // Its run can still be sent back with it.
    old({kind: 'feedback', taskId: 'a', runId: 'a-1'}),
    recent({kind: 'rejection', taskId: 'a', runId: 'a-0'}),
    recent({kind: 'feedback', taskId: 'b', runId: 'b-1'}),
    // It may be in the plan of another branch.
    recent({kind: 'edits', taskId: 'elsewhere', runId: ''}),
    {...answersDraft({kind: 'comments', taskId: 'b', runId: 'b-1'}), updatedAt: 'no time'},
  ];
  const gone = [
    old({kind: 'edits', taskId: 'deleted', runId: ''}),
    old({kind: 'rejection', taskId: 'b', runId: 'b-1'}),
  ];
  for (const draft of [...kept, ...gone]) await drafts.save(draft);
  await startJob(createEngine(services), executeJob());
  expect(drafts.list()).toEqual(kept);
});

test('a resume without feedback delivers feedback that a job never delivered, once', async () => {
  const {engine, services, told, drafts, runs} = openRun(pausedRun());
  await keepSentFeedback(services, pausedRun(), 'Use cents');
  await startJob(engine, resume(null));
  expect(told()).toContain('# Requested changes\nUse cents');
  expect(runs.records('a')).toMatchObject([{feedback: 'Use cents', state: 'succeeded'}]);
  expect(drafts.list()).toEqual([]);
});

test.each([
  {name: 'repeated', words: ['Use cents', 'Be quick', 'Use cents'], told: 'Use cents\n\nBe quick'},
  {name: 'in order', words: ['Use cents', 'Be quick'], told: 'Use cents\n\nBe quick'},
])('a resume with feedback first delivers what a job never delivered: $name', async ({words, told: all}) => {
  const {engine, services, runs, drafts} = openRun(pausedRun());
  for (const each of words) await keepSentFeedback(services, pausedRun(), each);
  await startJob(engine, resume(words.at(-1) ?? null));
  expect(runs.records('a')).toMatchObject([{feedback: all, state: 'succeeded'}]);
  expect(drafts.list()).toEqual([]);
});

test('feedback that is in the record is not repeated', async () => {
  const run = pausedRun({feedback: 'Use cents'});
  const {engine, services, told} = openRun(run);
  await keepSentFeedback(services, run, 'Use cents');
  await startJob(engine, resume(null));
  expect(told().split('Use cents')).toHaveLength(2);
});
