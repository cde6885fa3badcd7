import {displayText} from '../../machines/policies/text/display-text.ts';
import type {Line, Span} from '../components/lines.tsx';
import {
  clamped,
  position,
  type Scroll,
  type ScrollCommand,
  scrolled,
  scrollKeymap,
} from '../components/scroll.ts';
import {commandOf, type Keymap} from '../keymap.ts';
import {dropColumns, spread} from '../text/fit.ts';
import {tabText} from '../text/graphemes.ts';

/** A patch to look at. Its lines are made safe when they are shown: it may have a million of them. */
export type DiffView = {
  readonly lines: readonly string[];
  /** Where the files of the patch begin. */
  readonly files: readonly number[];
  readonly scroll: Scroll;
};

export type DiffCommand = 'diff.close' | 'diff.nextFile' | 'diff.previousFile' | ScrollCommand;

export const diffKeymap: Keymap<DiffCommand> = [
  {keys: ['escape', 'q', 'd'], label: 'back', command: 'diff.close', hint: 'always', short: 'back'},
  {keys: ['n'], label: 'next file', command: 'diff.nextFile', hint: 'always', short: 'next'},
  {keys: ['p', 'N'], label: 'previous', command: 'diff.previousFile', hint: 'always', short: 'previous'},
  ...scrollKeymap,
];

export function diffView(patch: string): DiffView {
  const lines = patch === '' ? [] : patch.replace(/\n$/, '').split('\n');
  const files = lines.flatMap((line, index) => (line.startsWith('diff ') ? [index] : []));
  return {lines, files, scroll: {top: 0, left: 0}};
}

/** The view after a key; null when the key closes it. */
export function diffStep(view: DiffView, key: string, height: number): DiffView | null {
  const command = commandOf(diffKeymap, key);
  const {lines, files, scroll} = view;
  if (command === null) return view;
  if (command === 'diff.close') return null;
  const to = (top: number | undefined) =>
    top === undefined ? view : {...view, scroll: clamped({...scroll, top}, lines.length, height)};
  if (command === 'diff.nextFile') return to(files.find((start) => start > scroll.top));
  if (command === 'diff.previousFile') return to(files.findLast((start) => start < scroll.top));
  return {...view, scroll: scrolled(scroll, command, {count: lines.length, height})};
}

/** What is seen of a patch, with a line above it. */
export function diffLines(
  {lines, scroll, files}: DiffView,
  {title, columns, height}: {readonly title: string; readonly columns: number; readonly height: number},
): Line[] {
  const {top, left} = clamped(scroll, lines.length, height);
  const place = position({top, left}, lines.length, height);
  const head: Line = [{text: spread(` ${title}`, `${place} `, columns), bold: true}];
  if (lines.length === 0) return [head, [{text: ' no files were changed', dim: true}]];
  const shown = lines.slice(top, top + height);
  const start = files.findLast((each) => each <= top) ?? 0;
  // A hunk may have begun far above: what is a header is known from the file's first line on.
  let isHeader = !lines.slice(start, top).some((line) => line.startsWith('@@'));
  return [
    head,
    ...shown.map((line): Line => {
      if (line.startsWith('diff ')) isHeader = true;
      if (line.startsWith('@@')) isHeader = false;
      return [{text: dropColumns(patchLine(line), left) || ' ', ...patchStyle(line, isHeader)}];
    }),
  ];
}

/** One line of a patch, and one only: a carriage return inside it must not pass for a line end. */
export function patchLine(line: string): string {
  const text = /^[+-]/.test(line) ? line : line.replace(/\r$/, '');
  return displayText(text).replaceAll('\n', '^M').replaceAll('\t', tabText);
}

export function patchStyle(line: string, isHeader: boolean): Omit<Span, 'text'> {
  if (line.startsWith('@@')) return {tone: 'accent'};
  if (isHeader) return {bold: true};
  if (line.startsWith('+')) return {tone: 'good'};
  return line.startsWith('-') ? {tone: 'bad'} : {};
}
