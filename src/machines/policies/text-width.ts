/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** Marks take no column of their own; East Asian wide characters and emoji take two. */
function charWidth(char: string): number {
  if (/\p{Mark}/u.test(char)) return 0;
  if (/\p{Emoji_Presentation}/u.test(char)) return 2;
  const code = char.codePointAt(0) ?? 0;
  return wideRanges.some(([low, high]) => code >= low && code <= high) ? 2 : 1;
}

const wideRanges = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
] as const;

/** The text in at most `width` columns, with a mark where something is missing. */
export function clip(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let clipped = '';
  let used = 0;
  for (const char of text) {
    used += textWidth(char);
    if (used > width - 1) break;
    clipped += char;
  }
  return width > 0 ? `${clipped}…` : '';
}
