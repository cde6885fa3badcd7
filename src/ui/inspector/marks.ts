import {type OutcomeKind, outcomeOfEntry} from '../../machines/policies/inspect/outcomes.ts';
import type {InspectedEntry} from '../../services/contracts/journal.ts';
import {eventName} from './event-name.ts';

/** A moment worth a look, marked above the slider. */
export type Mark = {
  readonly index: number;
  readonly kind: Extract<OutcomeKind, 'paused' | 'failed' | 'refused' | 'waiting' | 'lost'> | 'decision';
  readonly label: string;
};

/** One incident passes through every actor on its way, so it is marked once. */
const same = 12;

/** The marks of entries that keep coming, by their place among all. */
export function createMarker(): (entry: InspectedEntry, index: number) => Mark | null {
  const last = new Map<string, number>();
  const once = (kind: Mark['kind'], index: number, label: string): Mark | null => {
    const isNew = index - (last.get(kind) ?? Number.NEGATIVE_INFINITY) > same;
    last.set(kind, index);
    return isNew ? {index, kind, label} : null;
  };
  return (entry, index) => {
    const {event, machine, kind} = entry;
    if (/\.pause$/.test(event.type)) return once('paused', index, `pause requested, ${machine}`);
    if (/^(review|question|decision)\./.test(event.type))
      return {index, kind: 'decision', label: `${event.type}, ${machine}`};
    if (kind === 'error' || event.type.startsWith('xstate.error.'))
      return once('failed', index, `${eventName(event.type)}, ${machine}`);
    const outcome = outcomeOfEntry(entry);
    return outcome?.kind === 'failed' || outcome?.kind === 'refused' || outcome?.kind === 'waiting'
      ? once(outcome.kind, index, `${outcome.word}, ${machine}`)
      : null;
  };
}
