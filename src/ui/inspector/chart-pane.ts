import type {Chart} from '../../machines/policies/inspect/chart.ts';
import type {Outcome} from '../../machines/policies/inspect/outcomes.ts';
import type {Visits} from '../../machines/policies/inspect/visits.ts';
import type {InspectedEntry} from '../../services/contracts/journal.ts';
import {
  type Box,
  boxesOf,
  type Camera,
  neighbourhoodCamera,
  panned,
  seenBox,
  wholeCamera,
  zoomed,
} from './chart-camera.ts';
import {followPointer} from './chart-gestures.ts';
import {describeState, highlightState} from './chart-hover.ts';
import {type LaidOutChart, layoutChart, loadLayouts, type Size} from './chart-layout.ts';
import {Minimap} from './chart-minimap.ts';
import {activeStates, takenTransitions} from './chart-state.ts';
import {drawChart} from './chart-view.ts';
import {byId, element} from './dom.ts';
import {eventName, stateName} from './event-name.ts';

/** What the chart is drawn for: an actor after one of its entries. */
export type ChartSubject = {
  readonly entry: InspectedEntry;
  readonly outcome: Outcome;
  readonly visits: Visits | null;
};

/** How far an arrow key pans, in pixels. */
const stride = 60;

/** The drawing in the middle, and which part of it is visible. */
export class ChartPane {
  readonly #charts: ReadonlyMap<string, Chart>;
  #subject: ChartSubject | null = null;
  #drawn: {readonly chart: Chart; readonly laidOut: LaidOutChart; readonly drawing: SVGSVGElement} | null =
    null;
  #camera: Camera = {x: 0, y: 0, scale: 1};
  /** `near`: what is active and around it; `whole`: everything, however small; `free`: as the user moved it. */
  #mode: 'near' | 'whole' | 'free' = 'near';
  #showsVisits = false;
  #turn = 0;
  readonly #minimap = new Minimap((x, y) => this.#move({...this.#camera, x, y}));

