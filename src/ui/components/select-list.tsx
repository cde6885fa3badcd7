import {type Step, useStepper} from '../input/use-stepper.ts';
import {bindingOf, type Keymap} from '../keymap.ts';
import {Lines} from './lines.tsx';
import {type SelectItem, selectedAfter, selectKeys, selectLines, withAlignedNotes} from './select.ts';

export type SelectListProps = {
  readonly items: readonly SelectItem[];
  readonly initialIndex?: number;
  readonly columns: number;
  /** How many items are shown around the selected one. */
  readonly rows?: number;
  readonly isActive?: boolean;
  readonly onChoose: (index: number) => void;
  readonly onCancel?: () => void;
};

type Outcome = 'cancel' | {readonly chosen: number};
type Run = (index: number, key: string, items: readonly SelectItem[]) => Step<number, Outcome>;

export const selectListKeymap: Keymap<Run> = [
  {
    id: 'select.move',
    keys: selectKeys,
    label: 'move',
    hint: 'first',
    shown: 2,
    run: (index, key, items) => ({state: selectedAfter(items, index, key) ?? index}),
  },
  {
    id: 'select.choose',
    keys: ['enter'],
    label: 'choose',
    hint: 'first',
    run: (index, _, items) =>
      items[index]?.isDisabled === true ? {state: index} : {state: index, outcome: {chosen: index}},
  },
  {
    id: 'select.cancel',
    keys: ['escape'],
    label: 'cancel',
    hint: 'first',
    run: (index) => ({state: index, outcome: 'cancel'}),
  },
];

/** A list of choices: arrows or j k, Enter; Esc if there is something to go back to. */
export function SelectList({
  items,
  initialIndex = 0,
  columns,
  rows = items.length,
  isActive = true,
  onChoose,
  onCancel,
}: SelectListProps) {
  const {state: index} = useStepper<number, Outcome>({
    initial: () => initialIndex,
    step: (before, {name}) => bindingOf(selectListKeymap, name)?.run(before, name, items) ?? {state: before},
    onOutcome: (outcome) => {
      if (outcome === 'cancel') onCancel?.();
      else onChoose(outcome.chosen);
    },
    isActive,
  });
  return <Lines lines={selectLines(withAlignedNotes(items, columns), index, {columns, height: rows})} />;
}
