import type {Finding} from '../../machines/policies/plan/lint-finding.ts';
import {ancestorsOf, tasksInTreeOrder} from '../../machines/policies/plan/plan-graph.ts';
import type {PlanPreview} from '../../machines/policies/planning/check-proposal.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {Task} from '../../services/contracts/plan.ts';
import type {Line} from '../components/lines.tsx';
import {wrapped} from '../text/wrap.ts';
import {cutLine, type Style} from './styled-lines.ts';

export type PreviewMark = '+' | '~' | '>' | '-' | ' ';

/** A row of the proposed plan: what changes, and its parent. */
export type PreviewRow = {
  readonly id: string;
  readonly mark: PreviewMark;
  readonly depth: number;
  readonly title: string;
  readonly findings: readonly Finding[];
};

/** The tree of what would change, with its parents; removed tasks are at the end. */
export function previewRows({before, after, diff, findings}: PlanPreview): PreviewRow[] {
  const marks = new Map<string, PreviewMark>();
  for (const {id} of diff.moved) marks.set(id, '>');
  for (const {id} of [...diff.changed, ...diff.deps]) marks.set(id, '~');
  for (const {id} of diff.added) marks.set(id, '+');
  const shown = new Set(marks.keys());
  for (const id of marks.keys()) {
    const task = after.items.get(id);
    if (task) for (const parent of ancestorsOf(after, task)) shown.add(parent.id);
  }
  const byTask = new Map<string, Finding[]>();
  for (const finding of findings)
    byTask.set(finding.taskId, [...(byTask.get(finding.taskId) ?? []), finding]);
  const rows = tasksInTreeOrder(after).flatMap(({task, depth}): PreviewRow[] =>
    shown.has(task.id)
      ? [
          {
            id: task.id,
            mark: marks.get(task.id) ?? ' ',
            depth,
            title: task.title,
            findings: byTask.get(task.id) ?? [],
          },
        ]
      : [],
  );
  const gone = diff.removed.map(
    ({id}): PreviewRow => ({id, mark: '-', depth: 0, title: before.items.get(id)?.title ?? id, findings: []}),
  );
  return [...rows, ...gone];
}

const markStyles = {
  '+': {tone: 'good'},
  '~': {tone: 'warning'},
  '>': {tone: 'accent'},
  '-': {tone: 'bad'},
  ' ': {dim: true},
} as const satisfies Record<PreviewMark, Style>;

const findingStyles = {
  blocking: {tone: 'bad', bold: true},
  warning: {tone: 'warning'},
  hint: {dim: true},
} as const satisfies Record<Finding['severity'], Style>;

export function previewRowLine(row: PreviewRow, isSelected: boolean, columns: number): Line {
  const worst = [...row.findings].sort(bySeverity)[0];
  const count = row.findings.filter(({severity}) => severity === worst?.severity).length;
  return cutLine(
    [
      {text: isSelected ? '❯ ' : '  ', tone: 'accent'},
      {text: `${row.mark} `, ...markStyles[row.mark]},
      {text: '  '.repeat(Math.min(row.depth, 6))},
      {text: displayLine(row.title), bold: isSelected, ...(row.mark === ' ' ? {dim: true} : {})},
      ...(worst ? [{text: `  ${count} ${worst.severity}`, ...findingStyles[worst.severity]}] : []),
    ],
    columns,
  );
}

const rank = {blocking: 0, warning: 1, hint: 2} as const;
const bySeverity = (one: Finding, other: Finding) => rank[one.severity] - rank[other.severity];

/** The findings of a task, then its full text. */
export function previewDetail(
  {before, after}: PlanPreview,
  row: PreviewRow | undefined,
  columns: number,
): Line[] {
  const task = row && (after.items.get(row.id) ?? before.items.get(row.id));
  if (!row || !task) return [[{text: 'nothing would change', dim: true}]];
  return [
    ...text(`${displayLine(task.id)}  ${displayLine(task.title)}`, columns, {bold: true}),
    ...[...row.findings]
      .sort(bySeverity)
      .flatMap(({severity, message, suggestion}) => [
        ...text(`${severity}: ${displayLine(message)}`, columns, findingStyles[severity]),
        ...text(`  ${displayLine(suggestion)}`, columns, {dim: true}),
      ]),
    ...part('Description', task.description ?? '', columns),
    ...part('Acceptance criteria', task.acceptanceCriteria.map((each) => `- ${each}`).join('\n'), columns),
    ...part('Prompt', task.prompt ?? '', columns),
    ...part('Needs', needsOf(task), columns),
  ];
}

const needsOf = ({deps, depRationale}: Task) =>
  deps.map((dep) => `- ${dep}${depRationale?.[dep] ? `: ${depRationale[dep]}` : ''}`).join('\n');

function part(title: string, body: string, columns: number): Line[] {
  if (body.trim() === '') return [];
  return [[], [{text: title, tone: 'accent', bold: true}], ...text(displayText(body), columns, {})];
}

const text = (words: string, columns: number, style: Style): Line[] =>
  words.split('\n').flatMap((line) => wrapped(line, columns).map((each): Line => [{text: each, ...style}]));
