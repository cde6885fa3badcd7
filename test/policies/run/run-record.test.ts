import {describe, expect, test} from 'vitest';
import {applyRunStep, newRunRecord} from '../../../src/machines/policies/run/run-record.ts';
import {
  identityOf,
  type RunStep,
  type SegmentFacts,
  type SegmentTrace,
  type SegmentVerdict,
  segmentStep,
} from '../../../src/machines/policies/run/run-step.ts';
import type {FailureKind} from '../../../src/services/contracts/agent.ts';
import {type RunRecord, runRecordSchema} from '../../../src/services/contracts/run.ts';
import {
  begun,
  endedSegment,
  identity,
  openSegment,
  pausedRun,
  pausedSince,
  question,
  resumeRequest,
  runRecord,
  sessionRef,
  startRequest,
  waitingRun,
} from '../../fakes/runs.ts';
import {now} from '../../helpers/plans.ts';

const end = {exitCode: 1, signal: null, stdout: 'out', stderr: 'err'};
const usage = {input_tokens: 10, output_tokens: 1};
const failure = {kind: 'agent_error', message: 'no'} as const;
const rejected = {kind: 'resume_rejected', message: 'no'} as const;
const refusals = [{refused_at: now, message: 'no'}];
const started = runRecord({phase: 'active', segments: [openSegment()], note: 'kept'});
const {phase: _, ...still} = started;
const endedWith = (verdict: SegmentVerdict, isContinued = false): RunStep => ({
  type: 'ended',
  verdict,
  isContinued,
});
const failing = (kind: FailureKind) => ({outcome: 'failed', failure: {kind, message: 'no'}}) as const;
const ended = {
  ...still,
  updated_at: now,
  segments: [endedSegment(1, {exit_code: 1})],
  stdout: 'out',
  stderr: 'err',
  exit_code: 1,
};

test('a new run is running and launching, without a segment', () => {
  const run = newRunRecord(
    {
      runId: 'a-2',
      taskId: 'a',
      attempt: 2,
      program: {provider: 'codex'},
      sessionRef: 'ref',
      repoRoot: '/project',
      context: {digest: 'd', bytes: 7},
      links: {restart_of_run_id: 'a-1'},
    },
    now,
  );
  expect(run).toEqual(
    runRecord({
      run_id: 'a-2',
      attempt: 2,
      provider: 'codex',
      provider_session_ref: 'ref',
      created_at: now,
      updated_at: now,
      context: {digest: 'd', bytes: 7},
      restart_of_run_id: 'a-1',
    }),
  );
  expect(runRecordSchema.parse(run)).toEqual(run);
});

