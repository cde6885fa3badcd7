import {Command, Option} from 'commander';
import {emptyPlanText} from '../../machines/policies/plan/empty-plan.ts';
import {
  ancestorsOf,
  isLeaf,
  parentOf,
  type TreeRow,
  tasksInTreeOrder,
} from '../../machines/policies/plan/plan-graph.ts';
import {isOver, isReady, readinessOf} from '../../machines/policies/plan/readiness.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import {type TaskStatus, taskStatuses} from '../../services/contracts/task-status.ts';
import {cutMiddle} from '../../ui/text/fit.ts';
import type {Cli} from '../cli.ts';
import type {Surface} from '../context.ts';
import {taskFactsIn} from '../plan/read-task-facts.ts';
import {blockedBy, levelIndent, readinessStyle, summarize, type TaskSummary} from '../plan/task-view.ts';
import {type Cell, type Column, renderTable} from '../terminal/table.ts';

type Options = {all?: true; blocked?: true; tree?: true; features?: true; status?: TaskStatus};

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .summary('list tasks; by default the ones that are ready')
    .option('--all', 'all tasks without children, whatever their status')
    .option('--blocked', 'tasks that are waiting for others or were blocked by hand')
    .addOption(new Option('--status <status>', 'tasks with this status').choices(taskStatuses))
    .option('--features', 'top-level tasks instead of those without children')
    .option('--tree', 'the whole plan as a tree; with a filter, the matches and what is above them')
    .action(async (options: Options, command: Command) => {
      const project = await cli.project(command);
      const plan = await project.plans.read();
      const rows = selectRows(plan, options);
      const tasks = rows.map(({task}) => task);
      const factsOf = await taskFactsIn(project, plan, tasks);
      const shown = rows.map(({task, depth}) => ({depth, summary: summarize(plan, task, factsOf(task))}));
      const data = {tasks: shown.map(({summary, depth}) => (options.tree ? {...summary, depth} : summary))};
      cli.print(command, data, () => renderRows(shown, cli.context.stdout));
      if (rows.length === 0 && !cli.isJson(command)) cli.context.err(emptyNotice(plan, options));
    });
}

function selectRows(plan: Plan, options: Options): TreeRow[] {
  const rows = tasksInTreeOrder(plan);
  if (options.tree) {
    if (!options.blocked && !options.status) return rows;
    const kept = new Set<string>();
    for (const {task} of rows) {
      if (!isSelected(plan, task, options)) continue;
      kept.add(task.id);
      for (const ancestor of ancestorsOf(plan, task)) kept.add(ancestor.id);
    }
    return rows.filter(({task}) => kept.has(task.id));
  }
  const isInScope = (task: Task) => (options.features ? parentOf(plan, task) === undefined : isLeaf(task));
  return rows
    .filter(({task}) => isInScope(task) && isSelected(plan, task, options))
    .map(({task}) => ({task, depth: 0}));
}

/** `--status` replaces the other filters; `--blocked` takes precedence over `--all`. */
function isSelected(plan: Plan, task: Task, {status, blocked, all, features}: Options): boolean {
  if (status) return task.status === status;
  if (blocked) return readinessOf(plan, task) === 'BLOCKED';
  // A feature is worked on through its children, so it is listed as long as it is open.
  if (features && !all) return !isOver(task);
  return all === true || isReady(plan, task);
}

function renderRows(
  rows: ReadonlyArray<{readonly summary: TaskSummary; readonly depth: number}>,
  surface: Surface,
): string {
  const cells = rows.map(({summary, depth}): Cell[] => {
    const style = summary.run ? 'yellow' : readinessStyle[summary.readiness];
    return [
      levelIndent(depth) + summary.id,
      {text: summary.status, style},
      {text: (summary.run ?? summary.readiness).toUpperCase(), style},
      summary.title,
      {text: blockedBy(summary), style: 'dim'},
    ];
  });
  const columns: Column[] = [
    {title: 'ID', shrinks: 'last', fair: 24, cut: cutMiddle},
    {title: 'STATUS'},
    {title: 'READINESS'},
    {title: 'TITLE', shrinks: 'first'},
    {title: '', shrinks: 'first'},
  ];
  return rows.length === 0 ? '' : renderTable(columns, cells, surface);
}

function emptyNotice(plan: Plan, {all, blocked, status, tree, features}: Options): string {
  if (plan.items.size === 0) return emptyPlanText;
  if (all || blocked || status || tree || features) return 'No task matches.';
  const counts = new Map<string, number>();
  for (const task of plan.items.values()) {
    if (!isLeaf(task)) continue;
    const word = readinessOf(plan, task).toLowerCase().replace('_', ' ');
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const parts = [...counts].map(([word, count]) => `${count} ${word}`);
  return `No task is ready: ${parts.join(', ')}. See: blackbird list --all`;
}
