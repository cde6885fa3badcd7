import {describe, expect, test} from 'vitest';
import {createEngine, type EngineFact} from '../../src/machines/engine.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {executeJob} from '../helpers/jobs.ts';
import {now, planOf, task} from '../helpers/plans.ts';

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

const always = {folder: '/project', time: now};

describe('the commands of the user', () => {
  test('hear of every task and of the end of the job', async () => {
    const {engine, calls} = open({hooks});
    await engine.start(executeJob());
    expect(calls()).toEqual([
      {
        ...{ran: 'ended', hook: 'taskEnded', ...always},
        ...{task_id: 'a', run_id: 'a-1', state: 'succeeded', provider: 'claude', result: 'made it', files: 0},
      },
      {
        ...{ran: 'stopped', hook: 'jobEnded', ...always},
        ...{reason: 'completed', standing: 'done', message: '1 done · no ready tasks remaining'},
        tasks: [{task_id: 'a', state: 'succeeded'}],
      },
    ]);
  });

  test('call a person to a checkpoint once, although the job ends there', async () => {
    const {engine, calls} = open({hooks: {needsYou: 'call'}, settings: {stopAfterEachTask: true}});
    const job = engine.start(executeJob({isAttended: true}));
    await settle();
    expect(calls()).toEqual([
      {
        ...{ran: 'call', hook: 'needsYou', ...always, reason: 'decision_required'},
        ...{message: 'a waits for your decision', task_id: 'a', run_id: 'a-1', command: 'blackbird review a'},
      },
    ]);
    engine.postpone('a-1');
    await job;
    expect(calls().length).toBe(1);
  });

  test('call a person where an agent asks', async () => {
    const {engine, calls, agents} = open({hooks: {needsYou: 'call'}});
    agents.play = (each) => {
      each.opensSession();
      each.succeeds(JSON.stringify({blackbird: {questions: [{id: 'q', prompt: 'Which?'}]}}));
    };
    await engine.start(executeJob());
    expect(calls()).toEqual([
      {
        ...{ran: 'call', hook: 'needsYou', ...always, reason: 'waiting_user', task_id: 'a'},
        message: 'a is waiting for user input',
        lines: ['a is waiting for user input', '  q: Which?', 'Answer with: blackbird resume a'],
      },
    ]);
  });

  test('that fail are warned of, and change nothing', async () => {
    const {engine, warnings, plans} = open({hooks: {taskEnded: 'fail', jobEnded: 'fail'}});
    expect(await engine.start(executeJob())).toMatchObject({reason: 'completed'});
    expect(plans.statuses()).toEqual({a: 'done'});
    expect(warnings()).toEqual(['hooks.taskEnded failed: exit code 1', 'hooks.jobEnded failed: exit code 1']);
  });

  test('are those the job began with', async () => {
    const project = open({hooks: {jobEnded: 'stopped'}});
    project.agents.play = () => {};
    const job = project.engine.start(executeJob());
    await settle();
    Object.assign(project.services, {settings: async () => []});
    project.agents.agents[0]?.succeeds();
    await job;
    expect(project.calls().map(({ran}) => ran)).toEqual(['stopped']);
  });

  test('hear of a job that could not begin', async () => {
    const {engine, calls, lock} = open({hooks: {jobEnded: 'stopped'}});
    lock.holder = '7';
    await engine.start(executeJob());
    expect(calls()).toEqual([
      {
        ...{ran: 'stopped', hook: 'jobEnded', ...always},
        ...{reason: 'error', message: 'process 7 works here', tasks: []},
      },
    ]);
  });

  test('end when a person does not wait for them', async () => {
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
