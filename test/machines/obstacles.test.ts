import {describe, expect, test} from 'vitest';
import {createEngine} from '../../src/machines/engine.ts';
import {jobSummary} from '../../src/machines/policies/job/job-summary.ts';
import type {Task} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {pausedRun, runRecord} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';
import type {JobFields} from '../helpers/jobs.ts';
import {executeJob} from '../helpers/jobs.ts';
import {family, now, planOf, task} from '../helpers/plans.ts';

// `execute` reports the state of the plan, not only what this call did.

const later = new Date(Date.parse(now) + 3_600_000).toISOString();
const of = (taskId: string, run: RunRecord): RunRecord => ({...run, task_id: taskId, run_id: `${taskId}-1`});
const failed = (id: string) =>
  of(id, runRecord({state: 'failed', failure: {kind: 'agent_error', message: 'broken'}}));
const paused = (id: string) => of(id, pausedRun());
const held = (id: string) =>
  of(
    id,
    pausedRun({
      pause_reason: 'usage_limit',
      failure: {kind: 'rate_limit', message: 'limit'},
      retry_at: later,
    }),
  );
const asking = (id: string) =>
  of(id, runRecord({state: 'waiting', resumable: true, questions: [{id: 'q', prompt: 'Which?'}]}));

type Row = {
  readonly name: string;
  readonly tasks: readonly Task[];
  readonly runs?: readonly RunRecord[];
  readonly fields?: Parameters<typeof executeJob>[0] & JobFields;
  readonly standing: string;
  readonly inTheWay: readonly string[];
};

const done = task('z', {status: 'done'});
const rows: readonly Row[] = [
  {
    name: 'everything is done or skipped',
    tasks: [done, task('s', {status: 'skipped'})],
    standing: 'done',
    inTheWay: [],
  },
  {name: 'a ready task is done now', tasks: [task('a')], standing: 'done', inTheWay: []},
  {
    name: 'something failed before',
    tasks: [task('a', {status: 'failed'}), task('b')],
    runs: [failed('a')],
    standing: 'failed',
    inTheWay: ['a retry'],
  },
  {
    name: 'something is paused, and what depends on it waits',
    tasks: [task('a', {status: 'in_progress'}), task('b', {deps: ['a']})],
    runs: [paused('a')],
    standing: 'personNeeded',
    inTheWay: ['a person'],
  },
  {
    name: 'an answer is pending',
    tasks: [task('a', {status: 'waiting_user'})],
    runs: [asking('a')],
    standing: 'personNeeded',
    inTheWay: ['a person'],
  },
  {
    name: 'only time is needed',
    tasks: [task('a', {status: 'in_progress'})],
    runs: [held('a')],
    standing: 'timeNeeded',
    inTheWay: ['a time'],
  },
  {
    name: 'the user comes before time, a failure before both',
    tasks: [
      task('a', {status: 'in_progress'}),
      task('b', {status: 'blocked'}),
      task('c', {status: 'failed'}),
      done,
    ],
    runs: [held('a'), failed('c')],
    standing: 'failed',
    inTheWay: ['a time', 'b person', 'c retry'],
  },
  {
    name: 'what it depends on will never be done',
    tasks: [task('a', {status: 'skipped'}), task('b', {deps: ['a']})],
    standing: 'personNeeded',
    inTheWay: ['b person'],
  },
  {
    name: 'tasks wait for each other: one for the parent of the other',
    tasks: [
      ...family(task('p'), task('r', {deps: ['q']})),
      task('q', {deps: ['p']}),
      task('x', {deps: ['q']}),
    ],
    standing: 'personNeeded',
    inTheWay: ['r person', 'q person'],
  },
  {
    name: 'a task below what it depends on is skipped',
    tasks: [...family(task('p'), task('s', {status: 'skipped'})), task('a', {deps: ['p']})],
    standing: 'personNeeded',
    inTheWay: ['a person'],
  },
  {
    name: 'the named tasks are done, whatever became of others',
    tasks: [task('a', {status: 'failed'}), task('b')],
    runs: [failed('a')],
    fields: {taskIds: ['b']},
    standing: 'done',
    inTheWay: [],
  },
  {
    name: 'a named task depends on one that was not named',
    tasks: [task('a', {status: 'in_progress'}), task('b', {deps: ['a']}), task('c')],
    runs: [paused('a')],
    fields: {taskIds: ['b', 'c']},
    standing: 'personNeeded',
    inTheWay: ['b person'],
  },
  {
    name: 'as many tasks as requested are done',
    tasks: [task('a'), task('b')],
    fields: {maxTasks: 1},
    standing: 'done',
    inTheWay: [],
  },
];

async function executed(tasks: readonly Task[], runs: readonly RunRecord[] = [], fields = {}) {
  const fake = createFakeServices({plan: planOf(...tasks), runs});
  fake.agents.play = (agent) => agent.succeeds();
  const result = await createEngine(fake.services).start(executeJob(fields));
  return jobSummary(result, await fake.plans.read());
}

test.each(rows)('$name: $standing', async ({tasks, runs, fields, standing, inTheWay}) => {
  const summary = await executed(tasks, runs, fields);
  expect({
    standing: summary.standing,
    inTheWay: (summary.obstacles ?? []).map(({taskId, needs}) => `${taskId} ${needs}`),
  }).toEqual({standing, inTheWay});
});

describe('the end of a job', () => {
  test('names each obstacle with the command that helps', async () => {
    const {lines, retryAt} = await executed(
      [task('a', {status: 'in_progress'}), task('b', {status: 'failed'}), task('c')],
      [paused('a'), failed('b')],
    );
    expect(lines).toEqual([
      '1 done · no ready tasks remaining',
      'still in the way:',
      expect.stringMatching(/^ {2}a {2}paused +blackbird resume a$/),
      '  b  failed: broken  blackbird retry b',
    ]);
    expect(retryAt).toBeUndefined();
  });

  test('names tasks that wait for each other with the command that explains it', async () => {
    const {lines} = await executed([
      ...family(task('p'), task('r', {deps: ['q']})),
      task('q', {deps: ['p']}),
    ]);
    expect(lines).toEqual([
      'no ready tasks remaining',
      'still in the way:',
      '  r  waits for q  blackbird why r',
      '  q  waits for p  blackbird why q',
    ]);
  });

  test('names ten of them and counts the rest', async () => {
    const tasks = Array.from({length: 13}, (_, place) => task(`t${place}`, {status: 'blocked'}));
    const {lines} = await executed(tasks);
    expect(lines).toHaveLength(2 + 10 + 1);
    expect(lines.at(-1)).toBe('  and 3 more: blackbird list');
  });

  test('a parent whose review has no verdict is an obstacle, unless the user stopped the job', async () => {
    const tasks = family(task('p'), task('a'));
    const inTheWay = async (fields: JobFields) =>
      (await executed(tasks, [], fields)).obstacles?.map(({taskId}) => taskId);
    expect(await inTheWay({})).toEqual(['p']);
    expect(await inTheWay({maxTasks: 1})).toBeUndefined();
  });
});
