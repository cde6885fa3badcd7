import {decisionStates, type RunRecord, runStates} from '../../src/services/contracts/run.ts';
import {endedSegment, runRecord, sessionRef} from './runs.ts';

const sessions = ['', sessionRef].flatMap((provider_session_ref) =>
  [true, false].map((resumable) => ({provider_session_ref, resumable})),
);
/** One record of every kind that the run chart distinguishes. */
export const runKinds: readonly RunRecord[] = [
  ...runStates.flatMap((state) =>
    sessions.flatMap((session) =>
      [
        {},
        ...decisionStates.map((decision_state) => ({decision_state})),
        {pause_reason: 'process_lost' as const},
        {checks_due: true, verify: ['npm test']},
        {decision_state: 'approved_quit' as const, commit: {sha: 'abc'}},
      ].map((fields) => runRecord({state, segments: [endedSegment()], ...session, ...fields})),
    ),
  ),
  runRecord({state: 'paused', superseded_by_run_id: 'a-2'}),
  runRecord({state: 'succeeded', run_type: 'review'}),
  runRecord({state: 'running', run_type: 'review'}),
  runRecord({state: 'succeeded', run_type: 'undo'}),
  runRecord({state: 'running', run_type: 'plan'}),
  ...sessions.map((session) => runRecord({state: 'paused', run_type: 'plan', ...session})),
  runRecord({
    state: 'failed',
    run_type: 'plan',
    provider_session_ref: sessionRef,
    resumable: true,
    failure: {kind: 'resume_rejected', message: 'no such session'},
  }),
];