describe('a step', () => {
  test.each<{name: string; run: RunRecord; step: RunStep; trace?: SegmentTrace; expected: RunRecord}>([
    {
      name: 'a started segment is added, and the run is active',
      run: pausedRun({state: 'running', phase: 'launching'}),
      step: {type: 'segmentStarted', identity: identity(2), argv: ['claude', '-p']},
      trace: {host: 'here'},
      expected: pausedRun({
        state: 'running',
        phase: 'active',
        updated_at: now,
        segments: [endedSegment(), openSegment(2)],
      }),
    },
    {
      name: 'a captured session is kept and makes it resumable',
      run: started,
      step: {type: 'sessionCaptured', sessionRef},
      expected: {...started, updated_at: now, provider_session_ref: sessionRef, resumable: true},
    },
    {
      name: 'the session of a custom command is kept with its dialect',
      run: started,
      step: {type: 'sessionCaptured', sessionRef, dialect: 'codex'},
      expected: {
        ...started,
        updated_at: now,
        provider_session_ref: sessionRef,
        provider_dialect: 'codex',
        resumable: true,
      },
    },
    {
      name: 'a requested pause is a phase',
      run: started,
      step: {type: 'pauseAsked'},
      expected: {...started, updated_at: now, phase: 'pausing'},
    },
    {
      name: 'a pause ends the segment',
      run: {...started, provider_session_ref: sessionRef},
      step: {type: 'paused', reason: 'terminated', resumable: true},
      trace: {end},
      expected: {
        ...ended,
        state: 'paused',
        provider_session_ref: sessionRef,
        resumable: true,
        ...pausedSince(now, 'terminated'),
      },
    },
    {
      name: 'a pause without a session is not resumable, whatever was reported',
      run: started,
      step: {type: 'paused', reason: 'user_interrupt', resumable: true},
      trace: {end},
      expected: {...ended, state: 'paused', ...pausedSince(now, 'user_interrupt')},
    },
    {
      name: 'a lost run is paused, and the end of its segment is unknown',
      run: started,
      step: {type: 'paused', reason: 'process_lost', resumable: false},
      expected: {...still, updated_at: now, state: 'paused', ...pausedSince(now, 'process_lost')},
    },
    {
      name: 'a waiting run has questions, and keeps its pauses',
      run: {...started, ...pausedSince(begun, 'user_interrupt')},
      step: endedWith({outcome: 'waiting', questions: [question]}),
      trace: {end, result: 'asks'},
      expected: {
        ...ended,
        ...pausedSince(begun, 'user_interrupt'),
        state: 'waiting',
        questions: [question],
        result: 'asks',
      },
    },
    {
      name: 'a success has a result',
      run: started,
      step: endedWith({outcome: 'succeeded'}),
      trace: {end, result: 'done'},
      expected: {...ended, state: 'succeeded', result: 'done'},
    },
    {
      name: 'a success whose end was not seen has an empty end',
      run: started,
      step: endedWith({outcome: 'succeeded'}),
      trace: {end: null, result: ''},
      expected: {
        ...still,
        updated_at: now,
        state: 'succeeded',
        segments: [endedSegment(1, {exit_code: null})],
        result: '',
      },
    },
    ...(['agent_error', 'resume_rejected', 'spawn_failed'] as const).map((kind) => ({
      name: `a first segment that ends with ${kind} fails`,
      run: started,
      step: endedWith(failing(kind)),
      trace: {end, result: 'half'},
      expected: {...ended, state: 'failed', failure: {kind, message: 'no'}, result: 'half'} as const,
    })),
    {
      name: 'a later segment that fails fails',
      run: started,
      step: endedWith(failing('agent_error'), true),
      trace: {end, result: 'half'},
      expected: {...ended, state: 'failed', failure, result: 'half'},
    },
    ...(['resume_rejected', 'spawn_failed', 'auth', 'rate_limit'] as const).map((kind) => ({
      name: `a later segment that ends with ${kind} returns to its earlier state`,
      run: {...started, stood: {state: 'waiting'} as const},
      step: endedWith(failing(kind), true),
      trace: {end, result: 'half'},
      expected: {
        ...ended,
        state: 'waiting',
        failure: {kind, message: 'no'},
        ...((kind === 'resume_rejected' || kind === 'spawn_failed') && {refusals}),
        ...(kind === 'rate_limit' && {
          retry_at: '2026-02-02T02:07:02.000Z',
          held_up: {kind, since: now, attempt: 1},
        }),
      } as const,
    })),
    {
      name: 'a failure needs neither a result nor an end',
      run: started,
      step: endedWith(failing('agent_error')),
      expected: {...still, updated_at: now, state: 'failed', failure},
    },
    {
      name: 'a refused resume of a paused run is paused',
      run: pausedRun({state: 'running', phase: 'active', segments: [endedSegment(), openSegment(2)]}),
      step: endedWith(failing('resume_rejected'), true),
      trace: {end},
      expected: pausedRun({
        updated_at: now,
        segments: [endedSegment(), endedSegment(2, {exit_code: 1})],
        stdout: 'out',
        stderr: 'err',
        exit_code: 1,
        failure: rejected,
        refusals,
      }),
    },
    {
      name: 'a refused answer of a waiting run is waiting',
      run: waitingRun({state: 'running', phase: 'launching'}),
      step: endedWith(failing('resume_rejected'), true),
      expected: waitingRun({updated_at: now, failure: rejected, refusals}),
    },
    {
      name: 'a refused resume of a run that asked before it was paused is paused',
      run: pausedRun({state: 'running', phase: 'launching', questions: [question]}),
      step: endedWith(failing('resume_rejected'), true),
      expected: pausedRun({updated_at: now, questions: [question], failure: rejected, refusals}),
    },
    {
      name: 'a relaunch runs again and clears its last failure, but not that it was refused',
      run: pausedRun({failure, refusals}),
      step: {type: 'relaunched'},
      expected: runRecord({
        refusals,
        provider_session_ref: sessionRef,
        resumable: true,
        segments: [endedSegment()],
        updated_at: now,
        paused_at: begun,
        pause_reason: 'user_interrupt',
        stood: {state: 'paused', paused_at: begun, pause_reason: 'user_interrupt', failure},
      }),
    },
    {
      name: 'a relaunch keeps all answers, each with its question',
      run: waitingRun({answers: [{id: 'size', value: 'M'}]}),
      step: {type: 'relaunched', answers: [{id: 'color', value: 'red'}]},
      expected: waitingRun({
        state: 'running',
        phase: 'launching',
        updated_at: now,
        stood: {state: 'waiting', answered: 1},
        answers: [
          {id: 'size', value: 'M'},
          {id: 'color', value: 'red', prompt: 'Which color?'},
        ],
      }),
    },
    {
      name: 'a dismissal is recorded on the review, once for a task',
      run: pausedRun({
        run_type: 'review',
        state: 'succeeded',
        parent_review_dismissed: [{task_id: 'b', dismissed_at: 'then', dismissed_by: 'ada'}],
      }),
      step: {type: 'dismissed', taskId: 'b', by: 'bob'},
      expected: pausedRun({
        run_type: 'review',
        state: 'succeeded',
        parent_review_dismissed: [{task_id: 'b', dismissed_at: 'then', dismissed_by: 'ada'}],
      }),
    },
    {
      name: 'a superseded run keeps its state',
      run: pausedRun(),
      step: {type: 'superseded', byRunId: 'a-2'},
      expected: pausedRun({updated_at: now, superseded_by_run_id: 'a-2'}),
    },
    {
      name: 'a run that never started is canceled',
      run: runRecord(),
      step: {type: 'neverStarted'},
      expected: {
        ...(({phase: __, ...rest}) => rest)(runRecord()),
        updated_at: now,
        state: 'canceled',
        failure: {kind: 'stopped', message: 'Blackbird ended before the agent was started'},
      },
    },
  ])('$name', ({run, step, trace, expected}) => {
    const before = structuredClone(run);
    const after = applyRunStep(run, step, now, trace);
    expect(after).toEqual(expected);
    expect(runRecordSchema.parse(after)).toEqual(expected);
    expect(run).toEqual(before);
  });
});

