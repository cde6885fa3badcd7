import {describe, expect, test} from 'vitest';
import {createActor, fromPromise, SimulatedClock, toPromise} from 'xstate';
import {defineAgentActor, defineEndEverythingActor} from '../../src/machines/actors/agent.actor.ts';
import {defineRecordRunActor} from '../../src/machines/actors/record-run.actor.ts';
import {
  createSpendingTracker,
  defineReadSpendingActor,
  defineWatchUseActor,
} from '../../src/machines/actors/spending.ts';
import {budgetMachine} from '../../src/machines/budget.machine.ts';
import type {Budgets, Spending} from '../../src/machines/policies/run/budget.ts';
import {applyRunStep} from '../../src/machines/policies/run/run-record.ts';
import {segmentMachine} from '../../src/machines/segment.machine.ts';
import type {AgentEvent, AgentRequest} from '../../src/services/contracts/agent.ts';
import {AgentSpawnError} from '../../src/services/contracts/agent-process.ts';
import type {PauseReason, RunRecord} from '../../src/services/contracts/run.ts';
import {noSummary} from '../fakes/fake-changes.ts';
import {
  endedSegment,
  openSegment,
  pausedRun,
  pausedSince,
  question,
  resumeRequest,
  runRecord,
  sessionRef,
  startRequest,
  waitingRun,
} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {now} from '../helpers/plans.ts';

const graceMilliseconds = 10_000;
const killMilliseconds = 5_000;
const lingerMilliseconds = 10_000;

/** Real machine and real adapters; the agent, the store and the clock are fake. */
function createSegment({
  run = runRecord(),
  request = startRequest,
  budgets,
  readSpending,
}: {
  run?: RunRecord;
  request?: AgentRequest;
  budgets?: Budgets;
  readSpending?: () => Promise<Spending>;
} = {}) {
  const fake = createFakeServices({runs: [run]});
  const {services} = fake;
  const live = new Map();
  const endings = new Map();
  const spending = createSpendingTracker(services);
  const clock = new SimulatedClock();
  const news: unknown[] = [];
  const actor = createActor(
    segmentMachine.provide({
      actors: {
        agent: defineAgentActor({
          ...services,
          live,
          endings,
          spending,
          onNews: (_, each) => news.push(each),
        }),
        budget: budgetMachine.provide({
          actors: {
            readSpending: readSpending
              ? fromPromise<Spending, {readonly run: RunRecord}>(readSpending)
              : defineReadSpendingActor(spending),
            watchUse: defineWatchUseActor(spending),
          },
        }),
        recordRun: defineRecordRunActor({...services, endings, onRecorded: () => {}}),
        endEverything: defineEndEverythingActor({live}),
      },
    }),
    {clock, input: {run, request, graceMilliseconds, ...(budgets && {budgets})}},
  );
  const finished = toPromise(actor);
  return {
    ...fake,
    actor,
    clock,
    finished,
    live,
    endings,
    news,
    get agent() {
      return fake.agents.agent;
    },
    state: () => actor.getSnapshot().value,
    pause: (reason: PauseReason = 'user_interrupt') => actor.send({type: 'run.pause', reason}),
    record: () => fake.runs.records('a')[0],
  };
}
type TestSegment = ReturnType<typeof createSegment>;

/** A segment whose agent runs. */
async function startSegment(options?: Parameters<typeof createSegment>[0]) {
  const segment = createSegment(options);
  segment.actor.start();
  await settle();
  return segment;
}

/** A segment whose agent runs in a recorded session. */
async function startInSession(options?: Parameters<typeof createSegment>[0]) {
  const segment = await startSegment(options);
  segment.agent.opensSession();
  await settle();
  return segment;
}

const resumed = {run: pausedRun({state: 'running', phase: 'launching'}), request: resumeRequest};
const answered = {run: waitingRun({state: 'running', phase: 'launching'}), request: resumeRequest};

const isStart = ({phase, resumable}: RunRecord) => phase === 'active' && !resumable;
const isSession = ({phase, resumable}: RunRecord) => phase === 'active' && resumable;
const isPauseIntent = ({phase}: RunRecord) => phase === 'pausing';
const isRest = ({state}: RunRecord) => state !== 'running';

const atRest = {
  ...(({phase: _, ...rest}) => rest)(runRecord()),
  updated_at: now,
  stdout: 'out',
  stderr: 'err',
  exit_code: 0,
  segments: [endedSegment()],
  review_summary: noSummary,
};
const inSession = {provider_session_ref: sessionRef, resumable: true};

