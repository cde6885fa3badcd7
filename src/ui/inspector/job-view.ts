import type {JobList, JobPage} from '../../machines/policies/inspect/job-page.ts';
import type {RowPage} from '../../machines/policies/inspect/job-rows.ts';
import {addressText} from './address.ts';
import {ask, pathOf} from './api.ts';
import {byId} from './dom.ts';
import {drawAxis} from './job-axis.ts';
import {drawHeader, drawJobChoice, drawNotable} from './job-header.ts';
import {drawRow} from './job-row.ts';
import {JobRows} from './job-rows-cache.ts';
import {type LaneScale, laneScale} from './job-scale.ts';
import {type Connection, retries} from './stream.ts';
import {VirtualList} from './virtual-list.ts';

const refreshMilliseconds = 1_000;
const [leastZoom, mostZoom] = [1, 400] as const;

/** A job: its header, highlights, and the plan with a lane for each task. Requests only what it shows. */
export class JobView {
  readonly #rows = new JobRows(
    (query) => ask<RowPage>(`jobs/${pathOf(this.#jobId)}/rows?${query}`),
    () => this.#draw(),
  );
  readonly #list: VirtualList;
  readonly #onConnection: (connection: Connection, saidGoodbye: boolean) => void;
  #jobId = 'newest';
  #page: JobPage | null = null;
  #timer = 0;
  /** Responses that arrive after leaving, or to an earlier request, are discarded. */
  #turn = 0;
  #failures = 0;
  /** The visible time range: `zoom` 1 is all of it; `start` is the fraction at the left edge. */
  #window = {zoom: 1, start: 0};

  constructor(onConnection: (connection: Connection, saidGoodbye: boolean) => void) {
    this.#onConnection = onConnection;
    // As in narrow.css: there a lane is below its task.
    const narrow = matchMedia('(max-width: 700px)');
    const heightNow = () => (narrow.matches ? 56 : 30);
    this.#list = new VirtualList(byId('rows'), {
      rowHeight: heightNow(),
      label: 'The plan, a row for each task',
      rowOf: (index) => {
        const [row, scale] = [this.#rows.at(index), this.#scale()];
        return row && scale ? drawRow(row, scale, {onFold: (id) => this.#rows.fold(id)}) : null;
      },
      onRange: (from, to) => this.#rows.want(from, to),
    });
    narrow.addEventListener('change', () => {
      this.#list.rowHeight = heightNow();
    });
    new ResizeObserver(() => this.#draw()).observe(byId('axis'));
    this.#listen();
  }

  get page(): JobPage | null {
    return this.#page;
  }

  open(jobId: string): void {
    if (jobId !== this.#jobId || this.#page === null) {
      this.#jobId = jobId;
      this.#page = null;
      this.#window = {zoom: 1, start: 0};
      this.#rows.reset();
    }
    this.#failures = 0;
    void this.#refresh(true);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#turn++;
  }

  zoom(by: number, at = 0.5): void {
    const {zoom, start} = this.#window;
    const next = Math.max(leastZoom, Math.min(mostZoom, zoom * by));
    this.#look(next, start + at / zoom - at / next);
  }

  /** Pans by a fraction of the visible range. */
  pan(by: number): void {
    const {zoom, start} = this.#window;
    this.#look(zoom, start + by / zoom);
  }

  fit(): void {
    this.#look(1, 0);
  }

  #look(zoom: number, start: number): void {
    this.#window = {zoom, start: Math.max(0, Math.min(1 - 1 / zoom, start))};
    this.#draw();
  }

  #scale(): LaneScale | null {
    return this.#page && laneScale(this.#page, byId('axis').clientWidth, this.#window);
  }

  async #refresh(isFirst: boolean): Promise<void> {
    clearTimeout(this.#timer);
    const turn = ++this.#turn;
    const asked = this.#jobId;
    const begun = performance.now();
    const page = await ask<JobPage>(`jobs/${pathOf(asked)}`).catch(() => undefined);
    if (turn !== this.#turn) return;
    if (page === undefined) return this.#tryAgain(isFirst);
    this.#failures = 0;
    if (page === null) return this.#showNothing();
    const isNew = this.#page === null;
    this.#page = page;
    if (isNew) this.#rows.show(page.total > 150 && page.lanes > 0 ? 'job' : 'all');
    else this.#rows.outdate();
    if (isFirst) void this.#loadChoice(page.job.job_id);
    this.#onConnection(page.is_live ? 'live' : page.outcome.kind === 'lost' ? 'lost' : 'ended', false);
    this.#draw();
    // A finished job may be followed by another: the newest is polled, less often.
    const isFollowed = this.#page?.is_live || asked === 'newest';
    if (isFollowed)
      this.#timer = setTimeout(
        () => void this.#refresh(false),
        // The server has other work: a long job is polled less often.
        Math.max((this.#page?.is_live ? 1 : 3) * refreshMilliseconds, 10 * (performance.now() - begun)),
      );
  }

  /** A single failed request proves nothing; the server is gone only after several in a row. */
  #tryAgain(isFirst: boolean): void {
    const delay = retries[this.#failures++];
    this.#onConnection(delay === undefined ? 'gone' : 'connecting', false);
    if (delay !== undefined) this.#timer = setTimeout(() => void this.#refresh(isFirst), delay);
  }

  async #loadChoice(chosen: string): Promise<void> {
    // The server is gone: the view says so.
    drawJobChoice(await ask<JobList>('jobs').catch(() => null), chosen);
  }

  #showNothing(): void {
    byId('job-message').textContent = 'There is no such job.';
    this.#timer = setTimeout(() => void this.#refresh(true), 3 * refreshMilliseconds);
  }

  #draw(): void {
    if (!this.#page || byId('job').hidden) return;
    drawHeader(this.#page);
    drawNotable(this.#page);
    const scale = this.#scale();
    if (scale) drawAxis(this.#page, scale);
    byId('row-count').textContent = this.#rows.total === null ? '' : `${this.#rows.total} rows`;
    byId('show-all').setAttribute('aria-pressed', String(this.#rows.shows === 'all'));
    byId('show-job').setAttribute('aria-pressed', String(this.#rows.shows === 'job'));
    byId('show-attention').setAttribute('aria-pressed', String(this.#rows.shows === 'attention'));
    this.#list.total = this.#rows.total ?? 0;
  }

  #listen(): void {
    for (const show of ['all', 'job', 'attention'] as const) {
      byId(`show-${show}`).addEventListener('click', () => this.#rows.show(show));
    }
    const find = byId<HTMLInputElement>('find-task');
    find.addEventListener('input', () => this.#rows.find(find.value));
    byId('job-choice').addEventListener('change', (event) => {
      location.hash = addressText({view: 'job', jobId: (event.target as HTMLSelectElement).value});
    });
    const rows = byId('rows');
    rows.addEventListener(
      'wheel',
      (event) => {
        const {left, width} = byId('axis').getBoundingClientRect();
        const isOverLanes = event.clientX >= left;
        if (event.ctrlKey) this.zoom(Math.exp(-event.deltaY / 300), (event.clientX - left) / width);
        else if (event.shiftKey && isOverLanes) this.pan(event.deltaY / width);
        else return;
        event.preventDefault();
      },
      {passive: false},
    );
    this.#followDrag(rows);
    this.#followDrag(byId('axis'));
    rows.addEventListener('keydown', (event) => this.#moveFocus(event));
  }

  /** Dragging pans the lanes; a click on a bar stays a click. */
  #followDrag(place: HTMLElement): void {
    place.addEventListener('pointerdown', (event) => {
      const isLane = (event.target as Element).closest('.lane, #axis') !== null;
      if (!isLane || event.button !== 0 || this.#window.zoom === 1) return;
      let before = event.clientX;
      const move = ({clientX}: PointerEvent) => {
        this.pan((before - clientX) / byId('axis').clientWidth);
        before = clientX;
      };
      addEventListener('pointermove', move);
      addEventListener('pointerup', () => removeEventListener('pointermove', move), {once: true});
    });
  }

  #moveFocus(event: KeyboardEvent): void {
    const focused = (event.target as Element).closest<HTMLElement>('[data-row]');
    if (!focused || event.altKey || event.ctrlKey || event.metaKey) return;
    const row = Number(focused.dataset.row);
    const by = {ArrowUp: -1, ArrowDown: 1, PageUp: -20, PageDown: 20}[event.key];
    if (by !== undefined) this.#list.focus(Math.max(0, Math.min((this.#rows.total ?? 1) - 1, row + by)));
    else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      const parts = [...focused.querySelectorAll<HTMLElement>('[data-main], [data-part]')];
      const at = parts.indexOf(document.activeElement as HTMLElement);
      parts[Math.max(0, Math.min(parts.length - 1, at + (event.key === 'ArrowRight' ? 1 : -1)))]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
