import type {DecisionState, RunRecord} from '../../../services/contracts/run.ts';
import type {CheckpointAnswer} from './decisions.ts';

export type CheckpointChoiceId = 'approve' | 'approveQuit' | 'requestChanges' | 'reject' | 'retry';

/** One choice at a checkpoint, with the same wording on the command line, in the prompt and in the terminal UI. */
export type CheckpointChoice = {
  readonly id: CheckpointChoiceId;
  readonly label: string;
  /** What it leads to. */
  readonly about: string;
  /** The essential part, for narrow screens. */
  readonly brief?: string;
  /** The option of `blackbird review <task>`. */
  readonly option: string;
  /** The text that goes with it: none, the requested changes, or an optional reason. */
  readonly words: 'none' | 'required' | 'optional';
  readonly answer: (words: string) => CheckpointAnswer;
};

/** In the order of the specification; a failed run cannot be approved or rejected. */
export const choicesAt = ({state}: Pick<RunRecord, 'state'>): readonly CheckpointChoice[] =>
  state === 'failed' ? afterFailure : afterSuccess;

const requestChanges: CheckpointChoice = {
  id: 'requestChanges',
  label: 'Request changes',
  about: 'the agent continues in its own session with your text and comments',
  option: '--request-changes [text]',
  words: 'required',
  answer: (feedback) => ({state: 'changes_requested', feedback}),
};

const afterSuccess: readonly CheckpointChoice[] = [
  {
    id: 'approve',
    label: 'Approve and continue',
    about: 'the task is done and the plan continues',
    option: '--approve',
    words: 'none',
    answer: () => ({state: 'approved_continue'}),
  },
  {
    id: 'approveQuit',
    label: 'Approve and quit',
    about: 'the task is done and nothing more starts',
    option: '--approve-quit',
    words: 'none',
    answer: () => ({state: 'approved_quit'}),
  },
  requestChanges,
  {
    id: 'reject',
    label: 'Reject changes',
    about: 'the task has failed; the files stay as they are',
    brief: 'files stay until undo',
    option: '--reject [reason]',
    words: 'optional',
    answer: (words) => ({state: 'rejected', ...(words.trim() !== '' && {why: words.trim()})}),
  },
];

const afterFailure: readonly CheckpointChoice[] = [
  {
    id: 'retry',
    label: 'Retry',
    about: 'a new run begins; the conversation is forgotten, the files stay as they are',
    option: '--retry',
    words: 'none',
    answer: () => ({state: 'retry'}),
  },
  requestChanges,
  {
    id: 'approve',
    label: 'Accept as failed and continue',
    about: 'the task stays failed and the plan continues',
    option: '--approve',
    words: 'none',
    answer: () => ({state: 'approved_continue'}),
  },
  {
    id: 'approveQuit',
    label: 'Accept as failed and quit',
    about: 'the task stays failed and nothing more starts',
    option: '--approve-quit',
    words: 'none',
    answer: () => ({state: 'approved_quit'}),
  },
];

/** Each decision in a word. */
export const decisionWords = {
  pending: 'not decided',
  approved_continue: 'approved',
  approved_quit: 'approved',
  changes_requested: 'changes requested',
  rejected: 'rejected',
} as const satisfies Record<DecisionState, string>;
