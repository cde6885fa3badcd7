import type {Dialog, TuiCommand, TuiSnapshot} from '../machines/tui.machine.ts';

/**
 * What wants an answer by itself waits until a person has written what they are writing: nothing of it is
 * lost, and no key that was meant for it decides something else.
 */
export function createDialogQueue(send: (command: TuiCommand) => void, snapshot: () => TuiSnapshot) {
  let due: readonly Dialog[] = [];
  const isWriting = () => snapshot().context.dialog !== null || snapshot().hasTag('searching');
  const next = () => {
    const [dialog, ...rest] = due;
    if (dialog === undefined || isWriting()) return;
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
