import type {Engine} from '../../src/machines/engine.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import type {AgentTale} from './history.ts';
import type {Call, Life} from './life.ts';
import type {Timers} from './timers.ts';
import type {Disk, World, WorldOptions} from './world.ts';

/** The bounds of an exploration. Everything within them is explored, and nothing beyond. */
export type Bounds = {
  /** Commands of the user, one after another. */
  readonly commands: number;
  /** Runs of one task, and agents of one run. */
  readonly attempts: number;
  readonly segments: number;
  /** Agents started by one command. */
  readonly agents: number;
  /** In one command. */
  readonly pauses: number;
  readonly stops: number;
  /** How often an agent acts while Blackbird writes. */
  readonly overtakes: number;
  /** On one path. */
  readonly crashes: number;
  readonly edits: number;
  readonly failures: number;
  readonly words: number;
  /** Another Blackbird is started while one works. */
  readonly rivals: number;
};

export type Scenario = WorldOptions & {
  readonly name: string;
  readonly plan: Plan;
  /** Commands and events that come before the exploration. */
  readonly lead?: ReadonlyArray<readonly [command: string, ...events: string[]]>;
  /** The files, when git tracks them. */
  readonly tree?: string;
  /** Every task ends at a checkpoint, and whether a user is there. */
  readonly isReviewed?: boolean;
  readonly isAttended?: boolean;
  /** A job waits for what only needs time. */
  readonly isPatient?: boolean;
  /** What agents may do besides succeeding; everything if not set. */
  readonly acts?: readonly string[];
  /** Commands the user may give; all if not set. */
  readonly commands?: readonly string[];
  readonly bounds: Bounds;
};

/** What happened in this command, as far as bounds and invariants count it. */
export type Tally = {
  pauses: number;
  stops: number;
  overtakes: number;
  rivals: number;
  /** Released agents, and how many there were when a stop was requested. */
  begun: number;
  /** Released checks, and how many there were at a pause. */
  checked: number;
  checkedAtPause: number;
  begunAtPause: number | null;
  begunAtStop: number | null;
};

/** One Blackbird at work, and everything around it. */
export type Scene = {
  readonly scenario: Scenario;
  readonly world: World;
  readonly life: Life;
  readonly engine: Engine;
  readonly timers: Timers;
  readonly tally: Tally;
  /** The name of the current command. */
  readonly command: string;
  /** A chart has changed since the last boundary. */
  isFresh: boolean;
  /** The broken invariants. */
  readonly problems: string[];
  /** Runs another Blackbird on the same project to its end; what it reported. */
  readonly rival: () => Promise<string>;
};

/** Where something may happen: before a call, or when there is only waiting left. */
export type Point = {readonly call: Call | null};

export type Move = {
  readonly name: string;
  readonly act: () => void | Promise<void>;
  /** What it leaves on disk, when that is known without walking there. */
  readonly leaves?: () => Disk;
};

/** The released, live agent, with what it did. */
export function agentOf({world, life}: Scene): {agent: FakeAgent; tale: AgentTale} | null {
  if (life.isDead()) return null;
  for (const [agent, tale] of world.cast) if (agent.isAlive && agent.hasGone) return {agent, tale};
  return null;
}
