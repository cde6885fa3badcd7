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

export function marksOf(entries: readonly InspectedEntry[]): Mark[] {
  const marks: Mark[] = [];
  const last = new Map<string, number>();
  const add = (kind: Mark['kind'], index: number, label: string) => {
    if (index - (last.get(kind) ?? Number.NEGATIVE_INFINITY) > same) marks.push({index, kind, label});
    last.set(kind, index);
  };
  entries.forEach((entry, index) => {
    const {event, machine, kind} = entry;
    if (/\.pause$/.test(event.type)) add('paused', index, `pause requested, ${machine}`);
    else if (/^(review|question|decision)\./.test(event.type))
      marks.push({index, kind: 'decision', label: `${event.type}, ${machine}`});
    else if (kind === 'error' || event.type.startsWith('xstate.error.'))
      add('failed', index, `${eventName(event.type)}, ${machine}`);
    else {
      const outcome = outcomeOfEntry(entry);
      if (outcome?.kind === 'failed' || outcome?.kind === 'refused' || outcome?.kind === 'waiting')
        add(outcome.kind, index, `${outcome.word}, ${machine}`);
    }
  });
  return marks;
}
