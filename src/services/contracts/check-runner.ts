import type {RunningAgent} from './agent-process.ts';
import type {RunRecord} from './run.ts';

/** What is left to know of a check once it is gone. */
export type CheckEnding = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of what it printed. */
  readonly tail: string;
  /** Of its whole log. */
  readonly logDigest: string;
  readonly isLogTruncated: boolean;
};

export type RunningCheck = RunningAgent<CheckEnding>;

/** Starts the commands that tell whether the work of a run holds, held back and controlled like agents. */
export interface CheckRunner {
  /** By `sh -c` in the project folder. A log of the same name, left by a check that was cut short, is replaced. */
  launch(spec: {
    readonly run: RunRecord;
    readonly command: string;
    /** A file name beside the record of the run. */
    readonly logFile: string;
  }): Promise<RunningCheck>;
}
