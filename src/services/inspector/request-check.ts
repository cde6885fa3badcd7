import {timingSafeEqual} from 'node:crypto';
import type {IncomingMessage} from 'node:http';

export type CheckedRequest =
  | {readonly isAllowed: true; readonly path: string; readonly query: URLSearchParams}
  | {readonly isAllowed: false; readonly status: 403 | 404 | 405};

/**
 * Admits only clients that were given the address: the Host must be this machine (against DNS rebinding), no
 * page of another origin, GET only, and the token in the path.
 */
export function checkRequest(
  {method, url = '', headers}: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  {port, token}: {readonly port: number; readonly token: string},
): CheckedRequest {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const {host = '', origin, 'sec-fetch-site': site} = headers;
  const isOurs = hosts.includes(host) && (origin === undefined || origin === `http://${host}`);
  // Browsers send Sec-Fetch-Site even where they send no Origin: for images, frames and links.
  const isAskedFromHere = site === undefined || site === 'none' || site === 'same-origin';
  if (!isOurs || !isAskedFromHere) return {isAllowed: false, status: 403};
  if (method !== 'GET') return {isAllowed: false, status: 405};
  const [address = '', ...asked] = url.split('?');
  const [, given = '', ...rest] = address.split('/');
  if (!isToken(given, token) || rest.length === 0) return {isAllowed: false, status: 404};
  return {isAllowed: true, path: rest.join('/'), query: new URLSearchParams(asked.join('?'))};
}

/** Constant-time comparison. */
export function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Sent with every response: no external or inline content, no framing, no referrer. */
export const safetyHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "connect-src 'self'", "worker-src 'self'"],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; '),
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};
