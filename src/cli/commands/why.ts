import {Command} from 'commander';
import {
  type Condition,
  type Explanation,
  explainTask,
  type SentBackOf,
} from '../../machines/policies/plan/explain-task.ts';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {dueParents} from '../../machines/policies/review/parent-review.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Plan, TaskStatus} from '../../services/contracts/plan.ts';
import {type Cli, taskArgument} from '../cli.ts';
import type {Project} from '../composition.ts';
import {factsNow, withLimitOf} from '../plan/facts-now.ts';
import {taskFactsIn} from '../plan/read-task-facts.ts';
import {levelIndent} from '../plan/task-view.ts';
import {type Paint, painter} from '../terminal/paint.ts';

export function whyCommand(cli: Cli): Command {
  return new Command('why')
    .summary('why a task is not ready, what must finish first, and what to do about it')
    .addArgument(taskArgument())
    .action(async (id: string, _options, command: Command) => {
      const project = await cli.project(command);
      const plan = await project.plans.read();
      const now = cli.context.now();
      const known = await taskFactsIn(project, plan, plan.items.values());
      const atWork = await factsNow(project, known, now);
      const factsOf = await withLimitOf(project, plan, requireTask(plan, id), atWork, now);
      const explanation = explainTask(plan, id, factsOf, await sentBackIn(plan, project));
      cli.print(command, explanation, () => renderExplanation(explanation, painter(cli.context.stdout)));
    });
}

/** Only a parent whose children are done can wait for a response to its review. */
async function sentBackIn(plan: Plan, project: Project): Promise<SentBackOf> {
  if (dueParents(plan).length === 0) return () => [];
  const {listFeedback} = await import('../job/feedback-operations.ts');
  const {pending} = await listFeedback(project);
  return (parentId) =>
    pending.flatMap(({parentTaskId, childTaskId}) => (parentTaskId === parentId ? [childTaskId] : []));
}

function renderExplanation({id, ready, conditions, first}: Explanation, paint: Paint): string {
  const target = conditions[0];
  const isHeldUp = conditions.some(({role}) => role === 'gate');
  const readiness = isHeldUp ? 'is ready, but the plan waits for you first' : 'is ready';
  const isAgain = target?.status === 'done' && first.includes(id);
  const verdict = ready ? readiness : isAgain || !target ? 'is not ready' : verdicts[target.status];
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

/** For a task that is not ready. */
const verdicts = {
  todo: 'is not ready',
  queued: 'is not ready',
  in_progress: 'is not done yet',
  waiting_user: 'waits for you',
  blocked: 'is blocked',
  done: 'is done',
  failed: 'has failed',
  skipped: 'is skipped',
} as const satisfies Record<TaskStatus, string>;

const roleText = {task: '', dependency: 'needs ', child: 'child ', gate: 'after '} as const satisfies Record<
  Condition['role'],
  string
>;

function renderCondition({id, title, status, role, depth, reason}: Condition, paint: Paint): string {
  const indent = `  ${levelIndent(depth)}`;
  return `${indent}${roleText[role]}${paint('bold', displayLine(id))}  ${displayLine(title)}  [${status}]  ${paint('dim', displayLine(reason))}`;
}
