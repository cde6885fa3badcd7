import {nextCommands} from '../../machines/policies/run/task-options.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {shellWord} from '../../services/contracts/errors.ts';
import {cutEnd, padEnd} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';
import type {Facts, TuiState} from './facts.ts';
import {taskFactsOf} from './task-facts.ts';
import {stateBadges, type TaskState} from './task-state.ts';

/** A longer list has a command of its own. */
const most = 10;
const widestTitle = 40;

const words: Partial<Record<TaskState, string>> = {
  paused: 'paused',
  lost: 'lost',
  asks: 'asks',
  decision: 'undecided',
  feedback: 'sent back',
};

/** What is paused, waiting or undecided when the user leaves, each with the command that continues it. */
export function leavingLines(state: TuiState, {plan, stateOf}: Facts): string[] {
  if (!plan) return [];
  const open = [...plan.items.values()].flatMap((task) => {
    const taskState = stateOf(task);
    const word = words[taskState];
    const asked = word === undefined ? null : taskFactsOf(state, plan, task);
    const [command] = asked ? nextCommands(asked) : [];
    if (word === undefined || command === undefined) return [];
    const [symbol] = stateBadges[taskState];
    const name = cutEnd(`${displayLine(task.id)}  ${displayLine(task.title)}`, widestTitle);
    return [
      {left: `${symbol} ${name}`, word, command: `blackbird ${command} ${displayLine(shellWord(task.id))}`},
    ];
  });
  const shown = open.slice(0, most);
  const width = (of: (each: (typeof open)[number]) => string) =>
    Math.max(0, ...shown.map((each) => textWidth(of(each))));
  const [leftWidth, wordWidth] = [width(({left}) => left), width(({word}) => word)];
  return [
    ...shown.map(
      ({left, word, command}) => `${padEnd(left, leftWidth)}  ${padEnd(word, wordWidth)}  ${command}`,
    ),
    ...(open.length > most ? [`… and ${open.length - most} more: blackbird list`] : []),
  ];
}
