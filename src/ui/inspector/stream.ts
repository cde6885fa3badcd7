import type {InspectedEntry, SourceStanding} from '../../services/contracts/journal.ts';

/** `gone`: whoever served the page is no more, and said goodbye or not. */
export type Connection = 'connecting' | SourceStanding | 'gone';

/** How often a lost connection is tried again, in milliseconds; then the process is taken to be gone. */
export const retries = [500, 1_000, 2_000, 4_000] as const;

/** Listens to the entries of a source until whoever serves them is gone. Returns how to stop. */
export function listen(
  path: string,
  onEntries: (entries: readonly InspectedEntry[]) => void,
  onConnection: (connection: Connection, saidGoodbye: boolean) => void,
): () => void {
  let failures = 0;
  let isStopped = false;
  let events: EventSource | null = null;
  const open = () => {
    if (isStopped) return;
    events = new EventSource(path);
    const stream = events;
    const take = ({data}: MessageEvent<string>) => {
      if (!isStopped) onEntries(JSON.parse(data));
    };
    stream.addEventListener('all', take);
    stream.addEventListener('more', take);
    stream.addEventListener('open', () => {
      failures = 0;
    });
    stream.addEventListener('standing', ({data}: MessageEvent<string>) =>
      onConnection(JSON.parse(data), false),
    );
    stream.addEventListener('end', () => {
      stream.close();
      onConnection('gone', true);
    });
    stream.addEventListener('error', () => {
      stream.close();
      if (isStopped) return;
      const delay = retries[failures++];
      if (delay === undefined) onConnection('gone', false);
      else {
        onConnection('connecting', false);
        setTimeout(open, delay);
      }
    });
  };
  open();
  return () => {
    isStopped = true;
    events?.close();
  };
}
