import {Command} from 'commander';
import {isLeaf, tasksInTreeOrder} from '../../machines/policies/plan/plan-graph.ts';
import {readinessOf} from '../../machines/policies/plan/readiness.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {TaskStatus} from '../../services/contracts/task-status.ts';
import type {Cli} from '../cli.ts';
import {setTaskStatus} from '../plan/plan-operations.ts';
import {blockedBy, readinessStyle, summarize} from '../plan/task-view.ts';
import {painter} from '../terminal/paint.ts';
import {type Column, renderTable} from '../terminal/table.ts';
import {renderTask} from './show.ts';

type Options = {includeNonLeaf?: true; all?: true; blocked?: true};

export function pickCommand(cli: Cli): Command {
  return new Command('pick')
    .summary('choose a task from a list and set its status')
    .option('--include-non-leaf', 'also tasks that have children')
    .option('--all', 'all tasks, whatever their status')
    .option('--blocked', 'tasks that are waiting for others or were blocked by hand')
    .action(async (options: Options, command: Command) => {
      const project = await cli.project(command);
      const {plans} = project;
      if (cli.isJson(command)) {
        const plan = await plans.read();
        cli.print(command, {tasks: candidates(plan, options).map((task) => summarize(plan, task))}, '');
        return;
      }
      // Ends at a blank line, "exit" or end of input.
      for (;;) {
        const plan = await plans.read();
        const task = await chooseTask(cli, plan, options);
        if (task === null) return;
        cli.context.out(renderTask(plan, task, painter(cli.context.stdout)));
        const status = await chooseAction(cli);
        if (status === 'exit') return;
        if (status === 'back') continue;
        await setTaskStatus(project, task.id, status, cli.context.now());
        cli.context.out(`updated ${displayLine(task.id)} status to ${status}`);
      }
    });
}

function candidates(plan: Plan, {includeNonLeaf, all, blocked}: Options): Task[] {
  return tasksInTreeOrder(plan).flatMap(({task}) => {
    if (!includeNonLeaf && !isLeaf(task)) return [];
    const readiness = readinessOf(plan, task);
    return readiness === (blocked ? 'BLOCKED' : 'READY') || (all && !blocked) ? [task] : [];
  });
}

async function chooseTask(cli: Cli, plan: Plan, options: Options): Promise<Task | null> {
  const tasks = candidates(plan, options);
  if (tasks.length === 0) {
    cli.context.out(emptyNotice(plan, options));
    return null;
  }
  const rows = tasks.map((task, index) => {
    const summary = summarize(plan, task);
    const style = readinessStyle[summary.readiness];
    return [`${index + 1})`, task.id, {text: summary.readiness, style}, task.title, blockedBy(summary)];
  });
  const columns: Column[] = [
    {title: ''},
    {title: 'ID', shrinks: 'last'},
    {title: 'READINESS'},
    {title: 'TITLE', shrinks: 'first'},
    {title: '', shrinks: 'first'},
  ];
  cli.context.out(options.all || options.blocked ? 'Tasks:' : 'Ready tasks:');
  cli.context.out(renderTable(columns, rows, cli.context.stdout));
  for (;;) {
    const answer = (await cli.context.ask('Select task (number or id, blank to exit): '))?.trim();
    if (answer === undefined || answer === '') return null;
    // An id takes precedence over a number, so a task called "2" or "2fa-login" can be chosen.
    const task = plan.items.get(answer) ?? (/^\d+$/.test(answer) ? tasks[Number(answer) - 1] : undefined);
    if (task) return task;
    cli.context.err('invalid selection; try again');
  }
}

const actions: Readonly<Record<string, TaskStatus | 'back' | 'exit'>> = {
  i: 'in_progress',
  in_progress: 'in_progress',
  'in-progress': 'in_progress',
  'in progress': 'in_progress',
  d: 'done',
  done: 'done',
  b: 'blocked',
  blocked: 'blocked',
  back: 'back',
  exit: 'exit',
  q: 'exit',
  quit: 'exit',
};

async function chooseAction(cli: Cli): Promise<TaskStatus | 'back' | 'exit'> {
  for (;;) {
    const answer = await cli.context.ask('Action ([i]n_progress, [d]one, [b]locked, back, exit): ');
    if (answer === null) return 'exit';
    const word = answer.trim().toLowerCase();
    const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
    if (action) return action;
    cli.context.err('invalid action; try again');
  }
}

function emptyNotice(plan: Plan, {includeNonLeaf, all, blocked}: Options): string {
  const scope = [...plan.items.values()].filter((task) => includeNonLeaf || isLeaf(task));
  if (scope.length === 0) return 'no tasks found (add tasks with `blackbird add`)';
  if (blocked) return '0 blocked';
  const waiting = scope.filter((task) => readinessOf(plan, task) === 'BLOCKED');
  const byHand = waiting.filter((task) => task.status === 'blocked').length;
  const name = includeNonLeaf || all ? 'all' : 'leaf';
  return [
    `0 ready; ${waiting.length - byHand} blocked on deps; ${byHand} manually blocked in ${name} scope; `,
    `try \`blackbird list --blocked\` or \`blackbird why ${displayLine(waiting[0]?.id ?? '<taskId>')}\` for details`,
  ].join('');
}
