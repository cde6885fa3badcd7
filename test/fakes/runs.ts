import type {AgentRequest} from '../../src/services/contracts/agent.ts';
import type {ProcessIdentity} from '../../src/services/contracts/process.ts';
import type {PauseReason, RunRecord, Segment} from '../../src/services/contracts/run.ts';
import {now} from '../helpers/plans.ts';

/** When the runs of a test started; everything that happens to them happens at `now`. */
export const begun = '2026-02-02T01:00:00.000Z';

export const sessionRef = 'session-1';

/** A recorded run whose agent is about to be launched. */
export function runRecord(fields: Partial<RunRecord> = {}): RunRecord {
  return {
    schema_version: 1,
    run_id: 'a-1',
    task_id: 'a',
    run_type: 'execute',
    attempt: 1,
    state: 'running',
    phase: 'launching',
    provider: 'claude',
    provider_session_ref: '',
    resumable: false,
    repo_root: '/project',
    created_at: begun,
    updated_at: begun,
    segments: [],
    stdout: '',
    stderr: '',
    exit_code: null,
    ...fields,
  };
}

/** A run at rest: no agent, no phase. */
export function restingRun(fields: Partial<RunRecord> & Pick<RunRecord, 'state'>): RunRecord {
  const {phase: _, ...rest} = runRecord();
  return {...rest, segments: [endedSegment()], ...fields};
}

/** Paused by the user, in a session that can be resumed. */
/** The fields of a run at rest, besides its state. */
export function pausedSince(paused_at: string, pause_reason: PauseReason) {
  return {paused_at, pause_reason, pauses: [{paused_at, pause_reason}]};
}

export function pausedRun(fields: Partial<RunRecord> = {}): RunRecord {
  return restingRun({
    state: 'paused',
    provider_session_ref: sessionRef,
    resumable: true,
    paused_at: begun,
    pause_reason: 'user_interrupt',
    ...fields,
  });
}

export const question = {id: 'color', prompt: 'Which color?', options: ['red', 'blue']};

/** Waiting for the answer to one question, in a session that can be resumed. */
export function waitingRun(fields: Partial<RunRecord> = {}): RunRecord {
  return restingRun({
    state: 'waiting',
    provider_session_ref: sessionRef,
    resumable: true,
    questions: [question],
    exit_code: 0,
    ...fields,
  });
}

/** The agents of a test: the first has pid 1001, the second 1002. */
export function identity(number = 1): ProcessIdentity {
  return {pid: 1000 + number, startTime: `${number}`, bootId: 'boot', pidNamespace: 'pid:[1]'};
}

/** The open segment of the agent with this number. */
export function openSegment(number = 1, fields: Partial<Segment> = {}): Segment {
  return {
    pid: 1000 + number,
    start_time: `${number}`,
    boot_id: 'boot',
    pid_namespace: 'pid:[1]',
    host: 'here',
    argv: ['claude', '-p'],
    started_at: now,
    ...fields,
  };
}

export function endedSegment(number = 1, fields: Partial<Segment> = {}): Segment {
  return openSegment(number, {ended_at: now, exit_code: 0, signal: null, ...fields});
}

export const startRequest: AgentRequest = {
  kind: 'start',
  prompt: 'do it',
  sessionRef: null,
  access: 'edit',
  isGitRepository: true,
};

export const resumeRequest: AgentRequest = {...startRequest, kind: 'resume', prompt: 'go on', sessionRef};

/** Succeeded after four minutes, with a change to decide on. */
export function changedRun(fields: Partial<RunRecord> = {}): RunRecord {
  return restingRun({
    state: 'succeeded',
    task_id: 'pay-04',
    run_id: 'pay-04-1',
    exit_code: 0,
    provider_session_ref: sessionRef,
    resumable: true,
    segments: [endedSegment(1, {started_at: '2026-01-02T12:00:00Z', ended_at: '2026-01-02T12:04:12Z'})],
    usage: {input_tokens: 1, output_tokens: 1, cost_usd: 0.31},
    review_summary: {
      files: ['src/refunds/route.ts', 'test/refunds.test.ts'],
      total_files: 2,
      diffstat: [
        ` src/refunds/route.ts | 44 ${'+'.repeat(41)}---`,
        ' test/refunds.test.ts |  5 +++++',
        ' 2 files changed, 46 insertions(+), 3 deletions(-)',
      ].join('\n'),
      snippets: [
        {
          file: 'src/refunds/route.ts',
          snippet: "@@ -1,2 +1,2 @@\n import x\n+router.post('/refunds');\n-\tgone",
        },
      ],
    },
    ...fields,
  });
}
