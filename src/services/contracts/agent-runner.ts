import type {AgentEvent, AgentRequest, AgentVerdict, ProviderId, Usage} from './agent.ts';
import type {RunEnd, RunningAgent} from './agent-process.ts';
import type {RunRecord} from './run.ts';

/** What is left to know of an agent once it is gone. */
export type AgentEnding = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Not all of its output could be written to the log files. */
  readonly isLogTruncated?: boolean;
  readonly verdict: AgentVerdict;
  readonly usage?: Usage;
  /** The usage counts earlier processes of the session too. */
  readonly isWholeSession?: boolean;
};

export interface LaunchedAgent extends RunningAgent<AgentEnding> {
  /** Milliseconds since it printed anything, was told to go or was woken. */
  silentFor(): number;
}

/** Starts the agent of a run with the provider the run names, and tells what its lines mean. */
export interface AgentRunner {
  /** The command that runs as provider `custom`; null where there is none. */
  readonly customCommand: string | null;
  /** Throws `E_AGENT_NOT_FOUND` unless the provider can be started. Asked before anything is recorded. */
  check(provider: ProviderId): Promise<{readonly choosesSession: boolean}>;
  launch(spec: {
    readonly run: RunRecord;
    readonly request: AgentRequest;
    readonly onEvent: (event: AgentEvent) => void;
  }): Promise<LaunchedAgent>;
  /** Ends what an earlier Blackbird left of a run. */
  sweep(run: RunRecord): Promise<RunEnd>;
}
