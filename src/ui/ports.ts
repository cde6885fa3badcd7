import type {CommentDesk} from '../machines/actors/comment-desk.ts';
import type {TaskDiff} from '../machines/actors/task-change.ts';
import type {Engine} from '../machines/engine.ts';
import type {ResolvedConfig} from '../machines/policies/config-resolution.ts';
import type {JobSummary} from '../machines/policies/job/job-end.ts';
import type {JobStep} from '../machines/policies/job/job-steps.ts';
import type {PlanEdit} from '../machines/policies/plan/apply-edit.ts';
import type {SeenTask} from '../machines/policies/plan/plan-conflict.ts';
import type {Talk} from '../machines/policies/run/conversation.ts';
import type {KnownOfTask} from '../machines/policies/run/task-options.ts';
import type {UndoProposal} from '../machines/policies/run/undo.ts';
import type {OutsideProgram} from '../machines/policies/text/outside-program.ts';
import type {ConfigLayer, ConfigLayerName, SettingKey, SettingValue} from '../services/contracts/config.ts';
import type {DraftStore} from '../services/contracts/draft.ts';
import type {PendingFeedback} from '../services/contracts/feedback.ts';
import type {Plan, TaskStatus} from '../services/contracts/plan.ts';
import type {PlanDraft} from '../services/contracts/plan-draft.ts';
import type {ProviderChoice} from '../services/contracts/project.ts';
import type {NativeProviderId} from '../services/contracts/provider-table.ts';
import type {BrokenRun, RunRecord} from '../services/contracts/run.ts';

export type PlanView =
  | {readonly type: 'plan'; readonly plan: Plan}
  | {readonly type: 'none'}
  /** There is a file, and it cannot be used. */
  | {readonly type: 'problem'; readonly lines: readonly string[]};

/** Everything on disk that the screens show, as it was last seen. */
export type ProjectData = {
  readonly plan: PlanView;
  /** For every task the run that decides its state. */
  readonly runs: ReadonlyMap<string, RunRecord>;
  /** The latest review of every parent. */
  readonly reviews: ReadonlyMap<string, RunRecord>;
  /** Children that a parent review sends back to work. */
  readonly pendingFeedback: ReadonlyMap<string, PendingFeedback>;
  /** Tasks whose Blackbird is gone while something of their agent still lives. */
  readonly orphans: readonly string[];
  /** What was spent on all runs of the project; null where no provider tells. */
  readonly cost: number | null;
  /** The process of another Blackbird that works on the project now. */
  readonly otherEngine: number | null;
  readonly provider: ProviderChoice | {readonly problem: string};
  /** Where a job would run, and with which programs: what may be done with a run depends on it. */
  readonly place: Pick<KnownOfTask, 'repoRoot' | 'explicitProvider' | 'customCommand' | 'isSessionRef'>;
  readonly config: ResolvedConfig;
  readonly layers: readonly ConfigLayer[];
};

/** How a job ended; `error` is a refusal or a failure with everything that is known of it. */
export type JobEnd =
  | {readonly summary: JobSummary; readonly left: readonly JobStep[]}
  | {readonly error: unknown};

export type PlanChange = {readonly before: Plan; readonly after: Plan};

export type SettingChange = {
  readonly layer: ConfigLayerName;
  readonly key: SettingKey;
  readonly value: SettingValue | undefined;
  readonly seen: unknown;
};

export type Transcript = {readonly lines: readonly string[]; readonly isCut: boolean};

export type Conversation = {readonly talks: readonly Talk[]; readonly isCut: boolean};

/** An agent that could run tasks. */
export type AgentRow = {
  readonly id: NativeProviderId;
  readonly title: string;
  readonly installed: boolean;
  /** Its version and login, or how to get it. */
  readonly state: string;
};

export type SessionRow = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly runner: string;
  readonly branch: string;
  readonly created: string;
  /** Its tmux session is there: it can be attached to, seen, stopped and killed. */
  readonly isRunning: boolean;
  readonly canResume: boolean;
};

