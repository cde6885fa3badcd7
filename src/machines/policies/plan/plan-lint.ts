import {shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {type Finding, findingFields, severities} from './lint-finding.ts';
import {planFindings} from './lint-graph.ts';
import {taskRules} from './lint-rules.ts';
import {isLeaf, walkTree} from './plan-graph.ts';
import {isOver} from './readiness.ts';

export type LintOptions = {
  /** The checks that run for every task. */
  readonly verify?: readonly string[];
  /** The plan is only proposed: no command works on its new tasks. */
  readonly isDraft?: boolean;
};

/**
 * What makes a plan not ready to run, ordered by task, field, severity and code. Tasks that are done or skipped are
 * ignored: nobody will work on them.
 */
export function lintPlan(plan: Plan, {verify = [], isDraft = false}: LintOptions = {}): Finding[] {
  const order = new Map<string, number>();
  const findings: Finding[] = [];
  const verified = new Set<string | null | undefined>();
  for (const {task} of walkTree(plan)) {
    order.set(task.id, order.size);
    // Parents come before their children.
    const isVerified = verify.length > 0 || verified.has(task.parentId) || checksOf(task).length > 0;
    if (isVerified) verified.add(task.id);
    if (!isLeaf(task) || !isOpen(task)) continue;
    for (const {code, severity, field, suggestion, draftSuggestion, check} of taskRules) {
      const message = check(task, {isVerified, isDraft});
      if (message === null) continue;
      const advice = isDraft ? (draftSuggestion ?? suggestion) : suggestion;
      const fix = advice.replace('<id>', () => shellWord(task.id));
      findings.push({severity, code, taskId: task.id, field, message, suggestion: fix});
    }
  }
  findings.push(...planFindings(plan, isDraft).filter(({taskId}) => isOpen(plan.items.get(taskId))));
  const rank = ({taskId, field, severity, code}: Finding) =>
    [order.get(taskId) ?? 0, findingFields.indexOf(field), severities.indexOf(severity), code] as const;
  return findings
    .map((finding) => ({finding, rank: rank(finding)}))
    .sort((one, other) => compareRanks(one.rank, other.rank))
    .map(({finding}) => finding);
}

export const isBlocking = ({severity}: Finding): boolean => severity === 'blocking';

function checksOf(task: Task): readonly string[] {
  return task.verify ?? [];
}

const isOpen = (task: Task | undefined) => task !== undefined && !isOver(task);

type Rank = readonly [number, number, number, string];

function compareRanks(one: Rank, other: Rank): number {
  return (
    one[0] - other[0] ||
    one[1] - other[1] ||
    one[2] - other[2] ||
    (one[3] < other[3] ? -1 : one[3] > other[3] ? 1 : 0)
  );
}
