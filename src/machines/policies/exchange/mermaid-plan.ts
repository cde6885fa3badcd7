import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {isLeaf, walkTree} from '../plan/plan-graph.ts';
import {displayLine} from '../text/display-text.ts';

/** A flowchart: parents contain their children, arrows come from dependencies, and each status has a class. */
export function mermaidPlan(plan: Plan): string {
  const rows = [...walkTree(plan)];
  const nodes = new Map(rows.map(({task}, index) => [task.id, `t${index}`]));
  const lines = ['flowchart TD'];
  const open: number[] = [];
  const closeTo = (depth: number) => {
    while ((open.at(-1) ?? -1) >= depth) lines.push(`${indentOf(open.pop() ?? 0)}end`);
  };
  for (const {task, depth} of rows) {
    closeTo(depth);
    const label = `${nodes.get(task.id)}["${labelOf(task)}"]`;
    if (isLeaf(task)) {
      lines.push(`${indentOf(depth)}${label}:::${task.status}`);
    } else {
      lines.push(`${indentOf(depth)}subgraph ${label}`);
      open.push(depth);
    }
  }
  closeTo(0);
  for (const {task} of rows) {
    for (const dep of task.deps) lines.push(`  ${nodes.get(dep)} --> ${nodes.get(task.id)}`);
  }
  return [...lines, ...classes].join('\n');
}

/** Limits the indentation of the text, not the depth of the chart. */
const indentOf = (depth: number) => '  '.repeat(1 + Math.min(depth, 20));

const classes = [
  '  classDef done fill:#d5f5d5,stroke:#2e7d32',
  '  classDef failed fill:#fbdada,stroke:#c62828',
  '  classDef in_progress fill:#dbe9ff,stroke:#1565c0',
  '  classDef waiting_user fill:#fff3cd,stroke:#b28704',
  '  classDef blocked fill:#eeeeee,stroke:#616161',
  '  classDef skipped fill:#f5f5f5,stroke:#9e9e9e',
];

/** Quotes, brackets and the entity sign are escaped as entities. */
const labelOf = ({id, title}: Task) =>
  displayLine(`${id}: ${title}`).replace(/["#<>&`;]/g, (sign) => `#${sign.charCodeAt(0)};`);
