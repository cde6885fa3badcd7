import {altKey, type KeyPress, keyOfSequence, keysOfText} from './key-press.ts';

/** Decodes terminal input, in whatever chunks it arrives, into keys. */
export type KeyDecoder = {
  push(input: string): KeyPress[];
  /** How long to wait for the rest before `flush`; null if nothing is pending. */
  waitMs(): number | null;
  /** The rest did not arrive: decode what is pending as is. */
  flush(): KeyPress[];
};

/** Escape is a key and the start of most other keys: only time tells them apart. */
const escapeWaitMs = 40;
/** A paste whose end was lost must not block the keyboard. */
const pasteWaitMs = 1_000;

const pasteStart = '\x1b[200~';
const pasteEnd = '\x1b[201~';

export function createKeyDecoder(): KeyDecoder {
  let held = '';
  let paste: string | null = null;

  const takePaste = (input: string): {keys: KeyPress[]; rest: string} => {
    const text = (paste ?? '') + input;
    const end = text.indexOf(pasteEnd);
    if (end < 0) {
      paste = text;
      return {keys: [], rest: ''};
    }
    paste = null;
    return {keys: [{name: 'paste', text: text.slice(0, end)}], rest: text.slice(end + pasteEnd.length)};
  };

  const push = (input: string): KeyPress[] => {
    const keys: KeyPress[] = [];
    let rest = held + input;
    held = '';
    while (rest !== '') {
      if (paste !== null) {
        const taken = takePaste(rest);
        keys.push(...taken.keys);
        rest = taken.rest;
        continue;
      }
      const next = nextPiece(rest);
      if (next === null) {
        held = rest;
        break;
      }
      rest = rest.slice(next.length);
      if (next.piece === pasteStart) paste = '';
      else keys.push(...next.keys);
    }
    return keys;
  };

  return {
    push,
    waitMs: () => (paste !== null ? pasteWaitMs : held === '' ? null : escapeWaitMs),
    flush: () => {
      const [rest, pasted] = [held, paste];
      held = '';
      paste = null;
      if (pasted !== null) return pasted === '' ? [] : [{name: 'paste', text: pasted}];
      if (/^\x1b+$/.test(rest)) return [...rest].map(() => ({name: 'escape'}));
      return rest.length === 2 && rest.startsWith('\x1b') ? [altKey(rest.slice(1))] : [];
    },
  };
}

type Piece = {readonly piece: string; readonly length: number; readonly keys: readonly KeyPress[]};

/**
 * The first complete piece of the input: text up to an escape, or one escape sequence. Null if it may
 * continue.
 */
function nextPiece(input: string): Piece | null {
  const sequenceStart = input.indexOf('\x1b');
  if (sequenceStart !== 0) {
    const piece = sequenceStart < 0 ? input : input.slice(0, sequenceStart);
    return {piece, length: piece.length, keys: keysOfText(piece)};
  }
  if (unfinished.test(input)) return null;
  if (input.startsWith(oldMouse)) {
    // Terminals without the newer format append three characters that no one typed.
    const length = oldMouse.length + 3;
    return input.length < length ? null : {piece: oldMouse, length, keys: []};
  }
  const sequence = whole.exec(input)?.[0];
  if (sequence !== undefined) {
    const key = keyOfSequence(sequence);
    return {piece: sequence, length: sequence.length, keys: key === null ? [] : [key]};
  }
  const char = String.fromCodePoint(input.codePointAt(1) ?? 0x1b);
  if (char === '\x1b') return {piece: '\x1b', length: 1, keys: [{name: 'escape'}]};
  return {piece: `\x1b${char}`, length: 1 + char.length, keys: [altKey(char)]};
}

const oldMouse = '\x1b[M';

const whole = /^\x1b{1,2}(?:\[\[?[0-?]*[ -/]*[@-Z\\-~]|O[@-~])/;
const unfinished = /^\x1b{1,2}(?:\[\[?[0-?]*[ -/]*|O)?$/;
