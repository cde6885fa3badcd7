import type {Chart, ChartState} from '../../machines/policies/inspect/chart.ts';
import type {InspectedEntry} from '../../services/contracts/journal.ts';

/** The states a state value stands for, from the root downwards. */
export function activeStates(chart: Chart, value: unknown): ReadonlySet<string> {
  const ids = new Set<string>([chart.root.id]);
  const walk = (state: ChartState, inner: unknown) => {
    const keys = typeof inner === 'string' ? [inner] : Object.keys((inner ?? {}) as object);
    for (const child of state.states) {
      if (!keys.includes(child.key)) continue;
      ids.add(child.id);
      if (typeof inner === 'object' && inner !== null)
        walk(child, (inner as Record<string, unknown>)[child.key]);
    }
  };
  walk(chart.root, value);
  return ids;
}

/** The chart's ids of the transitions an entry took. */
export function takenTransitions({transitions}: Pick<InspectedEntry, 'transitions'>): ReadonlySet<string> {
  return new Set(transitions.map(({source, event, index}) => `${source}|${event}|${index}`));
}
