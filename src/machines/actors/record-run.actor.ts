import {fromPromise} from 'xstate';
import type {ProcessIdentity} from '../../services/contracts/process.ts';
import type {Answer, PauseReason, RunRecord, RunStore} from '../../services/contracts/run.ts';
import {applyRunChange, type RunChange, type SegmentEnd} from '../policies/run-record.ts';
import type {SegmentVerdict} from '../segment.machine.ts';
import type {AgentEndings} from './agent.actor.ts';

/** What a machine wants written down. Output never passes through it: the actor adds the tails. */
export type RunStep =
  | {readonly type: 'segmentStarted'; readonly identity: ProcessIdentity; readonly argv: readonly string[]}
  | {readonly type: 'sessionCaptured'; readonly sessionRef: string}
  | {readonly type: 'pauseAsked'}
  | {readonly type: 'paused'; readonly reason: PauseReason; readonly resumable: boolean}
  | {readonly type: 'relaunched'; readonly answers?: readonly Answer[]}
  | {readonly type: 'ended'; readonly verdict: SegmentVerdict; readonly isResume: boolean};

export type RecordRunInput = {readonly run: RunRecord; readonly step: RunStep};

/** Writes a step of a run to its record; the next act begins when it is on disk. */
export function defineRecordRunActor({
  runs,
  endings,
  host,
  now,
  onRecorded,
}: {
  runs: Pick<RunStore, 'update'>;
  endings: AgentEndings;
  host: string;
  now: () => string;
  onRecorded: (run: RunRecord) => void;
}) {
  return fromPromise<RunRecord, RecordRunInput>(async ({input: {run, step}}) => {
    const ending = endings.get(run.run_id);
    const end = ending?.end ?? null;
    const recorded = await runs.update(run.task_id, run.run_id, (current) =>
      applyRunChange(current, toChange(step, end, ending?.text ?? '', host), now()),
    );
    onRecorded(recorded);
    return recorded;
  });
}

const noEnd: SegmentEnd = {exitCode: null, signal: null, stdout: '', stderr: ''};

function toChange(step: RunStep, end: SegmentEnd | null, result: string, host: string): RunChange {
  switch (step.type) {
    case 'segmentStarted':
      return {...step, host};
    case 'paused':
      return {...step, end};
    case 'ended': {
      const {verdict, isResume} = step;
      if (verdict.outcome === 'waiting')
        return {type: 'waiting', questions: verdict.questions, end: end ?? noEnd, result};
      if (verdict.outcome === 'succeeded') return {type: 'succeeded', end: end ?? noEnd, result};
      const {failure} = verdict;
      if (isResume && failure.kind === 'resume_rejected') return {type: 'resumeRefused', failure, end};
      return {type: 'failed', failure, end, result};
    }
    default:
      return step;
  }
}
