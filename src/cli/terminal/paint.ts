import type {Surface} from '../context.ts';

const styles = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof styles;
export type Paint = (style: Style, text: string) => string;

/** Colours only if the terminal supports them. */
export function painter({hasColor}: Pick<Surface, 'hasColor'>): Paint {
  if (!hasColor) return (_style, text) => text;
  return (style, text) => `\u001b[${styles[style][0]}m${text}\u001b[${styles[style][1]}m`;
}
