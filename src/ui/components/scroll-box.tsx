import {useStepper} from '../input/use-stepper.ts';
import {bindingOf, type Keymap} from '../keymap.ts';
import {justify} from '../text/fit.ts';
import {type Line, Lines} from './lines.tsx';
import {atTop, clamped, position, type Scroll, scrolled} from './scroll.ts';

export type ScrollBoxProps = {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly columns: number;
  /** Including the title. */
  readonly rows: number;
  readonly isActive?: boolean;
  readonly onClose?: () => void;
};

export const closeKeymap: Keymap<'close'> = [
  {
    id: 'scroll.close',
    keys: ['enter', 'escape', 'q'],
    label: 'back',
    hint: 'first',
    shown: 2,
    run: 'close',
  },
];

/** Scrollable lines under a title with the position. */
export function ScrollBox({title, lines, columns, rows, isActive = true, onClose}: ScrollBoxProps) {
  const height = Math.max(1, rows - 1);
  const {state} = useStepper<Scroll, 'close'>({
    initial: () => atTop,
    step: (before, {name}) => {
      if (bindingOf(closeKeymap, name)) return {state: before, outcome: 'close'};
      return {state: scrolled(before, name, {count: lines.length, height})};
    },
    onOutcome: () => onClose?.(),
    isActive,
  });
  const scroll = clamped(state, lines.length, height);
  const head: Line = [
    {text: justify(` ${title}`, `${position(scroll, lines.length, height)} `, columns), bold: true},
  ];
  return <Lines lines={[head, ...lines.slice(scroll.top, scroll.top + height)]} />;
}
