import {useState} from 'react';
import {seenSubtree} from '../../machines/policies/plan/plan-conflict.ts';
import {ancestorsOf, subtreeOf, tasksInTreeOrder} from '../../machines/policies/plan/plan-graph.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import {taskStatuses} from '../../services/contracts/task-status.ts';
import {ConfirmDialog} from '../components/confirm-dialog.tsx';
import {useTui, useTuiState} from '../tui-context.tsx';
import {ChoiceDialog} from './choice-dialog.tsx';
import type {DialogSize} from './dialog-size.ts';
import {TaskDeleted} from './task-deleted.tsx';
import {TaskPicker} from './task-picker.tsx';

type Props = DialogSize & {readonly taskId: string; readonly name: string};

/** The dependencies of a task: any task that is neither above nor below it. */
export function DepsDialog({taskId, name, ...size}: Props) {
  const {answers} = useTui();
  const [, {plan}] = useTuiState();
  // As it was when the dialog opened, so that a concurrent change is not overwritten.
  const [seen] = useState(() => plan?.items.get(taskId));
  const task = plan?.items.get(taskId);
  if (!plan || !task || !seen) return <TaskDeleted {...size} />;
  const related = new Set([...subtreeOf(plan, task), ...ancestorsOf(plan, task)].map(({id}) => id));
  const choices = tasksOf(plan, (other) => !related.has(other.id));
  return (
    <TaskPicker
      {...size}
      title={`What ${name} needs`}
      choices={choices}
      chosen={task.deps}
      onDone={(ids) => answers.deps(seen, ids)}
      onCancel={answers.close}
    />
  );
}

const topLevel = '(top level)';

/** The new parent of a task: none of its descendants. */
export function MoveDialog({taskId, name, ...size}: Props) {
  const {answers} = useTui();
  const [, {plan}] = useTuiState();
  const [seen] = useState(() => plan?.items.get(taskId));
  const task = plan?.items.get(taskId);
  if (!plan || !task || !seen) return <TaskDeleted {...size} />;
  const below = new Set(subtreeOf(plan, task).map(({id}) => id));
  const choices = [{id: topLevel, label: topLevel}, ...tasksOf(plan, (other) => !below.has(other.id))];
  return (
    <TaskPicker
      {...size}
      title={`Move ${name} under`}
      choices={choices}
      chosen={null}
      onDone={([id]) => answers.move(seen, id === undefined || id === topLevel ? null : id)}
      onCancel={answers.close}
    />
  );
}

export function StatusDialog({taskId, name, ...size}: Props) {
  const {answers} = useTui();
  const [, {plan}] = useTuiState();
  const [seen] = useState(() => plan?.items.get(taskId));
  const task = plan?.items.get(taskId);
  if (!task || !seen) return <TaskDeleted {...size} />;
  return (
    <ChoiceDialog
      {...size}
      title={`Status of ${name}`}
      items={taskStatuses.map((status) => ({
        label: status,
        ...(status === task.status ? {note: 'now'} : {}),
      }))}
      initialIndex={taskStatuses.indexOf(seen.status)}
      onChoose={(index) => answers.status(seen, taskStatuses[index] ?? 'todo')}
      onCancel={answers.close}
    />
  );
}

export function DeleteDialog({taskId, name, ...size}: Props) {
  const {answers} = useTui();
  const [, {plan}] = useTuiState();
  const [seen] = useState(() => {
    const task = plan?.items.get(taskId);
    return plan && task ? seenSubtree(plan, task) : [];
  });
  const task = plan?.items.get(taskId);
  return (
    <ConfirmDialog
      {...size}
      title={`Delete ${name}?`}
      message={deletedText(plan && task ? subtreeOf(plan, task).length - 1 : 0)}
      confirmLabel="Delete"
      onConfirm={() => answers.delete(taskId, seen)}
      onCancel={answers.close}
    />
  );
}

function deletedText(below: number): string {
  const alone = 'Dependencies on it are removed. z undoes it.';
  if (below === 0) return alone;
  return `The ${below === 1 ? 'task below it is' : `${below} tasks below it are`} deleted too. ${alone}`;
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
