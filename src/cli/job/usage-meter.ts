import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import {isOpenJob, lastRunOf} from '../../machines/policies/job/job-record.ts';
import {type Used, usedIn} from '../../machines/policies/report/job-status.ts';
import {usageSince} from '../../machines/policies/run/spent.ts';
import {createLogReader} from '../../services/agents/run-provider.ts';
import {createUsageSum} from '../../services/agents/usage-sum.ts';
import type {Usage} from '../../services/contracts/agent.ts';
import type {JobRecord} from '../../services/contracts/job.ts';
import type {RunFiles, RunRecord, RunStore, Segment} from '../../services/contracts/run.ts';
import {createLineSplitter} from '../../services/output/line-splitter.ts';
import {offsetSince} from '../../services/output/time-marks.ts';

/** How much output one call reads; the next call reads on. */
const maxBytes = 16 * 1024 * 1024;

/** A running agent's usage so far, read incrementally from its log. */
export function createUsageMeter(runs: Pick<RunStore, 'files'>): (run: RunRecord) => Usage | null {
  let meter: {key: string; look: () => Usage | null} | null = null;
  return (run) => {
    const last = run.segments.at(-1);
    // For an agent that is gone, the record has the usage.
    if (run.state !== 'running' || last === undefined || last.ended_at !== undefined) return null;
    const key = `${run.segments.length} ${run.run_id}`;
    if (meter?.key !== key) meter = {key, look: meterOf(run, last, runs.files(run.task_id, run.run_id))};
    return meter.look();
  };
}

/** What the runs of a job used before its last one; each is read once, until it continues. */
export function createJobMeter(runs: Pick<RunStore, 'list'>): (job: JobRecord) => Promise<Used[]> {
  const known = new Map<string, Used>();
  return async (job) => {
    if (!isOpenJob(job)) return [];
    const {jobId, runs: begun} = job;
    const last = lastRunOf(job)?.runId ?? '';
    known.delete(last);
    const earlier = new Map(begun.filter(({runId}) => runId !== last).map((each) => [each.runId, each]));
    const unread = new Set(
      [...earlier.values()].flatMap(({taskId, runId}) => (known.has(runId) ? [] : taskId)),
    );
    for (const taskId of unread) {
      for (const run of (await runs.list(taskId)).runs) {
        if (earlier.has(run.run_id)) known.set(run.run_id, usedIn(run, jobId));
      }
    }
    return [...earlier.keys()].flatMap((runId) => known.get(runId) ?? []);
  };
}

function meterOf(run: RunRecord, {started_at}: Segment, files: RunFiles): () => Usage | null {
  let usage: Usage | null = null;
  // All agents of a run write to one log.
  let offset = run.segments.length === 1 ? 0 : null;
  const {session_usage: before} = run;
  const read = createLogReader(run);
  const summed = createUsageSum();
  const splitter = createLineSplitter((line) => {
    for (const event of read(line).map(summed)) {
      if (event.type === 'usage')
        usage = event.wholeSession && before ? usageSince(event.usage, before) : event.usage;
    }
  });
  return () => {
    offset ??= offsetSince(bytesFrom(files.times, 0).toString('utf8'), Date.parse(started_at));
    if (offset === null) return null;
    const chunk = bytesFrom(files.stdout, offset);
    offset += chunk.length;
    splitter.push(chunk);
    return usage;
  };
}

function bytesFrom(file: string, offset: number): Buffer {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    // The agent has not printed anything yet.
    return Buffer.alloc(0);
  }
  try {
    const buffer = Buffer.alloc(Math.min(maxBytes, Math.max(0, fstatSync(handle).size - offset)));
    return buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, offset));
  } finally {
    closeSync(handle);
  }
}
