import {childrenOf, dependentsOf, isLeaf, parentOf} from '../../machines/policies/plan/plan-graph.ts';
import {checksOf} from '../../machines/policies/plan/task-checks.ts';
import {failureWords} from '../../machines/policies/run/failure-table.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Line} from '../components/lines.tsx';
import {wrapped} from '../text/wrap.ts';
import type {Facts} from './facts.ts';
import {lineWidth} from './styled-lines.ts';
import {stateBadges, stateNote, type TaskState, waitNote} from './task-state.ts';

/** Everything the plan says about a task, and its state. */
export function detailsLines(
  plan: Plan,
  task: Task,
  run: RunRecord | null,
  stateOf: Facts['stateOf'],
  isEngineAlive: boolean,
  hint: string,
  columns: number,
): Line[] {
  const parent = parentOf(plan, task);
  const standing = stateNote(plan, task, stateOf(task), waitNote(run, isEngineAlive)) || task.status;
  return [
    ...wrapped(displayLine(task.title), columns).map((text): Line => [{text, bold: true}]),
    [{text: displayLine(task.id), dim: true}],
    [],
    ...statusLines(run, stateOf(task), standing, hint, columns),
    ...section('Description', texts(task.description, columns)),
    ...section(
      'Acceptance criteria',
      task.acceptanceCriteria.flatMap((each) => bullet(displayLine(each), columns)),
    ),
    ...section(
      'Checks',
      checksOf(plan, task).flatMap(({command, from}) =>
        bullet(`${displayLine(command)}${from === task.id ? '' : ` (from ${displayLine(from)})`}`, columns),
      ),
    ),
    ...section('Notes', texts(task.notes, columns)),
    ...section('Under', parent ? [related(parent)] : []),
    ...section(isLeaf(task) ? '' : 'Children', childrenOf(plan, task).map(related)),
    ...section(
      'Needs',
      task.deps.flatMap((id) => {
        const dep = plan.items.get(id);
        return dep ? [related(dep)] : [];
      }),
    ),
    ...section('Needed by', dependentsOf(plan, task.id).map(related)),
    ...section('Prompt', texts(task.prompt, columns)),
  ];

  function related(other: Task): Line {
    const [symbol, , style] = stateBadges[stateOf(other)];
    return [
      {text: `${symbol} `, ...style},
      {text: displayLine(other.title)},
      {text: `  ${displayLine(other.id)}`, dim: true},
    ];
  }
}

function statusLines(
  run: RunRecord | null,
  state: TaskState,
  note: string,
  hint: string,
  columns: number,
): Line[] {
  const [symbol, , style] = stateBadges[state];
  const beside: Line = [
    {text: `${symbol} ${note}`, ...style},
    ...(hint === '' ? [] : [{text: `   ${hint}`, dim: true}]),
  ];
  const lines: Line[] =
    lineWidth(beside) <= columns
      ? [beside]
      : [
          ...wrapped(`${symbol} ${note}`, columns).map((text): Line => [{text, ...style}]),
          ...(hint === '' ? [] : wrapped(hint, columns).map((text): Line => [{text, dim: true}])),
        ];
  if (run?.failure && (state === 'failed' || state === 'paused' || state === 'lost')) {
    const reason = displayLine(failureWords(run.failure));
    lines.push(...wrapped(reason, columns).map((text): Line => [{text, tone: 'bad'}]));
  }
  return lines;
}

function section(title: string, lines: readonly Line[]): Line[] {
  return lines.length === 0 ? [] : [[], [{text: title, tone: 'accent', bold: true}], ...lines];
}

function texts(text: string | null | undefined, columns: number): Line[] {
  if (!text?.trim()) return [];
  return wrapped(text, columns).map((line) => [{text: line}]);
}

function bullet(text: string, columns: number): Line[] {
  return wrapped(text, columns - 2).map((line, index) => [{text: `${index === 0 ? '• ' : '  '}${line}`}]);
}