describe('outcomes', () => {
  test('an agent that retries what cannot succeed is interrupted, and its verdict stays', async () => {
    const segment = await startInSession();
    const failure = {kind: 'auth', message: 'the login was refused'} as const;
    segment.agent.says({type: 'retrying', failure, isFatal: true});
    expect([segment.state(), segment.log.at(-1)]).toEqual(['interrupting', 'interrupt a-1']);
    segment.agent.exits({exitCode: 0, verdict: {outcome: 'failed', failure, text: ''}});

    const {run} = await segment.finished;
    expect(run).toMatchObject({state: 'paused', pause_reason: 'login_required', failure});
    expect(segment.news).toEqual([{type: 'retrying', failure, isFatal: true}]);
  });

  test('a success is recorded after the agent and all its children are gone', async () => {
    const segment = await startInSession();
    segment.agent.succeeds('it works');

    const run = {...atRest, ...inSession, state: 'succeeded', result: 'it works'};
    expect(await segment.finished).toEqual({outcome: 'ended', run});
    expect(segment.record()).toEqual(run);
    expect(segment.log).toEqual([
      'launch a-1',
      'record a-1 running/active',
      'go a-1',
      'record a-1 running/active session-1',
      'exit a-1',
      'end a-1',
      'record a-1 succeeded session-1',
    ]);
    expect(segment.violations).toEqual([]);
    expect(segment.live.size).toBe(0);
  });

  test('a question at the end of the answer makes the run wait', async () => {
    const segment = await startInSession();
    const text = `\`\`\`json\n${JSON.stringify({blackbird: {questions: [question]}})}\n\`\`\``;
    segment.agent.succeeds(text);

    expect(await segment.finished).toEqual({
      outcome: 'ended',
      run: {...atRest, ...inSession, state: 'waiting', questions: [question], result: text},
    });
  });

  test('a waiting run is no longer paused, and keeps when it was', async () => {
    const segment = await startInSession(resumed);
    segment.agent.succeeds(JSON.stringify({blackbird: {questions: [question]}}));

    const {run} = await segment.finished;
    const {paused_at, pause_reason} = pausedRun();
    expect(run).toMatchObject({state: 'waiting', questions: [question], paused_at, pause_reason});
  });

  test('a failure is recorded with its kind', async () => {
    const segment = await startInSession();
    segment.agent.fails({kind: 'agent_error', message: 'no idea'});

    expect(await segment.finished).toEqual({
      outcome: 'ended',
      run: {
        ...atRest,
        ...inSession,
        state: 'failed',
        exit_code: 1,
        segments: [endedSegment(1, {exit_code: 1})],
        failure: {kind: 'agent_error', message: 'no idea'},
        result: 'no idea',
      },
    });
  });

  test('a failure of the provider pauses the run, with the reason', async () => {
    const segment = await startInSession();
    segment.agent.fails({kind: 'rate_limit', message: 'try later'});

    expect(await segment.finished).toEqual({
      outcome: 'ended',
      run: {
        ...atRest,
        ...inSession,
        state: 'paused',
        ...pausedSince(now, 'usage_limit'),
        exit_code: 1,
        segments: [endedSegment(1, {exit_code: 1})],
        failure: {kind: 'rate_limit', message: 'try later'},
        retry_at: new Date(Date.parse(now) + 5 * 60_000).toISOString(),
        held_up: {kind: 'rate_limit', since: now, attempt: 1},
      },
    });
  });

  test('a failure with a question is a failure', async () => {
    const segment = await startInSession();
    const text = JSON.stringify({blackbird: {questions: [question]}});
    segment.agent.reports({ok: false, text});
    segment.agent.exits({exitCode: 1});

    const {run} = await segment.finished;
    expect(run).toMatchObject({state: 'failed', failure: {kind: 'agent_error', message: text}});
    expect(run).not.toHaveProperty('questions');
  });

  test('an agent that exits without a result and without a session fails', async () => {
    const segment = await startSegment();
    segment.agent.exits({exitCode: 3});

    expect(await segment.finished).toEqual({
      outcome: 'ended',
      run: {
        ...atRest,
        state: 'failed',
        exit_code: 3,
        segments: [endedSegment(1, {exit_code: 3})],
        failure: {kind: 'agent_error', message: 'the agent gave no result'},
        result: '',
      },
    });
  });

  test('usage of a resumed run counts all its segments, unless the provider does', async () => {
    const usage = {input_tokens: 10, output_tokens: 1, cost_usd: 0.5};
    const run = {...resumed.run, usage};
    const added = await startInSession({...resumed, run});
    added.agent.reports({ok: true});
    added.agent.exits({usage: {input_tokens: 5, output_tokens: 2, cost_usd: 0.25}});
    expect((await added.finished).run.usage).toEqual({input_tokens: 15, output_tokens: 3, cost_usd: 0.75});

    const whole = await startInSession({...resumed, run});
    whole.agent.reports({ok: true});
    whole.agent.exits({usage: {input_tokens: 15, output_tokens: 3}, isWholeSession: true});
    const {run: ended} = await whole.finished;
    expect(ended.usage).toEqual({input_tokens: 15, output_tokens: 3, cost_usd: 0.5});
    expect(ended.session_usage).toEqual({input_tokens: 15, output_tokens: 3});
    // What each process used by itself.
    expect(ended.segments.at(-1)?.usage).toMatchObject({input_tokens: 5, output_tokens: 2});
  });

  test('activity, usage, messages and retries are reported; turns are not', async () => {
    const segment = await startInSession();
    const activity = {type: 'activity', activity: {kind: 'command', text: '$ ls'}} as const;
    const usage = {type: 'usage', usage: {input_tokens: 1, output_tokens: 1}} as const;
    const retrying = {type: 'retrying', failure: {kind: 'rate_limit', message: '429'}} as const;
    const message = {type: 'message', text: 'hm'} as const;
    segment.agent.says(activity, {type: 'turn'}, usage, message, retrying);
    expect(segment.news).toEqual([activity, usage, message, retrying]);
    expect(segment.state()).toBe('active');
  });
});

