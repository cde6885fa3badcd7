import {AppError} from '../../../services/contracts/errors.ts';
import type {JobRecord} from '../../../services/contracts/job.ts';
import {isOpenJob} from '../job/job-record.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/**
 * `22:00` is the most recent time the clock showed it, `8h` is that long ago; anything else is a date, with or without
 * a time.
 */
export function sinceTime(text: string, now: string): string {
  const present = Date.parse(now);
  const [, length, unit] = /^(\d{1,6})\s*(m|h|d)$/.exec(text.trim()) ?? [];
  if (length !== undefined) {
    const units = {m: minute, h: hour, d: day};
    return isoTime(present - Number(length) * units[unit as keyof typeof units]);
  }
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  if (hours !== undefined) {
    const date = new Date(present);
    date.setHours(Number(hours), Number(minutes), 0, 0);
    if (date.getTime() > present) date.setDate(date.getDate() - 1);
    return date.toISOString();
  }
  const time = localDate(text.trim());
  if (time !== null) return time;
  throw new AppError('E_USAGE', `--since takes 22:00, 8h, 90m, 2d or a date, not ${JSON.stringify(text)}`);
}

/** A day starts at local midnight, not in UTC. */
function localDate(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return null;
  const time = Date.parse(text.length === 10 ? `${text}T00:00` : text.replace(' ', 'T'));
  return Number.isNaN(time) ? null : isoTime(time);
}

const isoTime = (milliseconds: number) => new Date(milliseconds).toISOString();

/** It was still running then, or started later. */
export const isJobSince = (job: JobRecord, since: string): boolean =>
  isOpenJob(job) || Date.parse(job.endedAt ?? job.startedAt) >= Date.parse(since);

/** A refused undo touched nothing and is not reported. */
export const isRefusedUndo = ({steps, runs, end}: JobRecord): boolean =>
  end?.reason === 'error' && runs.length === 0 && steps.every(({type}) => type === 'undo');

/** Jobs closer together than this are reported together. */
const togetherMilliseconds = hour;
const longestMilliseconds = day;

/**
 * Whether a report of the newest job includes an earlier one: if that was cut off and the later one continued it, or if
 * they followed each other closely; never more than a day back.
 */
export function isSameStretch(earlier: JobRecord, later: JobRecord, newest: JobRecord): boolean {
  if (Date.parse(newest.startedAt) - Date.parse(earlier.startedAt) > longestMilliseconds) return false;
  const {endedAt = earlier.startedAt, end} = earlier;
  const isCutOff = end === undefined || end.reason === 'lost' || end.standing === 'timeNeeded';
  return isCutOff || Date.parse(later.startedAt) - Date.parse(endedAt) < togetherMilliseconds;
}
