import type {Failure, FailureKind} from '../contracts/agent.ts';
import {kindOfStatus} from './verdicts.ts';

// Claude Code's names for failures.

const kinds: ReadonlyMap<string, FailureKind> = new Map([
  ['rate_limit', 'rate_limit'],
  ['server_error', 'outage'],
  ['overloaded', 'outage'],
  ['authentication_failed', 'auth'],
  ['billing_error', 'billing'],
  ['model_not_found', 'bad_model'],
]);

/** The kind of an error in a line. `unknown` without a status is a failed connection. */
export function kindOfError(error: string | undefined, status: number | null): FailureKind {
  const kind = kinds.get(error ?? '');
  if (kind !== undefined) return kind;
  if (status !== null) return kindOfStatus(status);
  return error === 'unknown' ? 'outage' : 'agent_error';
}

type ResultFacts = {
  readonly subtype: string;
  readonly result: string;
  readonly api_error_status: number | null;
  readonly terminal_reason?: string | undefined;
};

const ownLimits: readonly string[] = ['error_max_turns', 'error_max_budget_usd'];

export function kindOfResult({subtype, result, api_error_status, terminal_reason}: ResultFacts): FailureKind {
  if (terminal_reason === 'prompt_too_long') return 'context_full';
  if (ownLimits.includes(subtype)) return 'own_limit';
  if (api_error_status !== null || subtype !== 'success') return kindOfError(undefined, api_error_status);
  // Without a status (no login, older versions) only text is left: Claude Code's own, never the model's.
  const status = /^API Error: (\d{3})\b/.exec(result)?.[1];
  if (status !== undefined) return kindOfStatus(Number(status));
  return result.includes('/login') ? 'auth' : 'agent_error';
}

const retryWords: Readonly<Partial<Record<FailureKind, string>>> = {
  rate_limit: 'too many requests',
  outage: 'the model is not available',
  auth: 'the login or the key was refused',
};

/** The text of a retry line, for live views. */
export function retryFailure(line: {
  readonly error?: string | undefined;
  readonly error_status: number | null;
  readonly attempt: number;
  readonly max_retries: number;
}): Failure {
  const {error, error_status: status, attempt, max_retries} = line;
  const kind = kindOfError(error, status);
  const isOffline = kind === 'outage' && status === null;
  const reason = isOffline
    ? 'no connection to the model'
    : (retryWords[kind] ?? error ?? 'the request failed');
  const http = status === null ? '' : ` (HTTP ${status})`;
  return {kind, message: `${reason}${http}, retry ${attempt} of ${max_retries}`};
}

/**
 * A refused key is retried ten times in three minutes, in vain. The first attempts may renew an expired login, which
 * gives up by itself after two.
 */
export const isFatalRetry = ({kind}: Failure, {attempt}: {readonly attempt: number}): boolean =>
  kind === 'auth' && attempt > 2;

type Limit = {
  readonly status: string;
  readonly resetsAt?: number | undefined;
  readonly rateLimitType?: string | undefined;
  readonly overageDisabledReason?: string | undefined;
};

/** A limit that was reached or is near. Paying might lift it sooner, time always does. */
export function limitFailure({status, resetsAt, rateLimitType, overageDisabledReason}: Limit): Failure {
  const reset_at = isoTime(resetsAt);
  const message = [
    `rate limit${rateLimitType === undefined ? '' : ` (${rateLimitType})`} ${status}`,
    ...(reset_at === undefined ? [] : [`resets ${reset_at}`]),
    ...(overageDisabledReason === undefined ? [] : [`no extra usage: ${overageDisabledReason}`]),
  ].join(', ');
  return {kind: 'rate_limit', message, ...(reset_at === undefined ? {} : {reset_at})};
}

function isoTime(seconds: number | undefined): string | undefined {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
