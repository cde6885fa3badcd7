import {byId, element} from './dom.ts';
import {clockTime} from './event-list.ts';
import type {Timeline} from './timeline.ts';

const symbols = {pause: 'Ⅱ', decision: '?', error: '✗'} as const;
const mostMarks = 200;

/** The slider, the marks above it and the words beside it. */
export function drawTimeBar(
  timeline: Timeline,
  position: number,
  isFollowing: boolean,
  onTravel: (index: number) => void,
): void {
  const slider = byId<HTMLInputElement>('slider');
  slider.max = String(Math.max(0, timeline.last));
  slider.value = String(Math.max(0, position));
  slider.disabled = timeline.last < 1;
  const entry = timeline.entries[position];
  const words = entry ? `${position + 1} of ${timeline.last + 1}, ${clockTime(entry.at)}` : 'nothing yet';
  const {dropped} = timeline;
  slider.setAttribute('aria-valuetext', words);
  byId('moment').textContent = dropped > 0 ? `${words}, ${dropped} earlier ones dropped` : words;
  byId('follow').setAttribute('aria-pressed', String(isFollowing));
  for (const [id, isOff] of [
    ['first', position <= 0],
    ['back', position <= 0],
    ['forward', position >= timeline.last],
    ['latest', position >= timeline.last],
  ] as const) {
    byId<HTMLButtonElement>(id).disabled = isOff;
  }
  drawMarks(timeline, onTravel);
}

let drawn = '';

function drawMarks({marks, last}: Timeline, onTravel: (index: number) => void): void {
  const shown = marks.slice(-mostMarks);
  const key = `${last} ${shown.length} ${shown.at(-1)?.index}`;
  if (key === drawn) return;
  drawn = key;
  const list = byId('marks');
  list.replaceChildren(
    ...shown.map(({index, kind, label}) => {
      const button = element(
        'button',
        {
          type: 'button',
          class: `mark ${kind}`,
          title: label,
          'aria-label': `Go to event ${index + 1}: ${label}`,
        },
        symbols[kind],
      );
      button.style.left = `${last > 0 ? (index / last) * 100 : 0}%`;
      button.addEventListener('click', () => onTravel(index));
      return element('li', {}, button);
    }),
  );
}
