import type {Keymap} from '../keymap.ts';

/** What part of something larger is seen. */
export type Scroll = {readonly top: number; readonly left: number};

export const atTop: Scroll = {top: 0, left: 0};

export type ScrollCommand = `scroll.${
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'start'
  | 'end'
  | 'left'
  | 'right'}`;

export const scrollKeymap: Keymap<ScrollCommand> = [
  {keys: ['down', 'j'], label: 'down', command: 'scroll.down'},
  {keys: ['up', 'k'], label: 'up', command: 'scroll.up'},
  {
    keys: ['pagedown', 'space', 'ctrl+d', 'ctrl+f'],
    label: 'page',
    command: 'scroll.pageDown',
    hint: 'always',
  },
  {keys: ['pageup', 'b', 'ctrl+u', 'ctrl+b'], label: 'page up', command: 'scroll.pageUp'},
  {keys: ['g', 'home'], label: 'start', command: 'scroll.start'},
  {keys: ['G', 'end'], label: 'end', command: 'scroll.end'},
  {keys: ['left', 'h'], label: 'left', command: 'scroll.left'},
  {keys: ['right', 'l'], label: 'right', command: 'scroll.right'},
];

const sideways = 8;

/** One scroll command over so many lines, of which `height` are seen. */
export function scrolled(
  {top, left}: Scroll,
  command: ScrollCommand,
  {count, height}: {readonly count: number; readonly height: number},
): Scroll {
  const page = Math.max(1, height - 1);
  const bottom = Math.max(0, count - height);
  const to = (wanted: number) => ({top: Math.max(0, Math.min(bottom, wanted)), left});
  switch (command) {
    case 'scroll.up':
      return to(top - 1);
    case 'scroll.down':
      return to(top + 1);
    case 'scroll.pageUp':
      return to(top - page);
    case 'scroll.pageDown':
      return to(top + page);
    case 'scroll.start':
      return {top: 0, left: 0};
    case 'scroll.end':
      return to(bottom);
    case 'scroll.left':
      return {top, left: Math.max(0, left - sideways)};
    case 'scroll.right':
      return {top, left: left + sideways};
  }
}

/** The same place after a resize, or after lines were added or went away. */
export function clamped(scroll: Scroll, count: number, height: number): Scroll {
  const top = Math.max(0, Math.min(scroll.top, count - height));
  return top === scroll.top ? scroll : {...scroll, top};
}

/** `12–34 of 210`; nothing when everything is seen. */
export function position({top}: Scroll, count: number, height: number): string {
  if (count <= height) return '';
  return `${top + 1}–${Math.min(count, top + height)} of ${count}`;
}