describe('an agent that cannot be started', () => {
  test('fails a new run: nothing of it is alive, nothing is swept', async () => {
    const segment = createSegment();
    segment.agents.failLaunch(new AgentSpawnError('not_found', 'Cannot start claude: it is not there.'));
    segment.actor.start();

    const {phase: _, ...rest} = runRecord();
    expect(await segment.finished).toEqual({
      outcome: 'ended',
      run: {
        ...rest,
        updated_at: now,
        state: 'failed',
        failure: {kind: 'spawn_failed', message: 'Cannot start claude: it is not there.'},
        result: '',
        review_summary: noSummary,
      },
    });
    expect(segment.log).toEqual(['launch a-1', 'record a-1 failed']);
  });

  test.each([
    {name: 'a paused run paused', options: resumed, expected: pausedRun()},
    {name: 'a waiting run waiting', options: answered, expected: waitingRun()},
  ])('leaves $name: it can be resumed later', async ({options, expected}) => {
    const segment = createSegment(options);
    segment.agents.failLaunch(new Error('out of memory'));
    segment.actor.start();

    expect((await segment.finished).run).toEqual({
      ...expected,
      updated_at: now,
      failure: {kind: 'spawn_failed', message: 'out of memory'},
      refusals: [{refused_at: now, message: 'out of memory'}],
      review_summary: noSummary,
    });
  });
});

describe('a resume the provider rejects', () => {
  const rejection = {kind: 'resume_rejected', message: 'No conversation found'} as const;
  const ended = {
    updated_at: now,
    stdout: 'out',
    stderr: 'err',
    exit_code: 1,
    segments: [endedSegment(), endedSegment(1, {exit_code: 1})],
    failure: rejection,
    refusals: [{refused_at: now, message: rejection.message}],
    review_summary: noSummary,
  };

  test.each([
    {name: 'a paused run to paused', options: resumed, expected: pausedRun(ended)},
    {name: 'a waiting run to waiting', options: answered, expected: waitingRun(ended)},
    {
      name: 'a run that asked and was paused afterwards to paused',
      options: {...resumed, run: {...resumed.run, questions: [question]}},
      expected: pausedRun({...ended, questions: [question]}),
    },
  ])('returns $name, with the reason', async ({options, expected}) => {
    const segment = await startSegment(options);
    segment.agent.fails(rejection);
    expect(await segment.finished).toEqual({outcome: 'ended', run: expected});
  });

  describe.each([
    {name: 'paused', options: resumed},
    {name: 'waiting', options: answered},
  ])('a $name run whose agent fails on its own', ({name, options}) => {
    const failure = {kind: 'agent_error', message: 'the agent gave no result (exit code 1)'} as const;

    test.each<{before: string; events: AgentEvent[]}>([
      {before: 'anything', events: []},
      {
        before: 'the model said anything',
        events: [
          {type: 'session', ref: sessionRef},
          {type: 'turn'},
          {type: 'activity', activity: {kind: 'notice', text: 'hm'}},
        ],
      },
    ])('before $before keeps its state', async ({events}) => {
      const segment = await startSegment(options);
      segment.agent.says(...events);
      segment.agent.fails(failure);
      await settle();
      expect((await segment.finished).run).toMatchObject({
        state: name,
        failure: {...failure, kind: 'resume_rejected'},
      });
    });

    test('after it worked has failed', async () => {
      const segment = await startInSession(options);
      segment.agent.says({type: 'activity', activity: {kind: 'command', text: '$ ls'}});
      segment.agent.fails(failure);
      expect((await segment.finished).run).toMatchObject({state: 'failed', failure});
    });
  });

  test('is a failure when nothing was resumed', async () => {
    const segment = await startSegment();
    segment.agent.fails(rejection);
    expect((await segment.finished).run).toMatchObject({state: 'failed', failure: rejection});
  });

  test.each([
    {name: 'paused', options: resumed},
    {name: 'waiting', options: answered},
  ])(
    'a $name run stays so when the agent opens another session, and that agent is killed',
    async ({name, options}) => {
      const segment = await startSegment(options);
      segment.agents.agent.obeys.kill = true;
      segment.agent.opensSession('session-666');

      const {run} = await segment.finished;
      expect(run).toMatchObject({
        ...inSession,
        state: name,
        failure: {
          kind: 'resume_rejected',
          message: 'the provider opened another session (session-666) instead of continuing this one',
        },
      });
      expect(segment.log).toEqual([
        'launch a-1',
        'record a-1 running/active session-1',
        'go a-1',
        'kill a-1',
        'exit a-1',
        'end a-1',
        `record a-1 ${name} session-1`,
      ]);
      expect(segment.violations).toEqual([]);
    },
  );

  test('output of an agent in another session does not count', async () => {
    const segment = await startSegment(resumed);
    segment.agent.opensSession('session-666');
    segment.agent.succeeds('all done');
    expect((await segment.finished).run).toMatchObject({
      state: 'paused',
      provider_session_ref: sessionRef,
      failure: {kind: 'resume_rejected'},
    });
  });
});

