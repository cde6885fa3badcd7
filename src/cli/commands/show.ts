import {existsSync} from 'node:fs';
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
import {howItFailed, isPassed, lastChecks} from '../../machines/policies/run/check-words.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import {duration} from '../../machines/policies/text/durations.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {taskFacts} from '../plan/read-task-facts.ts';
import {summarize} from '../plan/task-view.ts';
import {type Paint, painter} from '../terminal/paint.ts';

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .summary('show one task in full, with its parent, children and dependencies')
    .addArgument(taskArgument())
    .action(async (id: string, _options, command: Command) => {
      const project = await cli.project(command);
      const plan = await project.plans.read();
      const task = requireTask(plan, id);
      const data = {
        ...task,
        ...summarize(plan, task),
        dependents: dependentsOf(plan, id).map((each) => each.id),
        ready: isReady(plan, task),
        checks: checksOf(plan, task),
      };
      const hasRuns = existsSync(project.folder.runsFolder);
      const {run} = hasRuns ? await taskFacts(project, plan, id) : {run: null};
      // An undone or restarted run has no valid checks.
      const standing = run?.superseded_by_run_id === undefined ? run : null;
      cli.print(command, data, () => renderTask(plan, task, painter(cli.context.stdout), standing));
    });
}

/** A task as text, also for `pick`. */
export function renderTask(plan: Plan, task: Task, paint: Paint, run: RunRecord | null = null): string {
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
  const checks = checkLines(plan, task, run);
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
    ...(checks.length === 0 ? [] : block('Checks:', checks)),
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

/** The agent and its settings, if the task or a parent sets them. */
function agentLines(plan: Plan, task: Task): Array<readonly [name: string, value: string]> {
  const levels = [task, ...ancestorsOf(plan, task)];
  return (['agent', 'model', 'effort'] as const).flatMap((field) => {
    const from = levels.find((each) => each[field]);
    if (!from) return [];
    const origin = from === task ? '' : ` (from ${from.id})`;
    return [[`${field[0]?.toUpperCase()}${field.slice(1)}`, `${from[field]}${origin}`] as const];
  });
}

/**
 * What must succeed before the task is done, who requires it and how it ended last, plus other checks of its
 * run.
 */
function checkLines(plan: Plan, task: Task, run: RunRecord | null): string[] {
  const made = new Map(run ? lastChecks(run).map((check) => [check.command, check]) : []);
  const asked = checksOf(plan, task);
  const others = [...made.keys()].filter((command) => !asked.some((each) => each.command === command));
  return [...asked, ...others.map((command) => ({command, from: 'execution.verify'}))].map(
    ({command, from}) => {
      const check = made.get(command);
      const origin = from === task.id ? '' : ` (from ${displayLine(from)})`;
      const result = check
        ? `  ${isPassed(check) ? '✓' : `✗ ${howItFailed(check)}`} ${duration(check.seconds * 1000)}`
        : '';
      return `- ${displayLine(command)}${origin}${result}`;
    },
  );
}

function rationale(task: Task, dep: string): string {
  const reason = Object.hasOwn(task.depRationale ?? {}, dep) ? task.depRationale?.[dep] : undefined;
  return reason ? ` (${displayLine(reason)})` : '';
}

/** To the second, in UTC. */
function seconds(timestamp: string): string {
  return new Date(timestamp).toISOString().replace(/\.\d+Z$/, 'Z');
}