  constructor(charts: readonly Chart[]) {
    this.#charts = new Map(charts.map((chart) => [chart.id, chart]));
    void loadLayouts([...this.#charts.keys()]);
    followPointer(byId('chart'), {
      pan: (by) => this.#move(panned(this.#camera, by, this.#size())),
      zoom: (by, at) => this.#move(zoomed(this.#camera, by, at)),
      point: (state) => this.point(state),
    });
  }

  show(subject: ChartSubject): void {
    const before = this.#subject;
    this.#subject = subject;
    const isSame = before?.entry === subject.entry && before.visits === subject.visits;
    if (isSame && before.outcome.kind === subject.outcome.kind && this.#drawn) return;
    if (this.#mode === 'free' && !this.#isSameMachine(subject)) this.#mode = 'near';
    void this.draw();
  }

  zoom(by: number): void {
    this.#move(zoomed(this.#camera, by));
  }

  pan(x: -1 | 0 | 1, y: -1 | 0 | 1): void {
    this.#move(panned(this.#camera, {x: x * stride, y: y * stride}, this.#size()));
  }

  fit(mode: 'near' | 'whole'): void {
    this.#mode = mode;
    this.#aim();
  }

  toggleVisits(): void {
    this.#showsVisits = !this.#showsVisits;
    byId('visits').setAttribute('aria-pressed', String(this.#showsVisits));
    void this.draw();
  }

  get shown(): {readonly chart: Chart; readonly drawing: SVGSVGElement; readonly size: Size} | null {
    return this.#drawn && {...this.#drawn, size: this.#size()};
  }

  chartOf(machine: string): Chart | undefined {
    return this.#charts.get(machine);
  }

  /** To the next state of the drawing, by keyboard. */
  step(by: 1 | -1): void {
    const states = [...byId('chart').querySelectorAll<SVGGElement>('.state')];
    const at = states.findIndex(
      (state) => state === document.activeElement || state.classList.contains('hot'),
    );
    const next = states[(at + by + states.length) % states.length];
    next?.focus({preventScroll: true});
    const box = next && this.#drawn && boxesOf(this.#drawn.laidOut.elk).get(next.dataset.state ?? '');
    if (box && !this.#isSeen(box)) this.#move({...this.#camera, ...middleOf(box)});
    this.point(next?.dataset.state ?? null);
  }

  /** The edges and meaning of a state; null for what is active. */
  point(state: string | null): void {
    const drawn = this.#drawn;
    if (!drawn || !this.#subject) return;
    const {entry, visits} = this.#subject;
    const active = activeStates(drawn.chart, entry.state);
    highlightState(drawn.drawing, state);
    describeState(drawn.chart, state, active, visits?.[entry.machine] ?? null);
  }

  async draw(): Promise<void> {
    const subject = this.#subject;
    if (!subject) return;
    const turn = ++this.#turn;
    const {entry, outcome, visits} = subject;
    const place = byId('chart');
    const chart = this.#charts.get(entry.machine);
    if (!chart) return this.#refuse(`This Blackbird has no machine called ${entry.machine}.`);
    // Loading the layout is fast, but the pane still says what it waits for.
    if (this.#drawn?.chart !== chart) this.#refuse(`Drawing ${chart.id} …`);
    const laidOut = await layoutChart(chart, this.#room());
    if (turn !== this.#turn) return;
    if (!laidOut)
      return this.#refuse(
        `The chart of ${chart.id} cannot be drawn: it is from another build, or the program does not answer.`,
      );
    const isOver = outcome.kind !== 'working' && outcome.kind !== 'waiting';
    const highlight = {
      active: activeStates(chart, entry.state),
      taken: takenTransitions(entry),
      isOver,
      visits: visits?.[entry.machine] ?? null,
      showsVisits: this.#showsVisits,
    };
    const summary = `Chart of ${chart.id}. ${isOver ? 'It was in' : 'Active'}: ${stateName(entry.state)}. Last event: ${eventName(entry.event.type)}.`;
    const drawing = drawChart(chart, laidOut, highlight, summary);
    this.#drawn = {chart, laidOut, drawing};
    const hadFocus = place.contains(document.activeElement) && document.activeElement !== place;
    place.replaceChildren(drawing, this.#minimap.drawing);
    if (hadFocus)
      drawing.querySelector<SVGGElement>('.state.active:not(.holds)')?.focus({preventScroll: true});
    this.#aim();
    this.point(null);
  }

  #refuse(words: string): void {
    this.#drawn = null;
    byId('chart').replaceChildren(element('p', {class: 'empty'}, words));
  }

  #isSameMachine({entry}: ChartSubject): boolean {
    return this.#drawn?.chart.id === entry.machine;
  }

  /** Sets the camera according to its mode. */
  #aim(): void {
    const [drawn, subject] = [this.#drawn, this.#subject];
    if (!drawn || !subject) return;
    const {chart, laidOut} = drawn;
    const {entry} = subject;
    const highlight = {active: activeStates(chart, entry.state), taken: takenTransitions(entry)};
    if (this.#mode === 'whole') this.#camera = wholeCamera(laidOut, this.#room());
    if (this.#mode === 'near') this.#camera = neighbourhoodCamera(chart, laidOut, highlight, this.#room());
    this.#apply();
  }

  #move(camera: Camera): void {
    this.#mode = 'free';
    this.#camera = camera;
    this.#apply();
  }

  #apply(): void {
    const drawn = this.#drawn;
    if (!drawn) return;
    const {x, y, width, height} = seenBox(this.#camera, this.#room());
    drawn.drawing.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
    this.#minimap.show(
      drawn.laidOut,
      {x, y, width, height},
      activeStates(drawn.chart, this.#subject?.entry.state),
    );
    for (const [id, mode] of [
      ['near', 'near'],
      ['fit', 'whole'],
    ] as const) {
      byId(id).setAttribute('aria-pressed', String(this.#mode === mode));
    }
  }

  #isSeen(box: Box): boolean {
    const seen = seenBox(this.#camera, this.#room());
    const isIn = (start: number, length: number, from: number, size: number) =>
      start >= from && start + length <= from + size;
    return isIn(box.x, box.width, seen.x, seen.width) && isIn(box.y, box.height, seen.y, seen.height);
  }

  #room(): Size {
    const {clientWidth, clientHeight} = byId('chart');
    return {width: Math.max(1, clientWidth), height: Math.max(1, clientHeight)};
  }

  #size(): Size {
    const {width, height} = this.#drawn?.laidOut ?? {width: 1, height: 1};
    return {width, height};
  }
}

const middleOf = ({x, y, width, height}: Box) => ({x: x + width / 2, y: y + height / 2});
