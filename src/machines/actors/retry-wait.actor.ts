import {fromCallback, fromPromise} from 'xstate';
import {messageOf} from '../../services/contracts/errors.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {Wait} from '../policies/job/waiting.ts';
import {applyRunStep} from '../policies/run/run-record.ts';
import type {RetryWaitCommand, RetryWaitInput} from '../retry-wait.machine.ts';
import type {CurrentJob} from './job.actor.ts';

/** The current waits, each with a way to send it events. */
export type OpenWaits = Set<{readonly wait: Wait; readonly send: (command: RetryWaitCommand) => void}>;

export type WaitFact =
  | {readonly type: 'wait.started'; readonly wait: Wait}
  | {readonly type: 'wait.ended'; readonly wait: Wait};

export function defineAnnounceWaitActor(waits: OpenWaits, publish: (fact: WaitFact) => void) {
  return fromCallback<RetryWaitCommand, RetryWaitInput>(({input: {wait}, sendBack}) => {
    const open = {wait, send: sendBack};
    waits.add(open);
    publish({type: 'wait.started', wait});
    return () => {
      waits.delete(open);
      publish({type: 'wait.ended', wait});
    };
  });
}

/** The job record says what it waits for while it does. */
export function defineRecordWaitActor({jobs, now}: Pick<Services, 'jobs' | 'now'>, currentJob: CurrentJob) {
  return fromPromise<void, RetryWaitInput>(async ({input: {wait}}) => {
    if (currentJob.jobId === null) return;
    const {isTooLong: _, foundAt: __, ...waiting} = wait;
    await jobs.note(currentJob.jobId, {waiting: {...waiting, since: now()}});
  });
}

export const defineReadClockActor = ({now}: Pick<Services, 'now'>) =>
  fromPromise<number, RetryWaitInput>(async ({input: {wait}}) => Date.parse(wait.until) - Date.parse(now()));

export function defineForgetLimitActor(
  {runs, limits, now}: Pick<Services, 'runs' | 'limits' | 'now'>,
  onWarning: (message: string) => void,
) {
  return fromPromise<void, RetryWaitInput>(async ({input: {wait}}) => {
    await limits.clear(wait.provider, now());
    if (wait.runId === null) return;
    try {
      await runs.update(wait.taskId, wait.runId, (run) => applyRunStep(run, {type: 'retryAsked'}, now()));
    } catch (error) {
      onWarning(`${wait.taskId} cannot be tried now: ${messageOf(error)}`);
      throw error;
    }
  });
}
