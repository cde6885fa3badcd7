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
  /** When the bytes of stdout were written; nobody asks where it is missing. */
  readonly timesFile?: string;
  /** Each line of stdout, decoded, without its end. Must not throw. */
  readonly onLine: (line: string) => void;
  /** Both streams as they arrive, cut only between characters. Must not throw. */
  readonly onOutput?: (stream: OutputStream, text: string) => void;
};

export type AgentExit = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 16 KiB of each stream. */
  readonly stdout: string;
  readonly stderr: string;
  /** A log could not be written to its end (disk full, no access). The run itself went on. */
  readonly logTruncated: boolean;
  /** Lines of stdout that were too long to be looked at. They are in the log all the same. */
  readonly droppedLines: number;
};

/** What became of a run's processes. `remaining` are those no signal of ours could end. */
export type RunEnd = {
  readonly ended: number;
  readonly remaining: readonly number[];
};

/**
 * One agent, held back until `go`: whoever records `identity` first can never own an agent that nobody
 * knows of. `endEverything` belongs at the end of every run, a successful one too.
 */
export interface RunningAgent<Ending = AgentExit> {
  /** Of the launcher that waits for `go`: the agent's reaper, or where there is none the agent itself. */
  readonly identity: ProcessIdentity;
  readonly argv: readonly string[];
  /** Lets the agent start and hands it the prompt. Before that, nothing of it ran. */
  go(): void;
  /** No further line is read until `readOn`, or until the agent is interrupted or killed; not even its exit is told. */
  hold(): void;
  readOn(): void;
  /** SIGINT to the agent's group: the one signal that makes agents end their own tools. */
  interrupt(): void;
  /** SIGKILL to every process of the run. */
  kill(): void;
  /** Stops every process of the run, for Ctrl+Z, until `wake`. */
  suspend(): void;
  wake(): void;
  /** The agent is gone and its output was read to the end, or given up 500 ms after its exit. Never rejects. */
  readonly ended: Promise<Ending>;
  /** Kills whatever is left of the run and returns when it is gone. */
  endEverything(): Promise<RunEnd>;
}

export interface AgentSpawner {
  /** Rejects with `AgentSpawnError` when the agent cannot be started. */
  spawn(spec: AgentProcessSpec): Promise<RunningAgent>;
  /**
   * Ends what an earlier Blackbird left of a run. `leader` is the identity that was recorded: it also
   * finds processes whose environment cannot be read.
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
