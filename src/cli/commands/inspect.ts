import path from 'node:path';
import {Command} from 'commander';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {namedRun} from '../../machines/policies/run/named-run.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {timeOfDay} from '../../machines/policies/text/durations.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {Inspected, InspectorFacts} from '../../services/contracts/inspector.ts';
import type {JobRecord} from '../../services/contracts/job.ts';
import type {RecordedRun} from '../../services/inspector/recorded-runs.ts';
import type {Cli} from '../cli.ts';
import type {Project} from '../composition.ts';
import {parsePort} from '../inspect/inspect-option.ts';
import type {ReadJobs} from '../inspect/read-jobs.ts';
import {replayWords} from '../inspect/replay-words.ts';
import {noRun} from '../job/no-run.ts';
import {printableJson} from '../terminal/printable-json.ts';
import {renderTable} from '../terminal/table.ts';

type Options = {port?: number; open?: true; bundle?: string; job?: string; list?: true};

export function inspectCommand(cli: Cli): Command {
  return new Command('inspect')
    .summary(
      'show what a job did in the browser: its tasks on a time axis, and every machine at every moment',
    )
    .argument('[taskId]', 'the machines of a task (default: the running job, or the last one)')
    .argument('[runId]', 'one of its runs (default: the latest)')
    .option('--job <jobId>', 'an earlier job; the beginning of its id is enough')
    .option('--bundle <file>', 'open a bundle that somebody sent you, and replay it')
    .option('--list', 'list what you can look at: processes, jobs and runs')
    .option('--port <n>', 'serve on this port', parsePort)
    .option('--open', 'open the page in your browser')
    .addHelpText(
      'after',
      `
The page follows a running job, across pauses. Ctrl+C closes it.

Examples:
  $ blackbird inspect --open             the running job, or last night's
  $ blackbird inspect pay-04             the machines of its latest run
  $ blackbird inspect --list
  $ blackbird execute --inspect          the same page, served by the job itself`,
    )
    .action(
      async (taskId: string | undefined, runId: string | undefined, options: Options, command: Command) => {
        refuseMixed(taskId, options);
        if (options.list) await listInspectable(cli, command, options);
        else if (options.bundle !== undefined)
          await serve(cli, command, options, await openBundle(cli, command, options.bundle));
        else if (taskId !== undefined)
          await serve(cli, command, options, await openRun(cli, command, taskId, runId));
        else {
          const job = await openJob(cli, command, options.job);
          if (job === null) await listInspectable(cli, command, options);
          else await serve(cli, command, options, job);
        }
      },
    );
}

function refuseMixed(taskId: string | undefined, {bundle, job, list}: Options): void {
  const chosen = [taskId, bundle, job, list].filter((each) => each !== undefined);
  if (chosen.length < 2) return;
  if (bundle !== undefined && taskId !== undefined) throw new AppError('E_USAGE', '--bundle takes no task');
  throw new AppError('E_USAGE', 'choose one: a task, --job, --bundle or --list');
}

/** A whole job; null before the first readable one. */
async function openJob(cli: Cli, command: Command, jobId: string | undefined): Promise<Shown | null> {
  const project = await cli.project(command);
  const {openJobs} = await import('../job/other-job.ts');
  const {readJobs} = await import('../inspect/read-jobs.ts');
  const store = await openJobs(project);
  let chosen: string | null = null;
  if (jobId !== undefined) {
    const {jobNamed} = await import('../job/job-named.ts');
    const seeAll = {command: 'blackbird inspect --list', why: 'see what you can look at'};
    chosen = (await jobNamed(store, jobId, seeAll)).jobId;
  } else {
    const {jobs, broken} = await readJobs(store, {isLast: (_, later) => later.length > 0});
    if (jobs.length === 0) return null;
    warnOf(cli, broken);
  }
  const {inspectedProject} = await import('../inspect/inspected-project.ts');
  return {
    source: null,
    project: inspectedProject(project, cli.context.now),
    facts: {title: path.basename(project.folder.root), notices: [], opens: 'job', job_id: chosen},
    report: null,
  };
}

