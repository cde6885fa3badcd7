import {Command} from 'commander';
import {isDraftTaskId} from '../../machines/policies/planning/draft-task.ts';
import type {JobStatus, Used} from '../../machines/policies/report/job-status.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {
  clockTime,
  dollars,
  duration,
  localTime,
  nearTime,
  timeOfDay,
  tokenWords,
} from '../../machines/policies/text/durations.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Cli} from '../cli.ts';
import type {Surface} from '../context.ts';
import {factsNow} from '../plan/facts-now.ts';
import {taskFactsIn} from '../plan/read-task-facts.ts';
import {laidOut, type Piece} from '../terminal/laid-out.ts';
import {printableJson} from '../terminal/printable-json.ts';

type Options = {watch?: true};

export function statusCommand(cli: Cli): Command {
  return new Command('status')
    .summary('what is running, what it is waiting for, what needs you, and what comes next')
    .option('--watch', 'refresh every second, until Ctrl+C')
    .addHelpText(
      'after',
      `
Examples:
  $ blackbird status                 from any terminal, at any time
  $ blackbird status --watch
  $ blackbird status --json | jq -r '.needs_you[].command'`,
    )
    .action(async (options: Options, command: Command) => {
      const look = await statusLook(cli, command);
      const {stdout} = cli.context;
      const render = (status: JobStatus) => statusLines(status, cli.context.now(), stdout).join('\n');
      if (!options.watch) {
        const status = await look();
        return cli.print(command, status, () => render(status));
      }
      const isJson = cli.isJson(command);
      const {redrawn} = await import('../terminal/redrawn.ts');
      await redrawn(cli.context, async () => {
        const status = await look();
        return isJson ? printableJson(status) : render(status);
      });
    });
}

/** Reads the project from disk; needs no lock and can be called repeatedly. */
async function statusLook(cli: Cli, command: Command): Promise<() => Promise<JobStatus>> {
  const project = await cli.project(command);
  const [
    {newestJob, openJobs, ownerOf},
    {jobStatus},
    {lastRunOf},
    {createRunStore},
    {createJobMeter, createUsageMeter},
    {createPlanDraftStore},
    {lastOutputOf},
  ] = await Promise.all([
    import('../job/other-job.ts'),
    import('../../machines/policies/report/job-status.ts'),
    import('../../machines/policies/job/job-record.ts'),
    import('../../services/stores/run-store.ts'),
    import('../job/usage-meter.ts'),
    import('../../services/stores/plan-draft-store.ts'),
    import('../job/last-sign-of-life.ts'),
  ]);
  const jobs = await openJobs(project);
  const runs = createRunStore({folder: project.folder.runsFolder});
  const planDrafts = createPlanDraftStore({folder: project.folder.planDraftsFolder});
  const usageOf = createUsageMeter(runs);
  const usedBefore = createJobMeter(runs);
  return async () => {
    const plan = await project.plans.read();
    const known = await taskFactsIn(project, plan, plan.items.values());
    const factsOf = await factsNow(project, known, cli.context.now());
    const job = await newestJob(jobs);
    const last = job && lastRunOf(job);
    const all: readonly RunRecord[] = last ? (await runs.list(last.taskId)).runs : [];
    const run = all.find(({run_id}) => run_id === last?.runId) ?? null;
    const usage = run ? usageOf(run) : null;
    const heardAt = run?.state === 'running' ? await lastOutputOf(runs, run) : null;
    const others = job ? await usedBefore(job) : [];
    const {drafts} = await planDrafts.list();
    const owner = job ? await ownerOf(job) : 'dead';
    return jobStatus({plan, drafts, factsOf, job, owner, run, heardAt, usage, others});
  };
}

/** A line before layout. */
type Row = {readonly sign?: Piece; readonly head: Piece; readonly pieces?: readonly Piece[]};

function statusLines(status: JobStatus, now: string, surface: Surface): string[] {
  const {needs_you, needs_time, next, reviews_due, done, skipped, total} = status;
  const heading = (text: string): Row => ({head: {text, style: 'bold'}});
  const rows: readonly Row[] = [
    ...jobRows(status, now),
    ...(needs_you.length === 0 ? [] : [heading('Needs you')]),
    ...needs_you.map((need) => needRow(need, {text: '!', style: 'yellow'})),
    ...(needs_time.length === 0 ? [] : [heading('Needs time')]),
    ...needs_time.map((need) => needRow(need, {text: 'Ⅱ', style: 'dim'})),
    ...(next.length + reviews_due.length === 0 ? [] : [heading('Next')]),
    ...reviews_due.map((id) => ({
      sign: {text: '○', style: 'blue'} as const,
      head: {text: displayLine(id)},
      pieces: [{text: 'its review is due'}],
    })),
    ...next.map(({task_id, title}) => ({
      sign: {text: '○', style: 'blue'} as const,
      head: {text: displayLine(task_id)},
      pieces: [{text: displayLine(title)}],
    })),
    {head: {text: `${done} of ${total} done${skipped === 0 ? '' : `, ${skipped} skipped`}`}},
  ];
  return rows.flatMap(({sign = {text: ''}, head, pieces = []}) => laidOut(sign, head, pieces, surface));
}

