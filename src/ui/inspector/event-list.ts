import {outcomeOfEntry} from '../../machines/policies/inspect/outcomes.ts';
import type {InspectedEntry} from '../../services/contracts/journal.ts';
import {byId, element} from './dom.ts';
import {eventName, stateName} from './event-name.ts';
import {outcomeMark} from './outcome-mark.ts';
import {actorKey, type Recording} from './recording.ts';
import {VirtualList} from './virtual-list.ts';

export type EventFilter = {
  readonly find: string;
  /** `all`, or only one kind. */
  readonly kind: string;
  /** Only the events of this actor; null for all. */
  readonly only: string | null;
};

/** Events, newest first; those after the shown moment are dimmed. */
export class EventList {
  readonly #list: VirtualList;
  #recording: Recording | null = null;
  #indexes: readonly number[] = [];
  #position = 0;
  #drawnFor = '';

  constructor(onTravel: (index: number) => void) {
    this.#list = new VirtualList(byId('events'), {
      rowHeight: 42,
      label: 'Events, newest first',
      rowOf: (row) => {
        const index = this.#indexes[row];
        const entry = index === undefined ? undefined : this.#recording?.entries[index];
        return entry && index !== undefined ? rowOf(entry, index, this.#position, onTravel) : null;
      },
    });
  }

  show(recording: Recording, position: number, filter: EventFilter): void {
    const key = JSON.stringify([recording.entries.length, recording.dropped, filter]);
    if (key !== this.#drawnFor || recording !== this.#recording) {
      this.#drawnFor = key;
      this.#recording = recording;
      this.#indexes = matching(recording, filter);
      this.#list.total = this.#indexes.length;
      const all = recording.entries.length;
      byId('event-count').textContent =
        this.#indexes.length === all ? `${all}` : `${this.#indexes.length} of ${all}`;
    }
    this.#position = position;
    const row = this.#indexes.findIndex((index) => index <= position);
    if (row >= 0) this.#list.reveal(row);
    else this.#list.draw();
  }
}

function matching({entries}: Recording, {find, kind, only}: EventFilter): number[] {
  const wanted = find.trim().toLowerCase();
  const found: number[] = [];
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (!entry || (only !== null && actorKey(entry) !== only) || !isOfKind(entry, kind)) continue;
    if (wanted === '' || wordsOf(entry).includes(wanted)) found.push(index);
  }
  return found;
}

const wordsOf = (entry: InspectedEntry) =>
  `${eventName(entry.event.type)} ${entry.actor} ${stateName(entry.state)} ${outcomeOfEntry(entry)?.word ?? ''}`.toLowerCase();

function isOfKind(entry: InspectedEntry, kind: string): boolean {
  if (kind === 'people') return /^(run|engine|review|question|executor|job|retry)\./.test(entry.event.type);
  const outcome = outcomeOfEntry(entry);
  if (kind === 'ends') return outcome !== null;
  return kind === 'failures' ? outcome?.kind === 'failed' || outcome?.kind === 'refused' : true;
}

function rowOf(
  entry: InspectedEntry,
  index: number,
  position: number,
  onTravel: (index: number) => void,
): HTMLElement {
  const isNow = index === position;
  const outcome = outcomeOfEntry(entry);
  const button = element(
    'button',
    {
      type: 'button',
      class: index > position ? 'event later' : 'event',
      'aria-current': isNow ? 'step' : undefined,
      'data-index': index,
      'data-main': true,
    },
    element('time', {datetime: entry.at}, clockTime(entry.at)),
    element('span', {class: 'type'}, ignoredMark(entry), eventName(entry.event.type)),
    element('span', {class: 'to'}, `${entry.actor.split('/').at(-1) ?? ''} → ${stateName(entry.state)}`),
    ...(outcome ? [element('span', {class: 'how'}, outcomeMark(outcome), ' ', outcome.word)] : []),
  );
  button.addEventListener('click', () => onTravel(index));
  return button;
}

/** No transition handled it. */
const ignoredMark = ({kind, transitions}: InspectedEntry): string =>
  kind === 'event' && transitions.length === 0 ? '∅ ' : '';

/** The reader's local time, to the millisecond. */
export function clockTime(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  const two = (value: number) => String(value).padStart(2, '0');
  const milliseconds = String(time.getMilliseconds()).padStart(3, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${milliseconds}`;
}
