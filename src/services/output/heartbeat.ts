import {closeSync, constants, futimesSync, openSync} from 'node:fs';

const beatMilliseconds = 1_000;
// As for logs: a link or a pipe in its place is refused, not followed or waited for.
const flags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** An agent may be silent for long: the time of this file tells until when its Blackbird lived. Returns how to stop. */
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
    // Trouble with the file ends no run; what is known of a crash is less exact then.
  }
}
