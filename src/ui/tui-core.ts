import type {OpenDraft} from '../machines/drafts.ts';
import type {JobSummary} from '../machines/policies/job/job-end.ts';
import type {JobStep} from '../machines/policies/job/job-steps.ts';
import type {TuiCommand} from '../machines/tui.machine.ts';
import type {DialogQueue} from './dialog-queue.ts';
import type {LiveRuns} from './live-runs.ts';
import type {Facts, Notice, TuiState} from './model/facts.ts';

/** What the parts of the TUI share: one state, one way to change it. */
export type TuiCore = {
  get(): TuiState;
  facts(): Facts;
  patch(part: Partial<TuiState>): void;
  send(command: TuiCommand): void;
  say(notice: Notice): void;
  /** An answer being written under the project lock: a job waits for it. */
  settle<T>(written: Promise<T>): Promise<T>;
  readonly dialogs: DialogQueue;
  /** `told`: the last messages while it ran, to be read after it. */
  onJobEnd(summary: JobSummary, told: readonly Notice[]): void;
  /** What the user was asked, by run: what they postponed does not reopen by itself. */
  readonly asked: Set<string>;
};

/** Jobs from the key press to their end, for commands and screens. */
export type Jobs = {
  readonly live: LiveRuns;
  readonly now: () => number;
  /** The selection follows the job until the user moves it. */
  follow(isOn: boolean): void;
  /** Subscribes to the engine; returns a function to unsubscribe. */
  listen(): () => void;
  start(...steps: readonly JobStep[]): Promise<void>;
  /** The queued job starts, or was dropped by a pause. */
  takeTurn(isBegun: boolean): void;
  /** Discarded once the planner's job has stored it; restored if the job refuses it or ends first. */
  keepUntilStored(draft: OpenDraft): void;
  /** Starts the step that delivers an answer, then what was waiting for it. */
  startAnswered(...steps: readonly JobStep[]): void;
};
