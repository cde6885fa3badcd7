import type {Line, Span} from '../components/lines.tsx';
import type {DetailContent} from './detail.ts';
import {lineText} from './styled-lines.ts';

/** Lines are rendered in chunks: a diff may have a million. */
const piece = 200;

/** The next line with the text, from a line on and wrapping around; null if there is none. */
export function findIn(
  {length, slice}: DetailContent,
  text: string,
  from: number,
  step: 1 | -1,
): number | null {
  const wanted = text.toLowerCase();
  const matches = (lines: readonly Line[]) =>
    lines.some((line) => lineText(line).toLowerCase().includes(wanted));
  const isMatch = lookup(
    (index) => matches(slice(index, index + 1)),
    (start) => {
      const lines = slice(start, Math.min(length, start + piece));
      // A wrapped line gives several, so then each is rendered separately.
      return lines.length === Math.min(length, start + piece) - start
        ? lines.map((line) => matches([line]))
        : null;
    },
  );
  for (let count = 0; count < length; count++) {
    const index = (((from + step * count) % length) + length) % length;
    if (isMatch(index)) return index;
  }
  return null;
}

function lookup(one: (index: number) => boolean, many: (start: number) => readonly boolean[] | null) {
  const pieces = new Map<number, readonly boolean[] | null>();
  return (index: number): boolean => {
    const start = index - (index % piece);
    if (!pieces.has(start)) pieces.set(start, many(start));
    return pieces.get(start)?.[index - start] ?? one(index);
  };
}

/** The same lines with the matches inverted. */
export function highlighted(lines: readonly Line[], text: string): readonly Line[] {
  const wanted = text.toLowerCase();
  if (wanted === '') return lines;
  return lines.map((line) =>
    lineText(line).toLowerCase().includes(wanted) ? line.flatMap((span) => spansOf(span, wanted)) : line,
  );
}

function spansOf(span: Span, wanted: string): Span[] {
  const lower = span.text.toLowerCase();
  // Some characters change their length with their case; then the whole span is marked.
  if (lower.length !== span.text.length) return lower.includes(wanted) ? [{...span, inverse: true}] : [span];
  const spans: Span[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    if (at > from) spans.push({...span, text: span.text.slice(from, at)});
    spans.push({...span, text: span.text.slice(at, at + wanted.length), inverse: true});
    from = at + wanted.length;
  }
  return from === 0 ? [span] : [...spans, {...span, text: span.text.slice(from)}];
}