async function openRun(
  cli: Cli,
  command: Command,
  taskId: string,
  runId: string | undefined,
): Promise<Shown> {
  const project = await cli.project(command);
  const {plans, folder} = project;
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {inspectedProject} = await import('../inspect/inspected-project.ts');
  const {inspectJournal} = await import('../../services/journal/read-journal.ts');
  const store = createRunStore({folder: folder.runsFolder});
  const {runs} = await store.list(taskId);
  if (runs.length === 0) requireTask(await plans.read(), taskId);
  const run = runId === undefined ? await store.latest(taskId) : namedRun(runs, taskId, runId);
  if (!run) throw noRun(taskId);
  const source = inspectJournal(store.files(run.task_id, run.run_id).journal);
  const {broken, isCut} = source.summary();
  if (source.entries().length === 0 && run.state !== 'running') {
    const reason =
      broken.length === 0
        ? `run ${run.run_id} has no journal: an older Blackbird ran it`
        : `nothing in the journal of run ${run.run_id} can be read`;
    throw new AppError('E_INSPECT', reason, {
      next: [
        {command: `blackbird runs ${shellWord(taskId)} ${shellWord(run.run_id)}`, why: 'see its record'},
      ],
    });
  }
  const notices = [
    ...(broken.length === 0 ? [] : [`lines of the journal that cannot be read: ${broken.length}`]),
    ...(isCut ? ['the journal was cut where it grew too long'] : []),
  ];
  const {task_id, run_id, job_id = null} = run;
  return {
    source: null,
    project: inspectedProject(project, cli.context.now),
    facts: {title: `${task_id} · ${run_id}`, notices, opens: {task_id, run_id}, job_id},
    report: null,
  };
}

/** A bundle and the result of its replay. */
async function openBundle(cli: Cli, command: Command, file: string): Promise<Shown> {
  const {inspectBundle, readBundle} = await import('../../services/journal/bundle-file.ts');
  const {verifyEntries} = await import('../../machines/replay.ts');
  const bundle = readBundle(path.resolve(cli.folder(command), file));
  const source = inspectBundle(bundle);
  const {compared, first} = verifyEntries(source.entries());
  const {blackbird} = bundle.versions;
  const isOther = typeof blackbird === 'string' && blackbird !== cli.context.version;
  const text = replayWords({compared, first});
  const notices = [
    ...(isOther ? [`recorded by Blackbird ${blackbird}`] : []),
    ...(first === null ? [] : [text]),
  ];
  return {
    source,
    project: null,
    facts: {title: `bundle of ${bundle.task_id}`, notices, opens: 'machines', job_id: null},
    report: {data: {replay: {compared, first}}, text},
  };
}

type Shown = Pick<Inspected, 'source' | 'project'> & {
  readonly facts: Omit<InspectorFacts, 'version' | 'has_process'>;
  readonly report: {readonly data: object; readonly text: string} | null;
};

/** Serves until Ctrl+C. */
async function serve(cli: Cli, command: Command, options: Options, shown: Shown): Promise<void> {
  const {context} = cli;
  const {inspectedOf} = await import('../inspect/inspect-page.ts');
  const {startInspector} = await import('../../services/inspector/inspector-server.ts');
  const inspected = inspectedOf(shown, {...shown.facts, version: context.version});
  const inspector = await startInspector(inspected, {port: options.port ?? 0, keepsAlive: true});
  let release = () => {};
  const stopped = new Promise<void>((resolve) => {
    release = context.onSignals({pause: () => resolve(), suspend: () => {}, wake: () => {}});
  });
  if (cli.isJson(command)) context.out(printableJson({url: inspector.url, ...shown.report?.data}));
  else {
    context.out(inspector.url);
    if (shown.report) context.err(shown.report.text);
    if (context.stderr.isTerminal) context.err('Ctrl+C ends it.');
  }
  // A long job is read while the page is being opened. An error is reported by the page's own request.
  if (shown.facts.opens === 'job') shown.project?.job(shown.facts.job_id ?? 'newest').catch(() => {});
  if (options.open) await open(cli, inspector.url);
  await stopped;
  // The shell's prompt would stand behind the terminal's ^C.
  if (!cli.isJson(command) && context.stderr.isTerminal) context.err('');
  // Pending responses may take a moment; a second Ctrl+C ends the process.
  release();
  inspector.close();
}

