import {hintLine} from '../components/hint-line.tsx';
import {blankLine, Lines, lineOf} from '../components/lines.tsx';
import {selectLines} from '../components/select.ts';
import type {KeyPress} from '../input/key-press.ts';
import {type Step, useStepper} from '../input/use-stepper.ts';
import {cutEnd} from '../text/fit.ts';
import type {DialogSize} from './dialog-view.tsx';

export type Choice = {readonly id: string; readonly label: string};

type State = {readonly query: string; readonly index: number; readonly chosen: readonly string[]};
type Outcome = {readonly ids: readonly string[]} | 'cancel';

/** Tasks to choose from, narrowed by what is typed: one of them, or, where some are chosen already, several. */
export function TaskPicker({
  title,
  choices,
  chosen,
  columns,
  rows,
  onDone,
  onCancel,
}: DialogSize & {
  readonly title: string;
  readonly choices: readonly Choice[];
  /** Null where just one is to be chosen. */
  readonly chosen: readonly string[] | null;
  readonly onDone: (ids: readonly string[]) => void;
  readonly onCancel: () => void;
}) {
  const isMany = chosen !== null;
  const {state} = useStepper<State, Outcome>({
    initial: () => ({query: '', index: 0, chosen: chosen ?? []}),
    step: (before, key) => pickStep(before, key, choices, isMany),
    onOutcome: (outcome) => (outcome === 'cancel' ? onCancel() : onDone(outcome.ids)),
  });
  const matches = matching(choices, state.query);
  const items = matches.map(({id, label}) => ({
    label: isMany ? `${state.chosen.includes(id) ? '[x]' : '[ ]'} ${label}` : label,
  }));
  const hints = [
    {keys: '↑ ↓', label: 'move'},
    ...(isMany ? [{keys: 'space', label: 'choose or not'}] : []),
    {keys: 'enter', label: isMany ? 'save' : 'choose'},
    {keys: 'esc', label: 'cancel'},
    {keys: 'a-z', label: 'narrow'},
  ];
  return (
    <Lines
      lines={[
        lineOf(cutEnd(` ${title}`, columns), {bold: true}),
        lineOf(state.query === '' ? '' : ` /${state.query}`, {tone: 'accent'}),
        ...(items.length === 0
          ? [lineOf('   no task matches', {dim: true})]
          : selectLines(items, state.index, {
              columns,
              height: Math.max(1, Math.min(items.length, rows - 4)),
            })),
        blankLine,
        hintLine(hints, columns),
      ]}
    />
  );
}

function pickStep(
  state: State,
  {name, text}: KeyPress,
  choices: readonly Choice[],
  isMany: boolean,
): Step<State, Outcome> {
  const matches = matching(choices, state.query);
  const at = matches[state.index];
  const go = (index: number) => ({
    state: {...state, index: Math.max(0, Math.min(matches.length - 1, index))},
  });
  switch (name) {
    case 'escape':
      return {state, outcome: 'cancel'};
    case 'up':
      return go(state.index - 1);
    case 'down':
      return go(state.index + 1);
    case 'pageup':
      return go(state.index - 10);
    case 'pagedown':
      return go(state.index + 10);
    case 'backspace':
      return {state: {...state, query: state.query.slice(0, -1), index: 0}};
    case 'enter':
      if (isMany) return {state, outcome: {ids: state.chosen}};
      return at ? {state, outcome: {ids: [at.id]}} : {state};
    case 'space':
      if (isMany) return {state: at ? {...state, chosen: toggled(state.chosen, at.id)} : state};
      break;
  }
  if (text === undefined) return {state};
  return {state: {...state, query: state.query + text.replace(/\s+/g, ' '), index: 0}};
}

const toggled = (ids: readonly string[], id: string): readonly string[] =>
  ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];

function matching(choices: readonly Choice[], query: string): readonly Choice[] {
  const wanted = query.trim().toLowerCase();
  return wanted === '' ? choices : choices.filter(({label}) => label.toLowerCase().includes(wanted));
}
