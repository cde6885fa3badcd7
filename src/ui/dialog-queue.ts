import type {Dialog, TuiCommand, TuiSnapshot} from '../machines/tui.machine.ts';

/** Whoever pressed a key this long ago has seen what it did and presses the next one on purpose. */
const restMilliseconds = 300;

/**
 * What wants an answer by itself waits until a person has written what they are writing and their keys
 * rest: nothing of it is lost, and no key that was meant for something else decides.
 */
export function createDialogQueue(
  send: (command: TuiCommand) => void,
  snapshot: () => TuiSnapshot,
  millisecondsSinceKey: () => number,
) {
  let due: readonly Dialog[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isWriting = () => snapshot().context.dialog !== null || snapshot().hasTag('searching');
  const next = () => {
    clearTimeout(timer);
    const [dialog, ...rest] = due;
    if (dialog === undefined || isWriting()) return;
    const rested = millisecondsSinceKey();
    if (rested < restMilliseconds) {
      timer = setTimeout(next, restMilliseconds - rested).unref();
      return;
    }
    due = rest;
    send({type: 'dialog.open', dialog});
  };
  return {
    ask: (dialog: Dialog) => {
      due = [...due, dialog];
      next();
    },
    /** Asked after every step of the screens. */
    next,
    /** Nobody waits for an answer to these any more. */
    forget: (type: Dialog['type']) => {
      due = due.filter((dialog) => dialog.type !== type);
    },
  };
}

export type DialogQueue = ReturnType<typeof createDialogQueue>;
