/** `20260110-220412-3fa9c1`: sorts by time, and after the newest one even if the clock was set back. */
export function newJobId(now: string, suffix: string, newest: string | undefined): string {
  const stamp = stampOf(now);
  const before = newest?.slice(0, stamp.length) ?? '';
  return `${stamp > before ? stamp : stampAfter(before)}-${suffix}`;
}

const stampOf = (time: string) => time.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');

function stampAfter(stamp: string): string {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(stamp) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // A name in another format may sort anywhere.
  return Number.isNaN(time) ? `${stamp}0` : stampOf(new Date(time + 1000).toISOString());
}
