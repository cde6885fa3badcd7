import {describe, expect, test} from 'vitest';
import {createActor, SimulatedClock, toPromise} from 'xstate';
import {budgetMachine} from '../../src/machines/budget.machine.ts';
import {createEngine} from '../../src/machines/engine.ts';
import {type ExecutorInput, executorMachine} from '../../src/machines/executor.machine.ts';
import {resumeStep} from '../../src/machines/policies/job/job-steps.ts';
import {jobSummary} from '../../src/machines/policies/job/job-summary.ts';
import type {Budgets} from '../../src/machines/policies/run/budget.ts';
import type {Usage} from '../../src/services/contracts/agent.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import {defaultRules, defineEffects} from '../fakes/machines.ts';
import {endedSegment, pausedRun, runRecord} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {executeJob, jobOf} from '../helpers/jobs.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {now, planOf, task, withStatus} from '../helpers/plans.ts';

const none = {cost_usd: null, tokens: null, milliseconds: null};
const unlimited: Budgets = {job: none, task: none, turns: null};

/** An agent in its session that reports its usage, and works until it is interrupted. */
const uses =
  (usage: Usage) =>
  (agent: FakeAgent): void => {
    agent.opensSession();
    agent.says({type: 'usage', usage});
  };
/** One that succeeds, and reports its usage with its result. */
const usedAndDone = (usage: Usage) => (agent: FakeAgent) => {
  agent.opensSession();
  agent.says({type: 'usage', usage});
  agent.reports({ok: true});
  agent.exits({usage});
};

type Play = (agent: FakeAgent) => void;

function openProject({
  plays = [],
  settings = {},
  plan = planOf(task('a'), task('b')),
  runs = [],
}: {
  plays?: readonly Play[];
  settings?: Readonly<Record<string, unknown>>;
  plan?: ReturnType<typeof planOf>;
  runs?: readonly RunRecord[];
} = {}) {
  const fake = createFakeServices({plan, runs, settings: {parentReviewEnabled: false, ...settings}});
  const left = [...plays];
  fake.agents.obeys.interrupt = true;
  fake.agents.play = (agent) => (left.shift() ?? ((each: FakeAgent) => each.succeeds()))(agent);
  const engine = createEngine(fake.services);
  return {
    ...fake,
    engine,
    started: () => fake.agents.agents.map(({runId, request}) => `${runId} ${request.kind}`),
    linesOf: async (...[job]: Parameters<typeof engine.start>) => {
      const summary = jobSummary(await engine.start(job), await fake.plans.read());
      return {standing: summary.standing, lines: summary.lines};
    },
  };
}

const used = (input_tokens: number, cost_usd?: number): Usage => ({
  input_tokens,
  output_tokens: 0,
  ...(cost_usd === undefined ? {} : {cost_usd}),
});

