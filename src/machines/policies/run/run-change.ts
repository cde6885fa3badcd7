import type {Failure, Usage} from '../../../services/contracts/agent.ts';
import type {ReviewSummary} from '../../../services/contracts/changes.ts';
import type {ProcessIdentity} from '../../../services/contracts/process.ts';
import type {Answer, PauseReason, Question} from '../../../services/contracts/run.ts';
import type {ReviewAnswer} from '../review/check-review-answer.ts';
import type {Decision} from '../review/decisions.ts';
import type {FeedbackMark} from '../review/parent-feedback.ts';

/** Everything that can happen to a run, as data: applied to the record, and nothing else changes it. */
export type RunChange =
  | {
      readonly type: 'segmentStarted';
      readonly identity: ProcessIdentity;
      readonly host: string;
      readonly argv: readonly string[];
    }
  | {readonly type: 'sessionCaptured'; readonly sessionRef: string}
  | {readonly type: 'pauseAsked'}
  | {
      readonly type: 'paused';
      readonly reason: PauseReason;
      readonly resumable: boolean;
      readonly end: SegmentEnd | null;
      readonly work?: SegmentWork;
    }
  | {
      readonly type: 'waiting';
      readonly questions: readonly Question[];
      readonly end: SegmentEnd;
      readonly result: string;
      readonly work?: SegmentWork;
    }
  | {
      readonly type: 'succeeded';
      readonly end: SegmentEnd;
      readonly result: string;
      readonly work?: SegmentWork;
    }
  | {
      readonly type: 'failed';
      readonly failure: Failure;
      readonly end: SegmentEnd | null;
      readonly result?: string;
      readonly work?: SegmentWork;
    }
  /** The provider refused to go on: the run stands where it stood before. */
  | {
      readonly type: 'resumeRefused';
      readonly failure: Failure;
      readonly end: SegmentEnd | null;
      readonly work?: SegmentWork;
    }
  | ({
      readonly type: 'relaunched';
      readonly answers?: readonly Answer[];
      readonly feedback?: string;
      readonly isReviewed?: boolean;
      readonly owner?: ProcessIdentity;
    } & FeedbackMark)
  | {readonly type: 'decided'; readonly decision: Decision}
  /** Its answer was checked: this is what the review found. */
  | {readonly type: 'judged'; readonly answer: ReviewAnswer}
  | {readonly type: 'superseded'; readonly byRunId: string}
  /** The run that was to replace it never began. */
  | {readonly type: 'reinstated'}
  /** Found after a crash: recorded, but nothing of an agent ever ran. */
  | {readonly type: 'neverStarted'};

/** What is known of an agent process once it is gone. */
export type SegmentEnd = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly isLogTruncated?: boolean;
  readonly usage?: Usage;
  /** The usage counts earlier segments of the session too. */
  readonly isWholeSession?: boolean;
};

/** What the run has changed in the working files by now; the tree is null where git cannot tell. */
export type SegmentWork = {readonly tree: string | null; readonly summary: ReviewSummary};