/** The user's own editor and pager. */
export type UserPrograms = {
  /** Why no editor can be opened; null when one can. */
  readonly editorRefused: string | null;
  /** Gives the terminal to one of them until it ends. Fails where it cannot be started. */
  run(program: OutsideProgram): Promise<void>;
};

/** Interactive sessions, as `blackbird session` works on them. What it refuses is thrown. */
export interface SessionPort {
  list(): Promise<readonly SessionRow[]>;
  /** What it shows now; null where it does not run. */
  screen(id: string): Promise<readonly string[] | null>;
  /** Gives the terminal to a session until the person leaves it; starts it where it does not run. */
  resume(id: string): Promise<void>;
  /** Begins one in the background. */
  create(name: string): Promise<{readonly id: string; readonly warnings: readonly string[]}>;
  /** Presses Ctrl+C in it; false where it does not run. */
  stop(id: string): Promise<boolean>;
  kill(id: string): Promise<boolean>;
  /** Archives it; returns what to know about commits that hang on nothing any more. */
  clean(id: string, options: {readonly force: boolean}): Promise<readonly string[]>;
}

/** Everything the screens need from outside. `tui-composition.ts` provides it; tests provide their own. */
export interface TuiPorts {
  readonly name: string;
  readonly folder: string;
  readonly engine: Pick<
    Engine,
    'pause' | 'stopAfterTask' | 'retryNow' | 'subscribe' | 'decide' | 'postpone' | 'answerPlan'
  >;
  /** These steps as one job. It is at work when this returns. */
  start(steps: readonly JobStep[]): Promise<JobEnd>;
  /** What was written and not delivered yet. */
  readonly drafts: DraftStore;
  /** Comments on lines of a change; those of the run at its checkpoint go with "Request changes". */
  readonly comments: CommentDesk;
  /** Raw output of agents, with the run it belongs to. */
  onOutput(listener: (runId: string, text: string) => void): () => void;

  /** Calls back with the state of the project, now and after every change, until the returned function is called. */
  watch(listener: (data: ProjectData) => void): () => void;
  setStatus(taskId: string, status: TaskStatus, seen: readonly SeenTask[]): Promise<PlanChange>;
  retry(taskId: string): Promise<PlanChange>;
  /** Takes an approval back. */
  withdraw(taskId: string): Promise<void>;
  /** What an undo of the task would do; nothing is done. */
  proposeUndo(taskId: string): Promise<UndoProposal>;
  edit(edit: PlanEdit): Promise<PlanChange>;
  /** Takes a change back, unless what it touched was changed since. */
  undo(change: PlanChange): Promise<PlanChange>;
  /** Leaves tasks as they are, whatever the parent review said. */
  dismiss(taskIds: readonly string[]): Promise<void>;
  /** Changes what a task is told of the parent review. */
  editFeedback(taskId: string, text: string): Promise<void>;
  /** False, and nothing happens, where there is one. */
  createPlan(): Promise<boolean>;
  /** Proposed plans that were left for later, oldest first. */
  planDrafts(): Promise<readonly PlanDraft[]>;
  /** `seen` is the value of the layer that the person was shown. Returns what the files hold then. */
  writeSetting(change: SettingChange): Promise<readonly ConfigLayer[]>;

  /** What an agent printed. */
  transcript(run: RunRecord): Promise<Transcript>;
  /** What was said in a run. */
  conversation(run: RunRecord): Promise<Conversation>;
  diff(run: RunRecord): Promise<TaskDiff>;
  readonly programs: UserPrograms;
  history(
    taskId: string,
  ): Promise<{readonly runs: readonly RunRecord[]; readonly broken: readonly BrokenRun[]}>;
  /** What `@` can name. */
  listFiles(): Promise<readonly string[]>;
  agents(): Promise<readonly AgentRow[]>;
  /** Makes it the agent of this project; says what keeps it from being used, where the environment does. */
  chooseAgent(id: NativeProviderId): Promise<ProviderChoice>;
  readonly sessions: SessionPort;

  /** Stops this process and its agents, as Ctrl+Z does; returns when they go on. */
  suspend(): void;

  /** Calls the user, who may be looking elsewhere. */
  notify(text: string): void;
  /** Wall-clock milliseconds, comparable with the times in records. */
  now(): number;
}
