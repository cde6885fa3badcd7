/**
 * Makes untrusted text safe to print: titles, agent output, file names. Drops whole control sequences, not only their
 * first byte, and every character that could move the cursor, recolour, ring, reorder or hide. Newlines and tabs stay.
 */
export function displayText(text: string): string {
  if (plainText.test(text)) return text;
  let shown = '';
  let index = 0;
  while (index < text.length) {
    const end = sequenceEnd(text, index);
    if (end > index) {
      index = end;
      continue;
    }
    const code = text.codePointAt(index) ?? 0;
    const width = code > 0xffff ? 2 : 1;
    if (code === 0x0d) {
      if (text[index + 1] !== '\n') shown += '\n';
    } else if (!isHidden(code)) {
      shown += text.slice(index, index + width);
    }
    index += width;
  }
  return shown;
}

/** The same on one line, for a table cell or a status line. */
export function displayLine(text: string): string {
  if (plainLine.test(text)) return text;
  return displayText(text)
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .trim();
}

/**
 * One line of a file, or its name, for a reviewer: nothing is left out, because what a terminal hides may be what runs.
 * Active or hidden characters are spelled out: `^[` for an escape, `<U+202E>` beyond ASCII. Tabs stay.
 */
export function visibleLine(text: string): string {
  if (plainTabs.test(text)) return text;
  let shown = '';
  let last = '';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    // A selector is valid only once after its own sign; anywhere else selectors can hide bytes.
    const isSelector = isBetween(code, 0xfe00, 0xfe0f);
    const isSpelled = isSelector
      ? !pictographic.test(last)
      : code === 0x0a || code === 0x0d || isHidden(code);
    shown += isSpelled ? spelled(code) : char;
    last = char;
  }
  return shown;
}

function spelled(code: number): string {
  if (code === 0x7f) return '^?';
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

const plainTabs = /^[\t\x20-\x7e]*$/;
/** Signs with several presentations: pictographs and keycaps. */
const pictographic = /^[\p{Emoji}\p{Extended_Pictographic}]$/u;
const plainText = /^[\n\t\x20-\x7e]*$/;
/** Words separated by single spaces. */
const plainLine = /^(?:[\x21-\x7e]+ )*[\x21-\x7e]+$/;

/** The end of the control sequence that begins at `start`; `start` itself if none does. */
function sequenceEnd(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === 0x1b) {
    const next = text.charCodeAt(start + 1);
    if (Number.isNaN(next)) return start + 1;
    if (next === 0x5b) return csiEnd(text, start + 2);
    if (stringIntroducers.has(next)) return stringEnd(text, start + 2);
    // ESC, intermediates, one final byte: charset choices, cursor saves, resets.
    let index = start + 1;
    while (isBetween(text.charCodeAt(index), 0x20, 0x2f)) index++;
    return isBetween(text.charCodeAt(index), 0x30, 0x7e) ? index + 1 : index;
  }
  if (code === 0x9b) return csiEnd(text, start + 1);
  if (code === 0x90 || code === 0x98 || code === 0x9d || code === 0x9e || code === 0x9f) {
    return stringEnd(text, start + 1);
  }
  return start;
}

/** DCS, SOS, OSC, PM and APC in their seven-bit forms, and the window title of screen: P X ] ^ _ k */
const stringIntroducers = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f, 0x6b]);

function csiEnd(text: string, start: number): number {
  let index = start;
  while (isBetween(text.charCodeAt(index), 0x20, 0x3f)) index++;
  return isBetween(text.charCodeAt(index), 0x40, 0x7e) ? index + 1 : index;
}

/** An unterminated string hides the rest of its line, but never the lines after it. */
function stringEnd(text: string, start: number): number {
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x07 || code === 0x9c) return index + 1;
    if (code === 0x1b) return text.charCodeAt(index + 1) === 0x5c ? index + 2 : index;
    if (code === 0x0a) return index;
  }
  return text.length;
}

function isHidden(code: number): boolean {
  if (code < 0xa0) return (code < 0x20 && code !== 0x0a && code !== 0x09) || code >= 0x7f;
  return (
    isBetween(code, 0x2028, 0x202e) ||
    isBetween(code, 0xfff9, 0xfffb) ||
    isBetween(code, 0xd800, 0xdfff) ||
    // Selects emoji or text presentation and cannot hide anything.
    (!isBetween(code, 0xfe00, 0xfe0f) && invisible.test(String.fromCodePoint(code)))
  );
}

/** Zero-width and filler characters, bidi controls, tags: whatever a renderer may omit. */
const invisible = /^\p{Default_Ignorable_Code_Point}$/u;

const isBetween = (code: number, low: number, high: number) => code >= low && code <= high;
