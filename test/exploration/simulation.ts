import type {Engine} from '../../src/machines/engine.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import type {BlackbirdProcess, Call} from './blackbird-process.ts';
import type {AgentActivity} from './history.ts';
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
  readonly interleavings: number;
  /** On one path. */
  readonly crashes: number;
  readonly edits: number;
  readonly failures: number;
  readonly messages: number;
  /** Another Blackbird is started while one works. */
  readonly secondInstances: number;
};

export type Scenario = WorldOptions & {
  readonly name: string;
  readonly plan: Plan;
  /** Commands and events that come before the exploration. */
  readonly setup?: ReadonlyArray<readonly [command: string, ...events: string[]]>;
  /** The files, when git tracks them. */
  readonly tree?: string;
  /** Every task ends at a checkpoint, and whether a user is there. */
  readonly isReviewed?: boolean;
  readonly isAttended?: boolean;
  /** A job waits for what only needs time. */
  readonly isPatient?: boolean;
  /** What agents may do besides succeeding; everything if not set. */
  readonly behaviours?: readonly string[];
  /** Commands the user may give; all if not set. */
  readonly commands?: readonly string[];
  readonly bounds: Bounds;
};

/** What happened in this command, as far as bounds and invariants count it. */
export type Counters = {
  pauses: number;
  stops: number;
  interleavings: number;
  secondInstances: number;
  /** Released agents, and how many there were at the first pause and at the request to stop. */
  agents: number;
  agentsAtPause: number | null;
  agentsAtStop: number | null;
  /** Released checks, and how many there were at the first pause. */
  checks: number;
  checksAtPause: number;
};

/** One Blackbird at work, and everything around it. */
export type Simulation = {
  readonly scenario: Scenario;
  readonly world: World;
  readonly blackbird: BlackbirdProcess;
  readonly engine: Engine;
  readonly timers: Timers;
  readonly counters: Counters;
  /** The name of the current command. */
  readonly command: string;
  /** A chart has changed since the last boundary. */
  hasTransitioned: boolean;
  /** The broken invariants. */
  readonly problems: string[];
  /** Runs another Blackbird on the same project to its end; what it reported. */
  readonly runSecondInstance: () => Promise<string>;
};

/** Where an event may happen: before a call, or when there is nothing left but to wait. */
export type Boundary = {readonly call: Call | null};

export type PossibleEvent = {
  readonly name: string;
  readonly apply: () => void | Promise<void>;
  /** What it leaves on disk, when that is known without walking there. */
  readonly diskAfter?: () => Disk;
};

/** The released, live agent, with what it did. */
export function agentOf({world, blackbird}: Simulation): {agent: FakeAgent; activity: AgentActivity} | null {
  if (blackbird.isDead()) return null;
  for (const [agent, activity] of world.activityOf)
    if (agent.isAlive && agent.hasGone) return {agent, activity};
  return null;
}
