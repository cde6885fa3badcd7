import type {ServerResponse} from 'node:http';
import type {InspectedEntry, InspectionSource, SourceStanding} from '../contracts/journal.ts';

/** Limits how many updates per second a page gets and costs. */
const flushMilliseconds = 50;
/** A tab that stops reading is disconnected, and gets everything again when it reconnects. */
const mostUnread = 16 * 1024 * 1024;
const standingMilliseconds = 1_000;

/**
 * Server-sent events: all entries so far, then later ones in batches, and whether more can come. Returns a
 * function that flushes at once, for a process that is about to exit.
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
    // A large initial batch may take a while to read, but later ones must not pile up behind it.
    if (response.writableLength > unreadAtFirst + mostUnread) response.destroy();
  };
  const unsubscribe = source.subscribe((entry) => {
    waiting.push(entry);
    timer ??= setTimeout(flush, flushMilliseconds).unref();
  });
  let told: SourceStanding | null = null;
  const tellStanding = async () => {
    // Unreadable for now: keep what was sent last.
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
  // Entries that arrive in between are in both; the page identifies an entry by its number.
  send('all', source.entries());
  unreadAtFirst = response.writableLength;
  void tellStanding();
  return flush;
}
