import {displayText} from '../../machines/policies/text/display-text.ts';
import type {Line, Span} from '../components/lines.tsx';
import {atTop, clamped, position, type Scroll, scrollKeymap} from '../components/scroll.ts';
import {bindingOf, type Keymap, notNow} from '../keymap.ts';
import {dropColumns, justify} from '../text/fit.ts';
import {tabText} from '../text/graphemes.ts';

/** A patch to look at. Its lines are made safe when they are shown: it may have a million of them. */
export type DiffView = {
  readonly lines: readonly string[];
  /** Where the files of the patch begin. */
  readonly files: readonly number[];
  readonly scroll: Scroll;
};

/** What is shown before a patch is there. */
export const emptyDiff: DiffView = {lines: [], files: [], scroll: atTop};

type DiffStep = (view: DiffView, height: number) => DiffView | null;
type DiffFacts = [view: DiffView, height: number];

const whenLonger = ({lines}: DiffView, height: number) => (lines.length > height ? null : notNow);
const whenSeveralFiles = (view: DiffView, height: number) =>
  view.files.length > 1 ? whenLonger(view, height) : notNow;

const goTo = (view: DiffView, top: number | undefined, height: number): DiffView =>
  top === undefined ? view : {...view, scroll: clamped({...view.scroll, top}, view.lines.length, height)};

/** Null closes the view. */
export const diffKeymap: Keymap<DiffStep, DiffFacts> = [
  {
    id: 'diff.close',
    keys: ['escape', 'q', 'd'],
    label: 'back',
    hint: 'first',
    short: 'back',
    run: () => null,
  },
  {
    id: 'diff.nextFile',
    keys: ['n'],
    label: 'next file',
    hint: 'first',
    short: 'next',
    refusal: whenSeveralFiles,
    run: (view, height) =>
      goTo(
        view,
        view.files.find((start) => start > view.scroll.top),
        height,
      ),
  },
  {
    id: 'diff.previousFile',
    keys: ['p', 'N'],
    label: 'previous',
    hint: 'first',
    short: 'previous',
    refusal: whenSeveralFiles,
    run: (view, height) =>
      goTo(
        view,
        view.files.findLast((start) => start < view.scroll.top),
        height,
      ),
  },
  ...scrollKeymap.map((binding): Keymap<DiffStep, DiffFacts>[number] => ({
    ...binding,
    ...(binding.hint ? {refusal: whenLonger} : {}),
    run: (view, height) => ({...view, scroll: binding.run(view.scroll, {count: view.lines.length, height})}),
  })),
];

export function diffView(patch: string): DiffView {
  const lines = patch === '' ? [] : patch.replace(/\n$/, '').split('\n');
  const files = lines.flatMap((line, index) => (line.startsWith('diff ') ? [index] : []));
  return {lines, files, scroll: {top: 0, left: 0}};
}

/** The view after a key; null when the key closes it. */
export function diffStep(view: DiffView, key: string, height: number): DiffView | null {
  const binding = bindingOf(diffKeymap, key, view, height);
  return binding ? binding.run(view, height) : view;
}

/** What is seen of a patch, with a line above it. */
export function diffLines(
  {lines, scroll, files}: DiffView,
  {title, columns, height}: {readonly title: string; readonly columns: number; readonly height: number},
): Line[] {
  const {top, left} = clamped(scroll, lines.length, height);
  const place = position({top, left}, lines.length, height);
  const head: Line = [{text: justify(` ${title}`, `${place} `, columns), bold: true}];
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