describe('a pause', () => {
  test('interrupts, waits for the end of everything, and is recorded last', async () => {
    const segment = await startInSession();
    segment.pause();
    await settle();
    expect(segment.state()).toBe('interrupting');
    expect(segment.record()).toMatchObject({state: 'running', phase: 'pausing'});

    segment.agent.exits({exitCode: 130});
    const run = {
      ...atRest,
      ...inSession,
      state: 'paused',
      ...pausedSince(now, 'user_interrupt'),
      exit_code: 130,
      segments: [endedSegment(1, {exit_code: 130})],
    };
    expect(await segment.finished).toEqual({outcome: 'ended', run});
    expect(segment.record()).toEqual(run);
    expect(segment.log).toEqual([
      'launch a-1',
      'record a-1 running/active',
      'go a-1',
      'record a-1 running/active session-1',
      'record a-1 running/pausing session-1',
      'interrupt a-1',
      'exit a-1',
      'end a-1',
      'record a-1 paused session-1',
    ]);
    expect(segment.violations).toEqual([]);
  });

  test('keeps its first reason', async () => {
    const segment = await startInSession();
    segment.pause('terminated');
    segment.pause('user_interrupt');
    await settle();
    segment.agent.exits();
    expect((await segment.finished).run.pause_reason).toBe('terminated');
  });

  test('before the agent was released ends the held process: the run never started', async () => {
    const segment = createSegment();
    segment.actor.start();
    segment.pause('terminated');
    expect(await segment.finished).toEqual({
      outcome: 'withdrawn',
      run: {
        ...(({phase: _, ...rest}) => rest)(runRecord()),
        updated_at: now,
        state: 'canceled',
        failure: {kind: 'stopped', message: 'it was stopped before the agent was started'},
      },
    });
    expect(segment.log).toEqual([
      'launch a-1',
      'record a-1 running/active',
      'end a-1',
      'exit a-1',
      'record a-1 canceled',
    ]);
  });

  test.each([
    {name: 'paused', given: pausedRun(), step: {type: 'relaunched', feedback: 'use tabs'}},
    {
      name: 'waiting',
      given: waitingRun(),
      step: {type: 'relaunched', answers: [{id: 'color', value: 'red'}]},
    },
  ] as const)('before the agent continued leaves a run $name as it was, with its feedback', async (each) => {
    const {given, step} = each;
    const run = applyRunStep(given, step, now);
    const segment = createSegment({run, request: resumeRequest});
    segment.actor.start();
    segment.pause();
    const words =
      'feedback' in step
        ? {feedback: 'use tabs'}
        : {answers: [{...step.answers[0], prompt: question.prompt, undelivered: true}]};
    expect(await segment.finished).toEqual({
      outcome: 'withdrawn',
      run: {...given, updated_at: now, ...words},
    });
    expect(segment.log).not.toContain('go a-1');
  });

  test('of an agent that reports its interruption as a failed result is a pause', async () => {
    const segment = await startInSession();
    segment.pause();
    await settle();
    segment.agent.fails({message: 'error_during_execution'});

    const {run} = await segment.finished;
    expect(run).toMatchObject({...inSession, state: 'paused'});
    expect(run).not.toHaveProperty('failure');
  });

  test.each([
    {
      name: 'a success',
      play: (segment: TestSegment) => segment.agent.reports({ok: true}),
      state: 'succeeded',
    },
    {name: 'a failure', play: (segment: TestSegment) => segment.agent.reports({ok: false}), state: 'failed'},
  ])('does not undo $name that was seen before', async ({play, state}) => {
    const segment = await startInSession();
    play(segment);
    expect(segment.state()).toBe('lingering');
    segment.pause();
    expect(segment.state()).toBe('interrupting');
    segment.agent.exits({exitCode: 130});
    expect((await segment.finished).run).toMatchObject({state});
    expect(segment.violations).toEqual([]);
  });

  test('does not undo a success that arrives during the interruption', async () => {
    const segment = await startInSession();
    segment.pause();
    await settle();
    segment.agent.succeeds('just in time');
    expect((await segment.finished).run).toMatchObject({state: 'succeeded', result: 'just in time'});
  });

  test.each([
    {name: 'success', verdict: {outcome: 'succeeded', text: 'plain text'} as const, state: 'succeeded'},
    {
      name: 'failure',
      verdict: {outcome: 'failed', text: '', failure: {kind: 'agent_error', message: 'no'}} as const,
      state: 'failed',
    },
  ])(
    'does not undo the $name of an agent that had exited before without a result',
    async ({verdict, state}) => {
      const segment = await startInSession();
      const release = segment.agent.holdEnd();
      segment.agent.exits({verdict});
      await settle();
      expect(segment.state()).toBe('sweeping');
      segment.pause();
      release();
      expect((await segment.finished).run).toMatchObject({state});
    },
  );

  test('records a session that is captured only while the agent is interrupted', async () => {
    const segment = await startSegment();
    segment.pause();
    await settle();
    expect(segment.state()).toBe('interrupting');
    segment.agent.opensSession();
    segment.agent.exits({exitCode: 130});

    expect((await segment.finished).run).toMatchObject({...inSession, state: 'paused'});
    expect(segment.log.slice(-3)).toEqual([
      'end a-1',
      'record a-1 running/pausing session-1',
      'record a-1 paused session-1',
    ]);
  });

  describe('arrives', () => {
    type Point = {
      name: string;
      options?: Parameters<typeof createSegment>[0];
      /** Brings the segment there and returns what lets it continue. */
      arrange: (segment: TestSegment) => Promise<() => void> | (() => void);
      value: string;
      state: RunRecord['state'];
      signals: string[];
    };
    const paused = {state: 'paused', signals: ['interrupt a-1']} as const;
    const withdrawn = {state: 'canceled'} as const;

    test.each<Point>([
      {
        name: 'while the agent is launched',
        arrange: ({agents, actor}) => {
          const release = agents.holdLaunch();
          actor.start();
          return release;
        },
        value: 'launching',
        ...withdrawn,
        signals: [],
      },
      {
        name: 'while the start is written',
        arrange: async ({runs, actor}) => {
          const release = runs.holdOn(isStart);
          actor.start();
          await settle();
          return release;
        },
        value: 'recordingStart',
        ...withdrawn,
        signals: [],
      },
      {
        name: 'while the agent works',
        arrange: async ({actor}) => {
          actor.start();
          await settle();
          return () => {};
        },
        // The request is recorded at once.
        value: 'active',
        ...paused,
        signals: ['go a-1', 'interrupt a-1'],
      },
      {
        name: 'while the session is written',
        arrange: async ({runs, actor, agents}) => {
          const release = runs.holdOn(isSession);
          actor.start();
          await settle();
          agents.agent.opensSession();
          return release;
        },
        value: 'recordingSession',
        ...paused,
        signals: ['go a-1', 'interrupt a-1'],
      },
      {
        name: 'while the agent lingers after its result',
        arrange: async ({actor, agents}) => {
          actor.start();
          await settle();
          agents.agent.reports({ok: true});
          return () => {};
        },
        value: 'lingering',
        state: 'succeeded',
        signals: ['go a-1', 'interrupt a-1'],
      },
      {
        name: 'while everything is ended',
        arrange: async ({actor, agents}) => {
          actor.start();
          await settle();
          const release = agents.agent.holdEnd();
          agents.agent.succeeds();
          await settle();
          return release;
        },
        value: 'sweeping',
        state: 'succeeded',
        signals: ['go a-1'],
      },
      {
        name: 'while the outcome is written',
        arrange: async ({actor, agents, runs}) => {
          const release = runs.holdOn(isRest);
          actor.start();
          await settle();
          agents.agent.succeeds();
          await settle();
          return release;
        },
        value: 'recordingOutcome',
        state: 'succeeded',
        signals: ['go a-1'],
      },
    ])('$name and is not lost', async ({arrange, value, state, signals}) => {
      const segment = createSegment();
      segment.agents.obeys.interrupt = true;
      const release = await arrange(segment);
      expect(segment.state()).toBe(value);

      segment.pause();
      release();

      expect((await segment.finished).run.state).toBe(state);
      expect(segment.log.filter((entry) => /^(go|interrupt|kill)/.test(entry))).toEqual(signals);
      expect(segment.violations).toEqual([]);
    });
  });
});

