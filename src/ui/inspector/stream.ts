import type {InspectedEntry, SourceStanding} from '../../services/contracts/journal.ts';

/** `gone`: the server is gone, with or without a goodbye. */
export type Connection = 'connecting' | SourceStanding | 'gone';

/** The delays between reconnects, in milliseconds; after the last one the process counts as gone. */
export const retries = [500, 1_000, 2_000, 4_000] as const;

/** Receives the entries of a source until its server is gone. Returns a stop function. */
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
