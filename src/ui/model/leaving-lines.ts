import {draftNeeds, draftWait} from '../../machines/policies/planning/waiting-draft.ts';
import {nextCommands} from '../../machines/policies/run/task-options.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {shellWord} from '../../services/contracts/errors.ts';
import type {PlanDraft} from '../../services/contracts/plan-draft.ts';
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

type OpenEnd = {readonly left: string; readonly word: string; readonly command: string};

/** What is paused, waiting or undecided when the user leaves, each with the command that continues it. */
export function leavingLines(state: TuiState, facts: Facts, drafts: readonly PlanDraft[]): string[] {
  const open = [...openTasks(state, facts), ...openDrafts(facts, drafts)];
  const shown = open.slice(0, most);
  const width = (of: (each: OpenEnd) => string) => Math.max(0, ...shown.map((each) => textWidth(of(each))));
  const [leftWidth, wordWidth] = [width(({left}) => left), width(({word}) => word)];
  return [
    ...shown.map(
      ({left, word, command}) => `${padEnd(left, leftWidth)}  ${padEnd(word, wordWidth)}  ${command}`,
    ),
    ...(open.length > most ? [`… and ${open.length - most} more: blackbird list`] : []),
  ];
}

function openTasks(state: TuiState, {plan, stateOf}: Facts): OpenEnd[] {
  if (!plan) return [];
  return [...plan.items.values()].flatMap((task) => {
    const taskState = stateOf(task);
    const word = words[taskState];
    const asked = word === undefined ? null : taskFactsOf(state, plan, task);
    const [command] = asked ? nextCommands(asked) : [];
    if (word === undefined || command === undefined) return [];
    const left = leftOf(taskState, `${displayLine(task.id)}  ${displayLine(task.title)}`);
    return [{left, word, command: `blackbird ${command} ${displayLine(shellWord(task.id))}`}];
  });
}

const draftStates = {answer: 'asks', decision: 'decision'} as const;

function openDrafts({isEngineAlive}: Facts, drafts: readonly PlanDraft[]): OpenEnd[] {
  return draftNeeds(drafts, isEngineAlive).map(({task_id, title, command}) => {
    const wait = draftWait(task_id, drafts);
    const state = wait === null ? 'paused' : draftStates[wait];
    return {left: leftOf(state, displayLine(title)), word: words[state] ?? '', command};
  });
}

const leftOf = (state: TaskState, name: string): string =>
  `${stateBadges[state][0]} ${cutEnd(name, widestTitle)}`;