describe('usage', () => {
  const done = (run: RunRecord, fields: object) =>
    applyRunStep(run, endedWith({outcome: 'succeeded'}), now, {end: {...end, ...fields}}).usage;
  const two = [endedSegment(), openSegment(2)];

  test.each<{name: string; run: RunRecord; end: object; expected: object | undefined}>([
    {name: 'is unknown when none was reported', run: started, end: {}, expected: undefined},
    {name: 'is kept when this segment reported none', run: {...started, usage}, end: {}, expected: usage},
    {name: 'is that of the only segment', run: {...started, usage}, end: {usage}, expected: usage},
    {name: 'is the first reported', run: {...started, segments: two}, end: {usage}, expected: usage},
    {
      name: 'adds up over segments',
      run: {...started, segments: two, usage: {...usage, cost_usd: 0.5}},
      end: {usage: {input_tokens: 1, output_tokens: 2}},
      expected: {input_tokens: 11, output_tokens: 3, cost_usd: 0.5},
    },
    {
      name: 'has no cost when none was reported',
      run: {...started, segments: two, usage},
      end: {usage},
      expected: {input_tokens: 20, output_tokens: 2},
    },
    {
      name: 'is not added when the provider counts the session',
      run: {...started, segments: two, usage},
      end: {usage: {input_tokens: 12, output_tokens: 2}, isWholeSession: true},
      expected: {input_tokens: 12, output_tokens: 2},
    },
  ])('$name', ({run, end: fields, expected}) => {
    expect(done(run, fields)).toEqual(expected);
  });
});

test('a segment records the identity of its process', () => {
  expect(identityOf(openSegment(3))).toEqual(identity(3));
});

