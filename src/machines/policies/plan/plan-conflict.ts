import {AppError} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {subtreeOf} from './plan-graph.ts';

export type SeenField = Exclude<keyof Task, 'id' | 'createdAt' | 'updatedAt' | 'depRationale' | 'source'>;

/** What a person saw of a task when they began to change it, each field as text. */
export type SeenTask = {
  readonly taskId: string;
  readonly fields: Readonly<Partial<Record<SeenField, string>>>;
};

/** A field as a person reads and writes it. */
export function fieldText(task: Task, field: SeenField): string {
  const value = task[field] ?? '';
  return typeof value === 'string' ? value : value.join('\n');
}

export const seenTask = (task: Task, ...fields: readonly SeenField[]): SeenTask => ({
  taskId: task.id,
  fields: Object.fromEntries(fields.map((field) => [field, fieldText(task, field)])),
});

/** All that goes when a task is deleted, but for statuses: an engine at work changes nothing of what it is. */
export const seenSubtree = (plan: Plan, task: Task): SeenTask[] =>
  subtreeOf(plan, task).map((each) =>
    seenTask(
      each,
      'title',
      'description',
      'acceptanceCriteria',
      'prompt',
      'notes',
      'verify',
      'parentId',
      'childIds',
      'deps',
    ),
  );

const nowLabel = 'it is now';

/** The value that stood in the way of a change; undefined where something else did. */
export const valueInTheWay = (error: unknown): string | undefined =>
  error instanceof AppError && error.code === 'E_CONFLICT'
    ? error.details.find(([label]) => label === nowLabel)?.[1]
    : undefined;

/** Refuses a change where what it would replace is no longer what the person saw. Other fields may differ. */
export function requireSeen(plan: Plan, seen: readonly SeenTask[]): void {
  for (const {taskId, fields} of seen) {
    const task = plan.items.get(taskId);
    for (const [field, before] of Object.entries(fields) as [SeenField, string][]) {
      // Whoever changes a task that is gone is told so by the change itself.
      if (!task || fieldText(task, field) === before) continue;
      throw new AppError(
        'E_CONFLICT',
        `${taskId} was changed by somebody else meanwhile; nothing was written`,
        {
          details: [
            ['field', field],
            ['it was', before],
            [nowLabel, fieldText(task, field)],
          ],
        },
      );
    }
  }
}
