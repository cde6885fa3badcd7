import {outcomeSymbols} from '../../machines/policies/inspect/outcomes.ts';
import {duration} from '../../machines/policies/text/durations.ts';
import {byId, element} from './dom.ts';
import {clockTime} from './event-list.ts';
import type {Mark} from './marks.ts';
import type {Recording} from './recording.ts';

const symbols = {...outcomeSymbols, decision: '◆'} as const;
const mostMarks = 200;
/** The time slider has this many steps, whatever the duration. */
const timeSteps = 10_000;

/** The slider, the marks above it and the text beside it: one step per event, or proportional to time. */
export class TimeBar {
  readonly #onTravel: (index: number) => void;
  #byTime = false;
  #recording: Recording | null = null;
  #position = 0;
  #drawn = '';

  constructor(onTravel: (index: number) => void) {
    this.#onTravel = onTravel;
    const slider = byId<HTMLInputElement>('slider');
    slider.addEventListener('input', () => {
      const recording = this.#recording;
      if (!recording) return;
      onTravel(
        this.#byTime ? indexAtShare(recording, Number(slider.value) / timeSteps) : Number(slider.value),
      );
    });
    byId('by-time').addEventListener('click', () => this.toggle());
  }

  toggle(): void {
    this.#byTime = !this.#byTime;
    byId('by-time').setAttribute('aria-pressed', String(this.#byTime));
    this.#drawn = '';
    if (this.#recording) this.#draw(this.#recording);
  }

  show(recording: Recording, position: number): void {
    this.#recording = recording;
    this.#position = position;
    this.#draw(recording);
  }

  #draw(recording: Recording): void {
    const {last, entries, dropped} = recording;
    const slider = byId<HTMLInputElement>('slider');
    slider.max = String(this.#byTime ? timeSteps : Math.max(0, last));
    slider.value = String(
      this.#byTime ? shareOf(recording, this.#position) * timeSteps : Math.max(0, this.#position),
    );
    slider.disabled = last < 1;
    const [entry, first] = [entries[this.#position], entries[0]];
    const since = entry && first ? Date.parse(entry.at) - Date.parse(first.at) : 0;
    const words = entry
      ? `${this.#position + 1} of ${last + 1}, ${clockTime(entry.at)}, +${duration(since)}`
      : 'nothing yet';
    slider.setAttribute('aria-valuetext', words);
    byId('moment').textContent = dropped > 0 ? `${words}, ${dropped} earlier ones dropped` : words;
    this.#drawMarks(recording);
  }

  #drawMarks(recording: Recording): void {
    const shown = recording.marks.slice(-mostMarks);
    const key = `${recording.last} ${shown.length} ${shown.at(-1)?.index} ${this.#byTime}`;
    if (key === this.#drawn) return;
    this.#drawn = key;
    byId('marks').replaceChildren(...shown.map((mark) => element('li', {}, this.#markOf(recording, mark))));
  }

  #markOf(recording: Recording, {index, kind, label}: Mark): HTMLElement {
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
    const byEvent = recording.last > 0 ? index / recording.last : 0;
    button.style.left = `${(this.#byTime ? shareOf(recording, index) : byEvent) * 100}%`;
    button.addEventListener('click', () => this.#onTravel(index));
    return button;
  }
}

/** The position of an entry between the first and the last one. */
function shareOf({entries}: Pick<Recording, 'entries'>, index: number): number {
  const [first, entry, last] = [entries[0], entries[index], entries.at(-1)].map((each) =>
    Date.parse(each?.at ?? ''),
  );
  if (first === undefined || entry === undefined || last === undefined || !(last > first)) return 0;
  return Math.min(1, Math.max(0, (entry - first) / (last - first)));
}

function indexAtShare(recording: Recording, share: number): number {
  const [first, last] = [recording.entries[0], recording.entries.at(-1)].map((each) =>
    Date.parse(each?.at ?? ''),
  );
  if (first === undefined || last === undefined || Number.isNaN(first + last)) return 0;
  return recording.indexAt(new Date(first + share * (last - first)).toISOString());
}
