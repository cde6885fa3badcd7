import type {AgentEnd, AgentVerdict, Failure, FailureKind} from '../contracts/agent.ts';
import {stderrReason} from './stderr-reason.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The one form of ref that all providers share. Anything else makes Codex start a new session in silence. */
export function isUuid(ref: string): boolean {
  return uuid.test(ref);
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
