import {providerIds} from '../contracts/agent.ts';
import {decisionStates, type RunRecord, runSchemaVersion} from '../contracts/run.ts';

const states: Readonly<Record<string, RunRecord['state']>> = {
  // Recorded as running, but its process is gone: this Blackbird never owned it.
  running: 'paused',
  success: 'succeeded',
  failed: 'failed',
  waiting_user: 'waiting',
};

/** Whether a record was written by the Go program. */
export function isGoRunRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && 'id' in json && 'taskId' in json && !('run_id' in json);
}

/** Converts it to our format. Read-only: the file of the Go program is not changed. */
export function fromGoRunRecord(json: Record<string, unknown>, attempt: number): Record<string, unknown> {
  const text = (key: string) => (typeof json[key] === 'string' ? (json[key] as string) : '');
  const startedAt = text('startedAt');
  const provider = providerIds.find((id) => id === json.provider) ?? 'claude';
  // The Go program stored its own id as the session of Codex, so Codex never knew it.
  const sessionRef = provider === 'claude' ? text('provider_session_ref') : '';
  const {
    id: _,
    taskId: __,
    status: ___,
    startedAt: ____,
    completedAt: _____,
    exitCode,
    error,
    context: ______,
    decision_state: decision,
    ...kept
  } = json;
  return {
    ...kept,
    ...(decisionStates.some((state) => state === decision) ? {decision_state: decision} : {}),
    schema_version: runSchemaVersion,
    run_id: text('id'),
    task_id: text('taskId'),
    run_type: json.run_type === 'review' ? 'review' : 'execute',
    attempt,
    state: states[text('status')] ?? 'failed',
    ...(json.status === 'running' ? {pause_reason: 'process_lost', paused_at: startedAt} : {}),
    provider,
    provider_session_ref: sessionRef,
    resumable: sessionRef !== '',
    repo_root: '',
    created_at: startedAt,
    updated_at: text('completedAt') || startedAt,
    segments: [],
    stdout: text('stdout'),
    stderr: text('stderr'),
    exit_code: typeof exitCode === 'number' ? exitCode : null,
    ...(typeof error === 'string' && error !== '' ? {failure: {kind: 'agent_error', message: error}} : {}),
  };
}
