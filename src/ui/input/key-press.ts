import {graphemesOf} from '../text/graphemes.ts';

/**
 * One key press. `name` is what keymaps use: `up`, `ctrl+s`, `alt+enter`, `shift+tab`, or the character
 * itself. `text` is what it would insert; a `paste` is never split into keys.
 */
export type KeyPress = {
  readonly name: string;
  readonly text?: string;
  /** For `wheelup`, `wheeldown` and `click`: the pointer position, 1-based. */
  readonly at?: {readonly column: number; readonly row: number};
};

/** More than fingers type between two reads: a paste in a terminal that does not mark pastes. */
const typedAtOnce = 8;

/** Text between escape sequences as keys. */
export function keysOfText(text: string): KeyPress[] {
  return text.split(controls).flatMap((piece) => {
    if (piece === '') return [];
    const name = controlName(piece);
    if (name !== null) return [name === 'space' ? {name, text: ' '} : {name}];
    const graphemes = graphemesOf(piece);
    const isHeldDown = new Set(graphemes).size === 1;
    if (graphemes.length > typedAtOnce && !isHeldDown) return [{name: 'paste', text: piece}];
    return graphemes.map(keyOfGrapheme);
  });
}

/** Ctrl+C and the like are keys wherever they occur; newlines and tabs may be part of a paste. */
const controls = /([\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f])/;

function keyOfGrapheme(text: string): KeyPress {
  const name = lineKeys.get(text);
  if (name !== undefined) return {name};
  return text === ' ' ? {name: 'space', text} : {name: text, text};
}

const lineKeys = new Map([
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\r\n', 'enter'],
  ['\t', 'tab'],
]);

function controlName(text: string): string | null {
  const code = text.charCodeAt(0);
  if (text.length !== 1 || (code > 0x1f && code !== 0x7f)) return null;
  if (code === 0x7f || code === 0x08) return 'backspace';
  if (text === '\t' || text === '\r' || text === '\n') return null;
  if (code === 0) return 'ctrl+space';
  return `ctrl+${String.fromCharCode(code + 0x60).replace('\x7f', '_')}`;
}

/** A complete escape sequence as a key; null if it means nothing here (focus reports, replies). */
export function keyOfSequence(sequence: string): KeyPress | null {
  const mouse = /^\x1b\[<(\d+);(\d+);(\d+)M$/.exec(sequence);
  if (mouse) {
    const name = mouseNames.get(Number(mouse[1]));
    return name === undefined ? null : {name, at: {column: Number(mouse[2]), row: Number(mouse[3])}};
  }
  const isMeta = sequence.startsWith('\x1b\x1b');
  const body = sequence.slice(isMeta ? 2 : 1);
  const key = csiKey(body) ?? ss3Key(body);
  if (key === null) return null;
  return isMeta ? withModifiers(key.base, key.modifiers | 2) : withModifiers(key.base, key.modifiers);
}

const mouseNames = new Map([
  [0, 'click'],
  [64, 'wheelup'],
  [65, 'wheeldown'],
]);

/** What Alt and a character send. */
export function altKey(char: string): KeyPress {
  const {name} = keysOfText(char)[0] ?? {name: char};
  if (name.startsWith('ctrl+')) return {name: `ctrl+alt+${name.slice(5)}`};
  return {name: `alt+${name}`};
}

type BareKey = {readonly base: string; readonly modifiers: number};

function csiKey(body: string): BareKey | null {
  if (body === '[Z') return {base: 'tab', modifiers: 1};
  const letter = /^\[\[?(?:\d+;(\d+)(?::\d+)?)?([A-HPQRS])$/.exec(body);
  if (letter) return named(letterNames.get(letter[2] ?? ''), letter[1]);
  const number = /^\[(\d+)(?:;(\d+)(?::\d+)?)?~$/.exec(body);
  if (number) return named(numberNames.get(Number(number[1])), number[2]);
  // Terminals that report every combination send `CSI code;modifiers u` or the older `CSI 27;modifiers;code
  // ~`.
  const code = /^\[(\d+)(?:;(\d+))?u$/.exec(body) ?? swapped(/^\[27;(\d+);(\d+)~$/.exec(body));
  return code ? named(codeName(Number(code[1])), code[2]) : null;
}

function ss3Key(body: string): BareKey | null {
  const letter = /^O([A-HPQRS])$/.exec(body);
  return letter ? named(letterNames.get(letter[1] ?? ''), undefined) : null;
}

const swapped = (match: RegExpExecArray | null): readonly (string | undefined)[] | null =>
  match ? [match[0], match[2], match[1]] : null;

const named = (base: string | undefined, modifiers: string | undefined): BareKey | null =>
  base === undefined ? null : {base, modifiers: Math.max(0, Number(modifiers ?? 1) - 1)};

function codeName(code: number): string | undefined {
  if (code === 27) return 'escape';
  if (code < 0x20 || code === 0x7f) return keysOfText(String.fromCharCode(code))[0]?.name;
  return code <= 0x10ffff && code < 0xe000 ? keyOfGrapheme(String.fromCodePoint(code)).name : undefined;
}

function withModifiers(base: string, modifiers: number): KeyPress {
  const prefix = [
    modifiers & 4 ? 'ctrl+' : '',
    modifiers & 2 ? 'alt+' : '',
    modifiers & 1 ? 'shift+' : '',
  ].join('');
  const isText = prefix === '' && [...base].length === 1;
  return isText ? {name: base, text: base} : {name: `${prefix}${base}`};
}

const letterNames = new Map([
  ['A', 'up'],
  ['B', 'down'],
  ['C', 'right'],
  ['D', 'left'],
  ['F', 'end'],
  ['H', 'home'],
  ['P', 'f1'],
  ['Q', 'f2'],
  ['R', 'f3'],
  ['S', 'f4'],
]);

const numberNames = new Map([
  [1, 'home'],
  [2, 'insert'],
  [3, 'delete'],
  [4, 'end'],
  [5, 'pageup'],
  [6, 'pagedown'],
  [7, 'home'],
  [8, 'end'],
  [15, 'f5'],
  [17, 'f6'],
  [18, 'f7'],
  [19, 'f8'],
  [20, 'f9'],
  [21, 'f10'],
  [23, 'f11'],
  [24, 'f12'],
]);