describe('a step of a segment', () => {
  const seen = {verdict: {outcome: 'succeeded'}, isSessionStored: false, hasWorked: true} as const;
  const facts: SegmentFacts = {
    run: started,
    request: startRequest,
    pause: {reason: 'terminated', presses: 1},
    held: {identity: identity(), argv: ['claude']},
    session: {ref: sessionRef, isRecorded: false},
    exit: seen,
    hasResult: true,
  };

  test.each<{name: string; step: RunStep; expected: RunStep}>([
    {
      name: 'its start is the identity of the process',
      step: segmentStep.start(facts),
      expected: {type: 'segmentStarted', identity: identity(), argv: ['claude']},
    },
    {name: 'its session', step: segmentStep.session(facts), expected: {type: 'sessionCaptured', sessionRef}},
    {
      name: 'its pause is resumable when the session was stored',
      step: segmentStep.pause({
        ...facts,
        exit: {verdict: {outcome: 'succeeded'}, isSessionStored: true, hasWorked: true},
      }),
      expected: {type: 'paused', reason: 'terminated', resumable: true, hasWorked: true},
    },
    {
      name: 'or when it is a resume',
      step: segmentStep.pause({...facts, request: resumeRequest, exit: null}),
      expected: {type: 'paused', reason: 'terminated', resumable: true, hasWorked: false},
    },
    {
      name: 'and not otherwise',
      step: segmentStep.pause({...facts, pause: null}),
      expected: {type: 'paused', reason: 'user_interrupt', resumable: false, hasWorked: true},
    },
    {
      name: 'the end of a first segment',
      step: segmentStep.end(facts),
      expected: {type: 'ended', ...seen, isContinued: false},
    },
    {
      name: 'the end of a resumed segment',
      step: segmentStep.end({...facts, request: resumeRequest}),
      expected: {type: 'ended', ...seen, isSessionStored: true, isContinued: true},
    },
    {
      name: 'the end of a later segment that never started',
      step: segmentStep.end({...facts, held: null}),
      expected: {type: 'ended', ...seen, isContinued: true},
    },
    {
      name: 'the end of an agent that was not seen to end',
      step: segmentStep.end({...facts, exit: null}),
      expected: {
        type: 'ended',
        verdict: {
          outcome: 'failed',
          failure: {kind: 'agent_error', message: 'the agent could not be stopped'},
        },
        isContinued: false,
        isSessionStored: false,
        hasWorked: false,
      },
    },
  ])('$name', ({step, expected}) => {
    expect(step).toEqual(expected);
  });

  test('is refused when it is not possible yet', () => {
    expect(() => segmentStep.start({...facts, held: null})).toThrow('No agent is held back');
    expect(() => segmentStep.session({...facts, session: null})).toThrow('No session was captured');
  });
});

test('a segment records that its log is incomplete', () => {
  const trace = {end: {...end, isLogTruncated: true}};
  expect(applyRunStep(started, endedWith({outcome: 'succeeded'}), now, trace).segments).toEqual([
    {...endedSegment(1, {exit_code: 1}), log_truncated: true},
  ]);
});

test.each([true, false])('a failed session that was stored: %s can be resumed or not', (isStored) => {
  const run = runRecord({segments: [openSegment()], provider_session_ref: sessionRef, resumable: true});
  const step = {type: 'ended', verdict: failing('agent_error'), isContinued: false} as const;
  const failed = applyRunStep(run, {...step, isSessionStored: isStored}, now, {end});
  expect([failed.state, failed.resumable]).toEqual(['failed', isStored]);
});

test('a rejected run has failed, with the reason', () => {
  const run = runRecord({state: 'succeeded', decision_required: true, decision_state: 'pending'});
  const step = {type: 'decided', decision: {state: 'rejected', why: 'too long'}} as const;
  expect(applyRunStep(run, step, now)).toMatchObject({
    state: 'failed',
    decision_state: 'rejected',
    decision_feedback: 'too long',
    failure: {kind: 'rejected', message: 'rejected at the checkpoint: too long'},
  });
});

test('a run with checks whose agent ended is checked next, and stays so until they are done', () => {
  const run = runRecord({segments: [openSegment()], verify: ['test']});
  const step = {type: 'ended', verdict: {outcome: 'succeeded'}, isContinued: false} as const;
  expect(applyRunStep(run, step, now, {end})).toMatchObject({
    state: 'running',
    phase: 'verifying',
    checks_due: true,
  });
});

test('a withdrawn approval is added to those withdrawn before', () => {
  const earlier = {
    decision_state: 'approved_continue',
    decision_resolved_at: 'first',
    withdrawn_at: 'then',
  } as const;
  const run = runRecord({
    state: 'succeeded',
    decision_required: true,
    decision_state: 'approved_quit',
    decision_resolved_at: 'second',
    decision_history: [earlier],
  });
  expect(applyRunStep(run, {type: 'approvalWithdrawn'}, now)).toMatchObject({
    decision_state: 'pending',
    decision_history: [
      earlier,
      {decision_state: 'approved_quit', decision_resolved_at: 'second', withdrawn_at: now},
    ],
  });
});
