import type {JobRow, RowPage} from '../../machines/policies/inspect/job-rows.ts';

const pageSize = 100;

type Query = {readonly show: string; readonly find: string; readonly closed: readonly string[]};

/** The rows of a job that the page has, and those it requested. Stale ones are shown until fresh ones arrive. */
export class JobRows {
  readonly #ask: (query: string) => Promise<RowPage | null>;
  readonly #onChange: () => void;
  #query: Query = {show: 'all', find: '', closed: []};
  #rows = new Map<number, JobRow>();
  #total: number | null = null;
  #wanted = {from: 0, to: pageSize};
  #asked = new Set<number>();
  /** Responses to an earlier query or refresh are discarded. */
  #turn = 0;

  constructor(ask: (query: string) => Promise<RowPage | null>, onChange: () => void) {
    this.#ask = ask;
    this.#onChange = onChange;
  }

  get total(): number | null {
    return this.#total;
  }

  get shows(): string {
    return this.#query.show;
  }

  at(index: number): JobRow | undefined {
    return this.#rows.get(index);
  }

  reset(): void {
    this.#query = {show: 'all', find: '', closed: []};
    this.#forget();
  }

  show(show: string): void {
    this.#change({...this.#query, show});
  }

  find(find: string): void {
    this.#change({...this.#query, find});
  }

  fold(taskId: string): void {
    const {closed} = this.#query;
    const isClosed = closed.includes(taskId);
    this.#change({
      ...this.#query,
      closed: isClosed ? closed.filter((id) => id !== taskId) : [...closed, taskId],
    });
  }

  /** Requests the visible rows again. */
  outdate(): void {
    this.#turn++;
    this.#asked = new Set();
    this.want(this.#wanted.from, this.#wanted.to);
  }

  want(from: number, to: number): void {
    this.#wanted = {from, to};
    for (let page = Math.floor(from / pageSize); page * pageSize < Math.max(to, 1); page++) {
      if (!this.#asked.has(page)) void this.#load(page);
    }
  }

  #change(query: Query): void {
    this.#query = query;
    this.#turn++;
    this.#asked = new Set();
    this.want(0, pageSize);
  }

  #forget(): void {
    this.#turn++;
    this.#rows = new Map();
    this.#asked = new Set();
    this.#total = null;
  }

  async #load(page: number): Promise<void> {
    this.#asked.add(page);
    const [turn, query] = [this.#turn, this.#query];
    const text = new URLSearchParams([
      ['from', String(page * pageSize)],
      ['count', String(pageSize)],
      ['show', query.show],
      ['find', query.find],
      ...query.closed.map((id) => ['closed', id]),
    ]).toString();
    // The server is gone: the view says so.
    const found = await this.#ask(text).catch(() => null);
    if (found === null || turn !== this.#turn) return;
    // There are fewer rows than before; the rest no longer exist.
    if (found.total !== this.#total) {
      this.#rows = new Map([...this.#rows].filter(([index]) => index < found.total));
    }
    this.#total = found.total;
    found.rows.forEach((row, index) => {
      this.#rows.set(found.from + index, row);
    });
    this.#onChange();
  }
}
