import type {Plan, Task} from '../../services/contracts/plan.ts';

export type DepEdge = readonly [id: string, dep: string];

/** What differs between two plans, each list sorted. */
export type PlanDiff = {
  readonly added: string[];
  readonly removed: string[];
  readonly updated: string[];
  readonly moved: string[];
  readonly depsAdded: DepEdge[];
  readonly depsRemoved: DepEdge[];
};

export function diffPlans(before: Plan, after: Plan): PlanDiff {
  const common = [...after.items].flatMap(([id, task]) => {
    const old = before.items.get(id);
    return old === undefined || old === task ? [] : [{id, old, task}];
  });
  const edges = (plan: Plan) =>
    [...plan.items].flatMap(([id, task]) => task.deps.map((dep): DepEdge => [id, dep]));
  return {
    added: [...after.items.keys()].filter((id) => !before.items.has(id)).sort(),
    removed: [...before.items.keys()].filter((id) => !after.items.has(id)).sort(),
    updated: common.flatMap(({id, old, task}) => (isSameContent(old, task) ? [] : [id])).sort(),
    moved: common
      .flatMap(({id, old, task}) => ((old.parentId ?? null) === (task.parentId ?? null) ? [] : [id]))
      .sort(),
    depsAdded: without(edges(after), edges(before)),
    depsRemoved: without(edges(before), edges(after)),
  };
}

const contentFields = [
  'title',
  'description',
  'prompt',
  'status',
  'acceptanceCriteria',
  'deps',
  'notes',
  'depRationale',
] as const satisfies ReadonlyArray<keyof Task>;

function isSameContent(a: Task, b: Task): boolean {
  return contentFields.every(
    (field) => JSON.stringify(a[field] ?? null) === JSON.stringify(b[field] ?? null),
  );
}

function without(edges: readonly DepEdge[], others: readonly DepEdge[]): DepEdge[] {
  const known = new Set(others.map((edge) => JSON.stringify(edge)));
  return edges
    .filter((edge) => !known.has(JSON.stringify(edge)))
    .sort((a, b) => compareText(a[0], b[0]) || compareText(a[1], b[1]));
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
