import {ancestorsOf, tasksInTreeOrder} from '../../machines/policies/plan/plan-graph.ts';
import type {PlanPreview} from '../../machines/policies/planning/check-proposal.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {Task} from '../../services/contracts/plan.ts';
import type {Paint} from '../terminal/paint.ts';

/** The tasks that a proposal adds or changes, in plan order, as they would be. */
export function proposedTasks({after, diff}: PlanPreview): Task[] {
  const touched = new Set([...diff.added, ...diff.changed, ...diff.moved, ...diff.deps].map(({id}) => id));
  return tasksInTreeOrder(after).flatMap(({task}) => (touched.has(task.id) ? [task] : []));
}

/** Everything an agent would be told about them, complete; then what is removed. */
export function proposalText(preview: PlanPreview, paint: Paint): string {
  const tasks = proposedTasks(preview).map((task) => wholeTask(preview, task, paint));
  const removed = preview.diff.removed.map(
    ({id, title}) => `${displayLine(id)}  ${displayLine(title)}  (removed)`,
  );
  return [...tasks, ...(removed.length > 0 ? [removed.join('\n')] : [])].join('\n\n');
}

function wholeTask({after}: PlanPreview, task: Task, paint: Paint): string {
  const part = (title: string, body: string) =>
    body.trim() === '' ? [] : ['', `  ${paint('bold', title)}`, ...indented(displayText(body).trimEnd())];
  const [parent] = ancestorsOf(after, task);
  const waits = task.deps.map((dep) => `- ${displayLine(dep)}${reason(task, dep)}`);
  return [
    `${paint('bold', displayLine(task.id))}  ${displayLine(task.title)}`,
    ...(parent ? [`  under ${displayLine(parent.id)}`] : []),
    ...part('Description', task.description ?? ''),
    ...part('Acceptance criteria', task.acceptanceCriteria.map((each) => `- ${each}`).join('\n')),
    ...part('Checks', (task.verify ?? []).map((each) => `- ${each}`).join('\n')),
    ...part('Prompt', task.prompt ?? ''),
    ...part('Waits for', waits.join('\n')),
  ].join('\n');
}

const indented = (text: string) => text.split('\n').map((line) => (line === '' ? '' : `  ${line}`));

function reason({depRationale}: Task, dep: string): string {
  const said = depRationale && Object.hasOwn(depRationale, dep) ? (depRationale[dep] ?? '') : '';
  return said === '' ? '' : `: ${displayLine(said)}`;
}
