import type {
  AgentEnd,
  AgentEvent,
  AgentResult,
  AgentVerdict,
  Failure,
  FailureKind,
  Usage,
} from '../contracts/agent.ts';
import {isWishText} from '../contracts/model-wish.ts';
import {firstLine} from './json-lines.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The one form of ref that all providers share. Anything else makes Codex start a new session in silence. */
export function isUuid(ref: string): boolean {
  return uuid.test(ref);
}

/** What a person or a plan names, on its way into argv. A wrong one here is a bug, as with a ref. */
export function checkedWord(text: string): string {
  if (isWishText(text)) return text;
  throw new Error(`${JSON.stringify(text)} cannot be an argument`);
}

/** A ref on its way into argv. A wrong one here is a bug: callers ask `isSessionRef` first. */
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

/** The verdict on an agent that did not succeed. `refusal` is how the vendor's stderr says no to a resume. */
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
  // A limit or a login that is gone can end it before its first turn, too: that is no word on the session.
  const isRejected = end.kind === 'resume' && end.result?.turns === 0 && failure.kind === 'agent_error';
  return isRejected ? {...failure, kind: 'resume_rejected'} : failure;
}

/** The line that names the kind and the line that ends the turn tell of the same failure. */
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

/** Gathers from the events of one agent process what it is judged by in the end. */
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
          // What an agent says of its interruption does not undo the result it had.
          result = wasStopped && result ? result : event.result;
          return;
        case 'retrying':
          // The agent will be interrupted for it, so this is the last that is said of the cause.
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
    /** We told the agent to end. */
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

/** Two lines on one failure: the later may not repeat when the limit ends. */
function merged(earlier: Failure | undefined, later: Failure): Failure {
  return earlier?.kind === later.kind ? {...earlier, ...later} : later;
}

/** How programs begin the line that says what is wrong. */
const error =
  /^\s*(?:[\w.-]+: )?(?:(?:[\w.]*(?:Error|Exception)|error|fatal(?: error)?|panic|ERROR|FATAL)(?:\[\w+\])?(?=[:\s])|thread '.*' panicked)/;
/** Marks, places in code, advice and warnings: what stands around that line. */
const decoration =
  /^[\s|^~=>-]*$|^\s*\d* ?\|( |$)|^\s*at |^\s*(?:tip|hint|note|help|usage|warn(?:ing)?)\b|^For more information|^Node\.js v|^note: run with|stack backtrace/i;

/** The one line of an agent's stderr that tells why it ended; empty where none does. */
export function stderrReason(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const first = lines.findIndex((line) => error.test(line));
  const place = first === -1 ? lines.findLastIndex((line) => !decoration.test(line)) : first;
  const line = lines[place]?.trim() ?? '';
  const next = lines[place + 1]?.trim() ?? '';
  // "Error loading config.toml:" is a title; what it announces follows.
  return firstLine(line.endsWith(':') && !decoration.test(next) ? `${line} ${next}` : line);
}
