import type {Engine} from '../../src/machines/engine.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import type {AgentTale} from './history.ts';
import type {Call, Life} from './life.ts';
import type {Timers} from './timers.ts';
import type {Disk, World, WorldOptions} from './world.ts';

/** How far an exploration goes. All of it is explored, and nothing beyond. */
export type Bounds = {
  /** Commands of the user, one after the other. */
  readonly commands: number;
  /** Runs of one task, and agents of one run. */
  readonly attempts: number;
  readonly segments: number;
  /** Agents that one command starts. */
  readonly agents: number;
  /** In one command. */
  readonly pauses: number;
  readonly stops: number;
  /** Times that an agent acts while Blackbird writes. */
  readonly overtakes: number;
  /** On one path. */
  readonly crashes: number;
  readonly edits: number;
  readonly failures: number;
  readonly words: number;
  /** Another Blackbird is started beside the one that works. */
  readonly rivals: number;
};

export type Scenario = WorldOptions & {
  readonly name: string;
  readonly plan: Plan;
  /** What was asked for, and what happened then, before anything is explored. */
  readonly lead?: ReadonlyArray<readonly [command: string, ...events: string[]]>;
  /** The files, where git knows them. */
  readonly tree?: string;
  /** Every task ends at a checkpoint, and whether somebody is there. */
  readonly isReviewed?: boolean;
  readonly isAttended?: boolean;
  /** A job waits for what only time mends. */
  readonly isPatient?: boolean;
  /** What agents may do besides succeeding; all of it where nothing is said. */
  readonly acts?: readonly string[];
  /** What a person may ask for; all of it where nothing is said. */
  readonly commands?: readonly string[];
  readonly bounds: Bounds;
};

/** What happened in this command, as far as bounds and rules count it. */
export type Tally = {
  pauses: number;
  stops: number;
  overtakes: number;
  rivals: number;
  /** Agents told to go, and how many there were when somebody wanted no more. */
  begun: number;
  /** Checks told to go, and how many there were at a pause. */
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
  /** The name of the command that works. */
  readonly command: string;
  /** Something happened in a chart since the last boundary. */
  isFresh: boolean;
  /** What must not be, and is. */
  readonly problems: string[];
  /** Starts another Blackbird on the same project, to its end; what it said. */
  readonly rival: () => Promise<string>;
};

/** Where something may happen: before a call, or when nothing is left to do but to wait. */
export type Point = {readonly call: Call | null};

export type Move = {
  readonly name: string;
  readonly act: () => void | Promise<void>;
  /** What it leaves on disk, where that is known without walking there. */
  readonly leaves?: () => Disk;
};

/** The agent that was told to go and lives, with what it did. */
export function agentOf({world, life}: Scene): {agent: FakeAgent; tale: AgentTale} | null {
  if (life.isDead()) return null;
  for (const [agent, tale] of world.cast) if (agent.isAlive && agent.hasGone) return {agent, tale};
  return null;
}
