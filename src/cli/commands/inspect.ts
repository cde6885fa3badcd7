import {Command} from 'commander';
import {displayLine} from '../../machines/policies/display-text.ts';
import {requireTask} from '../../machines/policies/plan-graph.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {InspectionSource} from '../../services/contracts/journal.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {type Cli, wholeNumber} from '../cli.ts';
import {printableJson} from '../json-text.ts';
import {renderTable} from '../table.ts';

type Options = {port?: number; open?: true};

export function inspectCommand(cli: Cli): Command {
  return new Command('inspect')
    .summary('see the machines of a run on a page, and travel back in it')
    .argument('[taskId]', 'a task; without it, what can be looked at')
    .argument('[runId]', 'one of its runs; without it, the latest')
    .option('--port <n>', 'serve on this port', wholeNumber)
    .option('--open', 'open the page in your browser')
    .addHelpText(
      'after',
      `
A run that goes on is followed, across pauses. Ctrl+C ends the page.
To look at a process from its beginning: blackbird execute --inspect`,
    )
    .action(
      async (taskId: string | undefined, runId: string | undefined, options: Options, command: Command) => {
        if (taskId === undefined) return listInspectable(cli, command, options);
        const {run, source} = await openRun(cli, command, taskId, runId);
        await servePage(cli, command, options, {
          source,
          title: `${run.task_id} · ${run.run_id}`,
          notices: [],
        });
      },
    );
}

async function openRun(
  cli: Cli,
  command: Command,
  taskId: string,
  runId: string | undefined,
): Promise<{run: RunRecord; source: InspectionSource}> {
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
  if (source.entries().length === 0 && run.state !== 'running') {
    throw new AppError('E_INSPECT', `run ${run.run_id} has no journal: an older Blackbird ran it`, {
      next: [
        {command: `blackbird runs ${shellWord(taskId)} ${shellWord(run.run_id)}`, why: 'see its record'},
      ],
    });
  }
  return {run, source};
}

type Shown = {
  readonly source: InspectionSource;
  readonly title: string;
  readonly notices: readonly string[];
};

/** Until Ctrl+C. */
async function servePage(cli: Cli, command: Command, options: Options, shown: Shown): Promise<void> {
  const {context} = cli;
  const {inspectedOf} = await import('../inspection.ts');
  const {startInspector} = await import('../../services/inspector/inspector-server.ts');
  const inspected = inspectedOf(shown.source, shown.title, context.version, shown.notices);
  const inspector = await startInspector(inspected, {port: options.port ?? 0, keepsAlive: true});
  const stopped = new Promise<void>((resolve) => {
    context.onSignals({pause: () => resolve(), suspend: () => {}, wake: () => {}});
  });
  if (cli.isJson(command)) context.out(printableJson({url: inspector.url}));
  else context.out(inspector.url);
  if (options.open) await open(cli, inspector.url);
  if (context.stderr.isTerminal) context.err('Ctrl+C ends it.');
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
