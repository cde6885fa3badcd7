import {AppError} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {subtreeOf} from './plan-graph.ts';

export type SeenField = Exclude<keyof Task, 'id' | 'createdAt' | 'updatedAt' | 'depRationale' | 'source'>;

/** The fields of a task as the user saw them when the edit began, as text. */
export type SeenTask = {
  readonly taskId: string;
  readonly fields: Readonly<Partial<Record<SeenField, string>>>;
};

/** A field as the user reads and writes it. */
export function fieldText(task: Task, field: SeenField): string {
  const value = task[field] ?? '';
  return typeof value === 'string' ? value : value.join('\n');
}

export const seenTask = (task: Task, ...fields: readonly SeenField[]): SeenTask => ({
  taskId: task.id,
  fields: Object.fromEntries(fields.map((field) => [field, fieldText(task, field)])),
});

/** Everything that a deletion removes, except statuses: a running job changes those and nothing else. */
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

/** The current value that conflicts with an edit; undefined for any other error. */
export const valueInTheWay = (error: unknown): string | undefined =>
  error instanceof AppError && error.code === 'E_CONFLICT'
    ? error.details.find(([label]) => label === nowLabel)?.[1]
    : undefined;

/** Refuses an edit if the values it replaces are no longer what the user saw. Other fields may differ. */
export function requireSeen(plan: Plan, seen: readonly SeenTask[]): void {
  for (const {taskId, fields} of seen) {
    const task = plan.items.get(taskId);
    for (const [field, before] of Object.entries(fields) as [SeenField, string][]) {
      // For a deleted task the edit itself reports the error.
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
