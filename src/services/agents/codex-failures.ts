import * as z from 'zod';
import type {Failure, FailureKind} from '../contracts/agent.ts';
import {kindOfStatus} from './verdicts.ts';

// How Codex reports failures: prose in its output, names and numbers in the thread's file.

const isRetry = /^Reconnecting\b|\bretrying\b/;

/** Text from Codex and the model's server; the model's prose never gets here. */
const messages: ReadonlyArray<readonly [RegExp, FailureKind]> = [
  [/\busage limit\b/i, 'rate_limit'],
  [/^rate limit exceeded\b/i, 'rate_limit'],
  [/^Quota exceeded\b|\bupgrade to Plus\b/, 'billing'],
  [/\bmodel is at capacity\b|\bexperiencing high demand\b/, 'outage'],
  [/^stream disconnected\b|\bwaiting for network\b/, 'outage'],
  [/\bran out of room\b.*\bcontext window\b/, 'context_full'],
  [/^Missing environment variable\b/, 'auth'],
];

export function messageFailure(message: string): Failure {
  return {kind: kindOfMessage(message), message};
}

/** Whether it announces another attempt. */
export const isRetryMessage = (message: string): boolean => isRetry.test(message);

function kindOfMessage(text: string): FailureKind {
  const cause = /^Reconnecting\.\.\. \d+\/\d+ \((.*)\)$/s.exec(text)?.[1] ?? text;
  const kind = messages.find(([words]) => words.test(cause))?.[1];
  if (kind !== undefined) return kind;
  const status = /\bstatus:? (\d{3})\b/.exec(cause)?.[1];
  return status === undefined ? 'agent_error' : kindOfStatus(Number(status));
}

const httpStatus = z.object({http_status_code: z.number()});
const errorInfo = z.union([z.string(), z.record(z.string(), httpStatus)]);
const limitWindow = z.object({used_percent: z.number(), resets_at: z.number()}).nullable().catch(null);

const threadLine = z.object({
  payload: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('token_count'),
      rate_limits: z.object({primary: limitWindow, secondary: limitWindow}),
    }),
    z.object({
      type: z.literal('task_complete'),
      error: z.object({message: z.string(), codex_error_info: errorInfo.optional().catch(undefined)}),
    }),
  ]),
});

/** Adds what the last lines of the thread's file say about the failure. They may be about an older one. */
export function threadFailure(failure: Failure, lines: readonly string[], now: Date): Failure {
  let limits: readonly z.infer<typeof limitWindow>[] = [];
  let kind: FailureKind | null = null;
  for (const line of lines) {
    const payload = parsedLine(line)?.payload;
    if (payload?.type === 'token_count') {
      limits = [payload.rate_limits.primary, payload.rate_limits.secondary];
    } else if (payload?.type === 'task_complete') {
      const isSame = payload.error.message === failure.message;
      kind = isSame ? kindOfInfo(payload.error.codex_error_info, failure) : null;
    }
  }
  const known = kind === null ? failure : {...failure, kind};
  if (known.kind !== 'rate_limit') return known;
  const reset_at = (kind === null ? undefined : lastReset(limits)) ?? resetTimeIn(failure.message, now);
  return reset_at === undefined ? known : {...known, reset_at};
}

const kindsOfInfo: ReadonlyMap<string, FailureKind> = new Map([
  ['usage_limit_exceeded', 'rate_limit'],
  ['rate_limit_exceeded', 'rate_limit'],
  ['server_overloaded', 'outage'],
  ['internal_server_error', 'outage'],
  ['context_window_exceeded', 'context_full'],
  ['model_not_found', 'bad_model'],
  ['unauthorized', 'auth'],
]);

function kindOfInfo(info: z.infer<typeof errorInfo> | undefined, {kind}: Failure): FailureKind {
  if (typeof info === 'string') {
    // Missing credit is reported under the name of a limit; only the text differs.
    return kind === 'billing' ? kind : (kindsOfInfo.get(info) ?? kind);
  }
  const status = Object.values(info ?? {})[0]?.http_status_code;
  return status === undefined ? kind : kindOfStatus(status);
}

function parsedLine(line: string): z.infer<typeof threadLine> | undefined {
  if (!line.includes('"token_count"') && !line.includes('"task_complete"')) return undefined;
  try {
    return threadLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** When the last of the exhausted windows resets. */
function lastReset(limits: readonly z.infer<typeof limitWindow>[]): string | undefined {
  const times = limits.flatMap((limit) => (limit && limit.used_percent >= 100 ? [limit.resets_at] : []));
  return times.length === 0 ? undefined : isoTime(new Date(Math.max(...times) * 1000));
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "try again at 3:33 PM." or "at Mar 17th, 2030 5:46 PM.": local time, to the minute. */
export function resetTimeIn(message: string, now: Date): string | undefined {
  const found = /try again at (?:(\w{3}) (\d{1,2})\w{2}, (\d{4}) )?(\d{1,2}):(\d{2}) ([AP])M\b/.exec(message);
  if (found === null) return undefined;
  const [, month, day, year, hour, minute, half] = found;
  if (month !== undefined && !months.includes(month)) return undefined;
  const date = new Date(now);
  if (month !== undefined) date.setFullYear(Number(year), months.indexOf(month), Number(day));
  date.setHours((Number(hour) % 12) + (half === 'P' ? 12 : 0), Number(minute), 0, 0);
  if (month === undefined && date < now) date.setDate(date.getDate() + 1);
  return isoTime(date);
}

function isoTime(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
