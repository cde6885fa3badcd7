import type {RunComments} from '../machines/actors/run-comments.ts';
import type {TaskDiff} from '../machines/actors/task-change.ts';
import type {OpenCheckpointDraft} from '../machines/drafts.ts';
import type {Engine} from '../machines/engine.ts';
import type {CheckpointAnswer} from '../machines/policies/review/decisions.ts';
import type {DecisionRequest} from '../machines/review-gate.machine.ts';
import type {Task} from '../services/contracts/plan.ts';
import type {UserPrograms} from '../ui/ports.ts';
import type {UnfinishedLine} from './terminal/line-reader.ts';

/** What a stream can display. */
export type Surface = {
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly hasColor: boolean;
};

/** A checkpoint as shown to the user. */
export type DecisionQuestion = Pick<DecisionRequest, 'run' | 'obstacle'> & {
  readonly task: Pick<Task, 'id' | 'title' | 'acceptanceCriteria'>;
  /** Where feedback, a reason or a comment is kept while it is being written. */
  readonly openDraft: OpenCheckpointDraft;
  readonly listFiles: () => Promise<readonly string[]>;
  readonly loadDiff: () => Promise<TaskDiff>;
  readonly programs: UserPrograms;
  /** The run's comments are sent with a request for changes. */
  readonly comments: RunComments;
  /** Withdraws the question. */
  readonly signal: AbortSignal;
};

/** Everything a command may use of its process; tests pass in their own. */
export type CliContext = {
  readonly name: 'blackbird' | 'agency';
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** As is, without a newline: live lines and raw agent output. */
  readonly write: (text: string) => void;
  readonly writeErr: (text: string) => void;
  /** Lets the process's signals pause the engine; returns a function to unsubscribe. */
  readonly onSignals: (engine: Pick<Engine, 'pause' | 'suspend' | 'wake'>) => () => void;
  /** Asks on stderr and reads a line from stdin; null at end of input. */
  readonly ask: (question: string, unfinished?: UnfinishedLine) => Promise<string | null>;
  /** Drops what was typed while an agent worked: nobody had seen the question then. Absent without a terminal. */
  readonly forgetTyped?: () => Promise<void>;
  /** All of stdin; the question is for a user who types it. */
  readonly readAll: (question: string, unfinished?: UnfinishedLine) => Promise<string>;
  /** Asks for the decision at a checkpoint; null if it is left for later. Absent if it cannot be shown. */
  readonly askDecision?: (question: DecisionQuestion) => Promise<CheckpointAnswer | null>;
  /** Whether a user is present to answer. */
  readonly isInteractive: boolean;
  /** The terminal that screens are drawn on; undefined if there is none. */
  readonly screen?: {readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream};
  readonly stdout: Surface;
  readonly stderr: Surface;
  readonly now: () => string;
};
