import type {Task, TaskStatus} from '../../../services/contracts/plan.ts';
import type {TaskEdit} from '../plan/task-edits.ts';

/** The largest list accepted; anything larger is not a list of tasks. */
export const importLimit = 100_000;

export type ImportedFields = Omit<TaskEdit, 'title'> & Pick<Partial<Task>, 'depRationale'>;

/** One task from a list. Fields that the list does not have are undefined and stay as they are in the plan. */
export type ImportedTask = {
  /** Identifies it within its list, in this import and the next. */
  readonly key: string;
  /** Its position in the list for messages: `line 3`. */
  readonly at: string;
  /** Its id in the plan. */
  readonly id: string | null;
  /** The text to make an id from, if it has none yet. */
  readonly idWish: string;
  readonly parentKey: string | null;
  readonly title: string;
  readonly fields: ImportedFields;
  /** Keys, or ids of tasks in the plan; null if the list has no dependencies. */
  readonly deps: readonly string[] | null;
  readonly status: TaskStatus | null;
};

export type ImportProblem = {readonly at: string; readonly message: string};

/** The content of a list, or all of its problems. */
export type ImportList =
  /** `ignored`: content that is not imported, one sentence each. */
  | {readonly tasks: readonly ImportedTask[]; readonly ignored?: readonly string[]}
  | {readonly problems: readonly ImportProblem[]};

/** Keys for a list without ids: the title, unique among siblings; repeated titles get a number. */
export function titleKeys(
  digest: (text: string) => string,
): (parentKey: string | null, title: string) => string {
  const seen = new Map<string, number>();
  return (parentKey, title) => {
    const name = digest(`${parentKey ?? ''}\n${title}`).slice(0, 16);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}~${count}`;
  };
}

export const ownKey = (id: string): string => `id:${id}`;