describe('a second pause', () => {
  test.each([
    {
      name: 'kills an agent that was interrupted',
      play: async (segment: TestSegment) => {
        segment.pause();
        await settle();
        segment.pause();
      },
      signals: ['go a-1', 'interrupt a-1', 'kill a-1'],
    },
    {
      name: 'that comes while the request is written kills at once',
      play: async (segment: TestSegment) => {
        const release = segment.runs.holdOn(isPauseIntent);
        segment.pause();
        segment.pause();
        expect(segment.state()).toBe('recordingPauseIntent');
        release();
        await settle();
      },
      signals: ['go a-1', 'interrupt a-1', 'kill a-1'],
    },
  ])('$name', async ({play, signals}) => {
    const segment = await startInSession();
    await play(segment);
    expect(segment.state()).toBe('killing');
    expect(segment.log.filter((entry) => /^(go|interrupt|kill)/.test(entry))).toEqual(signals);

    segment.agent.exits({exitCode: null, signal: 'SIGKILL'});
    expect((await segment.finished).run).toMatchObject({
      state: 'paused',
      exit_code: null,
      segments: [endedSegment(1, {exit_code: null, signal: 'SIGKILL'})],
    });
    expect(segment.violations).toEqual([]);
  });

  test('and a third change nothing while the agent is killed', async () => {
    const segment = await startInSession();
    segment.pause();
    await settle();
    segment.pause();
    segment.pause();
    expect(segment.log.filter((entry) => entry === 'kill a-1')).toEqual(['kill a-1']);
    expect(segment.state()).toBe('killing');
  });

  test('kills an agent that lingers after its result, which counts', async () => {
    const segment = await startInSession();
    segment.agent.reports({ok: true});
    segment.pause();
    segment.pause();
    expect(segment.state()).toBe('killing');
    segment.agent.exits({exitCode: null, signal: 'SIGKILL'});
    expect((await segment.finished).run.state).toBe('succeeded');
  });
});

