import type {OpenDraft} from '../machines/drafts.ts';
import type {JobSummary} from '../machines/policies/job/job-end.ts';
import type {JobStep} from '../machines/policies/job/job-steps.ts';
import type {TuiCommand} from '../machines/tui.machine.ts';
import type {DialogQueue} from './dialog-queue.ts';
import type {LiveRuns} from './live-runs.ts';
import type {Facts, Notice, TuiState} from './model/facts.ts';

/** What the parts of the terminal UI share: one state, one way to change it. */
export type TuiCore = {
  get(): TuiState;
  facts(): Facts;
  patch(part: Partial<TuiState>): void;
  send(command: TuiCommand): void;
  say(notice: Notice): void;
  /** What a person said, while it is written under the lock of the project: a job waits for it. */
  settle<T>(written: Promise<T>): Promise<T>;
  readonly dialogs: DialogQueue;
  /** `told`: what was said last while it ran, and is to be read after it. */
  onJobEnd(summary: JobSummary, told: readonly string[]): void;
  /** What the user was asked, by run: what they postponed does not open by itself again. */
  readonly asked: Set<string>;
};

/** Jobs from the key press to their end, as commands and screens know them. */
export type Jobs = {
  readonly live: LiveRuns;
  readonly now: () => number;
  /** The selection follows the job until the user moves it. */
  follow(isOn: boolean): void;
  /** Begins to hear of the engine; the returned function ends it. */
  listen(): () => void;
  start(...steps: readonly JobStep[]): Promise<void>;
  /** The job that waited for its turn begins, or was dropped by a pause. */
  takeTurn(isBegun: boolean): void;
  /** Dropped once the planner's job has it; where that refuses it or ends before, it is there again. */
  keepUntilHeard(draft: OpenDraft): void;
  /** What a person said, and then what their answer held up. */
  startAnswered(...steps: readonly JobStep[]): void;
};
