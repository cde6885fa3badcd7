import {wheelLines} from '../components/scroll.ts';
import type {Step} from '../input/use-stepper.ts';
import {type Keymap, notNow} from '../keymap.ts';
import type {ReviewComment} from './comments.ts';
import {type DiffFrame, type DiffView, goTo, patchOf} from './diff-view.ts';

/** What a key in a diff asks its surroundings to do. */
export type DiffOutcome =
  /** Opens the current file at a line. */
  | {readonly type: 'openEditor'; readonly file: string; readonly line: number}
  | {readonly type: 'openPager'}
  | {readonly type: 'comment'}
  | {readonly type: 'removeComment'; readonly comment: ReviewComment};

export type Stepped = Step<DiffView, DiffOutcome>;
export type Run = (view: DiffView, frame: DiffFrame) => Stepped;
export type Facts = [view: DiffView, frame: DiffFrame];

export const to =
  (move: (view: DiffView, frame: DiffFrame) => DiffView): Run =>
  (view, frame) => ({state: move(view, frame)});

/** Moves by this many rows in the diff, or in the run's notes while they are shown. */
export function moved(view: DiffView, {height, toldLength}: DiffFrame, rows: number): DiffView {
  if (!view.isTold) return goTo(view, view.cursor + rows);
  return {...view, toldTop: Math.max(0, Math.min(toldLength - height, view.toldTop + rows))};
}

const by = (rows: (height: number) => number): Run =>
  to((view, frame) => moved(view, frame, rows(frame.height)));

const page = (height: number) => Math.max(1, height - 1);
const sideways = 8;

export const whenShown = (view: DiffView) => (!view.isTold && patchOf(view).rows.length > 0 ? null : notNow);

/** Scrolling with the keys that the choices beside it leave free. */
export const diffScrollKeymap: Keymap<Run, Facts> = [
  {
    id: 'diff.pageDown',
    keys: ['pagedown', 'ctrl+f'],
    label: 'page down',
    run: by(page),
  },
  {id: 'diff.wheelDown', keys: ['wheeldown'], label: 'down', run: by(() => wheelLines)},
  {id: 'diff.wheelUp', keys: ['wheelup'], label: 'up', run: by(() => -wheelLines)},
  {id: 'diff.pageUp', keys: ['pageup', 'ctrl+b'], label: 'page up', run: by((height) => -page(height))},
  {
    id: 'diff.left',
    keys: ['left', 'h'],
    label: 'scroll to the left',
    refusal: whenShown,
    run: to((view) => ({...view, left: Math.max(0, view.left - sideways)})),
  },
  {
    id: 'diff.right',
    keys: ['right', 'l'],
    label: 'scroll to the right',
    refusal: (view) => (view.isWrapped ? 'lines are wrapped: w' : whenShown(view)),
    run: to((view) => ({...view, left: view.left + sideways})),
  },
];

/** Movement while the diff has the focus; beside choices these keys move the choice. */
export const diffMoveKeymap: Keymap<Run, Facts> = [
  {id: 'diff.down', keys: ['down', 'j'], label: 'down', run: by(() => 1)},
  {id: 'diff.up', keys: ['up', 'k'], label: 'up', run: by(() => -1)},
  {
    id: 'diff.forward',
    keys: ['ctrl+d'],
    label: 'half a page down',
    run: by((height) => Math.ceil(height / 2)),
  },
  {
    id: 'diff.backward',
    keys: ['ctrl+u'],
    label: 'half a page up',
    run: by((height) => -Math.ceil(height / 2)),
  },
  {id: 'diff.first', keys: ['g', 'home'], label: 'start', run: by(() => Number.NEGATIVE_INFINITY)},
  {id: 'diff.last', keys: ['G', 'end'], label: 'end', run: by(() => Number.POSITIVE_INFINITY)},
];

/** At a checkpoint; the Diff tab uses the general help. */
export const diffHelpKeymap: Keymap<Run, Facts> = [
  {
    id: 'diff.keys',
    keys: ['?'],
    label: 'keys',
    help: 'these keys, or the diff',
    hint: 'first',
    short: 'keys',
    run: to((view) => toggleNotes(view, true)),
  },
];

/** The same key shows and hides it. */
export const toggleNotes = (view: DiffView, isKeys: boolean): DiffView => ({
  ...view,
  isTold: !view.isTold || view.isKeys !== isKeys,
  isKeys,
  toldTop: 0,
  isZoomed: false,
});
