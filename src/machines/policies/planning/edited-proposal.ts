import type {ProposedOperation} from '../../../services/contracts/plan-draft.ts';

type Added = Extract<ProposedOperation, {type: 'add'}>;

/** A proposal including the user's edits, as if it had been proposed that way. */
export type EditedProposal = {
  readonly operations: readonly ProposedOperation[];
  /** Added tasks that the user removed. */
  readonly leftOut: readonly string[];
};

export function editedProposal(operations: readonly ProposedOperation[]): EditedProposal {
  const added = new Map<string, Added>();
  const unwanted = new Set<string>();
  const others: ProposedOperation[] = [];
  for (const operation of operations) {
    if (operation.type === 'add') {
      added.set(operation.task.id, operation);
      unwanted.delete(operation.task.id);
      continue;
    }
    const own = added.get(operation.taskId);
    if (own && operation.type === 'edit') {
      added.set(own.task.id, {...own, task: {...own.task, ...operation.fields}});
    } else if (own && operation.type === 'delete') unwanted.add(own.task.id);
    else others.push(operation);
  }
  const gone = withAllBelow(unwanted, [...added.values()]);
  return {
    operations: [
      ...[...added.values()].filter(({task}) => !gone.has(task.id)).map((each) => withoutDeps(each, gone)),
      ...others.filter((each) => each.type === 'add' || !gone.has(each.taskId)),
    ],
    leftOut: [...gone],
  };
}

/** A removed task takes the tasks to be added below it along. */
function withAllBelow(ids: ReadonlySet<string>, added: readonly Added[]): ReadonlySet<string> {
  const below = new Map<string, string[]>();
  for (const {task} of added) {
    if (task.parentId === null) continue;
    const list = below.get(task.parentId) ?? [];
    list.push(task.id);
    below.set(task.parentId, list);
  }
  const gone = new Set<string>();
  const stack = [...ids].reverse();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (gone.has(next)) continue;
    gone.add(next);
    for (const id of below.get(next) ?? []) stack.push(id);
  }
  return gone;
}

const withoutDeps = (operation: Added, gone: ReadonlySet<string>): Added => ({
  ...operation,
  task: {...operation.task, deps: operation.task.deps.filter((id) => !gone.has(id))},
});
