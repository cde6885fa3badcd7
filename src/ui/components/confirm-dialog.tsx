import {displayLine} from '../../machines/policies/text/display-text.ts';
import {useStepper} from '../input/use-stepper.ts';
import {wrapped} from '../text/wrap.ts';
import {hintLine} from './hint-line.tsx';
import {blankLine, Lines, lineOf} from './lines.tsx';
import {selectedAfter, selectLines} from './select.ts';

export type ConfirmDialogProps = {
  readonly title: string;
  readonly message: string;
  /** What is done, as a verb: `Restart`. */
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly columns: number;
  readonly rows: number;
  readonly isActive?: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
};

/** Asks before something that cannot be taken back. Enter alone changes nothing: the way out is marked. */
export function ConfirmDialog({
  title,
  message,
  confirmLabel,
  cancelLabel = 'Cancel',
  columns,
  rows,
  isActive = true,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const items = [{label: cancelLabel}, {label: confirmLabel}];
  const {state} = useStepper<{index: number; isOver: boolean}, 'confirm' | 'cancel'>({
    initial: () => ({index: 0, isOver: false}),
    step: (before, {name}) => {
      if (before.isOver) return {state: before};
      const answer = answerOf(name, before.index);
      if (answer) return {state: {...before, isOver: true}, outcome: answer};
      return {state: {...before, index: selectedAfter(items, before.index, name) ?? before.index}};
    },
    onOutcome: (outcome) => (outcome === 'confirm' ? onConfirm() : onCancel()),
    isActive,
  });
  const room = Math.max(1, rows - 5);
  const text = wrapped(message, columns - 2).slice(0, room);
  const hints = [
    {keys: 'y', label: confirmLabel.toLowerCase()},
    {keys: 'n esc', label: cancelLabel.toLowerCase()},
    {keys: '↑ ↓', label: 'move'},
    {keys: 'enter', label: 'choose'},
  ];
  return (
    <Lines
      lines={[
        lineOf(` ${displayLine(title)}`, {bold: true, tone: 'warning'}),
        ...text.map((line) => lineOf(` ${line}`)),
        ...(rows >= text.length + 5 ? [blankLine] : []),
        ...selectLines(items, state.index, {columns}),
        hintLine(hints, columns),
      ].slice(-rows)}
    />
  );
}

function answerOf(key: string, index: number): 'confirm' | 'cancel' | null {
  if (key === 'y' || key === 'Y') return 'confirm';
  if (key === 'n' || key === 'N' || key === 'escape' || key === 'ctrl+c' || key === 'q') return 'cancel';
  if (key === 'enter') return index === 1 ? 'confirm' : 'cancel';
  return null;
}
