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
import type {SurroundingsReader} from './side-effects.ts';
import type {PlanStore} from './stores.ts';

/** Everything the engine needs from outside. Time, ids and hashes are part of it. */
export type Services = {
  readonly plans: PlanStore;
  readonly runs: RunStore;
  readonly feedback: FeedbackStore;
  readonly drafts: DraftStore;
  readonly planDrafts: PlanDraftStore;
  readonly comments: CommentStore;
  readonly inbox: DecisionInbox;
  readonly jobs: JobStore;
  /** What another terminal asks of the job that works. */
  readonly requests: RequestBox;
  readonly limits: LimitStore;
  readonly agents: AgentRunner;
  /** Runs the commands that tell whether work holds. */
  readonly checks: CheckRunner;
  readonly changes: ChangeTracker;
  readonly surroundings: SurroundingsReader;
  readonly project: ProjectFacts;
  /** The layers of the settings as they are now, strongest first. */
  readonly settings: () => Promise<readonly ConfigLayer[]>;
  /** Sets one of the project, or removes it; refused where it is not as it was `seen`. */
  readonly writeSetting: (key: string, value: unknown, seen: {readonly value: unknown}) => Promise<void>;
  /** From now on: whether this Blackbird, or others as well, alone wrote the settings of the project; null for anybody else. */
  readonly watchSettings: () => () => 'here' | 'elsewhere' | null;
  /** The agent for a job; `named` is the one asked for in this very call. */
  readonly chooseAgent: (named: string | undefined) => Promise<ProviderChoice>;
  readonly lock: ProjectLock;
  readonly hooks: HookRunner;
  readonly keepAwake: KeepAwake;
  /** The form a session ref of this provider must have before it becomes an argument. */
  readonly isSessionRef: (provider: ProviderId, ref: string) => boolean;
  /** Whether the agent of a lost run can have stored its session before it was gone. */
  readonly hadTimeToStore: (run: RunRecord) => Promise<boolean>;
  /** The last sign of the Blackbird that worked on it; null where it left no trace. */
  readonly lastHeardOf: (run: RunRecord) => Promise<string | null>;
  readonly host: string;
  /** This very process; null where the system does not tell. */
  readonly self: ProcessIdentity | null;
  readonly livenessOf: (identity: ProcessIdentity) => Liveness;
  readonly now: () => string;
  /** Milliseconds that never go backwards. */
  readonly monotonicNow: () => number;
  /** A random number from 0 to below 1. */
  readonly chance: () => number;
  readonly newUuid: () => string;
  readonly newRunId: (taskId: string, attempt: number) => string;
  /** Tells apart what begins in the same second. */
  readonly newJobSuffix: () => string;
  readonly digest: (text: string) => string;
};