describe('windows', () => {
  test('the grace window, and no earlier, kills an agent that will not stop', async () => {
    const segment = await startInSession();
    segment.pause();
    await settle();

    segment.clock.increment(graceMilliseconds - 1);
    expect(segment.state()).toBe('interrupting');
    expect(segment.log).not.toContain('kill a-1');

    segment.clock.increment(1);
    expect(segment.state()).toBe('killing');
    expect(segment.log.at(-1)).toBe('kill a-1');
  });

  test('the kill window, and no earlier, sweeps what the kill did not end', async () => {
    const segment = await startInSession();
    segment.pause();
    await settle();
    segment.time.milliseconds += 1_000;
    segment.pause();
    segment.agent.isExitDeferred = true;

    segment.clock.increment(killMilliseconds - 1);
    await settle();
    expect(segment.state()).toBe('killing');
    expect(segment.log).not.toContain('end a-1');

    segment.clock.increment(1);
    expect(segment.state()).toBe('sweeping');
    // How it ended is known and recorded although it was deferred.
    expect((await segment.finished).run).toMatchObject({
      ...inSession,
      state: 'paused',
      exit_code: null,
      segments: [endedSegment(1, {exit_code: null, signal: 'SIGKILL'})],
    });
    expect(segment.log.slice(-3)).toEqual(['end a-1', 'exit a-1', 'record a-1 paused session-1']);
    expect(segment.violations).toEqual([]);
  });

  test('the linger window, and no earlier, interrupts an agent that keeps running after its result', async () => {
    const segment = await startInSession();
    segment.agent.reports({ok: true, text: 'done'});

    segment.clock.increment(lingerMilliseconds - 1);
    expect(segment.state()).toBe('lingering');
    expect(segment.log).not.toContain('interrupt a-1');

    segment.clock.increment(1);
    expect(segment.state()).toBe('interrupting');
    expect(segment.log.at(-1)).toBe('interrupt a-1');

    segment.agent.exits({exitCode: 1, verdict: {outcome: 'succeeded', text: 'done'}});
    expect((await segment.finished).run).toMatchObject({state: 'succeeded', result: 'done'});
    expect(segment.log).not.toContain('record a-1 running/pausing session-1');
  });

  test('an agent that ignores the interrupt after its result is killed after the grace window', async () => {
    const segment = await startInSession();
    segment.agent.reports({ok: true});
    segment.clock.increment(lingerMilliseconds);
    segment.clock.increment(graceMilliseconds - 1);
    expect(segment.state()).toBe('interrupting');
    segment.clock.increment(1);
    expect(segment.state()).toBe('killing');
    segment.agent.exits({exitCode: null, signal: 'SIGKILL'});
    expect((await segment.finished).run.state).toBe('succeeded');
  });
});

describe('a session', () => {
  test('is stored before the next line of the agent is read', async () => {
    const segment = createSegment();
    const release = segment.runs.holdOn(isSession);
    segment.actor.start();
    await settle();
    segment.agent.opensSession();
    segment.agent.succeeds();
    await settle();
    expect([segment.state(), segment.actor.getSnapshot().context.hasResult]).toEqual([
      'recordingSession',
      false,
    ]);
    release();
    expect(await segment.finished).toMatchObject({run: {state: 'succeeded', ...inSession}});
  });

  test('announced only after the result is stored while the agent lingers', async () => {
    const segment = await startSegment();
    segment.agent.reports({ok: true});
    await settle();
    segment.agent.opensSession();
    await settle();
    expect([segment.state(), segment.record()]).toEqual(['lingering', expect.objectContaining(inSession)]);
    segment.agent.exits();
    expect(await segment.finished).toMatchObject({run: {state: 'succeeded', ...inSession}});
  });
});

describe('a session that was killed young', () => {
  test.each([
    {milliseconds: 999, resumable: false},
    {milliseconds: 1_000, resumable: true},
  ])('is resumable = $resumable after $milliseconds ms', async ({milliseconds, resumable}) => {
    const segment = await startInSession();
    segment.pause();
    await settle();
    segment.time.milliseconds += milliseconds;
    segment.pause();
    segment.agent.exits({exitCode: null, signal: 'SIGKILL'});
    expect((await segment.finished).run).toMatchObject({state: 'paused', resumable});
  });

  test('is resumable when the agent printed anything after it', async () => {
    const segment = await startInSession();
    segment.agent.says({type: 'turn'});
    segment.pause();
    segment.pause();
    await settle();
    segment.agent.exits({exitCode: null, signal: 'SIGKILL'});
    expect((await segment.finished).run).toMatchObject({state: 'paused', resumable: true});
  });

  test('is resumable when an earlier segment worked in it', async () => {
    const segment = await startInSession(resumed);
    segment.pause();
    segment.pause();
    await settle();
    segment.agent.exits({exitCode: null, signal: 'SIGKILL'});
    expect((await segment.finished).run).toMatchObject({state: 'paused', resumable: true});
  });

  test('is not resumable only because the run had another session before', async () => {
    const run = waitingRun({
      state: 'running',
      phase: 'launching',
      provider_session_ref: '',
      resumable: false,
    });
    const segment = await startInSession({run, request: startRequest});
    segment.pause();
    segment.pause();
    await settle();
    segment.agent.exits({exitCode: null, signal: 'SIGKILL'});
    expect((await segment.finished).run).toMatchObject({state: 'paused', resumable: false});
  });
});

