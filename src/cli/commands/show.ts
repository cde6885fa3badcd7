import {Command} from 'commander';
import {
  ancestorsOf,
  childrenOf,
  dependentsOf,
  parentOf,
  requireTask,
} from '../../machines/policies/plan/plan-graph.ts';
import {isReady, unmetDeps} from '../../machines/policies/plan/readiness.ts';
import {checksOf} from '../../machines/policies/plan/task-checks.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {summarize} from '../plan/task-view.ts';
import {type Paint, painter} from '../terminal/paint.ts';

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .summary('show one task with all it says and all it is connected to')
    .addArgument(taskArgument())
    .action(async (id: string, _options, command: Command) => {
      const {plans} = await cli.project(command);
      const plan = await plans.read();
      const task = requireTask(plan, id);
      const data = {
        ...task,
        ...summarize(plan, task),
        dependents: dependentsOf(plan, id).map((each) => each.id),
        ready: isReady(plan, task),
      };
      cli.print(command, data, () => renderTask(plan, task, painter(cli.context.stdout)));
    });
}

/** A task as text; `pick` shows it as well. */
export function renderTask(plan: Plan, task: Task, paint: Paint): string {
  const heading = (text: string) => paint('bold', text);
  const block = (title: string, lines: readonly string[]) => ['', heading(title), ...lines];
  const text = (title: string, body: string | null | undefined) =>
    body ? block(title, displayText(body).trimEnd().split('\n')) : [];
  const related = (title: string, tasks: readonly Task[], note: (each: Task) => string = () => '') =>
    block(
      title,
      tasks.length === 0
        ? ['- (none)']
        : tasks.map(
            (each) => `- ${displayLine(each.id)} [${each.status}] ${displayLine(each.title)}${note(each)}`,
          ),
    );
  const parent = parentOf(plan, task);
  const deps = task.deps.flatMap((dep) => plan.items.get(dep) ?? []);
  const unmet = unmetDeps(plan, task);
  return [
    `${heading('ID:')} ${displayLine(task.id)}`,
    `${heading('Title:')} ${displayLine(task.title)}`,
    `${heading('Status:')} ${task.status}`,
    `${heading('CreatedAt:')} ${seconds(task.createdAt)}`,
    `${heading('UpdatedAt:')} ${seconds(task.updatedAt)}`,
    ...(parent
      ? [`${heading('Parent:')} ${displayLine(parent.id)} [${parent.status}] ${displayLine(parent.title)}`]
      : []),
    ...agentLines(plan, task).map(([name, value]) => `${heading(`${name}:`)} ${displayLine(value)}`),
    ...text('Description:', task.description),
    ...(task.acceptanceCriteria.length === 0
      ? []
      : block(
          'Acceptance criteria:',
          task.acceptanceCriteria.map((each) => `- ${displayLine(each)}`),
        )),
    ...checkLines(plan, task, block),
    ...text('Notes:', task.notes),
    ...(task.childIds.length === 0 ? [] : related('Children:', childrenOf(plan, task))),
    ...related('Deps:', deps, (dep) => rationale(task, dep.id)),
    ...related('Dependents:', dependentsOf(plan, task.id)),
    ...block('Readiness:', [
      `- deps satisfied: ${unmet.length === 0 ? 'yes' : `no (unmet: ${unmet.map(displayLine).join(', ')})`}`,
      ...(task.status === 'blocked'
        ? [`- manually blocked: yes (clear with \`blackbird set-status ${displayLine(task.id)} todo\`)`]
        : []),
      `- actionable now: ${isReady(plan, task)}`,
    ]),
    ...block('Prompt:', task.prompt ? displayText(task.prompt).trimEnd().split('\n') : ['(empty)']),
  ].join('\n');
}

/** Who does it and how, where the task or a parent says so. */
function agentLines(plan: Plan, task: Task): Array<readonly [name: string, value: string]> {
  const levels = [task, ...ancestorsOf(plan, task)];
  return (['agent', 'model', 'effort'] as const).flatMap((field) => {
    const from = levels.find((each) => each[field]);
    if (!from) return [];
    const origin = from === task ? '' : ` (from ${from.id})`;
    return [[`${field[0]?.toUpperCase()}${field.slice(1)}`, `${from[field]}${origin}`] as const];
  });
}

/** What must succeed before it is done, and who asks for it; what the settings ask for is the same for all. */
function checkLines(plan: Plan, task: Task, block: (title: string, lines: readonly string[]) => string[]) {
  const lines = checksOf(plan, task).map(
    ({command, from}) => `- ${displayLine(command)}${from === task.id ? '' : ` (from ${displayLine(from)})`}`,
  );
  return lines.length === 0 ? [] : block('Checks:', lines);
}

function rationale(task: Task, dep: string): string {
  const reason = Object.hasOwn(task.depRationale ?? {}, dep) ? task.depRationale?.[dep] : undefined;
  return reason ? ` (${displayLine(reason)})` : '';
}

/** To the second, in UTC. */
function seconds(timestamp: string): string {
  return new Date(timestamp).toISOString().replace(/\.\d+Z$/, 'Z');
}
