import {shellWord} from '../../../services/contracts/errors.ts';
import {type Chart, type ChartTransition, pathIn, statesOf, type Trigger} from './chart.ts';

/** Something that could happen next. */
export type Move = {
  /** What has to happen for it. */
  readonly when: string;
  /** The target state; null if the state does not change. */
  readonly to: string | null;
  /** The command that triggers it; null if none does. */
  readonly command: string | null;
};

/** The shell command for each user event. `<task>` is a placeholder. */
const commands: Readonly<Record<string, string>> = {
  'job.start': 'blackbird execute',
  'engine.pause': 'blackbird pause',
  'engine.stopAfterTask': 'blackbird stop',
  'run.pause': 'blackbird pause',
  'executor.stopAfterTask': 'blackbird stop',
  'run.resume': 'blackbird resume <task>',
  'run.answer': 'blackbird resume <task>',
  'run.sendBack': 'blackbird resume <task> --feedback <text>',
  'run.restart': 'blackbird restart <task>',
  'run.retry': 'blackbird retry <task>',
  'run.undo': 'blackbird undo <task>',
  'review.decide': 'blackbird review <task>',
  'review.withdraw': 'blackbird review <task> --withdraw',
  'retry.now': 'r in the terminal that waits',
  'question.answer': 'blackbird resume <task>',
};

/** All transitions from the current states, innermost first. */
export function movesFrom(chart: Chart, active: ReadonlySet<string>, taskId: string): Move[] {
  const depth = new Map(statesOf(chart.root).map(({id}, index) => [id, index]));
  const moves = chart.transitions
    .filter(({source, trigger}) => active.has(source) && trigger.type !== 'always')
    .toSorted((one, other) => (depth.get(other.source) ?? 0) - (depth.get(one.source) ?? 0))
    .map((transition) => moveOf(chart, transition, taskId));
  const seen = new Set<string>();
  return moves.filter(({when, to}) => {
    const key = `${when} ${to}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function moveOf(chart: Chart, {event, trigger, guard, targets}: ChartTransition, taskId: string): Move {
  const [target] = targets;
  const command = Object.hasOwn(commands, event) ? commands[event] : undefined;
  const isForNobody = command?.includes('<task>') && taskId === '';
  return {
    when: [whenOf(trigger), ...(guard === null ? [] : [`if ${guard}`])].join(', '),
    to: target === undefined ? null : pathIn(chart, target),
    command: command === undefined || isForNobody ? null : command.replace('<task>', shellWord(taskId)),
  };
}

function whenOf({type, name}: Trigger): string {
  switch (type) {
    case 'done':
      return `${name} is done`;
    case 'error':
      return `${name} fails`;
    case 'after':
      return `after ${name}`;
    case 'always':
      return 'at once';
    case 'event':
      return name;
  }
}
