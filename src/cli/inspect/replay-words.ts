import {counted} from '../../machines/policies/text/counted.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {verifyEntries} from '../../machines/replay.ts';

/** Whether this Blackbird's machines reach the recorded states; if not, the first event that differs. */
export function replayWords({
  compared,
  first,
}: Pick<ReturnType<typeof verifyEntries>, 'compared' | 'first'>): string {
  if (first === null)
    return `replayed: ${counted(compared, 'event leads', 'events lead')} to the recorded states`;
  const {seq, actor, event} = first.entry;
  return `replay differs at event ${seq}: ${displayLine(actor)} took ${displayLine(event.type)}`;
}
