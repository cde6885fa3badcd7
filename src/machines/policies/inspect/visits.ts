import type {InspectedEntry, JournalValue} from '../../../services/contracts/journal.ts';

/** How often a state was entered, and for how long it was active. */
export type Visit = {readonly count: number; readonly milliseconds: number};
/** By machine and state path: `running.active`. */
export type Visits = Readonly<Record<string, Readonly<Record<string, Visit>>>>;

type Standing = {readonly machine: string; readonly states: ReadonlySet<string>; readonly since: number};

/**
 * Counts visits over the journals of runs. States still active count until the last entry of their journal; machines
 * above the runs appear in several journals and are counted once.
 */
export function createVisitCounter() {
  const shared = new Set<string>();
  const isCounted = ({actor, at, event, machine}: InspectedEntry) => {
    if (actor.includes('/task') || machine === 'task') return false;
    const key = `${at} ${actor} ${event.type}`;
    if (shared.has(key)) return true;
    shared.add(key);
    return false;
  };
  const counted = new Map<string, Map<string, {count: number; milliseconds: number}>>();
  const visit = (machine: string, state: string) => {
    const states = counted.get(machine) ?? new Map();
    counted.set(machine, states);
    const found = states.get(state) ?? {count: 0, milliseconds: 0};
    states.set(state, found);
    return found;
  };
  return {
    add: (entries: readonly InspectedEntry[]) => {
      const actors = new Map<string, Standing>();
      let last = 0;
      const leave = ({machine, states, since}: Standing, until: number) => {
        for (const state of states) visit(machine, state).milliseconds += Math.max(0, until - since);
      };
      for (const entry of entries) {
        const {session, actor, machine, state, at, kind, status, transitions} = entry;
        const key = `${session}|${actor}`;
        const time = Date.parse(at);
        last = Number.isNaN(time) ? last : Math.max(last, time);
        const states = new Set(pathsOf(state));
        if (isCounted(entry)) {
          if (status === 'active') actors.set(key, {machine, states, since: time});
          continue;
        }
        const before = kind === 'started' || kind === 'standing' ? undefined : actors.get(key);
        if (before) leave(before, time);
        for (const each of states) {
          const isEntered = !before?.states.has(each) || isEnteredAgain(machine, each, transitions);
          if (kind !== 'standing' && isEntered) visit(machine, each).count++;
        }
        // States passed through within one step count as visited.
        for (const {target} of transitions) {
          const path = target?.startsWith(`${machine}.`) ? target.slice(machine.length + 1) : null;
          if (path !== null && !states.has(path)) visit(machine, path).count++;
        }
        if (status === 'active') actors.set(key, {machine, states, since: time});
        else actors.delete(key);
      }
      for (const standing of actors.values()) leave(standing, last);
    },
    visits: (): Visits =>
      Object.fromEntries(
        [...counted].map(([machine, states]) => [machine, Object.fromEntries(states)] as const),
      ),
  };
}

const isEnteredAgain = (machine: string, path: string, transitions: InspectedEntry['transitions']): boolean =>
  transitions.some(({target}) => target === `${machine}.${path}`);

/** Every state in a state value, parents before children. */
export function pathsOf(value: JournalValue, prefix = ''): string[] {
  if (typeof value === 'string') return [`${prefix}${value}`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    `${prefix}${key}`,
    ...pathsOf(inner, `${prefix}${key}.`),
  ]);
}
