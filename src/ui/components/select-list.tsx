import {useStepper} from '../input/use-stepper.ts';
import {Lines} from './lines.tsx';
import {type SelectItem, selectedAfter, selectLines} from './select.ts';

export type SelectListProps = {
  readonly items: readonly SelectItem[];
  readonly initialIndex?: number;
  readonly columns: number;
  /** As many items as fit are shown, around the marked one. */
  readonly rows?: number;
  readonly isActive?: boolean;
  readonly onChoose: (index: number) => void;
  readonly onCancel?: () => void;
};

/** A list of choices: arrows or j k, Enter; Esc where there is something to go back to. */
export function SelectList({
  items,
  initialIndex = 0,
  columns,
  rows = items.length,
  isActive = true,
  onChoose,
  onCancel,
}: SelectListProps) {
  const {state: index} = useStepper<number, 'cancel' | {chosen: number}>({
    initial: () => initialIndex,
    step: (before, key) => {
      if (key.name === 'escape') return {state: before, outcome: 'cancel'};
      if (key.name === 'enter' && items[before]?.isDisabled !== true) {
        return {state: before, outcome: {chosen: before}};
      }
      return {state: selectedAfter(items, before, key.name) ?? before};
    },
    onOutcome: (outcome) => {
      if (outcome === 'cancel') onCancel?.();
      else onChoose(outcome.chosen);
    },
    isActive,
  });
  return <Lines lines={selectLines(items, index, {columns, height: rows})} />;
}
