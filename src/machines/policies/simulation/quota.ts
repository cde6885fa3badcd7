import {retryTime} from '../run/failure-table.ts';

/** When the agents have no quota, every day: minutes after midnight, and for how long. */
export type LimitWindow = {readonly fromMinute: number; readonly minutes: number};

/**
 * How long agents work before they finish or reach their limit. `resetAt` is when there is quota again; null if they
 * finished.
 */
export function stretchOf(
  time: number,
  milliseconds: number,
  limit: LimitWindow | null,
): {readonly milliseconds: number; readonly resetAt: number | null} {
  if (!limit) return {milliseconds, resetAt: null};
  const {isInside, change} = nextChange(time, limit);
  const possible = isInside ? 0 : change - time;
  if (possible >= milliseconds) return {milliseconds, resetAt: null};
  return {milliseconds: possible, resetAt: isInside ? change : nextChange(change, limit).change};
}

/** When the job retries, as for any limit with a known reset. */
export function retryAfter(resetAt: number, now: number): number {
  const iso = (time: number) => new Date(time).toISOString();
  const names = {kind: 'rate_limit', provider: 'demo', attempt: 1, chance: 0} as const;
  return Date.parse(retryTime({...names, resetAt: iso(resetAt), now: iso(now)}) ?? iso(resetAt));
}

const day = 24 * 60;

/** Whether there is no quota now, and when that changes. In local time. */
function nextChange(time: number, {fromMinute, minutes}: LimitWindow) {
  const date = new Date(time);
  const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const at = (minute: number) => midnight + minute * 60_000;
  for (const from of [fromMinute - day, fromMinute, fromMinute + day]) {
    if (time < at(from)) return {isInside: false, change: at(from)};
    if (time < at(from + minutes)) return {isInside: true, change: at(from + minutes)};
  }
  return {isInside: false, change: at(fromMinute + 2 * day)};
}
