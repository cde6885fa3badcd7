import type {TuiCommand, TuiSnapshot} from '../machines/tui.machine.ts';
import type {Dialog} from '../machines/tui-dialogs.ts';

/** After this long without a key, the next one is deliberate. */
const idleMilliseconds = 300;

/**
 * Dialogs that open by themselves. They wait until no other dialog is open and no key was pressed for a
 * moment: no typed text is lost, and no stray key decides anything.
 */
export function createDialogQueue(
  send: (command: TuiCommand) => void,
  snapshot: () => TuiSnapshot,
  millisecondsSinceKey: () => number,
) {
  let queue: readonly Dialog[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isWriting = () => snapshot().context.dialog !== null || snapshot().hasTag('searching');
  const next = () => {
    clearTimeout(timer);
    const [dialog, ...rest] = queue;
    if (dialog === undefined || isWriting()) return;
    const idle = millisecondsSinceKey();
    if (idle < idleMilliseconds) {
      timer = setTimeout(next, idleMilliseconds - idle).unref();
      return;
    }
    queue = rest;
    send({type: 'dialog.open', dialog});
  };
  return {
    ask: (dialog: Dialog) => {
      queue = [...queue, dialog];
      next();
    },
    /** Called after every transition of the UI. */
    next,
    /** Changes the queued dialogs; null removes one that is no longer needed. */
    revise: (change: (dialog: Dialog) => Dialog | null) => {
      queue = queue.flatMap((dialog) => change(dialog) ?? []);
    },
  };
}

export type DialogQueue = ReturnType<typeof createDialogQueue>;
