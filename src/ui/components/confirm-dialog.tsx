import {displayLine} from '../../machines/policies/text/display-text.ts';
import {type Step, useStepper} from '../input/use-stepper.ts';
import {bindingOf, hintsOf, type Keymap} from '../keymap.ts';
import {wrapped} from '../text/wrap.ts';
import {hintLine} from './hint-line.tsx';
import {blankLine, Lines, lineOf} from './lines.tsx';
import {selectedAfter, selectKeys, selectLines} from './select.ts';

export type ConfirmDialogProps = {
  readonly title: string;
  readonly message: string;
  /** The action as a verb: `Restart`. */
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  /** `F` instead of `y`: it overwrites something no one else has. */
  readonly isForced?: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly isActive?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
};

/** Asks before something that is hard to undo. Enter alone changes nothing: cancel is preselected. */
export function ConfirmDialog({
  title,
  message,
  confirmLabel,
  cancelLabel = 'Cancel',
  isForced = false,
  columns,
  rows,
  isActive = true,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const items = [{label: cancelLabel}, {label: confirmLabel}];
  const keymap = confirmKeymap(confirmLabel, cancelLabel, isForced);
  const {state} = useStepper<State, Outcome>({
    initial: () => ({index: 0, isOver: false}),
    step: (before, {name}) => {
      if (before.isOver) return {state: before};
      return bindingOf(keymap, name)?.run(before, name) ?? {state: before};
    },
    onOutcome: (outcome) => (outcome === 'confirm' ? onConfirm() : onCancel()),
    isActive,
  });
  const room = Math.max(1, rows - 5);
  const text = inRoom(wrapped(message, columns - 2), room);
  return (
    <Lines
      lines={[
        lineOf(` ${displayLine(title)}`, {bold: true, tone: 'warning'}),
        ...text.map((line) => lineOf(` ${line}`)),
        ...(rows >= text.length + 5 ? [blankLine] : []),
        ...selectLines(items, state.index, {columns}),
        hintLine(hintsOf(keymap), columns),
      ].slice(-rows)}
    />
  );
}

/** What does not fit is left out of the middle: the end says what happens to all of it. */
function inRoom(lines: readonly string[], room: number): readonly string[] {
  const end = Math.min(3, Math.floor(room / 2));
  if (lines.length <= room || end === 0) return lines.slice(0, room);
  const start = room - end - 1;
  return [
    ...lines.slice(0, start),
    `… ${lines.length - start - end} lines more`,
    ...lines.slice(lines.length - end),
  ];
}

type State = {readonly index: number; readonly isOver: boolean};
type Outcome = 'confirm' | 'cancel';
type Run = (state: State, key: string) => Step<State, Outcome>;

const over =
  (outcome: Outcome): Run =>
  (state) => ({state: {...state, isOver: true}, outcome});

function confirmKeymap(confirmLabel: string, cancelLabel: string, isForced: boolean): Keymap<Run> {
  const items = [{label: cancelLabel}, {label: confirmLabel}];
  return [
    {
      id: 'confirm.yes',
      keys: isForced ? ['F'] : ['y', 'Y'],
      label: confirmLabel.toLowerCase(),
      hint: 'first',
      run: over('confirm'),
    },
    {
      id: 'confirm.no',
      keys: ['n', 'escape', 'N', 'ctrl+c', 'q'],
      label: cancelLabel.toLowerCase(),
      hint: 'first',
      shown: 2,
      run: over('cancel'),
    },
    {
      id: 'confirm.move',
      keys: selectKeys,
      label: 'move',
      hint: 'first',
      shown: 2,
      run: (state, key) => ({
        state: {...state, index: selectedAfter(items, state.index, key) ?? state.index},
      }),
    },
    {
      id: 'confirm.choose',
      keys: ['enter'],
      label: 'choose',
      hint: 'first',
      run: (state, key) => over(state.index === 1 ? 'confirm' : 'cancel')(state, key),
    },
  ];
}
