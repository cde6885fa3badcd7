export type LineSplitter = {
  push(chunk: Buffer): void;
  /** Holds back every further line until `readOn`. */
  hold(): void;
  readOn(): void;
  /** Emits a last line without a newline. */
  end(): void;
  /** Lines that exceeded the limit and were skipped. */
  readonly dropped: number;
};

export const maxLineBytes = 1024 * 1024;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Splits bytes into lines before decoding, so that no output can be too long for a string. */
export function createLineSplitter(
  onLine: (line: string) => void,
  {maxBytes = maxLineBytes}: {maxBytes?: number} = {},
): LineSplitter {
  // The start of an incomplete line.
  let held = Buffer.alloc(0);
  let heldBytes = 0;
  let isTooLong = false;
  let dropped = 0;
  let isHolding = false;
  const keptBack: string[] = [];

  const hold = (part: Buffer) => {
    if (isTooLong) return;
    const needed = heldBytes + part.length;
    if (needed > maxBytes) {
      isTooLong = true;
      dropped += 1;
      held = Buffer.alloc(0);
      heldBytes = 0;
      return;
    }
    if (needed > held.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(needed, held.length * 2, 1024), maxBytes));
      held.copy(larger, 0, 0, heldBytes);
      held = larger;
    }
    part.copy(held, heldBytes);
    heldBytes = needed;
  };

  const finish = (line: Buffer) => {
    const length = line.at(-1) === carriageReturn ? line.length - 1 : line.length;
    const text = line.toString('utf8', 0, length);
    if (isHolding) keptBack.push(text);
    else onLine(text);
  };

  const release = () => {
    const line = held.subarray(0, heldBytes);
    heldBytes = 0;
    // A rare long line must not keep its memory for the rest of the run.
    if (held.length > 64 * 1024) held = Buffer.alloc(0);
    if (isTooLong) isTooLong = false;
    else finish(line);
  };

  return {
    push: (chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        const part = chunk.subarray(start, end);
        start = end + 1;
        if (heldBytes === 0 && !isTooLong && part.length <= maxBytes) {
          finish(part);
          continue;
        }
        hold(part);
        release();
      }
      if (start < chunk.length) hold(chunk.subarray(start));
    },

    hold: () => {
      isHolding = true;
    },

    readOn: () => {
      isHolding = false;
      // Any of them may call `hold` again.
      for (let line = keptBack.shift(); line !== undefined; line = keptBack.shift()) {
        onLine(line);
        if (isHolding) return;
      }
    },

    end: () => {
      if (heldBytes > 0 || isTooLong) release();
    },

    get dropped() {
      return dropped;
    },
  };
}
