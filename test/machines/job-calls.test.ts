import {describe, expect, test} from 'vitest';
import {createEngine, type EngineFact} from '../../src/machines/engine.ts';
import type {Job} from '../../src/machines/policies/job/job-steps.ts';
import {resumeStep} from '../../src/machines/policies/job/job-steps.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import {pausedRun} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {eventually} from '../helpers/eventually.ts';
import {executeJob, jobOf} from '../helpers/jobs.ts';
import {now, planOf, task, withStatus} from '../helpers/plans.ts';

const hooks = {needsYou: 'call', taskEnded: 'ended', jobEnded: 'stopped'};

function open(options: Parameters<typeof createFakeServices>[0]) {
  const fake = createFakeServices({plan: planOf(task('a')), ...options});
  fake.agents.play = (each) => {
    each.opensSession();
    each.succeeds('made it');
  };
  const engine = createEngine(fake.services);
  const facts: EngineFact[] = [];
  engine.subscribe((fact) => facts.push(fact));
  const calls = () =>
    fake.log.flatMap((entry) => {
      const [, ran, data] = /^hook (\S+) (.*)$/.exec(entry) ?? [];
      return ran === undefined ? [] : [{ran, ...JSON.parse(data ?? '')}];
    });
  const warnings = () => facts.flatMap((fact) => (fact.type === 'engine.warning' ? [fact.message] : []));
  return {...fake, engine, calls, warnings};
}

type Setup = Parameters<typeof createFakeServices>[0] & {play: (agent: FakeAgent) => void};
const uses = (agent: FakeAgent, tokens: number) =>
  agent.says({type: 'usage', usage: {input_tokens: tokens, output_tokens: 0}});

const always = {folder: '/project', time: now};

