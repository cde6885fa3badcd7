import {fromPromise} from 'xstate';
import type {Services} from '../../services/contracts/services.ts';
import type {JobRules, JobTask} from '../policies/job/job-steps.ts';
import {limitWait, runWait, type Wait, waitRefusal} from '../policies/job/waiting.ts';
import {isHeldForTime} from '../policies/run/retry-time.ts';
import {latestDeliveredRun} from '../policies/run/task-runs.ts';
import {timeFacts} from './held-runs.ts';

export type FindWaitInput = {readonly task: JobTask; readonly rules: JobRules};

/** What the next task of a job waits for: a known limit, or its own retry time in this job. */
export function defineFindWaitActor(services: Pick<Services, 'runs' | 'limits' | 'now'>) {
  return fromPromise<Wait | null, FindWaitInput>(async ({input: {task, rules}}) => {
    // A decision is recorded before anything runs for it.
    if (task.mode.type === 'review') return null;
    const {patience, provider} = rules;
    const run = latestDeliveredRun((await services.runs.list(task.taskId)).runs);
    const resumed = task.mode.type === 'resume' ? run : null;
    const own = resumed?.provider ?? provider;
    const facts = await timeFacts(services, patience, [own]);
    if (task.isRetry && run && isHeldForTime(run)) return refuseTooLong(runWait(run, facts), task);
    // With `--no-wait` a task requested by id is tried at once.
    if (patience.limitMilliseconds === 0) return null;
    const wait = limitWait(own, task.taskId, facts);
    return refuseTooLong(wait && {...wait, runId: resumed?.run_id ?? null}, task);
  });
}

function refuseTooLong(wait: Wait | null, {mode}: JobTask): Wait | null {
  if (wait?.isTooLong) throw waitRefusal(wait, mode.type === 'restart' ? 'restart' : 'resume');
  return wait;
}
