import type {Chart} from '../../machines/policies/inspect/chart.ts';
import type {InspectorFacts} from '../../services/contracts/inspector.ts';
import type {InspectedEntry} from '../../services/contracts/journal.ts';
import {drawActors} from './actor-tree.ts';
import {ChartPane} from './chart-pane.ts';
import {byId, element, reveal} from './dom.ts';
import {drawEvents} from './event-list.ts';
import {eventName, stateName} from './event-name.ts';
import {drawTimeBar} from './time-bar.ts';
import {actorKey, Timeline} from './timeline.ts';
import {drawValue, type Folds} from './value-tree.ts';

/** What the page shows: one moment of the timeline, seen from one actor. Everything is drawn from these. */
export class InspectorPage {
  readonly #timeline = new Timeline();
  readonly #chart: ChartPane;
  readonly #folds: {event: Folds; context: Folds} = {event: new Map(), context: new Map()};
  #position = -1;
  #isFollowing = true;
  /** The actor the reader holds on to; null shows the actor of each event. */
  #pinned: string | null = null;
  #onlyThisActor = false;
  #isDrawing = false;
  #contextAsked = '';

  constructor({charts}: InspectorFacts) {
    this.#chart = new ChartPane(charts as readonly Chart[]);
  }

  get chart(): ChartPane {
    return this.#chart;
  }

  add(entries: readonly InspectedEntry[]): void {
    const dropped = this.#timeline.dropped;
    this.#timeline.add(entries);
    this.#position = this.#isFollowing
      ? this.#timeline.last
      : Math.max(0, this.#position - (this.#timeline.dropped - dropped));
    this.draw();
  }

  travel(index: number): void {
    this.#position = Math.max(0, Math.min(index, this.#timeline.last));
    this.#isFollowing = this.#position === this.#timeline.last && this.#isFollowing;
    this.draw();
  }

  step(by: 1 | -1): void {
    this.#isFollowing = false;
    this.travel(this.#position + by);
  }

  /** To the next event of the actor that is shown. */
  stepWithinActor(by: 1 | -1): void {
    this.#isFollowing = false;
    const key = this.#shownKey();
    if (key !== null) this.travel(this.#timeline.neighbour(key, this.#position, by));
  }

  first(): void {
    this.#isFollowing = false;
    this.travel(0);
  }

  follow(isFollowing = true): void {
    this.#isFollowing = isFollowing;
    this.travel(isFollowing ? this.#timeline.last : this.#position);
  }

  toggleFollow(): void {
    this.follow(!this.#isFollowing);
  }

  togglePin(): void {
    this.#pinned = this.#pinned === null ? this.#shownKey() : null;
    this.draw();
  }

  showOnlyThisActor(isOn: boolean): void {
    this.#onlyThisActor = isOn;
    this.draw();
  }

  /** Drawn once per frame, however much has come. */
  draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#drawNow();
    });
  }

  #shownKey(): string | null {
    const entry = this.#timeline.entries[this.#position];
    if (this.#pinned !== null && this.#timeline.latestOf(this.#pinned, this.#position) >= 0)
      return this.#pinned;
    return entry ? actorKey(entry) : null;
  }

  #drawNow(): void {
    const position = this.#position;
    const entry = this.#timeline.entries[position];
    const key = this.#shownKey();
    const shown = key === null ? undefined : this.#timeline.entries[this.#timeline.latestOf(key, position)];
    const travel = (index: number) => {
      this.#isFollowing = false;
      this.travel(index);
    };
    replaceKeepingFocus(
      'actors',
      drawActors(this.#timeline.actorsAt(position), key, (chosen) => {
        this.#pinned = chosen;
        this.draw();
      }),
    );
    const only = this.#onlyThisActor ? key : null;
    replaceKeepingFocus(
      'events',
      drawEvents({entries: this.#timeline.entries, position, only, onTravel: travel}),
    );
    reveal(byId('events'), byId('events').querySelector('[aria-current]'), 'nearest');
    drawTimeBar(this.#timeline, position, this.#isFollowing, travel);
    byId('pin').setAttribute('aria-pressed', String(this.#pinned !== null));
    byId('event').replaceChildren(drawValue(entry?.event ?? null, this.#folds.event));
    if (shown) this.#chart.show(shown);
    void this.#drawContext(shown);
    if (entry) announce(entry, position, this.#timeline.last);
  }

  /** Fetched only when it is shown, to leave the process to its work. */
  async #drawContext(entry: InspectedEntry | undefined): Promise<void> {
    const asked = entry ? `context/${entry.session}/${entry.seq}` : '';
    if (asked === this.#contextAsked) return;
    this.#contextAsked = asked;
    if (asked === '') return;
    const {context, reason} = entry?.context ? {context: entry.context} : await contextFrom(asked);
    if (asked !== this.#contextAsked) return;
    byId('context').replaceChildren(
      reason === undefined
        ? drawValue(context, this.#folds.context)
        : element('p', {class: 'empty'}, `not known: ${reason}`),
    );
  }
}

/** The context, or why there is none. */
async function contextFrom(path: string): Promise<{context?: unknown; reason?: string}> {
  try {
    const response = await fetch(path);
    const {context} = await response.json();
    return context === null ? {reason: 'its beginning was not recorded'} : {context};
  } catch {
    return {reason: 'the process that could tell has ended. “blackbird inspect” shows what it ran.'};
  }
}

/** Keeps the keyboard focus when a list is replaced by a new one. */
function replaceKeepingFocus(id: string, fresh: HTMLElement): void {
  const place = byId(id);
  const focused = document.activeElement;
  const isInside = focused instanceof HTMLElement && place.contains(focused);
  const {actor, index} = isInside ? focused.dataset : {};
  const {scrollTop} = place;
  place.replaceChildren(fresh);
  place.scrollTop = scrollTop;
  if (!isInside) return;
  const again = [...place.querySelectorAll<HTMLElement>('button')].find(
    ({dataset}) => dataset.actor === actor && dataset.index === index,
  );
  again?.focus({preventScroll: true});
}

let announced = 0;

/** For who cannot see it; a rapid series is not read out event by event. */
function announce(entry: InspectedEntry, position: number, last: number): void {
  clearTimeout(announced);
  announced = setTimeout(() => {
    byId('announcer').textContent =
      `Event ${position + 1} of ${last + 1}: ${entry.machine} took ${eventName(entry.event.type)} and is ${stateName(entry.state)}`;
  }, 300);
}
