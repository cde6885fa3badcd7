const timestampForm =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** The timestamps that the Go program accepts: no leap seconds, and no February 30. */
export function isTimestamp(text: string): boolean {
  if (!timestampForm.test(text)) return false;
  const day = Number(text.slice(8, 10));
  return day <= 28 || new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === day;
}

/** Compares two RFC 3339 timestamps to the nanosecond, which Go writes and `Date` would drop. */
export function compareTimestamps(a: string, b: string): number {
  if (a === b) return 0;
  if (a.endsWith('Z') && b.endsWith('Z') && a.slice(0, 19) !== b.slice(0, 19)) return a < b ? -1 : 1;
  const whole = Math.floor(Date.parse(a) / 1000) - Math.floor(Date.parse(b) / 1000);
  if (whole !== 0) return Math.sign(whole);
  return Math.sign(nanoseconds(a) - nanoseconds(b));
}

/** `now`, or `notBefore` if the clock was set back. */
export function laterOf(now: string, notBefore: string): string {
  return compareTimestamps(now, notBefore) < 0 ? notBefore : now;
}

function nanoseconds(timestamp: string): number {
  const fraction = /\.(\d+)/.exec(timestamp)?.[1] ?? '';
  return Number(fraction.slice(0, 9).padEnd(9, '0'));
}
