import {hintLine} from '../components/hint-line.tsx';
import {blankLine, Lines, lineOf} from '../components/lines.tsx';
import {selectLines} from '../components/select.ts';
import type {KeyPress} from '../input/key-press.ts';
import {type Step, useStepper} from '../input/use-stepper.ts';
import {bindingOf, hintsOf, type Keymap, notNow} from '../keymap.ts';
import {cutEnd} from '../text/fit.ts';
import type {DialogSize} from './dialog-size.ts';

export type Choice = {readonly id: string; readonly label: string};

type State = {readonly query: string; readonly index: number; readonly chosen: readonly string[]};
type Outcome = {readonly ids: readonly string[]} | 'cancel';

/** Picks tasks, filtered by what is typed: one, or several if `chosen` is given. */
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
  /** Null to pick just one. */
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
        hintLine(hintsOf(pickerKeymap, isMany), columns),
      ]}
    />
  );
}

type Run = (state: State, key: string, matches: readonly Choice[]) => Step<State, Outcome>;

const whereMany = (isMany: boolean) => (isMany ? null : notNow);
const whereOne = (isMany: boolean) => (isMany ? notNow : null);

const pickerKeymap: Keymap<Run, [isMany: boolean]> = [
  {id: 'picker.move', keys: ['up', 'down'], label: 'move', hint: 'first', shown: 2, run: move(1)},
  {id: 'picker.page', keys: ['pageup', 'pagedown'], label: 'page', run: move(10)},
  {
    id: 'picker.toggle',
    keys: ['space'],
    label: 'choose or not',
    hint: 'first',
    refusal: whereMany,
    run: (state, _, matches) => {
      const at = matches[state.index];
      return {state: at ? {...state, chosen: toggled(state.chosen, at.id)} : state};
    },
  },
  {
    id: 'picker.save',
    keys: ['enter'],
    label: 'save',
    hint: 'first',
    refusal: whereMany,
    run: (state) => ({state, outcome: {ids: state.chosen}}),
  },
  {
    id: 'picker.choose',
    keys: ['enter'],
    label: 'choose',
    hint: 'first',
    refusal: whereOne,
    run: (state, _, matches) => {
      const at = matches[state.index];
      return at ? {state, outcome: {ids: [at.id]}} : {state};
    },
  },
  {
    id: 'picker.cancel',
    keys: ['escape'],
    label: 'cancel',
    hint: 'first',
    run: (state) => ({state, outcome: 'cancel'}),
  },
  // Handled as text; listed for its hint.
  {id: 'picker.narrow', keys: ['a-z'], label: 'narrow', hint: 'first', run: (state) => ({state})},
  {
    id: 'picker.erase',
    keys: ['backspace'],
    label: 'delete',
    run: (state) => ({state: {...state, query: state.query.slice(0, -1), index: 0}}),
  },
];

/** Up with the first of its two keys, down with the other. */
function move(by: number): Run {
  return (state, key, matches) => {
    const index = state.index + (key === 'up' || key === 'pageup' ? -by : by);
    return {state: {...state, index: Math.max(0, Math.min(matches.length - 1, index))}};
  };
}

function pickStep(
  state: State,
  {name, text}: KeyPress,
  choices: readonly Choice[],
  isMany: boolean,
): Step<State, Outcome> {
  const binding = bindingOf(pickerKeymap, name, isMany);
  if (binding) return binding.run(state, name, matching(choices, state.query));
  if (text === undefined) return {state};
  return {state: {...state, query: state.query + text.replace(/\s+/g, ' '), index: 0}};
}

const toggled = (ids: readonly string[], id: string): readonly string[] =>
  ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];

function matching(choices: readonly Choice[], query: string): readonly Choice[] {
  const wanted = query.trim().toLowerCase();
  return wanted === '' ? choices : choices.filter(({label}) => label.toLowerCase().includes(wanted));
}
