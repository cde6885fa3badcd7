import type {InspectedEntry} from '../../services/contracts/journal.ts';

export type Connection = 'connecting' | 'live' | 'ended';

/** How often a lost connection is tried again, in milliseconds; then the process is taken to be gone. */
const retries = [500, 1_000, 2_000, 4_000] as const;

/** Listens to the entries of the process that serves this page, until it is gone. */
export function listen(
  onEntries: (entries: readonly InspectedEntry[]) => void,
  onConnection: (connection: Connection) => void,
): void {
  let failures = 0;
  const open = () => {
    const events = new EventSource('entries');
    const take = ({data}: MessageEvent<string>) => onEntries(JSON.parse(data));
    events.addEventListener('all', take);
    events.addEventListener('more', take);
    events.addEventListener('open', () => {
      failures = 0;
      onConnection('live');
    });
    events.addEventListener('end', () => {
      events.close();
      onConnection('ended');
    });
    events.addEventListener('error', () => {
      events.close();
      const delay = retries[failures++];
      if (delay === undefined) onConnection('ended');
      else {
        onConnection('connecting');
        setTimeout(open, delay);
      }
    });
  };
  open();
}
