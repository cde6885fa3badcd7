import type {OutputReader} from './read-output.ts';

/** Output that is read no further until somebody says so, who may never come once its writer is being ended. */
export function heldOutput(output: Pick<OutputReader, 'hold' | 'readOn'>) {
  let held: {readonly over: Promise<void>; readonly end: () => void} | null = null;
  let isGivenUp = false;

  const readOn = () => {
    const ending = held;
    held = null;
    // What comes now may be a reason to hold again.
    output.readOn();
    ending?.end();
  };

  return {
    hold: () => {
      if (isGivenUp || held) return;
      let end = () => {};
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      held = {over, end};
      output.hold();
    },
    readOn,
    /** Reads on, and is not held again. */
    giveUp: () => {
      isGivenUp = true;
      if (held) readOn();
    },
    isOver: async () => {
      while (held) await held.over;
    },
  };
}
