import type {Task, TaskStatus} from '../../../services/contracts/plan.ts';
import type {TaskEdit} from '../plan/task-edits.ts';

/** The most a list may hold; what is larger is no list of tasks. */
export const importLimit = 100_000;

export type ImportedFields = Omit<TaskEdit, 'title'> & Pick<Partial<Task>, 'depRationale'>;

/** One task as a list tells it. What it does not say is undefined, and stays as it is in the plan. */
export type ImportedTask = {
  /** Names it within its list, today and the next time. */
  readonly key: string;
  /** Where it stands in the list, for messages: `line 3`. */
  readonly at: string;
  /** The id it has in a plan of Blackbird. */
  readonly id: string | null;
  /** What its id is made of when it has none yet. */
  readonly idWish: string;
  readonly parentKey: string | null;
  readonly title: string;
  readonly fields: ImportedFields;
  /** Keys, or ids of tasks in the plan; null where the list does not know of dependencies. */
  readonly deps: readonly string[] | null;
  readonly status: TaskStatus | null;
};

export type ImportProblem = {readonly at: string; readonly message: string};

/** What a list says, or everything that is wrong with it. */
export type ImportList =
  /** `ignored`: what stands in it and is not read, each in a sentence. */
  | {readonly tasks: readonly ImportedTask[]; readonly ignored?: readonly string[]}
  | {readonly problems: readonly ImportProblem[]};

/** A list without ids: the title names a task among those with the same parent, the first of its kind plainly. */
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