async function listInspectable(cli: Cli, command: Command, options: Options): Promise<void> {
  const project = await cli.project(command);
  const {folder} = project;
  const {liveInspectors} = await import('../../services/inspector/live-inspectors.ts');
  const {recordedRuns} = await import('../../services/inspector/recorded-runs.ts');
  const {livenessOf} = await import('../../services/system/process-identity.ts');
  const live = liveInspectors(folder.inspectorsFolder, livenessOf);
  const {jobs, broken} = await listedJobs(project, 5);
  const runs = await withStates(project, recordedRuns(folder.runsFolder, 10));
  const when = (time: string) => timeOfDay(time, cli.context.now());
  if (!cli.isJson(command)) warnOf(cli, broken);
  cli.print(command, {live, jobs, runs, ...(broken.length > 0 && {broken})}, () => {
    const rows = [
      ...live.map(({what, pid, started_at, url}) => [
        `● ${what}, process ${pid}`,
        'live',
        when(started_at),
        url,
      ]),
      ...jobs.map(({job_id, started_at, state}) => [
        'job',
        state,
        when(started_at),
        `blackbird inspect --job ${shellWord(displayLine(job_id))}`,
      ]),
      ...runs.map(({task_id, run_id, changed_at, state}) => [
        'run',
        state,
        when(changed_at),
        `blackbird inspect ${shellWord(displayLine(task_id))} ${shellWord(displayLine(run_id))}`,
      ]),
    ];
    const titles = ['', 'STATE', 'TIME', 'LOOK AT IT WITH'];
    const columns = titles.map((title) => ({title}));
    return rows.length === 0
      ? 'nothing to look at yet: blackbird execute --inspect'
      : renderTable(columns, rows, cli.context.stdout);
  });
  const latest = live.at(-1);
  if (options.open && latest) await open(cli, latest.url);
}

/** A run whose record cannot be read still has its journal. */
async function withStates({folder}: Project, recorded: readonly RecordedRun[]) {
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const store = createRunStore({folder: folder.runsFolder});
  return Promise.all(
    recorded.map(async (run) => {
      const {runs} = await store.list(run.task_id);
      return {...run, state: runs.find(({run_id}) => run_id === run.run_id)?.state ?? 'unreadable'};
    }),
  );
}

type ListedJob = {readonly job_id: string; readonly started_at: string; readonly state: string};

async function listedJobs(
  project: Project,
  most: number,
): Promise<{readonly jobs: readonly ListedJob[]; readonly broken: ReadJobs['broken']}> {
  const {openJobs, ownerOf} = await import('../job/other-job.ts');
  const {readJobs} = await import('../inspect/read-jobs.ts');
  const {jobs, broken} = await readJobs(await openJobs(project), {most});
  const stateOf = async (job: JobRecord) =>
    job.end?.reason ?? ((await ownerOf(job)) === 'dead' ? 'lost' : 'open');
  const listed = jobs.map(async (job) => ({
    job_id: job.jobId,
    started_at: job.startedAt,
    state: await stateOf(job),
  }));
  return {jobs: await Promise.all(listed), broken};
}

const warnOf = (cli: Cli, broken: ReadJobs['broken']) => {
  for (const {reason} of broken) cli.context.err(`warning: ${displayLine(reason)}`);
};

async function open(cli: Cli, url: string): Promise<void> {
  const {openAddress} = await import('../../services/system/open-address.ts');
  if (!(await openAddress(url)))
    cli.context.err('warning: found nothing to open the page with; open the address yourself');
}
