import {StringDecoder} from 'node:string_decoder';

export type Tail = {
  push(chunk: Buffer): void;
  /** The most recent output, without split characters. */
  text(): string;
};

export const tailBytes = 16 * 1024;

/** Keeps the end of a stream in a ring buffer of fixed size. */
export function createTail(capacity = tailBytes): Tail {
  const ring = Buffer.allocUnsafe(capacity);
  let next = 0;
  let total = 0;

  return {
    push: (chunk) => {
      const kept = chunk.subarray(Math.max(0, chunk.length - capacity));
      const untilEnd = kept.copy(ring, next);
      kept.copy(ring, 0, untilEnd);
      next = (next + kept.length) % capacity;
      total += chunk.length;
    },

    text: () => {
      const isCut = total > capacity;
      const bytes = isCut
        ? Buffer.concat([ring.subarray(next), ring.subarray(0, next)])
        : ring.subarray(0, total);
      const start = isCut ? firstCharacter(bytes) : 0;
      return new StringDecoder('utf8').write(bytes.subarray(start));
    },
  };
}

/** Skips the rest of a character whose first byte is gone: at most three bytes. */
function firstCharacter(bytes: Buffer): number {
  let index = 0;
  while (index < 3 && ((bytes[index] ?? 0) & 0xc0) === 0x80) index += 1;
  return index;
}
