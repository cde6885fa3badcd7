import {element} from './dom.ts';

/** Extra rows above and below the visible ones, ready for scrolling. */
const spare = 8;

/** A long list in which only the visible rows exist. All rows have the same height. */
export class VirtualList {
  readonly #place: HTMLElement;
  readonly #list: HTMLElement;
  #rowHeight: number;
  readonly #rowOf: (index: number) => HTMLElement | null;
  readonly #onRange: (from: number, to: number) => void;
  #total = 0;
  /** The row to keep visible when the list is resized, until the user scrolls. */
  #shown: number | null = null;
  #isDrawing = false;
  /** Rows that are drawn and up to date: scrolling keeps them, and with them the focus. */
  readonly #rows = new Map<number, HTMLElement>();

  constructor(
    place: HTMLElement,
    {
      rowHeight,
      rowOf,
      onRange = () => {},
      label,
    }: {
      rowHeight: number;
      /** Null if the row is not known yet. */
      rowOf: (index: number) => HTMLElement | null;
      /** Called with the visible range. */
      onRange?: (from: number, to: number) => void;
      label: string;
    },
  ) {
    this.#place = place;
    this.#rowHeight = rowHeight;
    this.#rowOf = rowOf;
    this.#onRange = onRange;
    this.#list = element('ol', {class: 'virtual', 'aria-label': label});
    place.replaceChildren(this.#list);
    place.addEventListener('scroll', () => this.#drawSoon());
    for (const type of ['wheel', 'pointerdown', 'keydown'])
      place.addEventListener(type, () => {
        this.#shown = null;
      });
    new ResizeObserver(() => (this.#shown === null ? this.draw() : this.reveal(this.#shown))).observe(place);
  }

  set rowHeight(height: number) {
    this.#rowHeight = height;
    this.draw();
  }

  set total(total: number) {
    this.#total = total;
    this.draw();
  }

  /** Redraws every row, once per frame, because their content changed. */
  draw(): void {
    this.#rows.clear();
    this.#drawSoon();
  }

  #drawSoon(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#drawNow();
    });
  }

  /** Scrolls a row into view. */
  reveal(index: number): void {
    this.#shown = index;
    const [top, bottom] = [index * this.#rowHeight, (index + 1) * this.#rowHeight];
    const {scrollTop, clientHeight} = this.#place;
    if (top < scrollTop) this.#place.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) this.#place.scrollTop = bottom - clientHeight;
    this.draw();
  }

  focus(index: number): void {
    this.reveal(index);
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        this.#list
          .querySelector<HTMLElement>(`[data-row="${index}"] [data-main]`)
          ?.focus({preventScroll: true}),
      ),
    );
  }

  #drawNow(): void {
    this.#list.style.height = `${this.#total * this.#rowHeight}px`;
    const {scrollTop, clientHeight} = this.#place;
    const first = Math.max(0, Math.floor(scrollTop / this.#rowHeight) - spare);
    const last = Math.min(this.#total, Math.ceil((scrollTop + clientHeight) / this.#rowHeight) + spare);
    if (this.#total > 0) this.#onRange(first, last);
    const focused = document.activeElement;
    const focusedRow = this.#list.contains(focused)
      ? focused?.closest<HTMLElement>('[data-row]')?.dataset.row
      : undefined;
    const focusedPart = (focused as HTMLElement | null)?.dataset.part;
    const rows: HTMLElement[] = [];
    for (const index of [...this.#rows.keys()]) if (index < first || index >= last) this.#rows.delete(index);
    for (let index = first; index < last; index++) {
      const known = this.#rows.get(index);
      if (known) {
        rows.push(known);
        continue;
      }
      const row = element('li', {'data-row': index, 'aria-setsize': this.#total, 'aria-posinset': index + 1});
      row.style.top = `${index * this.#rowHeight}px`;
      row.style.height = `${this.#rowHeight}px`;
      const content = this.#rowOf(index);
      if (content) {
        row.append(content);
        this.#rows.set(index, row);
      }
      rows.push(row);
    }
    const wanted = new Set<Element>(rows);
    for (const row of [...this.#list.children]) if (!wanted.has(row)) row.remove();
    rows.forEach((row, index) => {
      if (this.#list.children[index] !== row)
        this.#list.insertBefore(row, this.#list.children[index] ?? null);
    });
    if (focusedRow === undefined || this.#list.contains(document.activeElement)) return;
    const again = this.#list.querySelector<HTMLElement>(`[data-row="${focusedRow}"]`);
    const part = focusedPart === undefined ? '[data-main]' : `[data-part="${focusedPart}"]`;
    again?.querySelector<HTMLElement>(part)?.focus({preventScroll: true});
  }
}
