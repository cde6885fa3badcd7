import {
  type Outcome,
  outcomeOfEntry,
  outcomeOfFinal,
  outcomeOfOutput,
  waitOf,
} from '../../machines/policies/inspect/outcomes.ts';
import type {InspectedEntry, SourceStanding} from '../../services/contracts/journal.ts';
import {createMarker, type Mark} from './marks.ts';

/** An actor at one moment. */
export type ActorView = {
  /** Unique on the page: its process and its path. */
  readonly key: string;
  readonly name: string;
  readonly machine: string;
  /** The task it was started for; empty if its start does not say. */
  readonly task: string;
  readonly session: number;
  readonly depth: number;
  /** Its latest entry so far. */
  readonly index: number;
  readonly entry: InspectedEntry;
  readonly outcome: Outcome;
};

const mostEntries = 20_000;
const dropped = 2_000;
/** A record and a journal entry are written one after the other. */
const nearMilliseconds = 3_000;

export const actorKey = ({session, actor}: Pick<InspectedEntry, 'session' | 'actor'>) =>
  `${session}|${actor}`;

/** Every entry the page has, and the actors at each. */
export class Recording {
  entries: readonly InspectedEntry[] = [];
  /** How many were dropped because there were too many. */
  dropped = 0;
  standing: SourceStanding = 'ended';
  #marks: readonly Mark[] = [];
  #markOf = createMarker();
  #indexes = new Map<string, number[]>();
  #ends = new Map<string, Outcome>();
  /** Of actors with the same name but different numbers, the one that ended last. */
  #lastEnded = new Map<string, string>();
  #lastOfSession = new Map<number, number>();
  /** The runs still in progress, and their processes. */
  #running = new Map<string, number>();

  /** Adds entries the page does not have yet; they are numbered within their session. */
  add(entries: readonly InspectedEntry[]): void {
    const latest = new Map<number, number>();
    for (const [session, index] of this.#lastOfSession) latest.set(session, this.entries[index]?.seq ?? -1);
    const fresh = entries.filter(({session, seq}) => {
      if (seq <= (latest.get(session) ?? -1)) return false;
      latest.set(session, seq);
      return true;
    });
    if (fresh.length === 0) return;
    const all = [...this.entries, ...fresh];
    const excess = all.length > mostEntries ? all.length - mostEntries + dropped : 0;
    this.dropped += excess;
    const known = excess > 0 ? 0 : this.entries.length;
    this.entries = all.slice(excess);
    if (known === 0) this.#forget();
    this.#index(known);
  }

  /** Moments worth a look, and where a process died: after its last entry. */
  get marks(): readonly Mark[] {
    const lost = [...new Set(this.#running.values())].flatMap((session): Mark[] => {
      const index = this.#lastOfSession.get(session) ?? -1;
      const label = 'the process ended without a message';
      return this.#isOver(session, index) ? [{index, kind: 'lost', label}] : [];
    });
    return lost.length === 0 ? this.#marks : [...this.#marks, ...lost].sort((a, b) => a.index - b.index);
  }

  get last(): number {
    return this.entries.length - 1;
  }

  /** Parents before their children, oldest first; without actors that had not started. */
  actorsAt(position: number): ActorView[] {
    const views: ActorView[] = [];
    for (const key of this.#indexes.keys()) {
      const index = this.latestOf(key, position);
      const entry = this.entries[index];
      const begun = this.entries[this.#indexes.get(key)?.[0] ?? -1];
      if (entry) views.push(viewOf({key, index, entry, begun, outcome: this.outcomeAt(key, position)}));
    }
    return withWaits(inTreeOrder(views));
  }

  /** An actor's outcome at a moment. */
  outcomeAt(key: string, position: number): Outcome {
    const index = this.latestOf(key, position);
    const entry = this.entries[index];
    if (!entry) return {kind: 'ended', word: ''};
    if (entry.status !== 'active') return this.#ends.get(key) ?? outcomeOfFinal(entry.state);
    const isAtRest = entry.machine === 'engine' && entry.state === 'idle';
    if (this.#isOver(entry.session, position)) {
      const isGone = isAtRest || entry.machine === 'tui';
      return isGone ? {kind: 'ended', word: 'ended with its process'} : {kind: 'lost', word: 'lost'};
    }
    if (isAtRest) return {kind: 'ended', word: 'at rest'};
    return waitOf(entry) ?? {kind: 'working', word: 'working'};
  }

  /** Whether this process recorded nothing after this moment. */
  #isOver(session: number, position: number): boolean {
    const last = this.#lastOfSession.get(session) ?? -1;
    const isLive = this.standing === 'live' && last === this.last;
    return !isLive && position >= last;
  }

  /** The entries of one actor. */
  entriesOf(key: string): InspectedEntry[] {
    return (this.#indexes.get(key) ?? []).flatMap((index) => this.entries[index] ?? []);
  }

  indexesOf(key: string): readonly number[] {
    return this.#indexes.get(key) ?? [];
  }

  /** The latest entry of an actor up to a moment; -1 if there is none. */
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

  /** The next entry of the same actor before or after a moment; the moment itself if there is none. */
  neighbour(key: string, position: number, step: 1 | -1): number {
    const indexes = this.#indexes.get(key) ?? [];
    const found =
      step === 1 ? indexes.find((index) => index > position) : indexes.findLast((index) => index < position);
    return found ?? position;
  }

  /** The last entry at or before a time; the first one if all came later. */
  indexAt(at: string): number {
    const time = Date.parse(at);
    const found = this.entries.findLastIndex((entry) => Date.parse(entry.at) <= time);
    return Math.max(0, found);
  }

  /** The mark nearest to a recorded time; else like `indexAt`. */
  markNear(at: string): number {
    const time = Date.parse(at);
    const timeOf = (index: number) => Date.parse(this.entries[index]?.at ?? '');
    const away = ({index, kind}: Mark) => {
      const late = time - timeOf(index);
      // A dead process is silent until the next one starts.
      const isBetween = kind === 'lost' && late >= 0 && !(time >= timeOf(index + 1));
      return isBetween ? 0 : Math.abs(late);
    };
    const [nearest] = this.marks.toSorted((one, other) => away(one) - away(other));
    return nearest && away(nearest) <= nearMilliseconds ? nearest.index : this.indexAt(at);
  }

  indexOf(session: number, seq: number): number {
    return this.entries.findIndex((entry) => entry.session === session && entry.seq === seq);
  }

  #forget(): void {
    this.#marks = [];
    this.#markOf = createMarker();
    this.#indexes = new Map();
    this.#ends = new Map();
    this.#lastEnded = new Map();
    this.#lastOfSession = new Map();
    this.#running = new Map();
  }

  /** Only from here on: a live job adds a few entries to thousands, many times a second. */
  #index(from: number): void {
    const marks: Mark[] = [];
    for (const [offset, entry] of this.entries.slice(from).entries()) {
      const index = from + offset;
      const key = actorKey(entry);
      const known = this.#indexes.get(key);
      if (known) known.push(index);
      else this.#indexes.set(key, [index]);
      this.#lastOfSession.set(entry.session, index);
      this.#takeEnd(entry, key);
      if (entry.machine === 'run' && entry.status === 'active') this.#running.set(key, entry.session);
      else this.#running.delete(key);
      const mark = this.#markOf(entry, index);
      if (mark) marks.push(mark);
    }
    if (marks.length > 0) this.#marks = [...this.#marks, ...marks];
  }

