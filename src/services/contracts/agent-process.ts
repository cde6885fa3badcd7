import type {AgentCommand} from './agent.ts';
import type {ProcessIdentity} from './process.ts';

export type OutputStream = 'stdout' | 'stderr';

export type AgentProcessSpec = {
  /** Letters, digits, `.`, `_` and `-`; every process of the run carries it in its environment. */
  readonly runId: string;
  readonly command: AgentCommand;
  readonly cwd: string;
  /** Created with 0600 or appended to; their folder must exist. */
  readonly stdoutFile: string;
  readonly stderrFile: string;
  /** Records when the bytes of stdout were written; optional. */
  readonly timesFile?: string;
  /** Each line of stdout, decoded, without its line break. Must not throw. */
  readonly onLine: (line: string) => void;
  /** Both streams as they arrive, split only between characters. Must not throw. */
  readonly onOutput?: (stream: OutputStream, text: string) => void;
};

export type AgentExit = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 16 KiB of each stream. */
  readonly stdout: string;
  readonly stderr: string;
  /** A log could not be written completely (disk full, no access). The run itself continued. */
  readonly logTruncated: boolean;
  /** Lines of stdout that were too long to parse. They are still in the log. */
  readonly droppedLines: number;
};

/** The result of ending a run's processes. `remaining` are those that no signal could end. */
export type RunEnd = {
  readonly ended: number;
  readonly remaining: readonly number[];
};

/**
 * One agent process that waits for `go`: recording `identity` first guarantees that no agent runs unknown to us. Call
 * `endEverything` at the end of every run, also a successful one.
 */
export interface RunningAgent<Ending = AgentExit> {
  /** Of the launcher that waits for `go`: the agent's reaper, or the agent itself if there is none. */
  readonly identity: ProcessIdentity;
  readonly argv: readonly string[];
  /** Releases the agent and sends it the prompt. Before that, nothing of it ran. */
  go(): void;
  /** Stops reading lines until `readOn`, or until the agent is interrupted or killed; even its exit is not reported. */
  hold(): void;
  readOn(): void;
  /** SIGINT to the agent's group: the only signal that makes agents end their own tools. */
  interrupt(): void;
  /** SIGKILL to every process of the run. */
  kill(): void;
  /** Stops every process of the run, for Ctrl+Z, until `wake`. */
  suspend(): void;
  wake(): void;
  /** The agent has exited and its output was read to the end, or given up 500 ms after its exit. Never rejects. */
  readonly ended: Promise<Ending>;
  /** Kills whatever is left of the run and resolves when it is gone. */
  endEverything(): Promise<RunEnd>;
}

export interface AgentSpawner {
  /** Rejects with `AgentSpawnError` if the agent cannot be started. */
  spawn(spec: AgentProcessSpec): Promise<RunningAgent>;
  /**
   * Ends what an earlier Blackbird left of a run. `leader` is the recorded identity; it also finds processes whose
   * environment cannot be read.
   */
  sweepRun(runId: string, leader?: ProcessIdentity): Promise<RunEnd>;
  /** For handlers that cannot wait: exit, uncaught errors, signals. */
  killAllSync(): void;
}

export type SpawnFailure = 'not_found' | 'not_executable' | 'bad_cwd' | 'too_large' | 'refused';

/** An agent that could not be started. The message names its executable. */
export class AgentSpawnError extends Error {
  override readonly name = 'AgentSpawnError';
  readonly reason: SpawnFailure;

  constructor(reason: SpawnFailure, message: string, options?: {cause?: unknown}) {
    super(message, options);
    this.reason = reason;
  }
}
