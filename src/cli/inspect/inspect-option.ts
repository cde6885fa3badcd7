import {InvalidArgumentError, Option} from 'commander';

/** The value of `--inspect`. */
export type InspectChoice = {readonly type: 'page' | 'stately'; readonly port: number};

export const inspectOption = () =>
  new Option(
    '--inspect [port]',
    'serve a live page of the state machines; --inspect=stately feeds the tools of @statelyai/inspect instead',
  ).argParser(parseInspect);

export function parseInspect(text: string): InspectChoice {
  if (text === '') return {type: 'page', port: 0};
  if (text === 'stately') return {type: 'stately', port: 0};
  return {type: 'page', port: portOf(text, 'It must be a port from 1 to 65535, or stately.')};
}

export const parsePort = (text: string): number => portOf(text, 'It must be a port from 1 to 65535.');

function portOf(text: string, complaint: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new InvalidArgumentError(complaint);
  return port;
}

/** `--inspect` takes a value only after `=`: the next word is an argument, such as a task. */
export function withInspectValue(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.map((arg, index) => (arg === '--inspect' && (end < 0 || index < end) ? '--inspect=' : arg));
}
