import type {RunComments} from '../machines/actors/run-comments.ts';
import type {TaskDiff} from '../machines/actors/task-change.ts';
import type {Engine} from '../machines/engine.ts';
import type {ResolvedConfig} from '../machines/policies/config-resolution.ts';
import type {JobSummary} from '../machines/policies/job/job-end.ts';
import type {JobStep} from '../machines/policies/job/job-steps.ts';
import type {PlanEdit} from '../machines/policies/plan/apply-edit.ts';
import type {SeenTask} from '../machines/policies/plan/plan-conflict.ts';
import type {ConversationLine} from '../machines/policies/run/conversation.ts';
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
  /** The file exists but cannot be used. */
  | {readonly type: 'problem'; readonly lines: readonly string[]};

/** Everything on disk that the screens show, as last read. */
export type ProjectData = {
  readonly plan: PlanView;
  /** For every task, the run that decides its state. */
  readonly runs: ReadonlyMap<string, RunRecord>;
  /** The latest review of every parent. */
  readonly reviews: ReadonlyMap<string, RunRecord>;
  /** Children that a parent review sends back to work. */
  readonly pendingFeedback: ReadonlyMap<string, PendingFeedback>;
  /** Tasks whose Blackbird is gone while part of their agent is alive. */
  readonly orphans: readonly string[];
  /** The total cost of all runs; null if no provider reports it. */
  readonly cost: number | null;
  /** The process id of another Blackbird that works on the project. */
  readonly otherEngine: number | null;
  readonly provider: ProviderChoice | {readonly problem: string};
  /** Its program can be found, so a job would not be refused for want of it. */
  readonly isAgentInstalled: boolean;
  /** Where a job would run and with which programs, which decides what may be done with a run. */
  readonly place: Pick<KnownOfTask, 'repoRoot' | 'explicitProvider' | 'customCommand' | 'isSessionRef'>;
  readonly config: ResolvedConfig;
  readonly layers: readonly ConfigLayer[];
};

/** How a job ended; `error` is a refusal or failure with all its details. */
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

export type Conversation = {readonly talks: readonly ConversationLine[]; readonly isCut: boolean};

/** An agent that could run tasks. */
export type AgentRow = {
  readonly id: NativeProviderId;
  readonly title: string;
  readonly installed: boolean;
  /** Its version and login, or how to install it. */
  readonly state: string;
};

export type SessionRow = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly runner: string;
  readonly branch: string;
  readonly created: string;
  /** Its tmux session exists: it can be attached, shown, stopped and killed. */
  readonly isRunning: boolean;
  readonly canResume: boolean;
};

/** The user's own editor and pager. */
export type UserPrograms = {
  /** Why no editor can be opened; null if one can. */
  readonly editorRefused: string | null;
  /** Gives the terminal to one of them until it exits. Fails if it cannot be started. */
  run(program: OutsideProgram): Promise<void>;
};

/** Interactive sessions, as in `blackbird session`. Refusals are thrown. */
export interface SessionPort {
  list(): Promise<readonly SessionRow[]>;
  /** Its current screen; null if it is not running. */
  screen(id: string): Promise<readonly string[] | null>;
  /** Gives the terminal to a session until the user leaves it; starts it if necessary. */
  resume(id: string): Promise<void>;
  /** Starts one in the background. */
  create(name: string): Promise<{readonly id: string; readonly warnings: readonly string[]}>;
  /** Presses Ctrl+C in it; false if it is not running. */
  stop(id: string): Promise<boolean>;
  kill(id: string): Promise<boolean>;
  /** Archives it; returns warnings about commits that nothing refers to any more. */
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
  /** Runs these steps as one job, which has started when this returns. */
  start(steps: readonly JobStep[]): Promise<JobEnd>;
  /** What was written but not delivered yet. */
  readonly drafts: DraftStore;
  /** Comments on lines of a change; those of the run at its checkpoint are sent with "Request changes". */
  readonly comments: RunComments;
  /** Raw output of agents, with its run. */
  onOutput(listener: (runId: string, text: string) => void): () => void;

  /** Calls back with the state of the project now and after every change; returns a function to unsubscribe. */
  watch(listener: (data: ProjectData) => void): () => void;
  setStatus(taskId: string, status: TaskStatus, seen: readonly SeenTask[]): Promise<PlanChange>;
  retry(taskId: string): Promise<PlanChange>;
  /** Withdraws an approval. */
  withdraw(taskId: string): Promise<void>;
  /** A preview of an undo; changes nothing. */
  proposeUndo(taskId: string): Promise<UndoProposal>;
  edit(edit: PlanEdit): Promise<PlanChange>;
  /** Undoes a change, unless what it touched was changed since. */
  undo(change: PlanChange): Promise<PlanChange>;
  /** Leaves tasks as they are, whatever the parent review said. */
  dismiss(taskIds: readonly string[]): Promise<void>;
  /** Changes the review feedback a task will get. */
  editFeedback(taskId: string, text: string): Promise<void>;
  /** False, without any effect, if there already is one. */
  createPlan(): Promise<boolean>;
  /** Proposed plans left for later, oldest first. */
  planDrafts(): Promise<readonly PlanDraft[]>;
  /** `seen` is the layer's value that the user was shown. Returns the new content of the files. */
  writeSetting(change: SettingChange): Promise<readonly ConfigLayer[]>;

  /** An agent's raw output. */
  transcript(run: RunRecord): Promise<Transcript>;
  /** The conversation of a run. */
  conversation(run: RunRecord): Promise<Conversation>;
  diff(run: RunRecord): Promise<TaskDiff>;
  readonly programs: UserPrograms;
  history(
    taskId: string,
  ): Promise<{readonly runs: readonly RunRecord[]; readonly broken: readonly BrokenRun[]}>;
  /** The files `@` can name. */
  listFiles(): Promise<readonly string[]>;
  agents(): Promise<readonly AgentRow[]>;
  /** Makes it the agent of this project; reports it if the environment overrides the choice. */
  chooseAgent(id: NativeProviderId): Promise<ProviderChoice>;
  readonly sessions: SessionPort;

  /** Suspends this process and its agents, as Ctrl+Z does; returns when they are resumed. */
  suspend(): void;

  /** Notifies the user, who may be looking elsewhere. */
  notify(text: string): void;
  /** Wall-clock milliseconds, comparable with the times in records. */
  now(): number;
}