describe('hooks', () => {
  test('are told of every task and of the end of the job', async () => {
    const {engine, calls} = open({hooks});
    await engine.start(executeJob());
    expect(calls()).toEqual([
      {
        ran: 'ended',
        hook: 'taskEnded',
        ...always,
        task_id: 'a',
        run_id: 'a-1',
        state: 'succeeded',
        provider: 'claude',
        result: 'made it',
        files: 0,
      },
      {
        ran: 'stopped',
        hook: 'jobEnded',
        ...always,
        reason: 'completed',
        standing: 'done',
        message: '1 done · no ready tasks remaining',
        tasks: [{task_id: 'a', state: 'succeeded'}],
      },
    ]);
  });

  test('call the user to a checkpoint once, although the job ends there', async () => {
    const {engine, calls} = open({hooks: {needsYou: 'call'}, settings: {stopAfterEachTask: true}});
    const job = engine.start(executeJob({isAttended: true}));
    await settle();
    expect(calls()).toEqual([
      {
        ran: 'call',
        hook: 'needsYou',
        ...always,
        reason: 'decision_required',
        message: 'a waits for your decision',
        task_id: 'a',
        run_id: 'a-1',
        command: 'blackbird review a',
      },
    ]);
    engine.postpone('a-1');
    await job;
    expect(calls().length).toBe(1);
  });

  test('are not told of the end of a task that waits for its time', async () => {
    const {engine, calls, agents} = open({hooks: {taskEnded: 'ended', needsYou: 'call'}});
    agents.play = (each) => {
      each.opensSession();
      each.fails({kind: 'rate_limit', message: 'limit'});
    };
    await engine.start(executeJob());
    expect(calls().map(({hook}) => hook)).toEqual(['needsYou']);
  });

  test('call the user when an agent asks, which does not end its task', async () => {
    const {engine, calls, agents} = open({hooks: {needsYou: 'call', taskEnded: 'ended'}});
    agents.play = (each) => {
      each.opensSession();
      each.succeeds(JSON.stringify({blackbird: {questions: [{id: 'q', prompt: 'Which?'}]}}));
    };
    await engine.start(executeJob());
    expect(calls()).toEqual([
      {
        ran: 'call',
        hook: 'needsYou',
        ...always,
        reason: 'waiting_user',
        task_id: 'a',
        message: 'a waits for your answer',
        lines: ['a waits for your answer', '  q: Which?', 'Answer with: blackbird resume a'],
      },
    ]);
  });

  const rateLimit = {kind: 'rate_limit', message: 'limit', reset_at: '2026-01-02T13:00:00.000Z'} as const;
  const resumed = jobOf([resumeStep('a')]);
  test.each<{name: string; job?: Job; setup: Partial<Setup>; told: object | null}>([
    {
      name: 'the budget of a task is used up',
      setup: {settings: {maxTaskTokens: 10}, play: (each) => uses(each, 10)},
      told: {
        reason: 'completed',
        lines: expect.arrayContaining(['a is paused: its budget is used up.']),
      },
    },
    {
      name: 'the budget of the job is used up',
      setup: {
        plan: planOf(task('a'), task('b')),
        settings: {maxTokens: 10},
        play: (each) => uses(each, 10),
      },
      told: {reason: 'budget', message: 'The budget of this job is used up: 10 tokens of 10 tokens.'},
    },
    {
      name: 'a single task cannot continue',
      job: resumed,
      setup: {
        runs: [pausedRun()],
        plan: withStatus(planOf(task('a')), 'a', 'in_progress'),
        play: (each) => each.fails({kind: 'auth', message: 'expired'}),
      },
      told: {
        reason: 'error',
        code: 'E_PROVIDER_REFUSED',
        message: 'a cannot continue now: a login is needed',
        lines: expect.arrayContaining([expect.stringContaining('blackbird resume a')]),
      },
    },
    {
      name: 'a limit is not waited for',
      setup: {settings: {onLimit: 'stop'}, play: (each) => each.fails(rateLimit)},
      told: {reason: 'paused', task_id: 'a', retry_at: expect.any(String)},
    },
    {
      name: 'a task failed',
      setup: {play: (each) => each.fails()},
      told: {reason: 'completed', lines: expect.arrayContaining(['failed: a'])},
    },
    {name: 'everything is done', setup: {}, told: null},
    {
      name: 'a resume is refused before it starts',
      job: resumed,
      setup: {},
      told: null,
    },
  ])('call the user when $name: $told', async ({job = executeJob(), setup: {play, ...setup}, told}) => {
    const {engine, calls, agents} = open({hooks: {needsYou: 'call'}, ...setup});
    if (play) {
      agents.obeys.interrupt = true;
      agents.play = (each) => {
        each.opensSession();
        play(each);
      };
    }
    await engine.start(job);
    expect(calls()).toMatchObject(told ? [{hook: 'needsYou', ...told}] : []);
  });

  test('that fail print a warning, and change nothing', async () => {
    const {engine, warnings, plans} = open({hooks: {taskEnded: 'fail', jobEnded: 'fail'}});
    expect(await engine.start(executeJob())).toMatchObject({reason: 'completed'});
    expect(plans.statuses()).toEqual({a: 'done'});
    expect(warnings()).toEqual(['hooks.taskEnded failed: exit code 1', 'hooks.jobEnded failed: exit code 1']);
  });

  test('are run one after another', async () => {
    const {engine, services, log} = open({hooks, plan: planOf(task('a'), task('b'))});
    const waiting: Array<() => void> = [];
    Object.assign(services.hooks, {
      run: (command: string) => {
        log.push(`began ${command}`);
        return new Promise<null>((resolve) => waiting.push(() => resolve(null)));
      },
    });
    const job = engine.start(executeJob());
    const began = () => log.filter((entry) => entry.startsWith('began'));
    for (const expected of [['ended'], ['ended', 'ended'], ['ended', 'ended', 'stopped']]) {
      await eventually(() => expect(began()).toEqual(expected.map((command) => `began ${command}`)));
      waiting.shift()?.();
    }
    await job;
  });

  test('are those the job started with', async () => {
    const project = open({hooks: {jobEnded: 'stopped'}});
    project.agents.play = () => {};
    const job = project.engine.start(executeJob());
    await settle();
    Object.assign(project.services, {settings: async () => []});
    project.agents.agents[0]?.succeeds();
    await job;
    expect(project.calls().map(({ran}) => ran)).toEqual(['stopped']);
  });

  test('are not told of a job that is refused because another runs: nothing has ended', async () => {
    const {engine, calls, lock} = open({hooks});
    lock.holder = '7';
    expect(await engine.start(executeJob())).toMatchObject({reason: 'error'});
    expect(calls()).toEqual([]);
  });

  test('are told of a job that broke before its first task', async () => {
    const {engine, calls, services} = open({hooks: {jobEnded: 'stopped'}});
    const create = async () => Promise.reject(new Error('no space left on device'));
    Object.assign(services.jobs, {create});
    await engine.start(executeJob());
    expect(calls()).toEqual([
      {
        ran: 'stopped',
        hook: 'jobEnded',
        ...always,
        reason: 'error',
        message: 'no space left on device',
        tasks: [],
      },
    ]);
  });

  test('end when the user does not wait for them', async () => {
    const {engine, log, services} = open({hooks: {jobEnded: 'stopped'}});
    let end = () => {};
    const run = new Promise<null>((resolve) => {
      end = () => resolve(null);
    });
    const stop = () => {
      log.push('stop hooks');
      end();
    };
    Object.assign(services.hooks, {run: () => run, stop});
    const job = engine.start(executeJob());
    await settle();
    await settle();
    expect(engine.isBusy()).toBe(false);
    engine.pause('user_interrupt');
    await job;
    expect(log.at(-1)).toBe('stop hooks');
  });
});

describe('the machine', () => {
  test.each([
    {keepAwake: true, isAwake: true},
    {keepAwake: false, isAwake: false},
  ])('is kept awake while a job runs: $keepAwake', async ({keepAwake, isAwake}) => {
    const {engine, time, agents} = open({settings: {keepAwake}});
    agents.play = () => {};
    const job = engine.start(executeJob());
    await settle();
    expect(time.isAwake).toBe(isAwake);
    agents.agents[0]?.succeeds();
    await job;
    expect(time.isAwake).toBe(false);
  });
});
