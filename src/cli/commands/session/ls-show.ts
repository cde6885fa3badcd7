import {Command} from 'commander';
import {inListOrder} from '../../../machines/policies/session/session-refs.ts';
import {displayLine} from '../../../machines/policies/text/display-text.ts';
import type {Cli} from '../../cli.ts';
import {withSessions} from '../../session/session-errors.ts';
import type {SessionView} from '../../session/session-view.ts';
import {type Cell, renderTable} from '../../terminal/table.ts';
import {idArgument} from './id-argument.ts';

export function lsCommand(cli: Cli): Command {
  return new Command('ls')
    .summary('list the sessions of this repository; outside a repository, all')
    .option('--all', 'also archived ones')
    .option('--all-repos', 'sessions of all repositories')
    .action(({all = false, allRepos = false}: {all?: boolean; allRepos?: boolean}, command: Command) =>
      withSessions(cli, command, null, async (sessions) => {
        const {viewsOf} = await import('../../session/session-view.ts');
        const repoId = allRepos ? null : ((await sessions.currentRepo())?.repoId ?? null);
        const entries = (await sessions.store.list()).filter(
          (entry) => repoId === null || entry.repoId === repoId,
        );
        const views = await viewsOf(sessions, inListOrder(entries));
        const shown = views.filter(({status}) => all || status !== 'archived');
        cli.print(command, {schema_version: '1.0', data: shown}, () => {
          if (shown.length > 0) return renderTable(columns, shown.map(cellsOf), cli.context.stdout);
          return all ? 'no runs found' : 'no active runs (use --all to include archived)';
        });
      }),
    );
}

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .summary('show one session in full')
    .addArgument(idArgument())
    .option('--path', 'print only the path of its worktree')
    .action((id: string, {path: onlyPath = false}: {path?: boolean}, command: Command) =>
      withSessions(cli, command, id, async (sessions) => {
        const {viewsOf} = await import('../../session/session-view.ts');
        const {run_id, repo_id} = await sessions.find(id);
        const entries = (await sessions.store.list()).filter(
          (entry) => entry.runId === run_id && entry.repoId === repo_id,
        );
        const [view] = await viewsOf(sessions, entries);
        if (view)
          cli.print(command, {schema_version: '1.0', data: view}, () =>
            onlyPath ? view.worktree_path : details(view),
          );
      }),
    );
}

const columns = [
  {title: 'RUN_ID'},
  {title: 'NAME'},
  {title: 'STATUS'},
  {title: 'RUNNER'},
  {title: 'BRANCH', shrinks: 'last'},
  {title: 'CREATED'},
] as const;

const styles = {
  active: 'green',
  idle: 'dim',
  archived: 'dim',
  'needs attention': 'yellow',
  'worktree missing': 'red',
  broken: 'red',
} as const satisfies Record<SessionView['status'], string>;

function cellsOf(view: SessionView): Cell[] {
  return [
    view.run_id,
    view.name || '-',
    {text: view.status, style: styles[view.status]},
    view.runner || '-',
    view.branch || '-',
    view.created_at.slice(0, 16).replace('T', ' '),
  ];
}

function details(view: SessionView): string {
  const tmux = view.session_exists ? view.session_name : `${view.session_name} (none running)`;
  const lines = (rows: ReadonlyArray<readonly [string, string | null]>) =>
    rows.map(([label, value]) => `${label}: ${displayLine(value || '-')}`).join('\n');
  const run = lines([
    ['run', view.run_id],
    ['name', view.name],
    ['repo', view.repo_id],
    ['runner', view.runner],
    ['parent', view.parent_branch],
    ['branch', view.branch],
    ['worktree', view.worktree_path],
  ]);
  const state = lines([
    ['tmux', tmux],
    ['status', view.status],
    ['created', view.created_at],
    ...(view.archived_at === null ? [] : [['archived', view.archived_at] as const]),
    ['last_event', view.last_event],
  ]);
  return `${run}\n\n${state}`;
}
