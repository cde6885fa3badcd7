import path from 'node:path';
import {Command} from 'commander';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {InspectionSource} from '../../services/contracts/journal.ts';
import type {Cli} from '../cli.ts';
import {parsePort} from '../inspect/inspect-option.ts';
import {printableJson} from '../terminal/printable-json.ts';
import {renderTable} from '../terminal/table.ts';

type Options = {port?: number; open?: true; bundle?: string};

export function inspectCommand(cli: Cli): Command {
  return new Command('inspect')
    .summary('see the machines of a run on a page, and travel back in it')
    .argument('[taskId]', 'a task; without it, what can be looked at')
    .argument('[runId]', 'one of its runs; without it, the latest')
    .option('--bundle <file>', 'look at a bundle that somebody sent, and replay it')
    .option('--port <n>', 'serve on this port', parsePort)
    .option('--open', 'open the page in your browser')
    .addHelpText(
      'after',
      `
A run that goes on is followed, across pauses. Ctrl+C ends the page.
To look at a process from its beginning: blackbird execute --inspect`,
    )
    .action(
      async (taskId: string | undefined, runId: string | undefined, options: Options, command: Command) => {
        if (options.bundle !== undefined && taskId !== undefined) {
          throw new AppError('E_USAGE', 'a bundle is looked at alone: --bundle takes no task');
        }
        if (options.bundle !== undefined)
          await serve(cli, command, options, await openBundle(cli, command, options.bundle));
        else if (taskId === undefined) await listInspectable(cli, command, options);
        else await serve(cli, command, options, await openRun(cli, command, taskId, runId));
      },
    );
}

async function openRun(
  cli: Cli,
  command: Command,
  taskId: string,
  runId: string | undefined,
): Promise<Shown> {
  const {plans, folder} = await cli.project(command);
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {inspectJournal} = await import('../../services/journal/read-journal.ts');
  const store = createRunStore({folder: folder.runsFolder});
  const {runs} = await store.list(taskId);
  if (runs.length === 0) requireTask(await plans.read(), taskId);
  const run = runId === undefined ? await store.latest(taskId) : runs.find(({run_id}) => run_id === runId);
  if (!run) {
    const missing = runId === undefined ? 'no run yet' : `no run ${JSON.stringify(runId)}`;
    throw new AppError('E_RUN_NOT_FOUND', `task ${taskId} has ${missing}`, {
      next: [{command: `blackbird runs ${shellWord(taskId)}`, why: 'see its runs'}],
    });
  }
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
  return {source, title: `${run.task_id} · ${run.run_id}`, notices, follows: true, report: null};
}

/** A bundle, and what its replay tells. */
async function openBundle(cli: Cli, command: Command, file: string): Promise<Shown> {
  const {inspectBundle, readBundle} = await import('../../services/journal/bundle-file.ts');
  const {verifyEntries} = await import('../../machines/replay.ts');
  const bundle = readBundle(path.resolve(cli.folder(command), file));
  const source = inspectBundle(bundle);
  const {compared, first} = verifyEntries(source.entries());
  const {blackbird} = bundle.versions;
  const isOther = typeof blackbird === 'string' && blackbird !== cli.context.version;
  const text =
    first === null
      ? `replayed: ${compared} events lead to the recorded states`
      : `replay differs at event ${first.entry.seq}: ${displayLine(first.entry.actor)} took ${displayLine(first.entry.event.type)}`;
  return {
    source,
    title: `bundle of ${bundle.task_id}`,
    notices: [...(isOther ? [`recorded by Blackbird ${blackbird}`] : []), ...(first === null ? [] : [text])],
    follows: false,
    report: {data: {replay: {compared, first}}, text},
  };
}

type Shown = {
  readonly source: InspectionSource;
  readonly title: string;
  readonly notices: readonly string[];
  /** More may come. */
  readonly follows: boolean;
  readonly report: {readonly data: object; readonly text: string} | null;
};

/** Until Ctrl+C. */
async function serve(cli: Cli, command: Command, options: Options, shown: Shown): Promise<void> {
  const {context} = cli;
  const {inspectedOf} = await import('../inspect/inspect-page.ts');
  const {startInspector} = await import('../../services/inspector/inspector-server.ts');
  const inspected = inspectedOf(shown.source, {...shown, version: context.version});
  const inspector = await startInspector(inspected, {port: options.port ?? 0, keepsAlive: true});
  const stopped = new Promise<void>((resolve) => {
    context.onSignals({pause: () => resolve(), suspend: () => {}, wake: () => {}});
  });
  if (cli.isJson(command)) context.out(printableJson({url: inspector.url, ...shown.report?.data}));
  else {
    context.out(inspector.url);
    if (shown.report) context.err(shown.report.text);
    if (context.stderr.isTerminal) context.err('Ctrl+C ends it.');
  }
  if (options.open) await open(cli, inspector.url);
  await stopped;
  inspector.close();
}

async function listInspectable(cli: Cli, command: Command, options: Options): Promise<void> {
  const {folder} = await cli.project(command);
  const {liveInspectors} = await import('../../services/inspector/live-inspectors.ts');
  const {recordedRuns} = await import('../../services/inspector/recorded-runs.ts');
  const {livenessOf} = await import('../../services/system/process-identity.ts');
  const live = liveInspectors(folder.inspectorsFolder, livenessOf);
  const runs = recordedRuns(folder.runsFolder, 10);
  cli.print(command, {live, runs}, () => {
    const rows = [
      ...live.map(({what, pid, started_at, url}) => [`● ${what}`, `process ${pid}`, started_at, url]),
      ...runs.map(({task_id, run_id, changed_at}) => [
        task_id,
        run_id,
        changed_at,
        `blackbird inspect ${shellWord(displayLine(task_id))} ${shellWord(displayLine(run_id))}`,
      ]),
    ];
    const columns = [{title: 'WHAT'}, {title: 'RUN'}, {title: 'TIME'}, {title: 'LOOK AT IT WITH'}];
    return rows.length === 0
      ? 'nothing to look at yet: blackbird execute --inspect'
      : renderTable(columns, rows, cli.context.stdout);
  });
  const latest = live.at(-1);
  if (options.open && latest) await open(cli, latest.url);
}

async function open(cli: Cli, url: string): Promise<void> {
  const {openAddress} = await import('../../services/system/open-address.ts');
  if (!(await openAddress(url)))
    cli.context.err('warning: found nothing to open the page with; open the address yourself');
}