describe('a write that fails', () => {
  const error = new Error('the disk is full');

  test.each([
    {
      name: 'the start',
      isMeant: isStart,
      play: async () => {},
      log: ['launch a-1', 'kill a-1', 'exit a-1', 'end a-1'],
      left: {state: 'running', phase: 'launching'},
    },
    {
      name: 'the session',
      isMeant: isSession,
      play: async ({agents}: TestSegment) => agents.agent.opensSession(),
      log: ['launch a-1', 'record a-1 running/active', 'go a-1', 'kill a-1', 'exit a-1', 'end a-1'],
      left: {state: 'running', phase: 'active', provider_session_ref: ''},
    },
    {
      name: 'the requested pause',
      isMeant: isPauseIntent,
      play: async ({pause}: TestSegment) => pause(),
      log: ['launch a-1', 'record a-1 running/active', 'go a-1', 'kill a-1', 'exit a-1', 'end a-1'],
      left: {state: 'running', phase: 'active'},
    },
    {
      name: 'the pause',
      isMeant: isRest,
      play: async ({agents, pause}: TestSegment) => {
        agents.agent.obeys.interrupt = true;
        pause();
      },
      log: [
        'launch a-1',
        'record a-1 running/active',
        'go a-1',
        'record a-1 running/pausing',
        'interrupt a-1',
        'exit a-1',
        'end a-1',
      ],
      left: {state: 'running', phase: 'pausing'},
    },
    {
      name: 'the outcome',
      isMeant: isRest,
      play: async ({agents}: TestSegment) => agents.agent.succeeds(),
      log: ['launch a-1', 'record a-1 running/active', 'go a-1', 'exit a-1', 'end a-1'],
      left: {state: 'running', phase: 'active'},
    },
    {
      name: 'the session captured at the very end',
      isMeant: ({resumable}: RunRecord) => resumable,
      play: async ({agents, pause}: TestSegment) => {
        pause();
        await settle();
        agents.agent.opensSession();
        agents.agent.exits();
      },
      log: [
        'launch a-1',
        'record a-1 running/active',
        'go a-1',
        'record a-1 running/pausing',
        'interrupt a-1',
        'exit a-1',
        'end a-1',
      ],
      left: {state: 'running', phase: 'pausing', provider_session_ref: ''},
    },
  ])(
    '($name) ends the agent, reports the error and leaves the record as it was',
    async ({isMeant, play, log, left}) => {
      const segment = createSegment();
      segment.agents.obeys.kill = true;
      segment.runs.failOn(isMeant, error);
      segment.actor.start();
      await settle();
      await play(segment);

      const output = await segment.finished;
      expect(output).toMatchObject({outcome: 'error', error});
      expect(output.run).toEqual(segment.record());
      expect(segment.record()).toMatchObject(left);
      expect(segment.log).toEqual(log);
      expect(segment.agents.alive()).toEqual([]);
      expect(segment.live.size).toBe(0);
    },
  );

  test('an agent that survives the kill after it is swept after the kill window', async () => {
    const segment = createSegment();
    segment.runs.failOn(isSession, error);
    segment.actor.start();
    await settle();
    segment.agent.opensSession();
    await settle();
    expect(segment.state()).toBe('killing');
    segment.clock.increment(killMilliseconds);
    expect(await segment.finished).toMatchObject({outcome: 'error', error});
    expect(segment.agents.alive()).toEqual([]);
  });
});

test.each([
  {name: 'success', end: (segment: TestSegment) => segment.agent.succeeds()},
  {name: 'failure', end: (segment: TestSegment) => segment.agent.fails()},
  {name: 'pause', end: (segment: TestSegment) => segment.pause()},
])('what the agent left behind is forgotten once its $name is recorded', async ({end}) => {
  const segment = await startInSession();
  segment.agent.obeys = {interrupt: true, kill: true};
  end(segment);
  await segment.finished;
  expect(segment.record()?.stdout).toBe('out');
  expect(segment.endings.size).toBe(0);
});

describe('a failed usage watch', () => {
  const unread = new Error('the use cannot be read');
  const none = {cost_usd: null, tokens: null, milliseconds: null};
  const budgets = {job: {...none, tokens: 10}, task: none, turns: null};

  test('stops the agent; the segment fails with the reason, and nothing is left alive', async () => {
    const segment = createSegment({budgets, readSpending: () => Promise.reject(unread)});
    segment.agents.obeys.interrupt = true;
    segment.actor.start();
    expect(await segment.finished).toMatchObject({outcome: 'error', error: unread});
    expect(segment.agents.alive()).toEqual([]);
  });

  test('while it works: it is interrupted like any other', async () => {
    let fail = (_: Error) => {};
    const segment = createSegment({budgets, readSpending: () => new Promise((_, reject) => (fail = reject))});
    segment.agents.obeys.interrupt = true;
    segment.actor.start();
    await settle();
    expect(segment.state()).toBe('active');
    fail(unread);
    expect(await segment.finished).toMatchObject({outcome: 'error', error: unread});
    expect(segment.log).toContain('interrupt a-1');
    expect(segment.agents.alive()).toEqual([]);
  });

  test('after its result makes no difference', async () => {
    let fail = (_: Error) => {};
    const segment = createSegment({budgets, readSpending: () => new Promise((_, reject) => (fail = reject))});
    segment.actor.start();
    await settle();
    segment.agent.reports({ok: true});
    fail(unread);
    await settle();
    segment.agent.exits({exitCode: 0});
    expect(await segment.finished).toMatchObject({outcome: 'ended', run: {state: 'succeeded'}});
  });
});

