import type {
  AgentEnd,
  AgentEvent,
  AgentResult,
  AgentVerdict,
  Failure,
  FailureKind,
  Usage,
} from '../contracts/agent.ts';
import {isModelText} from '../contracts/model-choice.ts';
import {firstLine} from './json-lines.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The one form of ref that all providers share. With any other, Codex silently starts a new session. */
export function isUuid(ref: string): boolean {
  return uuid.test(ref);
}

/** Checks a word from a user or a plan before it goes into argv. A bad one here is a bug, as with a ref. */
export function checkedWord(text: string): string {
  if (isModelText(text)) return text;
  throw new Error(`${JSON.stringify(text)} cannot be an argument`);
}

/** Checks a ref before it goes into argv. A bad one here is a bug: callers ask `isSessionRef` first. */
export function checkedRef(ref: string | null): string {
  if (ref === null || !isUuid(ref)) throw new Error(`not a session ref: ${JSON.stringify(ref)}`);
  return ref;
}

export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'billing';
  if (status === 429) return 'rate_limit';
  return status === 408 || status >= 500 ? 'outage' : 'agent_error';
}

export function succeeded(end: AgentEnd): AgentVerdict {
  return {outcome: 'succeeded', text: answerOf(end)};
}

/** The verdict on an agent that did not succeed. `refusal` matches the stderr of a rejected resume. */
export function failed(end: AgentEnd, {refusal}: {readonly refusal: RegExp}): AgentVerdict {
  return {outcome: 'failed', failure: failureOf(end, refusal), text: answerOf(end)};
}

function failureOf(end: AgentEnd, refusal: RegExp): Failure {
  if (end.kind === 'resume') {
    const refused = refusal.exec(end.stderrTail)?.[0];
    if (refused !== undefined) return {kind: 'resume_rejected', message: refused};
  }
  const failure = diagnosed(end.result?.failure ?? null, end.diagnosis) ?? {
    kind: 'agent_error',
    message: describeEnd(end),
  };
  // A limit or a missing login can also end it before its first turn, which says nothing about the session.
  const isRejected = end.kind === 'resume' && end.result?.turns === 0 && failure.kind === 'agent_error';
  return isRejected ? {...failure, kind: 'resume_rejected'} : failure;
}

/** The line that names the kind and the line that ends the turn are about the same failure. */
function diagnosed(failure: Failure | null, diagnosis: Failure | undefined): Failure | null {
  if (diagnosis === undefined || failure === null) return diagnosis ?? failure;
  const isCause = failure.kind === 'agent_error' || failure.kind === diagnosis.kind;
  return isCause ? {...diagnosis, message: failure.message} : failure;
}

function answerOf({result, lastMessage = ''}: AgentEnd): string {
  return result === null || result.text === '' ? lastMessage : result.text;
}

function describeEnd({result, exitCode, signal, stderrTail}: AgentEnd): string {
  const how = signal === null ? `exit code ${exitCode ?? 'unknown'}` : `ended by ${signal}`;
  const what =
    result === null ? `the agent gave no result (${how})` : `the agent failed after its result (${how})`;
  const detail = stderrReason(stderrTail);
  return detail === '' ? what : `${what}: ${detail}`;
}

/** Collects from the events of an agent process what its verdict is based on. */
export function gatherEndFacts() {
  let result: AgentResult | null = null;
  let lastMessage: string | undefined;
  let diagnosis: Failure | undefined;
  let usage: {usage: Usage; isWholeSession: boolean} | null = null;
  let sessionRef: string | null = null;
  let wasStopped = false;

  return {
    take(event: AgentEvent): void {
      switch (event.type) {
        case 'session':
          sessionRef ??= event.ref;
          return;
        case 'result':
          // What an agent reports about its interruption does not replace an earlier result.
          result = wasStopped && result ? result : event.result;
          return;
        case 'retrying':
          // The agent is interrupted because of it, so no later line explains the cause.
          if (event.isFatal) result = {ok: false, text: '', failure: event.failure};
          return;
        case 'diagnosis':
          diagnosis = merged(diagnosis, event.failure);
          return;
        case 'turn':
          diagnosis = undefined;
          return;
        case 'message':
          lastMessage = event.text;
          return;
        case 'usage':
          usage = {usage: event.usage, isWholeSession: event.wholeSession === true};
          return;
        case 'activity':
        case 'messageUsage':
          return;
      }
    },
    /** We told the agent to exit. */
    stop(): void {
      wasStopped = true;
    },
    get wasStopped() {
      return wasStopped;
    },
    get sessionRef() {
      return sessionRef;
    },
    get usage() {
      return usage;
    },
    get said(): Pick<AgentEnd, 'result' | 'lastMessage' | 'diagnosis'> {
      return {
        result,
        ...(lastMessage === undefined ? {} : {lastMessage}),
        ...(diagnosis === undefined ? {} : {diagnosis}),
      };
    },
  };
}

/** Two lines about one failure: the later one may not repeat the reset time. */
function merged(earlier: Failure | undefined, later: Failure): Failure {
  return earlier?.kind === later.kind ? {...earlier, ...later} : later;
}

/** How programs start the line that says what is wrong. */
const error =
  /^\s*(?:[\w.-]+: )?(?:(?:[\w.]*(?:Error|Exception)|error|fatal(?: error)?|panic|ERROR|FATAL)(?:\[\w+\])?(?=[:\s])|thread '.*' panicked)/;
/** What surrounds that line: marks, code locations, advice and warnings. */
const decoration =
  /^[\s|^~=>-]*$|^\s*\d* ?\|( |$)|^\s*at |^\s*(?:tip|hint|note|help|usage|warn(?:ing)?)\b|^For more information|^Node\.js v|^note: run with|stack backtrace/i;

/** The line of an agent's stderr that says why it ended; empty if there is none. */
export function stderrReason(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const first = lines.findIndex((line) => error.test(line));
  const place = first === -1 ? lines.findLastIndex((line) => !decoration.test(line)) : first;
  const line = lines[place]?.trim() ?? '';
  const next = lines[place + 1]?.trim() ?? '';
  // "Error loading config.toml:" is a heading; the reason is on the next line.
  return firstLine(line.endsWith(':') && !decoration.test(next) ? `${line} ${next}` : line);
}
