import type {ProviderId} from './agent.ts';
import type {AgentRunner} from './agent-runner.ts';
import type {ChangeTracker} from './changes.ts';
import type {CheckRunner} from './check-runner.ts';
import type {CommentStore} from './comment.ts';
import type {ConfigLayer} from './config.ts';
import type {DecisionInbox} from './decision-inbox.ts';
import type {DraftStore} from './draft.ts';
import type {FeedbackStore} from './feedback.ts';
import type {HookRunner, KeepAwake} from './hooks.ts';
import type {JobStore, RequestBox} from './job.ts';
import type {LimitStore} from './limits.ts';
import type {PlanDraftStore} from './plan-draft.ts';
import type {Liveness, ProcessIdentity} from './process.ts';
import type {ProjectFacts, ProjectLock, ProviderChoice} from './project.ts';
import type {RunRecord, RunStore} from './run.ts';
import type {SurroundingsReader, Writer} from './side-effects.ts';
import type {PlanStore} from './stores.ts';

/** Everything the engine needs from outside, including time, ids and hashes. */
export type Services = {
  readonly plans: PlanStore;
  readonly runs: RunStore;
  readonly feedback: FeedbackStore;
  readonly drafts: DraftStore;
  readonly planDrafts: PlanDraftStore;
  readonly comments: CommentStore;
  readonly inbox: DecisionInbox;
  readonly jobs: JobStore;
  /** Requests from other terminals to the running job. */
  readonly requests: RequestBox;
  readonly limits: LimitStore;
  readonly agents: AgentRunner;
  /** Runs the checks. */
  readonly checks: CheckRunner;
  readonly changes: ChangeTracker;
  readonly surroundings: SurroundingsReader;
  readonly project: ProjectFacts;
  /** The current settings layers, highest precedence first. */
  readonly settings: () => Promise<readonly ConfigLayer[]>;
  /** Sets or removes a project setting; refused if its value is not the one `seen`. */
  readonly writeSetting: (key: string, value: unknown, seen: {readonly value: unknown}) => Promise<void>;
  /**
   * From now on: whether only this Blackbird, or also other ones, wrote the project settings; null if anyone else did.
   */
  readonly watchSettings: () => () => Writer | null;
  /** The agent for a job; `named` is the one requested for this call. */
  readonly chooseAgent: (named: string | undefined) => Promise<ProviderChoice>;
  readonly lock: ProjectLock;
  readonly hooks: HookRunner;
  readonly keepAwake: KeepAwake;
  /** Whether a session ref has this provider's format; checked before it becomes an argument. */
  readonly isSessionRef: (provider: ProviderId, ref: string) => boolean;
  /** Whether the agent of a lost run can have stored its session. */
  readonly hadTimeToStore: (run: RunRecord) => Promise<boolean>;
  /** The last sign of life of the Blackbird that worked on it; null if there is none. */
  readonly lastSignOfLife: (run: RunRecord) => Promise<string | null>;
  readonly host: string;
  /** This process; null if the system cannot identify it. */
  readonly self: ProcessIdentity | null;
  readonly livenessOf: (identity: ProcessIdentity) => Liveness;
  readonly now: () => string;
  /** Monotonic milliseconds. */
  readonly monotonicNow: () => number;
  /** A random number from 0 to below 1. */
  readonly chance: () => number;
  readonly newUuid: () => string;
  readonly newRunId: (taskId: string, attempt: number) => string;
  /** Separates jobs that start in the same second. */
  readonly newJobSuffix: () => string;
  readonly digest: (text: string) => string;
};
