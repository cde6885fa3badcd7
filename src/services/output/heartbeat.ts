import {closeSync, constants, futimesSync, openSync} from 'node:fs';

const beatMilliseconds = 1_000;
// As for logs: a planted link or pipe is refused, not followed or waited for.
const flags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * An agent may be silent for a long time: the mtime of this file says until when its Blackbird lived. Returns
 * a stop function.
 */
export function startHeartbeat(file: string): () => void {
  const timer = setInterval(() => beat(file), beatMilliseconds).unref();
  return () => clearInterval(timer);
}

export function beat(file: string, now: Date = new Date()): void {
  try {
    const opened = openSync(file, flags, 0o600);
    try {
      futimesSync(opened, now, now);
    } finally {
      closeSync(opened);
    }
  } catch {
    // A file error ends no run; a crash is then dated less exactly.
  }
}
