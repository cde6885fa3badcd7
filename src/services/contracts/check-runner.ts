import type {RunningAgent} from './agent-process.ts';
import type {RunRecord} from './run.ts';

/** What is known about a check after it has exited. */
export type CheckEnding = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of its output. */
  readonly tail: string;
  /** Of its whole log. */
  readonly logDigest: string;
  readonly isLogTruncated: boolean;
};

export type RunningCheck = RunningAgent<CheckEnding>;

/** Starts the checks of a run; they wait to be released and are controlled like agents. */
export interface CheckRunner {
  /** Runs `sh -c` in the project folder. Replaces a log of the same name from an interrupted check. */
  launch(spec: {
    readonly run: RunRecord;
    readonly command: string;
    /** A file name beside the run record. */
    readonly logFile: string;
  }): Promise<RunningCheck>;
}