  /** An actor's result is sent to its parent right after its end. */
  #takeEnd(entry: InspectedEntry, key: string): void {
    if (entry.status !== 'active') {
      const own = entry.status === 'error' ? outcomeOfEntry(entry) : outcomeOfFinal(entry.state);
      if (own) {
        this.#ends.set(key, own);
        this.#lastEnded.set(key.replace(/:\d+$/, ''), key);
      }
    }
    const child = /^xstate\.done\.actor\.(.+)$/.exec(entry.event.type)?.[1];
    const outcome = child === undefined ? null : outcomeOfOutput(entry.event.output);
    if (child === undefined || outcome === null) return;
    const ended = this.#lastEnded.get(`${key}/${child}`);
    if (ended !== undefined) this.#ends.set(ended, outcome);
  }
}

function viewOf({
  key,
  index,
  entry,
  begun,
  outcome,
}: Pick<ActorView, 'key' | 'index' | 'entry' | 'outcome'> & {begun: InspectedEntry | undefined}): ActorView {
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
    outcome,
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
    const siblings = children.get(above);
    if (siblings) siblings.push(view);
    else if (known.has(above)) children.set(above, [view]);
    else roots.push(view);
  }
  const walk = (view: ActorView): ActorView[] => [view, ...(children.get(view.key) ?? []).flatMap(walk)];
  return roots.sort((a, b) => a.session - b.session || a.index - b.index).flatMap(walk);
}

/** An actor that works on something that waits, waits too. */
function withWaits(views: readonly ActorView[]): ActorView[] {
  const waits = new Map<string, Outcome>();
  for (const {key, outcome} of views) {
    if (outcome.kind !== 'waiting') continue;
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
      waits.set(key.slice(0, end), outcome);
    }
  }
  return views.map((view) => {
    const wait = view.entry.status === 'active' ? waits.get(view.key) : undefined;
    return view.outcome.kind === 'working' && wait ? {...view, outcome: wait} : view;
  });
}

/**
 * The actors worth a line: alive, selected, or among the last that ended. A long plan leaves thousands, which
 * the slider still reaches.
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
