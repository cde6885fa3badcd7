import type {AgentEvent, AgentRequest, AgentVerdict, ProviderId, Usage} from './agent.ts';
import type {RunEnd, RunningAgent} from './agent-process.ts';
import type {RunRecord} from './run.ts';

/** What is known about an agent after it has exited. */
export type AgentEnding = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The log files are incomplete. */
  readonly isLogTruncated?: boolean;
  readonly verdict: AgentVerdict;
  readonly usage?: Usage;
  /** The usage includes earlier processes of the session. */
  readonly isWholeSession?: boolean;
};

export interface LaunchedAgent extends RunningAgent<AgentEnding> {
  /** Milliseconds since its last output, its release or its wake-up. */
  silentFor(): number;
}

/** Starts the agent of a run with the run's provider, and interprets its output. */
export interface AgentRunner {
  /** The command of provider `custom`; null if there is none. */
  readonly customCommand: string | null;
  /**
   * Throws `E_AGENT_NOT_FOUND` unless the provider can be started, and `E_PROVIDER_REFUSED` if it is known not to do
   * such work here. Called before anything is recorded.
   */
  check(provider: ProviderId, access: AgentRequest['access']): Promise<{readonly choosesSession: boolean}>;
  launch(spec: {
    readonly run: RunRecord;
    readonly request: AgentRequest;
    readonly onEvent: (event: AgentEvent) => void;
  }): Promise<LaunchedAgent>;
  /** Ends what an earlier Blackbird left of a run. */
  sweep(run: RunRecord): Promise<RunEnd>;
}
