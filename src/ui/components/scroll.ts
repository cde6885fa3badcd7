import {bindingOf, type Keymap} from '../keymap.ts';

/** The visible part of something larger. */
export type Scroll = {readonly top: number; readonly left: number};

export const atTop: Scroll = {top: 0, left: 0};

/** The number of lines, and how many are visible. */
export type ScrollRoom = {readonly count: number; readonly height: number};

type ScrollStep = (scroll: Scroll, room: ScrollRoom) => Scroll;

const sideways = 8;
/** Lines per notch of the wheel. */
export const wheelLines = 3;

const down =
  (by: number): ScrollStep =>
  ({top, left}, room) =>
    clamped({top: Math.max(0, top + by), left}, room.count, room.height);

export const pageDown: ScrollStep = (scroll, room) => down(Math.max(1, room.height - 1))(scroll, room);
export const pageUp: ScrollStep = (scroll, room) => down(-Math.max(1, room.height - 1))(scroll, room);

const scrollKeymap: Keymap<ScrollStep> = [
  {id: 'scroll.down', keys: ['down', 'j'], label: 'down', run: down(1)},
  {id: 'scroll.up', keys: ['up', 'k'], label: 'up', run: down(-1)},
  {
    id: 'scroll.pageDown',
    keys: ['pagedown', 'space', 'ctrl+d', 'ctrl+f'],
    label: 'page',
    hint: 'first',
    run: pageDown,
  },
  {id: 'scroll.pageUp', keys: ['pageup', 'b', 'ctrl+u', 'ctrl+b'], label: 'page up', run: pageUp},
  {id: 'scroll.wheelDown', keys: ['wheeldown'], label: 'down', run: down(wheelLines)},
  {id: 'scroll.wheelUp', keys: ['wheelup'], label: 'up', run: down(-wheelLines)},
  {id: 'scroll.start', keys: ['g', 'home'], label: 'start', run: () => atTop},
  {id: 'scroll.end', keys: ['G', 'end'], label: 'end', run: down(Number.POSITIVE_INFINITY)},
  {
    id: 'scroll.left',
    keys: ['left', 'h'],
    label: 'left',
    run: ({top, left}) => ({top, left: Math.max(0, left - sideways)}),
  },
  {
    id: 'scroll.right',
    keys: ['right', 'l'],
    label: 'right',
    run: ({top, left}) => ({top, left: left + sideways}),
  },
];

/** Applies a scroll key; other keys change nothing. */
export const scrolled = (scroll: Scroll, key: string, room: ScrollRoom): Scroll =>
  bindingOf(scrollKeymap, key)?.run(scroll, room) ?? scroll;

/** The same position after a resize or a change of the lines. */
export function clamped(scroll: Scroll, count: number, height: number): Scroll {
  const top = Math.max(0, Math.min(scroll.top, count - height));
  return top === scroll.top ? scroll : {...scroll, top};
}

/** `12–34 of 210`; empty if everything is visible. */
export function position({top}: Scroll, count: number, height: number): string {
  if (count <= height) return '';
  return `${top + 1}–${Math.min(count, top + height)} of ${count}`;
}