const needRow = ({task_id, title, why, command}: JobStatus['needs_you'][number], sign: Piece): Row => ({
  sign,
  head: {text: displayLine(task_id)},
  pieces: [
    ...(isDraftTaskId(task_id) ? [{text: displayLine(title)}] : []),
    {text: displayLine(why)},
    ...(command === null ? [] : [{text: displayLine(command), style: 'cyan'} as const]),
  ],
});

function jobRows(status: JobStatus, now: string): Row[] {
  const {job, last_job: last, running, waiting} = status;
  const ago = (since: string) => Date.parse(now) - Date.parse(since);
  if (job === null) {
    const nothing = {head: {text: 'Nothing is running.'}};
    if (last === null) return [nothing];
    const end = last.ended_at === null ? '' : ` – ${localTime(last.ended_at)}`;
    const text = `Last job ${timeOfDay(last.started_at, now)}${end}: ${displayLine(last.message)}`;
    return [nothing, {head: {text}, pieces: [{text: 'blackbird report', style: 'dim'}]}];
  }
  const who = `job ${displayLine(job.job_id)}, ${displayLine(job.agent)}, since ${timeOfDay(job.started_at, now)}`;
  if (job.state === 'lost') {
    const text = `Ended unexpectedly: ${who}. Continue with: ${displayLine(job.go_on ?? 'blackbird execute')}`;
    return [{sign: {text: '✗', style: 'red'}, head: {text}}];
  }
  const where =
    job.pid === null ? '' : `, process ${job.pid}${job.state === 'unseen' ? ` on ${job.host}` : ''}`;
  const works = `${who} (${duration(ago(job.started_at))})${where}`;
  return [
    {
      head: {text: doing(status), style: 'bold'},
      pieces: [works, ...usedTexts(job)].map((text) => ({text})),
    },
    ...(running === null ? [] : [runningRow(running, ago)]),
    ...(waiting === null ? [] : [waitingRow(waiting, ago, now)]),
    ...(job.stop_asked_at === null
      ? []
      : [{head: {text: waiting ? 'Ends now' : 'Stops after this task', style: 'yellow'} as const}]),
    ...(isBetween(status)
      ? [{sign: {text: '●', style: 'cyan'} as const, head: {text: 'between two tasks'}}]
      : []),
  ];
}

function doing({job, waiting}: JobStatus): string {
  if (job?.decision != null) return 'Waiting for your decision';
  return waiting?.retry_at == null ? 'Running' : 'Waiting';
}

/** The job works, but nothing about its next step is on disk yet: it is reading the plan or files. */
const isBetween = ({job, running, waiting, needs_you}: JobStatus): boolean =>
  job?.state === 'working' && running === null && waiting === null && needs_you.length === 0;

const usedTexts = ({tokens, cost_usd}: Used): string[] => [
  ...(tokens === null ? [] : [tokenWords(tokens)]),
  ...(cost_usd === null ? [] : [dollars(cost_usd)]),
];

type Ago = (since: string) => number;

const runningRow = (running: NonNullable<JobStatus['running']>, ago: Ago): Row => ({
  sign: {text: '●', style: 'cyan'},
  head: {text: displayLine(running.task_id)},
  pieces: [
    displayLine(running.title),
    `${running.state} ${clockTime(ago(running.since))}`,
    ...(running.check === null ? [] : [displayLine(running.check)]),
    displayLine(running.agent),
    ...usedTexts(running),
    ...(running.heard_at === null ? [] : [`last output ${duration(Math.max(0, ago(running.heard_at)))} ago`]),
  ].map((text) => ({text})),
});

const waitingRow = (waiting: NonNullable<JobStatus['waiting']>, ago: Ago, now: string): Row => ({
  sign: {text: 'Ⅱ', style: 'yellow'},
  head: {text: displayLine(waiting.task_id)},
  pieces: [
    displayLine(waiting.title),
    `${waiting.reason.replaceAll('_', ' ')} (${displayLine(waiting.agent)})`,
    waiting.retry_at === null
      ? `waits ${clockTime(ago(waiting.since))}`
      : `${waiting.run_id === null ? 'starts' : 'resumes'} ${nearTime(waiting.retry_at, now)}, in ${duration(Math.max(0, -ago(waiting.retry_at)))}`,
  ].map((text) => ({text})),
});
