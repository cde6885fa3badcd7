import type {RunRecord} from '../../../services/contracts/run.ts';

/** `02:41`, for a running clock. */
export function clockTime(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const pad = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${pad(minutes)}:${pad(seconds % 60)}`;
}

/** `4m12s`, for a finished period. */
export function duration(milliseconds: number): string {
  if (milliseconds < 10_000) return `${(Math.max(0, milliseconds) / 1000).toFixed(1)}s`;
  const seconds = Math.round(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours}h${String(minutes).padStart(2, '0')}m`;
  return minutes > 0 ? `${minutes}m${String(seconds % 60).padStart(2, '0')}s` : `${seconds}s`;
}

/** `18:05`, with the date if it is another day. Local time. */
export function timeOfDay(time: string, now: string): string {
  const isToday = new Date(time).toDateString() === new Date(now).toDateString();
  return isToday ? localTime(time) : dayAndTime(time);
}

/** `2026-01-10 18:05`, for text that is kept and read later. Local time. */
export function dayAndTime(time: string): string {
  const date = new Date(time);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${localTime(time)}`;
}

/** A time to wait for, read at once: with seconds if it is near, with the date if it is another day. */
export function nearTime(time: string, now: string | undefined): string {
  if (now === undefined) return dayAndTime(time);
  const isNear = Math.abs(Date.parse(time) - Date.parse(now)) < nearMilliseconds;
  const seconds = isNear ? `:${String(new Date(time).getSeconds()).padStart(2, '0')}` : '';
  return `${timeOfDay(time, now)}${seconds}`;
}

const nearMilliseconds = 10 * 60_000;

/** How long agents worked on a run, without pauses; a running one counts until the last change. */
export function workTime({
  segments,
  updated_at,
  state,
}: Pick<RunRecord, 'segments' | 'updated_at' | 'state'>): number {
  return segments.reduce(
    (sum, {started_at, ended_at = state === 'running' ? updated_at : started_at}) =>
      sum + Math.max(0, Date.parse(ended_at) - Date.parse(started_at)),
    0,
  );
}

/** Agents whose end nobody saw ended with the job that was lost with them. */
export const withLostEnds = (run: RunRecord, lostEnds: ReadonlyMap<string, string>): RunRecord => ({
  ...run,
  segments: run.segments.map((segment) => {
    const end = lostEnds.get(segment.job_id ?? '');
    return segment.ended_at === undefined && end !== undefined ? {...segment, ended_at: end} : segment;
  }),
});

/** `18k`. */
export function tokens({input_tokens, output_tokens}: {input_tokens: number; output_tokens: number}): string {
  return tokenCount(input_tokens + output_tokens);
}

/** `1 token`, `18k tokens`. */
export const tokenWords = (total: number): string =>
  total === 1 ? '1 token' : `${tokenCount(total)} tokens`;

/** The same for an agent's usage. */
export const usedTokens = ({
  input_tokens,
  output_tokens,
}: {
  readonly input_tokens: number;
  readonly output_tokens: number;
}): string => tokenWords(input_tokens + output_tokens);

/** `980`, `1.6k`, `18k`: at least two digits for thousands. */
export const tokenCount = (total: number): string =>
  total < 1000 ? String(total) : `${Number((total / 1000).toFixed(total < 9950 ? 1 : 0))}k`;

/** `22:04` in local time. */
export function localTime(time: string): string {
  const date = new Date(time);
  const pad = (value: number) => String(value).padStart(2, '0');
  return Number.isNaN(date.getTime()) ? '?' : `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

export const dollars = (cost: number): string =>
  cost > 0 && cost < 0.005 ? '<$0.01' : `$${cost.toFixed(2)}`;
