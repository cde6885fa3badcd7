import {ancestorsOf, subtreeOf, tasksInTreeOrder} from '../../machines/policies/plan/plan-graph.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import {useTui, useTuiState} from '../tui-context.tsx';
import type {DialogSize} from './dialog-view.tsx';
import {TaskPicker} from './task-picker.tsx';

type Props = DialogSize & {readonly taskId: string; readonly name: string};

/** What a task waits for: any task that is neither above nor below it. */
export function DepsDialog({taskId, name, ...size}: Props) {
  const {answers} = useTui();
  const [, {plan}] = useTuiState();
  const task = plan?.items.get(taskId);
  if (!plan || !task) return null;
  const related = new Set([...subtreeOf(plan, task), ...ancestorsOf(plan, task)].map(({id}) => id));
  const choices = tasksOf(plan, (other) => !related.has(other.id));
  return (
    <TaskPicker
      {...size}
      title={`What ${name} needs`}
      choices={choices}
      chosen={task.deps}
      onDone={(ids) => answers.deps(taskId, ids)}
      onCancel={answers.close}
    />
  );
}

const topLevel = '(top level)';

/** Under which task it goes: none below itself. */
export function MoveDialog({taskId, name, ...size}: Props) {
  const {answers} = useTui();
  const [, {plan}] = useTuiState();
  const task = plan?.items.get(taskId);
  if (!plan || !task) return null;
  const below = new Set(subtreeOf(plan, task).map(({id}) => id));
  const choices = [{id: topLevel, label: topLevel}, ...tasksOf(plan, (other) => !below.has(other.id))];
  return (
    <TaskPicker
      {...size}
      title={`Move ${name} under`}
      choices={choices}
      chosen={null}
      onDone={([id]) => answers.move(taskId, id === undefined || id === topLevel ? null : id)}
      onCancel={answers.close}
    />
  );
}

function tasksOf(plan: Plan, isWanted: (task: Task) => boolean) {
  return tasksInTreeOrder(plan).flatMap(({task, depth}) =>
    isWanted(task)
      ? [
          {
            id: task.id,
            label: `${'  '.repeat(Math.min(depth, 6))}${displayLine(task.title)}  ${displayLine(task.id)}`,
          },
        ]
      : [],
  );
}
