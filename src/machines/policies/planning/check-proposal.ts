import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {PlanDraft, ProposedOperation} from '../../../services/contracts/plan-draft.ts';
import type {Finding} from '../plan/lint-finding.ts';
import {diffPlans, type PlanDiff} from '../plan/plan-diff.ts';
import {isBlocking, type LintOptions, lintPlan} from '../plan/plan-lint.ts';
import {applyPatch} from '../plan/plan-patch.ts';
import {scopeOf} from './plan-prompt.ts';

/** The plan that a proposal would produce; otherwise everything that prevents it. */
export type CheckedProposal =
  | {readonly type: 'valid'; readonly before: Plan; readonly after: Plan}
  | {readonly type: 'invalid'; readonly problems: readonly string[]};

type Digest = (text: string) => string;

export function checkProposal(plan: Plan, draft: PlanDraft, now: string, digest: Digest): CheckedProposal {
  const operations = draft.operations ?? [];
  const problems = [...touchProblems(plan, draft, digest), ...scopeProblems(plan, draft)];
  const check = applyPatch(plan, operations, now);
  if ('problems' in check) {
    problems.push(...check.problems.map(({path, message}) => `${placeOf(path, operations)}: ${message}`));
  }
  if ('plan' in check && problems.length === 0) return {type: 'valid', before: plan, after: check.plan};
  return {type: 'invalid', problems: [...new Set(problems)]};
}

/** Names the task instead of `$.operations[3]`, which means nothing to a planner that was asked for tasks. */
function placeOf(path: string, operations: readonly ProposedOperation[]): string {
  const [, index] = /^\$\.operations\[(\d+)\]$/.exec(path) ?? [];
  const operation = index === undefined ? undefined : operations[Number(index)];
  return operation === undefined ? path : `${operation.type} ${JSON.stringify(targetOf(operation))}`;
}

const targetOf = (operation: ProposedOperation): string =>
  operation.type === 'add' ? operation.task.id : operation.taskId;

/** Refuses to change anything that someone else changed since the planner saw it. */
function touchProblems(plan: Plan, {operations, base}: PlanDraft, digest: Digest): string[] {
  const seen = new Map(base);
  return [...new Set((operations ?? []).map(targetOf))].flatMap((id) => {
    const task = plan.items.get(id);
    const before = seen.get(id);
    if (!task || before === undefined || before === digest(contentOf(task))) return [];
    return [
      `${JSON.stringify(id)} was changed by somebody else since you saw it; it is now: ${contentOf(task)}`,
    ];
  });
}

/** If tasks were named, only they and their descendants may change; new tasks go below them. */
function scopeProblems(plan: Plan, {operations, taskIds}: PlanDraft): string[] {
  const scope = scopeOf(plan, taskIds);
  if (scope === null) return [];
  const added = new Set((operations ?? []).flatMap((each) => (each.type === 'add' ? [each.task.id] : [])));
  const isIn = (id: string | null) => id !== null && (scope.has(id) || added.has(id));
  return (operations ?? []).flatMap((operation) => {
    const target = targetOf(operation);
    const parent =
      operation.type === 'add'
        ? operation.task.parentId
        : operation.type === 'move'
          ? operation.place.parentId
          : target;
    const isAllowed = isIn(target) && (isIn(parent) || plan.items.get(target)?.parentId === parent);
    return isAllowed
      ? []
      : [`${operation.type} ${JSON.stringify(target)}: only ${taskIds.join(', ')} may change`];
  });
}

/** The part of a task that a planner sees and may replace. The status belongs to its runs. */
const contentOf = ({
  id,
  parentId = null,
  title,
  deps,
  description,
  acceptanceCriteria,
  prompt,
}: Task): string => JSON.stringify({id, parentId, title, deps, description, acceptanceCriteria, prompt});

export const baseOf = (plan: Plan, digest: Digest): PlanDraft['base'] =>
  [...plan.items.values()].map((task) => [task.id, digest(contentOf(task))]);

/** Remembers what the planner was just told. */
export function withSeen(draft: PlanDraft, plan: Plan, digest: Digest): PlanDraft {
  const now = new Map(baseOf(plan, digest));
  const touched = new Set((draft.operations ?? []).map(targetOf));
  return {
    ...draft,
    base: draft.base.map(([id, seen]) => [id, touched.has(id) ? (now.get(id) ?? seen) : seen]),
  };
}

/** A proposal as shown for a decision. */
export type PlanPreview = {
  readonly before: Plan;
  readonly after: Plan;
  readonly diff: PlanDiff;
  /** Findings in the tasks that it adds or changes. */
  readonly findings: readonly Finding[];
};

export function previewOf(before: Plan, after: Plan, options: LintOptions): PlanPreview {
  const diff = diffPlans(before, after);
  return {before, after, diff, findings: findingsIn(before, after, diff, options)};
}

/** Leaves out earlier findings: for a task that only got dependencies, only those they caused. */
function findingsIn(before: Plan, after: Plan, {added, changed, deps}: PlanDiff, options: LintOptions) {
  const written = new Set([...added, ...changed].map(({id}) => id));
  const rewired = new Set(deps.map(({id}) => id));
  const told = ({taskId, code, message}: Finding) => JSON.stringify([taskId, code, message]);
  const had = new Set(lintPlan(before, options).map(told));
  const isNew = (finding: Finding) => finding.field === 'deps' && !had.has(told(finding));
  return lintPlan(after, {...options, isDraft: true}).filter(
    (finding) => written.has(finding.taskId) || (rewired.has(finding.taskId) && isNew(finding)),
  );
}

/** What the quality gate tells the planner: every finding with a fix. */
export const findingLines = (findings: readonly Finding[]): string[] =>
  findings.map(
    ({taskId, field, severity, message, suggestion}) =>
      `${taskId}.${field} (${severity}): ${message}. ${suggestion}`,
  );

export const countBlocking = (findings: readonly Finding[]): number => findings.filter(isBlocking).length;
