import {expect, test} from 'vitest';
import {createEngine} from '../../src/machines/engine.ts';
import type {Job} from '../../src/machines/policies/job/job-steps.ts';
import {type Decision, openDecision} from '../../src/machines/policies/review/decisions.ts';
import {lastChecks} from '../../src/machines/policies/run/check-words.ts';
import {latestDeliveredRun, statusOf} from '../../src/machines/policies/run/task-runs.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import type {FakeCheck} from '../fakes/fake-check-runner.ts';
import {question} from '../fakes/runs.ts';
import {crashable, createFakeServices, settle} from '../fakes/services.ts';
import fc, {runsOf} from '../helpers/fast-check.ts';
import {executeJob, startJob, taskJob} from '../helpers/jobs.ts';
import {planOf, task} from '../helpers/plans.ts';

const taskIds = ['a', 'b', 'c'] as const;
const execute = (maxTasks: number | null, isReviewed = false): Job =>
  executeJob({...(maxTasks === null ? {} : {maxTasks}), isReviewed, isAttended: isReviewed});

const acts = {
  opensSession: (agent: FakeAgent) => agent.opensSession(),
  opensStrangeSession: (agent: FakeAgent) => agent.opensSession('session-strange'),
  talks: (agent: FakeAgent) => agent.says({type: 'turn'}),
  reportsSuccess: (agent: FakeAgent) => agent.reports({ok: true}),
  reportsFailure: (agent: FakeAgent) => agent.reports({ok: false}),
  asks: (agent: FakeAgent) =>
    agent.reports({ok: true, text: JSON.stringify({blackbird: {questions: [question]}})}),
  leaves: (agent: FakeAgent) => agent.exits(),
  succeeds: (agent: FakeAgent) => agent.succeeds(),
  fails: (agent: FakeAgent) => agent.fails(),
  refusesSession: (agent: FakeAgent) => agent.fails({kind: 'resume_rejected', message: 'gone'}),
};

const checkActs = {
  passes: (check: FakeCheck) => check.passes(),
  fails: (check: FakeCheck) => check.fails(),
};

type Step =
  | {type: 'execute'; isReviewed: boolean}
  | {type: 'review'; taskId: string; decision: Decision | null}
  | {type: 'decide'; decision: Decision | null}
  | {type: 'resume'; taskId: string; feedback: string | null}
  | {type: 'restart'; taskId: string}
  | {type: 'pause'}
  | {type: 'stopAfterTask'}
  | {type: 'agent'; act: keyof typeof acts}
  | {type: 'check'; act: keyof typeof checkActs}
  | {type: 'stubborn'}
  | {type: 'failWrite'}
  | {type: 'failLaunch'}
  | {type: 'wait'}
  | {type: 'crash'; hasGuardian: boolean};

const taskId = fc.constantFrom(...taskIds);
const decision = fc.constantFrom<Decision | null>(
  {state: 'approved_continue'},
  {state: 'approved_quit'},
  {state: 'changes_requested', feedback: 'use tabs'},
  {state: 'rejected'},
  null,
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({type: fc.constant('execute' as const), isReviewed: fc.boolean()}),
  },
  {weight: 1, arbitrary: fc.record({type: fc.constant('review' as const), taskId, decision})},
  {weight: 4, arbitrary: fc.record({type: fc.constant('decide' as const), decision})},
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('resume' as const),
      taskId,
      feedback: fc.constantFrom(null, null, 'use tabs'),
    }),
  },
  {weight: 1, arbitrary: fc.record({type: fc.constant('restart' as const), taskId})},
  {weight: 4, arbitrary: fc.record({type: fc.constant('pause' as const)})},
  {weight: 1, arbitrary: fc.record({type: fc.constant('stopAfterTask' as const)})},
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant('agent' as const),
      act: fc.constantFrom(...(Object.keys(acts) as Array<keyof typeof acts>)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('check' as const),
      act: fc.constantFrom(...(Object.keys(checkActs) as Array<keyof typeof checkActs>)),
    }),
  },
  {weight: 1, arbitrary: fc.record({type: fc.constant('stubborn' as const)})},
  {weight: 1, arbitrary: fc.record({type: fc.constant('failWrite' as const)})},
  {weight: 1, arbitrary: fc.record({type: fc.constant('failLaunch' as const)})},
  {weight: 6, arbitrary: fc.record({type: fc.constant('wait' as const)})},
  {weight: 2, arbitrary: fc.record({type: fc.constant('crash' as const), hasGuardian: fc.boolean()})},
);

/** Every check passed in its last round. */
const isVerified = (run: RunRecord | undefined): boolean =>
  run !== undefined &&
  lastChecks(run)
    .map(({command, exit_code}) => `${command} ${exit_code}`)
    .join() === 'lint 0,test 0';

