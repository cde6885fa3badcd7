/** Created on demand: most commands print no text that needs it. */
let segmenter: Intl.Segmenter | undefined;

/** User-perceived characters. */
export function graphemesOf(text: string): string[] {
  if (plainAscii.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter(undefined, {granularity: 'grapheme'});
  return Array.from(segmenter.segment(text), ({segment}) => segment);
}

const plainAscii = /^[\x00-\x0c\x0e-\x7f]*$/;

/** Where the characters of a line start, and its end. */
export function boundariesOf(line: string): number[] {
  const boundaries: number[] = [];
  let offset = 0;
  for (const grapheme of graphemesOf(line)) {
    boundaries.push(offset);
    offset += grapheme.length;
  }
  boundaries.push(offset);
  return boundaries;
}

/** What a tab is shown as. */
export const tabText = '    ';

/** The width of a character on a terminal, counted as Ink does. */
export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (grapheme.length === 1 && code >= 0x20 && code < 0x7f) return 1;
  if (grapheme === '\t') return tabText.length;
  const visible = grapheme.replace(invisible, '');
  if (visible === '') return 0;
  if (isEmoji(grapheme) || keycap.test(grapheme) || isJoinedEmoji(grapheme)) return 2;
  let width = 0;
  for (const char of visible) {
    // After the first code point, only spacing ones count.
    if (width === 0 || spacing.test(char)) width += isWide(char) ? 2 : 1;
  }
  return width;
}

export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return graphemesOf(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Surrogate}]/gu;
// The flag for sequences is newer than the language level of the sources.
const sequences = 'v';
let emoji: RegExp | undefined;

/** Created on demand: it takes longer than the rest of the start-up. */
function isEmoji(grapheme: string): boolean {
  emoji ??= new RegExp('^\\p{RGI_Emoji}$', sequences);
  return emoji.test(grapheme);
}

const keycap = /^[\d#*]\u20e3$/;
const spacing = /[\p{Spacing_Mark}\uff00-\uffef]/u;

const isJoinedEmoji = (text: string) =>
  text.includes('\u200d') && (text.match(/\p{Extended_Pictographic}/gu)?.length ?? 0) >= 2;

function isWide(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x1100) return false;
  return wideRanges.some(([low, high]) => code >= low && code <= high) || loneEmoji.test(char);
}

const loneEmoji = /^(?!\p{Regional_Indicator})\p{Emoji_Presentation}$/u;

/** East Asian wide and full-width characters; emoji are matched by property. */
const wideRanges: ReadonlyArray<readonly [low: number, high: number]> = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/** What backspace leaves. */
export const withoutLast = (text: string): string => graphemesOf(text).slice(0, -1).join('');
