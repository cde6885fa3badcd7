/** What the terminal sends to a whole process group. */
const groupSignals: ReadonlySet<string> = new Set(['SIGINT', 'SIGHUP', 'SIGQUIT']);

/** Closing a window sends SIGHUP twice: by the shell and by the system. */
export const maxStarts = 3;

/**
 * Runs a program with its own process group, again if such a signal ended it. Until it has left our group, before its
 * first instruction, a Ctrl+C meant for us ends it as well; it has done nothing then.
 */
export async function despiteGroupSignals<T extends {readonly signal: string | null}>(
  run: () => Promise<T>,
): Promise<T> {
  for (let start = 1; ; start++) {
    const end = await run();
    if (end.signal === null || !groupSignals.has(end.signal) || start === maxStarts) return end;
  }
}