/** A project in which one Blackbird after another works, and dies. */
function createWorld() {
  const fake = createFakeServices({
    plan: planOf(task('b', {deps: ['a']}), task('a', {verify: ['lint', 'test']}), task('c')),
  });
  fake.agents.obeys = {interrupt: true, kill: true};
  fake.checks.play = (check) => {
    check.obeys = {interrupt: true, kill: true};
  };
  const open = () => {
    const {services, die} = crashable(fake);
    return {engine: createEngine(services), die};
  };
  let blackbird = open();
  /** How many agents were released when a pause was requested; null before that. */
  let goneAtPause: number | null = null;
  const gone = () => [...fake.agents.agents, ...fake.checks.checks].filter(({hasGone}) => hasGone).length;

  const start = (job: Job) => {
    const isTaken = !blackbird.engine.isBusy();
    if (isTaken) goneAtPause = null;
    startJob(blackbird.engine, job).catch((error: {code?: string}) => {
      if (isTaken || error.code !== 'E_BUSY') fake.violations.push(`start was refused: ${error.code}`);
    });
  };
  const pause = () => {
    fake.time.milliseconds += 1_000;
    if (blackbird.engine.isBusy()) goneAtPause ??= gone();
    blackbird.engine.pause('user_interrupt');
  };

  const check = () => {
    expect(fake.violations).toEqual([]);
    if (goneAtPause !== null) expect(gone(), 'agents gone since the pause').toBe(goneAtPause);
    for (const id of taskIds) {
      const attempts = fake.runs.records(id).map(({attempt}) => attempt);
      expect(attempts, `attempts of ${id}`).toEqual(attempts.map((_, index) => index + 1));
    }
  };

  return {
    ...fake,
    start,
    check,
    hasUndeliveredChanges: () =>
      [...fake.plans.plan.items.values()].some(
        (each) => openDecision(each, fake.runs.records(each.id))?.undelivered != null,
      ),
    /** Whatever state it is in, pauses bring it to rest. */
    rest: async () => {
      for (let press = 0; blackbird.engine.isBusy() && press < 20; press++) {
        pause();
        await settle();
        check();
      }
      expect(blackbird.engine.isBusy(), 'busy after the pauses').toBe(false);
    },
    isBusy: () => blackbird.engine.isBusy(),
    take: async (each: Step) => {
      switch (each.type) {
        case 'execute':
          return start(execute(null, each.isReviewed));
        case 'review': {
          const mode = {type: 'review', decision: each.decision} as const;
          return start(taskJob(each.taskId, mode, {isAttended: true}));
        }
        case 'decide': {
          const runId = blackbird.engine.openDecisions()[0]?.run.run_id;
          if (runId === undefined) return;
          if (each.decision === null) return blackbird.engine.postpone(runId);
          return blackbird.engine.decide({runId, decision: each.decision});
        }
        case 'resume': {
          const answers = [{id: question.id, value: 'red'}];
          const mode = {type: 'resume', answers, feedback: each.feedback} as const;
          return start(taskJob(each.taskId, mode));
        }
        case 'restart': {
          const mode = {type: 'restart'} as const;
          return start(taskJob(each.taskId, mode));
        }
        case 'pause':
          return pause();
        case 'stopAfterTask':
          return blackbird.engine.stopAfterTask();
        case 'agent': {
          const agent = fake.agents.alive().find(({hasGone}) => hasGone);
          if (agent) acts[each.act](agent);
          return;
        }
        case 'check': {
          const check = fake.checks.alive().find(({hasGone}) => hasGone);
          if (check) checkActs[each.act](check);
          return;
        }
        case 'stubborn':
          for (const agent of fake.agents.alive()) agent.obeys.interrupt = false;
          for (const check of fake.checks.alive()) check.obeys.interrupt = false;
          return;
        case 'failWrite':
          return fake.runs.failOn(() => true);
        case 'failLaunch':
          return fake.agents.failLaunch(new Error('no'));
        case 'wait':
          return settle();
        case 'crash':
          blackbird.die(each);
          blackbird = open();
          return;
      }
    },
    crash: () => {
      blackbird.die({hasGuardian: false});
      blackbird = open();
    },
  };
}

test('whatever happens in whatever order, no work is lost, doubled or left running', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, {maxLength: 30}), async (steps) => {
      const world = createWorld();
      for (const each of steps) {
        await world.take(each);
        world.check();
      }

      await world.rest();
      expect(world.agents.alive().filter(({hasGone}) => !hasGone)).toEqual([]);

      // And the next Blackbird finds nothing it cannot explain. It starts an agent only for changes that the user requested.
      world.crash();
      world.runs.failOn(() => false);
      for (let round = 0; round < 3; round++) {
        const isOwed = world.hasUndeliveredChanges();
        world.start(execute(0));
        await settle();
        if (!isOwed) expect(world.isBusy(), 'busy after the repair').toBe(false);
        await world.rest();
      }
      world.check();
      expect([...world.agents.alive(), ...world.checks.alive()]).toEqual([]);
      for (const {id, status} of world.plans.plan.items.values()) {
        const runs = world.runs.records(id);
        const latest = runs.at(-1);
        const telling = latestDeliveredRun(runs) ?? latest;
        if (status === 'done' && id === 'a') expect(isVerified(telling), 'a is verified').toBe(true);
        if (status !== 'in_progress' && status !== 'waiting_user') continue;
        expect(latest?.state, `the latest run of ${id}`).not.toBe('running');
        if (telling) expect(status, `the status of ${id}`).toBe(statusOf(telling));
      }
    }),
    {numRuns: runsOf(200)},
  );
});
