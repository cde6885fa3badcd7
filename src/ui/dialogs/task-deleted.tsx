import {hintLine} from '../components/hint-line.tsx';
import {blankLine, Lines, lineOf} from '../components/lines.tsx';
import {closeKeymap} from '../components/scroll-box.tsx';
import {useStepper} from '../input/use-stepper.ts';
import {bindingOf, hintsOf} from '../keymap.ts';
import {useTui} from '../tui-context.tsx';
import type {DialogSize} from './dialog-size.ts';

/** Replaces a dialog about a task that was deleted elsewhere: nothing is left to ask. */
export function TaskDeleted({columns, isActive = true}: DialogSize) {
  const {answers} = useTui();
  useStepper<null, 'close'>({
    initial: () => null,
    step: (state, {name}) =>
      name === 'ctrl+c' || bindingOf(closeKeymap, name) ? {state, outcome: 'close'} : {state},
    onOutcome: answers.close,
    isActive,
  });
  return (
    <Lines
      lines={[
        lineOf(' The task is no longer in the plan.', {tone: 'warning'}),
        blankLine,
        hintLine(hintsOf(closeKeymap), columns),
      ]}
    />
  );
}