describe('the budget of a task', () => {
  test('pauses its run when it is used up; the plan continues with others', async () => {
    const project = openProject({
      plays: [uses(used(900)), uses(used(1000))],
      settings: {maxTaskTokens: 1000},
    });
    project.agents.play = (agent) => {
      if (agent.taskId === 'a') uses(used(1200))(agent);
      else agent.succeeds();
    };
    const {standing, lines} = await project.linesOf(executeJob());
    expect(project.runs.records('a')).toMatchObject([
      {
        state: 'paused',
        pause_reason: 'budget',
        resumable: true,
        failure: {
          kind: 'own_limit',
          message: 'the budget of the task is used up: 1.2k tokens of 1k tokens',
          setting: 'execution.maxTaskTokens',
        },
      },
    ]);
    expect(project.plans.statuses()).toEqual({a: 'in_progress', b: 'done'});
    expect(standing).toBe('personNeeded');
    expect(lines).toContain('a is paused: its budget is used up.');
    expect(lines.find((line) => line.includes('resume'))).toContain(
      'blackbird resume a --max-task-tokens <n>',
    );
    expect(project.violations).toEqual([]);
  });

  test('is not used up by one token less', async () => {
    const project = openProject({plays: [usedAndDone(used(999))], settings: {maxTaskTokens: 1000}});
    await project.engine.start(executeJob({taskIds: ['a']}));
    expect(project.plans.statuses()).toEqual({a: 'done', b: 'todo'});
  });

  test('counts what the run used before it was resumed, and allows more when a call says so', async () => {
    const spent = {...endedSegment(), usage: used(600)};
    const run = pausedRun({segments: [spent], spent_before: {tokens: 400, cost_usd: 0, milliseconds: 0}});
    const plan = withStatus(planOf(task('a'), task('b')), 'a', 'in_progress');
    const project = openProject({plan, runs: [run], settings: {maxTaskTokens: 1000}});
    await expect(project.linesOf(jobOf([resumeStep('a')]))).rejects.toMatchObject({
      code: 'E_BUDGET',
      message: 'a was not started: the budget of the task is used up: 1k tokens of 1k tokens',
    });
    expect(project.started()).toEqual([]);
    expect(project.runs.records('a')).toEqual([run]);

    const more = {budget: {'execution.maxTaskTokens': 2000}} as const;
    expect(await project.linesOf(jobOf([resumeStep('a')], more))).toMatchObject({standing: 'done'});
    expect(project.started()).toEqual(['a-1 resume']);
  });

  test.each(['resume', 'restart'] as const)(
    'of a job that is used up is reported by a %s with its command',
    async (asked) => {
      const plan = withStatus(planOf(task('a')), 'a', 'in_progress');
      const mode =
        asked === 'resume'
          ? ({type: 'resume', answers: [], feedback: null} as const)
          : ({type: 'restart'} as const);
      const job = jobOf([{type: 'task', taskId: 'a', mode}], {budget: {'execution.maxTokens': 0}});
      await expect(openProject({plan, runs: [pausedRun()]}).linesOf(job)).rejects.toMatchObject({
        code: 'E_BUDGET',
        next: [{command: `blackbird ${asked} a`, why: 'continue with a new budget'}],
      });
      const less = jobOf([{type: 'task', taskId: 'a', mode}], {budget: {'execution.maxTokens': 5}});
      await expect(
        openProject({plan, runs: [pausedRun()], plays: [uses(used(5))]}).linesOf(less),
      ).rejects.toMatchObject({code: 'E_BUDGET', message: 'a cannot continue now: its budget is used up'});
    },
  );

  test('counts the runs that Blackbird itself retries, and allows no more of them', async () => {
    const fails: Play = (agent) => {
      agent.opensSession();
      agent.says({type: 'usage', usage: used(600)});
      agent.reports({ok: false});
      agent.exits({usage: used(600), exitCode: 1});
    };
    const project = openProject({plays: [fails, fails, fails], settings: {maxTaskTokens: 1000, retries: 5}});
    await project.engine.start(executeJob({taskIds: ['a']}));
    expect(project.runs.records('a')).toMatchObject([
      {state: 'failed', segments: [{usage: used(600)}]},
      // Its own 600 are the last that the budget allows.
      {retry_number: 1, spent_before: {tokens: 600}, state: expect.stringMatching(/paused|failed/)},
    ]);
  });

  test.each([
    {whose: 'task', settings: {maxTaskTokens: 1000}, flag: ' --max-task-tokens <n>'},
    {whose: 'job', settings: {maxTokens: 1000}, flag: ''},
  ])('of the $whose, used up when a check sends its agent back, is reported like any other', async (each) => {
    const {whose, settings, flag} = each;
    const project = openProject({
      plays: [usedAndDone(used(1000))],
      plan: planOf(task('a', {verify: ['test']})),
      settings,
    });
    project.checks.play = (check) => check.fails('1 test failed');
    const {standing, lines} = await project.linesOf(executeJob());
    expect(project.runs.records('a')).toMatchObject([
      {
        state: 'paused',
        pause_reason: 'budget',
        resumable: true,
        failure: {
          kind: 'own_limit',
          message: `the budget of the ${whose} is used up: 1k tokens of 1k tokens`,
        },
        segments: [{}],
        pauses: [{pause_reason: 'budget'}],
      },
    ]);
    expect(project.log.filter((entry) => entry.startsWith('go '))).toEqual(['go a-1']);
    expect({standing, lines}).toMatchObject({standing: 'personNeeded'});
    expect(lines).toContain('a is paused: its budget is used up.');
    expect(lines.find((line) => line.includes('resume'))).toContain(`blackbird resume a${flag}  `);
    expect(project.plans.statuses()).toEqual({a: 'in_progress'});

    // With more, the agent is told of the check it has to fix.
    project.checks.play = (check) => check.passes();
    await project.engine.start(jobOf([resumeStep('a')], {budget: {'execution.maxTaskTokens': 5000}}));
    expect(project.agents.agents.at(-1)?.request).toMatchObject({
      kind: 'resume',
      prompt: expect.stringContaining('1 test failed'),
    });
    expect(project.plans.statuses()).toEqual({a: 'done'});
    expect(project.violations).toEqual([]);
  });

  test('is new for a task that the user starts again', async () => {
    const run = pausedRun({segments: [{...endedSegment(), usage: used(5000)}]});
    const plan = withStatus(planOf(task('a')), 'a', 'in_progress');
    const project = openProject({plan, runs: [run], settings: {maxTaskTokens: 1000}});
    await project.engine.start(jobOf([{type: 'task', taskId: 'a', mode: {type: 'restart'}}]));
    expect(project.plans.statuses()).toEqual({a: 'done'});
  });
});

