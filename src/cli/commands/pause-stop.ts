import {Command} from 'commander';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {JobRecord} from '../../services/contracts/job.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Cli} from '../cli.ts';
import type {Project} from '../composition.ts';

/** Longer than an agent is given to stop. */
const patienceMilliseconds = 15_000;

export function pauseCommand(cli: Cli): Command {
  return new Command('pause')
    .summary('pause the job running in another terminal, as Ctrl+C does there; run it twice to force it')
    .addHelpText(
      'after',
      `
Examples:
  $ blackbird pause                  the agent is stopped, its task can be resumed
  $ blackbird pause && blackbird status`,
    )
    .action(async (_options, command: Command) => {
      const project = await cli.project(command);
      const {askJob, jobEnd, openJobs, workingJob} = await import('../job/other-job.ts');
      const jobs = await openJobs(project);
      const job = await workingJob(jobs);
      await askJob(project, job, 'pause', cli.context.now());
      const grace = Number(job.settings.graceMilliseconds ?? 0);
      const ended = await jobEnd(jobs, job, grace + patienceMilliseconds);
      const run = await lastRun(project, ended ?? job);
      const message = ended?.end?.message ?? 'pausing; blackbird pause again forces it';
      const data = {job_id: job.jobId, asked: 'pause', ended: ended !== null, message, task_id: run?.task_id};
      if (run?.state !== 'paused') return cli.print(command, data, message);
      const {pausedLines} = await import('../../machines/policies/job/summary-lines.ts');
      cli.print(command, data, () => pausedLines(run.task_id, run).join('\n'));
    });
}

export function stopCommand(cli: Cli): Command {
  return new Command('stop')
    .summary('let the job running in another terminal finish its task, then end it; one that waits ends now')
    .addHelpText(
      'after',
      `
Examples:
  $ blackbird stop                   ends after the current task
  $ blackbird stop && blackbird status --watch`,
    )
    .action(async (_options, command: Command) => {
      const project = await cli.project(command);
      const {askJob, openJobs, workingJob} = await import('../job/other-job.ts');
      const job = await workingJob(await openJobs(project));
      await askJob(project, job, 'stop', cli.context.now());
      const run = await lastRun(project, job);
      const where = run?.state === 'running' ? `after ${displayLine(run.task_id)}` : 'before the next task';
      const data = {job_id: job.jobId, asked: 'stop', task_id: run?.state === 'running' ? run.task_id : null};
      const {leftWaiting} = await import('../../machines/policies/job/wait-lines.ts');
      const text = job.waiting ? `The job ends; ${leftWaiting(job.waiting)}.` : `The job stops ${where}.`;
      cli.print(command, data, text);
    });
}

/** The run the job started or continued last. */
async function lastRun({folder}: Project, job: JobRecord): Promise<RunRecord | null> {
  const {lastRunOf} = await import('../../machines/policies/job/job-record.ts');
  const last = lastRunOf(job);
  if (last === null) return null;
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {runs: all} = await createRunStore({folder: folder.runsFolder}).list(last.taskId);
  return all.find(({run_id}) => run_id === last.runId) ?? null;
}
