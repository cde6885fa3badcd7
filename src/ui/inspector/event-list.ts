import type {InspectedEntry} from '../../services/contracts/journal.ts';
import {element} from './dom.ts';
import {eventName, stateName} from './event-name.ts';
import {actorKey} from './timeline.ts';

/** A limit of rows: more of them make every step slow. */
const mostRows = 300;

export type EventListView = {
  readonly entries: readonly InspectedEntry[];
  readonly position: number;
  /** Only the events of this actor; null for all. */
  readonly only: string | null;
  readonly onTravel: (index: number) => void;
};

/** Events, newest first; those after the moment that is shown are dimmed. */
export function drawEvents({entries, position, only, onTravel}: EventListView): HTMLElement {
  const indexes = windowAround(entries, position, only);
  const list = element('ol', {class: 'events', reversed: true});
  for (const index of indexes) {
    const entry = entries[index];
    if (entry) list.append(row(entry, index, position, onTravel));
  }
  return list;
}

function windowAround(entries: readonly InspectedEntry[], position: number, only: string | null): number[] {
  const matching: number[] = [];
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry && (only === null || actorKey(entry) === only)) matching.push(index);
  }
  const here = matching.findIndex((index) => index <= position);
  const start = Math.max(
    0,
    Math.min((here < 0 ? matching.length : here) - mostRows / 2, matching.length - mostRows),
  );
  return matching.slice(start, start + mostRows);
}

function row(
  entry: InspectedEntry,
  index: number,
  position: number,
  onTravel: (index: number) => void,
): HTMLElement {
  const isNow = index === position;
  const button = element(
    'button',
    {
      type: 'button',
      class: index > position ? 'event later' : 'event',
      'aria-current': isNow ? 'step' : undefined,
      'data-index': index,
    },
    element('time', {datetime: entry.at}, clockTime(entry.at)),
    element('span', {class: 'type'}, kindMark(entry), eventName(entry.event.type)),
    element('span', {class: 'to'}, `${entry.actor.split('/').at(-1) ?? ''} → ${stateName(entry.state)}`),
  );
  button.addEventListener('click', () => onTravel(index));
  return element('li', {value: index + 1}, button);
}

function kindMark({kind, transitions}: InspectedEntry): string {
  if (kind === 'error') return '✗ ';
  if (kind === 'done') return '✓ ';
  return kind === 'event' && transitions.length === 0 ? '∅ ' : '';
}

/** The time of day where the reader is, to the millisecond. */
export function clockTime(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  const two = (value: number) => String(value).padStart(2, '0');
  const milliseconds = String(time.getMilliseconds()).padStart(3, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${milliseconds}`;
}