describe('the budget of a job', () => {
  test('pauses the run and ends the plan: what is left is reported', async () => {
    const project = openProject({
      plays: [usedAndDone(used(100, 3)), uses(used(100, 7.5))],
      plan: planOf(task('a'), task('b'), task('c')),
    });
    const {standing, lines} = await project.linesOf(
      executeJob({budget: {'execution.maxCostUsd': 10, 'execution.maxTaskCostUsd': 9}}),
    );
    expect(project.started()).toEqual(['a-1 start', 'b-1 start']);
    expect(project.runs.records('b')).toMatchObject([
      {
        state: 'paused',
        pause_reason: 'budget',
        failure: {message: 'the budget of the job is used up: $10.50 of $10.00'},
      },
    ]);
    expect({standing, lines}).toEqual({
      standing: 'personNeeded',
      lines: [
        'The budget of this job is used up: $10.50 of $10.00.',
        '2 tasks are left, 1 ready.',
        '  blackbird resume b --execute  continue in the same session, with a new budget',
      ],
    });
  });

  test('used up by a done task starts no other, and says nothing at the end of the plan', async () => {
    const plays = [usedAndDone(used(1000)), usedAndDone(used(1000))];
    const ended = openProject({plays, settings: {maxTokens: 1000}});
    expect((await ended.linesOf(executeJob())).lines.slice(0, 2)).toEqual([
      'The budget of this job is used up: 1k tokens of 1k tokens.',
      '1 task is left, 1 ready.',
    ]);
    // The next job has its own budget.
    expect(await ended.linesOf(executeJob())).toMatchObject({standing: 'done', lines: [/^1 done/]});
  });

  test('with an unreadable setting starts nothing', async () => {
    const project = openProject({settings: {maxCostUsd: '10'}});
    expect(await project.engine.start(executeJob())).toMatchObject({error: {code: 'E_CONFIG'}});
    expect(project.started()).toEqual([]);
  });

  test('an agent that reports no cost is warned of when the job starts', async () => {
    const project = openProject({settings: {maxCostUsd: 10}});
    const warnings: string[] = [];
    project.engine.subscribe((fact) => {
      if (fact.type === 'engine.warning') warnings.push(fact.message);
    });
    await project.engine.start(executeJob({agent: 'codex'}));
    expect(warnings).toEqual(['Codex does not report its cost: limit its tokens or minutes instead']);
  });

  test('what is left of it, and the turns, are passed to the agent itself', async () => {
    const project = openProject({
      plays: [usedAndDone(used(1, 3))],
      settings: {maxCostUsd: 10, maxTaskCostUsd: 8, maxTurns: 5},
    });
    await project.engine.start(executeJob());
    expect(project.agents.agents.map(({request}) => [request.maxCostUsd, request.maxTurns])).toEqual([
      [8, 5],
      [7, 5],
    ]);
  });
});

describe('minutes', () => {
  const minute = 60_000;
  const rules: ExecutorInput = {
    ...defaultRules,
    taskIds: ['a'],
    reviewsParents: false,
    patience: {limitMilliseconds: 0, outageMilliseconds: 0, beganAt: now},
  };

  test("are the agent's working time: they end when it is over, however silent the agent is", async () => {
    const fake = createFakeServices({plan: planOf(task('a'))});
    fake.agents.obeys.interrupt = true;
    fake.agents.play = (agent) => agent.opensSession();
    const clock = new SimulatedClock();
    const effects = defineEffects(fake.services);
    const budgets = {...unlimited, task: {...none, milliseconds: 2 * minute}};
    const actor = createActor(executorMachine.provide({actors: effects.executor}), {
      clock,
      input: {...rules, budgets},
    });
    const finished = toPromise(actor);
    actor.start();
    const pass = async (milliseconds: number) => {
      for (let left = milliseconds; left > 0; left -= 1000) {
        fake.time.milliseconds += 1000;
        clock.increment(1000);
        for (let turn = 0; turn < 5; turn++) await settle();
      }
    };
    for (let turn = 0; turn < 30; turn++) await settle();
    await pass(2 * minute - 1000);
    expect(fake.runs.records('a')).toMatchObject([{state: 'running'}]);
    await pass(1000);
    await finished;
    expect(fake.runs.records('a')).toMatchObject([
      {
        state: 'paused',
        pause_reason: 'budget',
        failure: {message: 'the budget of the task is used up: 2m00s of 2m00s'},
      },
    ]);
  });
});

test('every transition of the budget watch is taken', () => {
  const spending = (tokens: number) => {
    const spent = {tokens, cost_usd: 0, milliseconds: 0};
    return {job: spent, task: spent};
  };
  const budgets = {...unlimited, job: {...none, tokens: 10}};
  expect(
    unreachedTransitions(budgetMachine, {
      inputs: [{run: runRecord()}, {run: runRecord(), budgets}],
      payloads: [
        {type: 'use.changed'},
        {type: 'xstate.done.actor.readSpending', output: spending(9)},
        {type: 'xstate.done.actor.readSpending', output: spending(10)},
      ],
    }),
  ).toEqual([]);
});
