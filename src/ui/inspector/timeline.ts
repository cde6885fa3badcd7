import type {InspectedEntry} from '../../services/contracts/journal.ts';

/** An actor at one moment. */
export type ActorView = {
  /** Unique on the page: its process and its path. */
  readonly key: string;
  readonly name: string;
  readonly machine: string;
  /** The task it was begun for; empty where its beginning does not say. */
  readonly task: string;
  readonly session: number;
  readonly depth: number;
  /** Its latest entry so far. */
  readonly index: number;
  readonly entry: InspectedEntry;
};

export type Mark = {
  readonly index: number;
  readonly kind: 'pause' | 'decision' | 'error';
  readonly label: string;
};

const mostEntries = 20_000;
const dropped = 2_000;

export const actorKey = ({session, actor}: Pick<InspectedEntry, 'session' | 'actor'>) =>
  `${session}|${actor}`;

/** Every entry the page has, and the actors at each. */
export class Timeline {
  entries: readonly InspectedEntry[] = [];
  marks: readonly Mark[] = [];
  /** How many were dropped because there were too many. */
  dropped = 0;
  #indexes = new Map<string, number[]>();

  /** Takes what the page does not have yet; entries are numbered within their session. */
  add(entries: readonly InspectedEntry[]): void {
    const latest = new Map<number, number>();
    for (const {session, seq} of this.entries) latest.set(session, seq);
    const fresh = entries.filter(({session, seq}) => {
      if (seq <= (latest.get(session) ?? -1)) return false;
      latest.set(session, seq);
      return true;
    });
    if (fresh.length === 0) return;
    const all = [...this.entries, ...fresh];
    const excess = all.length > mostEntries ? all.length - mostEntries + dropped : 0;
    this.dropped += excess;
    this.entries = all.slice(excess);
    this.#index();
  }

  get last(): number {
    return this.entries.length - 1;
  }

  /** Parents before their children, oldest first; actors that had not begun are not there. */
  actorsAt(position: number): ActorView[] {
    const views: ActorView[] = [];
    for (const key of this.#indexes.keys()) {
      const index = this.latestOf(key, position);
      const entry = this.entries[index];
      const begun = this.entries[this.#indexes.get(key)?.[0] ?? -1];
      if (entry) views.push(viewOf(key, index, entry, begun));
    }
    return inTreeOrder(views);
  }

  /** The latest entry of an actor up to a moment; -1 when there is none. */
  latestOf(key: string, position: number): number {
    const indexes = this.#indexes.get(key) ?? [];
    let [low, high] = [0, indexes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((indexes[middle] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return indexes[low - 1] ?? -1;
  }

  /** The next entry of the same actor, before or after a moment; where there is none, the moment itself. */
  neighbour(key: string, position: number, step: 1 | -1): number {
    const indexes = this.#indexes.get(key) ?? [];
    const found =
      step === 1 ? indexes.find((index) => index > position) : indexes.findLast((index) => index < position);
    return found ?? position;
  }

  #index(): void {
    this.#indexes = new Map();
    this.entries.forEach((entry, index) => {
      const key = actorKey(entry);
      const known = this.#indexes.get(key);
      if (known) known.push(index);
      else this.#indexes.set(key, [index]);
    });
    this.marks = marksOf(this.entries);
  }
}

/**
 * Those worth a line: who is alive, who is looked at, and who ended last. A long plan leaves thousands behind,
 * which the slider still reaches.
 */
export function shownActors(
  views: readonly ActorView[],
  chosen: string | null,
  mostEnded = 40,
): {readonly views: readonly ActorView[]; readonly hidden: number} {
  const ended = views.filter(({entry}) => entry.status !== 'active');
  if (ended.length <= mostEnded) return {views, hidden: 0};
  const newest = ended.toSorted((a, b) => b.index - a.index).slice(0, mostEnded);
  const wanted = new Set(newest.map(({key}) => key));
  const kept = new Set<string>();
  const above = new Map(views.map((view) => [view.key, view]));
  for (const view of views) {
    if (view.entry.status !== 'active' && view.key !== chosen && !wanted.has(view.key)) continue;
    for (let each: ActorView | undefined = view; each && !kept.has(each.key); ) {
      kept.add(each.key);
      const {session, parent}: InspectedEntry = each.entry;
      each = parent === null ? undefined : above.get(actorKey({session, actor: parent}));
    }
  }
  return {views: views.filter(({key}) => kept.has(key)), hidden: views.length - kept.size};
}

function viewOf(
  key: string,
  index: number,
  entry: InspectedEntry,
  begun: InspectedEntry | undefined,
): ActorView {
  const parts = entry.actor.split('/');
  return {
    key,
    name: parts.at(-1) ?? entry.actor,
    machine: entry.machine,
    task: taskIn(begun?.event.input),
    session: entry.session,
    depth: parts.length - 1,
    index,
    entry,
  };
}

function taskIn(input: unknown): string {
  if (typeof input !== 'object' || input === null || !('taskId' in input)) return '';
  return typeof input.taskId === 'string' ? input.taskId : '';
}

function inTreeOrder(views: readonly ActorView[]): ActorView[] {
  const children = new Map<string, ActorView[]>();
  const known = new Set(views.map(({key}) => key));
  const roots: ActorView[] = [];
  for (const view of views) {
    const {session, parent} = view.entry;
    const above = parent === null ? '' : actorKey({session, actor: parent});
    if (known.has(above)) children.set(above, [...(children.get(above) ?? []), view]);
    else roots.push(view);
  }
  const walk = (view: ActorView): ActorView[] => [view, ...(children.get(view.key) ?? []).flatMap(walk)];
  return roots.sort((a, b) => a.session - b.session || a.index - b.index).flatMap(walk);
}

/** One pause passes through every actor on its way down; it is counted once. */
const samePause = 12;

function marksOf(entries: readonly InspectedEntry[]): Mark[] {
  const marks: Mark[] = [];
  let lastPause = Number.NEGATIVE_INFINITY;
  entries.forEach(({kind, event: {type}, machine}, index) => {
    if (/\.pause$/.test(type)) {
      if (index - lastPause > samePause) marks.push({index, kind: 'pause', label: `pause asked, ${machine}`});
      lastPause = index;
    } else if (/^(review|question|decision)\./.test(type)) {
      marks.push({index, kind: 'decision', label: `${type}, ${machine}`});
    } else if (kind === 'error' || type.startsWith('xstate.error.')) {
      marks.push({index, kind: 'error', label: `${type}, ${machine}`});
    }
  });
  return marks;
}