describe('what cannot be ended', () => {
  test('is named, nothing is recorded over it, and it is killed once more', async () => {
    const segment = await startInSession();
    segment.agent.remaining = [17, 18];
    segment.pause();
    await settle();
    segment.agent.exits();

    expect(await segment.finished).toMatchObject({
      outcome: 'error',
      error: {
        code: 'E_PROCESS_ALIVE',
        message: 'processes 17, 18 of run a-1 are alive and cannot be ended',
      },
      run: {state: 'running', phase: 'pausing'},
    });
    expect(segment.log.at(-1)).toBe('kill a-1');
    expect(segment.live.size).toBe(1);
  });

  test('an end that cannot be judged is a failure of the run', async () => {
    const segment = await startInSession();
    segment.agent.breaks(new Error('no verdict'));
    expect((await segment.finished).run).toMatchObject({
      state: 'failed',
      failure: {kind: 'agent_error', message: 'no verdict'},
    });
  });
});

describe('leaving', () => {
  test('a segment that is stopped from outside kills its agent', async () => {
    const segment = await startInSession();
    segment.actor.stop();
    expect(segment.log.at(-1)).toBe('kill a-1');
  });

  test('an agent that starts after its segment was stopped is killed before it runs', async () => {
    const segment = createSegment();
    const release = segment.agents.holdLaunch();
    segment.actor.start();
    segment.actor.stop();
    release();
    await settle();
    expect(segment.log).toEqual(['launch a-1', 'kill a-1', 'exit a-1']);
  });
});

test.each(['agent', 'recordRun', 'endEverything'] as const)(
  'refuses to run without the actor %s',
  async (missing) => {
    const run = runRecord();
    const {services, agents} = createFakeServices({runs: [run]});
    const live = new Map();
    const endings = new Map();
    agents.play = (agent) => agent.succeeds();
    const {[missing]: _, ...actors} = {
      agent: defineAgentActor({
        ...services,
        live,
        endings,
        spending: createSpendingTracker(services),
        onNews: () => {},
      }),
      recordRun: defineRecordRunActor({...services, endings, onRecorded: () => {}}),
      endEverything: defineEndEverythingActor({live}),
    };
    const clock = new SimulatedClock();
    const input = {run, request: startRequest, graceMilliseconds};
    const actor = createActor(segmentMachine.provide({actors}), {clock, input});
    const finished = toPromise(actor);
    actor.start();
    await settle();
    clock.increment(killMilliseconds);
    expect(await finished).toMatchObject({
      outcome: 'error',
      error: new Error(`Actor "${missing}" was not provided`),
    });
  },
);

test('every transition is reached', () => {
  const run = runRecord({segments: [openSegment()]});
  const exit = {verdict: {outcome: 'succeeded'}, isSessionStored: true, hasWorked: true};
  expect(
    unreachedTransitions(segmentMachine, {
      inputs: [{run, request: startRequest, graceMilliseconds, stallMilliseconds: 1}],
      payloads: [
        {type: 'agent.silent', milliseconds: 0, isRetrying: false},
        {type: 'agent.silent', milliseconds: 1, isRetrying: false},
        {type: 'agent.held', identity: {}, argv: []},
        {type: 'agent.spawnFailed', message: 'no'},
        {type: 'agent.sessionCaptured', sessionRef},
        {type: 'agent.resultSeen', isOk: true},
        {type: 'agent.fatalRetrySeen'},
        {type: 'agent.exited', ...exit},
        {type: 'run.pause', reason: 'user_interrupt'},
        {
          type: 'xstate.done.actor.budget',
          output: {whose: 'job', setting: 'execution.maxTokens', what: 'tokens', spent: 1, limit: 1},
        },
        {type: 'xstate.error.actor.budget', error: 'unread'},
        {type: 'xstate.done.actor.recordWithdrawal', output: pausedRun()},
        ...['recordStart', 'recordSession', 'recordPauseIntent', 'recordPause', 'recordOutcome'].map(
          (id) => ({
            type: `xstate.done.actor.${id}`,
            output: run,
          }),
        ),
        ...['recordStart', 'recordSession', 'recordPauseIntent', 'recordPause', 'recordOutcome'].map(
          (id) => ({
            type: `xstate.error.actor.${id}`,
            error: 'full',
          }),
        ),
      ],
      key: ({context: {pause, session, hasResult, exit: seen, isSwept, error}}) => [
        Math.min(pause?.presses ?? 0, 2),
        pause?.failure !== undefined,
        session?.isRecorded ?? null,
        hasResult,
        seen !== null,
        isSwept,
        error !== undefined,
      ],
    }),
  ).toEqual([]);
});
