import {Command} from 'commander';
import {displayLine} from '../../machines/policies/display-text.ts';
import {
  type Condition,
  type Explanation,
  explainTask,
  type RunStateOf,
} from '../../machines/policies/explain-task.ts';
import {isLeaf} from '../../machines/policies/plan-graph.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import type {RunState} from '../../services/contracts/run.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {type Paint, painter} from '../paint.ts';
import {levelIndent} from '../task-view.ts';

export function whyCommand(cli: Cli): Command {
  return new Command('why')
    .summary('why a task is not ready, who must finish first, and what to do about it')
    .addArgument(taskArgument())
    .action(async (id: string, _options, command: Command) => {
      const {plans, folder} = await cli.project(command);
      const plan = await plans.read();
      const explanation = explainTask(plan, id, await runStatesOf(plan, folder.runsFolder));
      cli.print(command, explanation, () => renderExplanation(explanation, painter(cli.context.stdout)));
    });
}

/** Only tasks in progress need a look at their runs, and most plans have none. */
async function runStatesOf(plan: Plan, folder: string): Promise<RunStateOf> {
  const open = [...plan.items.values()].filter((task) => task.status === 'in_progress' && isLeaf(task));
  if (open.length === 0) return () => undefined;
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {latestRun} = await import('../../services/contracts/run.ts');
  const runs = createRunStore({folder});
  const states = new Map<string, RunState>();
  for (const {id} of open) {
    const latest = latestRun((await runs.list(id)).runs);
    if (latest) states.set(id, latest.state);
  }
  return (id) => states.get(id);
}

function renderExplanation({id, ready, conditions, first}: Explanation, paint: Paint): string {
  const target = conditions[0];
  const verdict = ready ? 'is ready' : target?.status === 'done' ? 'is done' : 'is not ready';
  const lines = [
    `${paint('bold', displayLine(id))} ${verdict}`,
    ...conditions.map((each) => renderCondition(each, paint)),
  ];
  const others = first.filter((each) => each !== id).map(displayLine);
  if (!ready && others.length > 0) lines.push('', `First: ${others.join(', ')}`);
  const movable = new Set(first);
  const steps = new Set(
    conditions.flatMap(({next, id: of}) => (next && movable.has(of) ? [next.command] : [])),
  );
  if (steps.size > 0) lines.push('', ...[...steps].map((step) => `  ${displayLine(step)}`));
  return lines.join('\n');
}

const roleText = {task: '', dependency: 'needs ', child: 'child '} as const satisfies Record<
  Condition['role'],
  string
>;

function renderCondition({id, title, status, role, depth, reason}: Condition, paint: Paint): string {
  const indent = `  ${levelIndent(depth)}`;
  return `${indent}${roleText[role]}${paint('bold', displayLine(id))}  ${displayLine(title)}  [${status}]  ${paint('dim', displayLine(reason))}`;
}
