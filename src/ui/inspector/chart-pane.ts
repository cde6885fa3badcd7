import type {Chart} from '../../machines/policies/inspect/chart.ts';
import type {InspectedEntry} from '../../services/contracts/journal.ts';
import {layoutChart} from './chart-layout.ts';
import {activeStates, takenTransitions} from './chart-state.ts';
import {activeBox, drawChart} from './chart-view.ts';
import {byId, element, reveal} from './dom.ts';
import {eventName, stateName} from './event-name.ts';
import {actorKey} from './timeline.ts';

/** The smallest readable scale; below it the drawing scrolls instead. */
const smallest = 0.82;
const largest = 1.35;

/** The drawing in the middle, and how large it is. */
export class ChartPane {
  readonly #charts: ReadonlyMap<string, Chart>;
  #entry: InspectedEntry | null = null;
  /** `whole` fits into the window however small it gets; `readable` scrolls where it must. */
  #zoom: number | 'whole' | 'readable' = 'readable';
  #turn = 0;

  constructor(charts: readonly Chart[]) {
    this.#charts = new Map(charts.map((chart) => [chart.id, chart]));
  }

  show(entry: InspectedEntry): void {
    const isSame =
      this.#entry !== null && actorKey(this.#entry) === actorKey(entry) && this.#entry.seq === entry.seq;
    this.#entry = entry;
    if (!isSame) void this.draw();
  }

  zoom(by: number): void {
    const drawing = byId('chart').querySelector('svg');
    const current = drawing ? drawing.clientWidth / drawing.viewBox.baseVal.width : 1;
    this.#zoom = Math.max(0.3, Math.min(3, current * by));
    void this.draw();
  }

  toggleWhole(): void {
    this.#zoom = this.#zoom === 'whole' ? 'readable' : 'whole';
    void this.draw();
  }

  async draw(): Promise<void> {
    const entry = this.#entry;
    if (!entry) return;
    const turn = ++this.#turn;
    const place = byId('chart');
    const last = entry.transitions.length > 0 || entry.kind === 'started' ? '' : ' (no transition)';
    byId('chart-heading').textContent = entry.actor;
    byId('current-state').textContent =
      `${stateName(entry.state)} — after ${eventName(entry.event.type)}${last}`;
    const chart = this.#charts.get(entry.machine);
    if (!chart) {
      place.replaceChildren(
        element('p', {class: 'empty'}, `This Blackbird has no machine called ${entry.machine}.`),
      );
      return;
    }
    const room = {width: place.clientWidth - 28, height: place.clientHeight - 18};
    const laidOut = await layoutChart(chart, room);
    if (turn !== this.#turn) return;
    const highlight = {active: activeStates(chart, entry.state), taken: takenTransitions(entry)};
    const summary = `Chart of ${chart.id}. Active: ${stateName(entry.state)}. Last event: ${eventName(entry.event.type)}.`;
    const drawing = drawChart(chart, laidOut, highlight, summary);
    const fitting = Math.min(room.width / laidOut.width, room.height / laidOut.height);
    const scale = this.#scale(fitting);
    byId('fit').setAttribute('aria-pressed', String(this.#zoom === 'whole'));
    drawing.setAttribute('width', String(laidOut.width * scale));
    drawing.setAttribute('height', String(laidOut.height * scale));
    const {scrollTop, scrollLeft} = place;
    place.replaceChildren(drawing);
    place.scrollTo({top: scrollTop, left: scrollLeft});
    if (scale > fitting) reveal(place, activeBox(drawing), 'center');
  }

  #scale(fitting: number): number {
    if (typeof this.#zoom === 'number') return this.#zoom;
    return Math.max(this.#zoom === 'whole' ? 0 : smallest, Math.min(largest, fitting));
  }
}
