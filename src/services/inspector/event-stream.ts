import type {ServerResponse} from 'node:http';
import type {InspectedEntry, InspectionSource, SourceStanding} from '../contracts/journal.ts';

/** A page sees no more than so many changes a second, and costs no more than that. */
const flushMilliseconds = 50;
/** A tab that does not read: it is cut off, and starts again with everything when it comes back. */
const mostUnread = 16 * 1024 * 1024;
const standingMilliseconds = 1_000;

/**
 * Server-sent events: all entries so far, then each batch of later ones, and whether more can come. Returns how to send at once what
 * still waits, for a process that ends.
 */
export function streamEntries(source: InspectionSource, response: ServerResponse): () => void {
  let waiting: InspectedEntry[] = [];
  let timer: NodeJS.Timeout | null = null;
  let unreadAtFirst = 0;
  const send = (event: 'all' | 'more', entries: readonly InspectedEntry[]) => {
    response.write(`event: ${event}\ndata: ${JSON.stringify(entries)}\n\n`);
  };
  const flush = () => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    const entries = waiting;
    waiting = [];
    send('more', entries);
    // A large beginning is read in its time; what comes then must not pile up behind it.
    if (response.writableLength > unreadAtFirst + mostUnread) response.destroy();
  };
  const unsubscribe = source.subscribe((entry) => {
    waiting.push(entry);
    timer ??= setTimeout(flush, flushMilliseconds).unref();
  });
  let told: SourceStanding | null = null;
  const tellStanding = async () => {
    // Unreadable for now: what was told stands.
    const standing = await Promise.resolve(source.standing()).catch(() => told);
    if (standing === told || standing === null || response.writableEnded) return;
    told = standing;
    flush();
    response.write(`event: standing\ndata: ${JSON.stringify(standing)}\n\n`);
  };
  const watch = setInterval(tellStanding, standingMilliseconds).unref();
  response.once('close', () => {
    unsubscribe();
    clearInterval(watch);
    if (timer !== null) clearTimeout(timer);
  });
  // Whatever comes between the two is in both, and the page knows an entry by its number.
  send('all', source.entries());
  unreadAtFirst = response.writableLength;
  void tellStanding();
  return flush;
}
