import type {CommentDesk} from '../machines/actors/comment-desk.ts';
import type {TaskDiff} from '../machines/actors/task-change.ts';
import type {OpenCheckpointDraft} from '../machines/drafts.ts';
import type {Engine} from '../machines/engine.ts';
import type {CheckpointAnswer} from '../machines/policies/review/decisions.ts';
import type {DecisionRequest} from '../machines/review-gate.machine.ts';
import type {Task} from '../services/contracts/plan.ts';
import type {UserPrograms} from '../ui/ports.ts';
import type {UnfinishedLine} from './terminal/line-reader.ts';

/** What a stream can show. */
export type Surface = {
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly hasColor: boolean;
};

/** A checkpoint as it is shown to a person. */
export type DecisionQuestion = Pick<DecisionRequest, 'run' | 'obstacle'> & {
  readonly task: Pick<Task, 'id' | 'title' | 'acceptanceCriteria'>;
  /** Where feedback, a reason or a comment is kept while it is written. */
  readonly openDraft: OpenCheckpointDraft;
  readonly listFiles: () => Promise<readonly string[]>;
  readonly loadDiff: () => Promise<TaskDiff>;
  readonly programs: UserPrograms;
  /** Those of the run go with the request for changes. */
  readonly comments: CommentDesk;
  /** Takes the question away. */
  readonly signal: AbortSignal;
};

/** Everything a command may touch of the process it runs in; tests hand in their own. */
export type CliContext = {
  readonly name: 'blackbird' | 'agency';
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** As it is, without a line end: live lines and raw agent output. */
  readonly write: (text: string) => void;
  readonly writeErr: (text: string) => void;
  /** Lets the signals of the process pause the engine; returns how to let go again. */
  readonly onSignals: (engine: Pick<Engine, 'pause' | 'suspend' | 'wake'>) => () => void;
  /** Asks on stderr and reads a line from stdin; null at its end. */
  readonly ask: (question: string, unfinished?: UnfinishedLine) => Promise<string | null>;
  /** All of stdin; the question is for whoever types it. */
  readonly readAll: (question: string, unfinished?: UnfinishedLine) => Promise<string>;
  /** Asks for the decision at a checkpoint; null when it is left for later. Absent where it cannot be shown. */
  readonly askDecision?: (question: DecisionQuestion) => Promise<CheckpointAnswer | null>;
  /** A person is there to answer. */
  readonly isInteractive: boolean;
  /** The terminal that screens are drawn on; missing where there is none. */
  readonly screen?: {readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream};
  readonly stdout: Surface;
  readonly stderr: Surface;
  readonly now: () => string;
};
