import {closeSync, openSync} from 'node:fs';

/**
 * At its end Node 20 puts a terminal back into the mode it found, and aborts with a stack trace if the terminal is gone:
 * its window was closed, or we cleaned up the session we run in. It leaves a descriptor alone that is another file by
 * then.
 */
export async function leaveGoneTerminal(): Promise<void> {
  const {isatty} = await import('node:tty');
  const terminals = [0, 1, 2].filter(isatty);
  process.once('exit', () => {
    for (const descriptor of terminals) {
      if (isatty(descriptor)) continue;
      closeSync(descriptor);
      // Gets the number that has just become free, so nothing that is opened later is taken for a terminal.
      openSync('/dev/null', 'r+');
    }
  });
}
