import type {AnyActorRef} from 'xstate';
import {createEngine} from '../../src/machines/engine.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {type BlackbirdProcess, createBlackbirdProcess} from './blackbird-process.ts';
import type {Command} from './commands.ts';
import {eventsAt} from './events.ts';
import type {AgentActivity} from './history.ts';
import {
  checkActorStart,
  checkAgentRelease,
  checkCheckRelease,
  checkIdle,
  checkPlanWrite,
  checkQuestion,
  checkRunWrite,
  checkWrite,
  type Invariant,
} from './invariants.ts';
import type {PossibleEvent, Scenario, Simulation} from './simulation.ts';
import {replaceTimers, settled, type Timers} from './timers.ts';
import {type Disk, markLost, openWorld, restoreOrphans, type World} from './world.ts';

export type Problem = {readonly invariant: Invariant; readonly text: string};

/** An event other than the first possible one, at a choice of a walk. */
export type Deviation = {readonly at: number; readonly name: string};

export type Walk = {
  /** `known`: it reached a state that was explored before. `cut`: it left the bounds. */
  readonly end: 'idle' | 'dead' | 'known' | 'cut';
  readonly events: readonly string[];
  /** What it left, when it ended. */
  readonly disk: Disk;
  readonly problems: readonly Problem[];
  /** The error that refused the command. */
  readonly error: unknown;
};

/** Asked at every choice after the last deviation; false when nothing new can follow. */
export type Visitor = (
  simulation: Simulation,
  root: AnyActorRef | null,
  requested: readonly string[],
  at: number,
  possible: readonly PossibleEvent[],
  events: readonly string[],
) => boolean;

/** More choices than any command has: a walk that gets there never ends. */
const maxChoices = 600;

const clock = {world: null as World | null};
let timers: Timers | null = null;

/** One command on a project, from its first call to its end, along the given events. */
export async function walk(
  scenario: Scenario,
  disk: Disk,
  command: Command,
  deviations: readonly Deviation[] = [],
  visitor: Visitor = () => true,
): Promise<Walk> {
  timers ??= replaceTimers(() => clock.world?.clock.milliseconds ?? 0);
  timers.clear();
  const world = openWorld(disk, scenario);
  clock.world = world;
  await restoreOrphans(world, disk.orphans);
  const problems: Problem[] = [];
  const report = (invariant: Invariant, text: string) => problems.push({invariant, text});
  const watch = watchWrites(world);
  let transitions = 0;
  let root: AnyActorRef | null = null;
  const counters = {
    pauses: 0,
    stops: 0,
    interleavings: 0,
    secondInstances: 0,
    agents: 0,
    checks: 0,
    checksAtPause: 0,
    agentsAtPause: null,
    agentsAtStop: null,
  };
  const blackbird = createBlackbirdProcess(world, 1_000 + disk.jobs.length * 2 + disk.history.crashes, {
    wrote: (name) => {
      checkWrite(simulation, name, report);
      watch(simulation, report);
    },
    agentReleased: (activity) => {
      simulation.counters.agents += 1;
      noteCheckpoint(world, command, activity);
      checkAgentRelease(simulation, activity, report);
    },
    checkReleased: (runId) => {
      simulation.counters.checks += 1;
      checkCheckRelease(simulation, runId, report);
    },
  });
  const engine = createEngine(blackbird.services, {
    inspect: (event) => {
      if (event.type === '@xstate.microstep') transitions += 1;
      else if (event.type === '@xstate.actor') {
        root ??= event.actorRef as AnyActorRef;
        if (root !== event.actorRef) checkActorStart(simulation, (event.actorRef as AnyActorRef).id, report);
      }
    },
  });
  const simulation: Simulation = {
    scenario,
    world,
    blackbird,
    engine,
    timers,
    counters,
    hasTransitioned: true,
    command: command.name,
    problems: [],
    runSecondInstance: () => runSecondInstance(world),
  };

  let isOver = false;
  let error: unknown;
  command
    .begin({engine, services: blackbird.services, history: world.history})
    .then(
      (result) => {
        error = errorIn(result);
      },
      (thrown) => {
        error = thrown;
      },
    )
    .finally(() => {
      isOver = true;
    });
  await settled();

  const events: string[] = [];
  const last = deviations.at(-1)?.at ?? -1;
  let choices = 0;
  let seen = -1;
  let requested: string[] = [];
  let end: Walk['end'] | null = null;
  while (end === null) {
    const [call = null] = blackbird.calls;
    if (call === null && isOver) end = 'idle';
    else {
      simulation.hasTransitioned = transitions !== seen;
      if (simulation.hasTransitioned) requested = [];
      seen = transitions;
      if (call) requested.push(call.name);
      if (call && !call.isWrite && !simulation.hasTransitioned) {
        blackbird.calls.shift();
        await call.perform();
      } else {
        const possible = eventsAt(simulation, {call});
        for (const {run} of engine.openDecisions()) checkQuestion(simulation, run, report);
        const isHelpless = call === null && counters.pauses > 0 && timers.nextDue() === null;
        if (isHelpless && engine.openDecisions().length === 0)
          report('terminates', 'after a pause it waits for an agent without a time limit');
        if (choices > last && !visitor(simulation, root, requested, choices, possible, events)) end = 'known';
        else {
          const deviation = deviations.find(({at}) => at === choices);
          const event = deviation ? possible.find(({name}) => name === deviation.name) : possible[0];
          if (deviation && !event)
            throw new Error(`"${deviation.name}" cannot happen here: ${events.join(' · ')}`);
          if (!event) {
            report('terminates', 'it is busy, and nothing can happen');
            end = 'cut';
          } else {
            events.push(event.name);
            await event.apply();
            choices += 1;
          }
        }
      }
      await settled();
      if (blackbird.isDead()) end = 'dead';
      if (choices > maxChoices) {
        report('terminates', `it is busy after ${maxChoices} events`);
        end = 'cut';
      }
      for (const text of simulation.problems.splice(0)) report('owner', text);
      for (const text of world.violations.splice(0)) report(violatedBy(text), text);
      if (end === null && isBeyond(simulation)) end = 'cut';
      if (problems.length > 0) end ??= 'cut';
    }
  }
  if (end === 'idle' || end === 'dead') {
    const runs = [...world.runs.texts.keys()].flatMap(world.runs.records);
    for (const activity of world.history.activities) markLost(activity, runs, world.history);
  }
  if (end === 'idle') checkIdle(simulation, world.jobs.records().length > disk.jobs.length, report);
  const left = end === 'known' || end === 'cut' ? disk : world.disk();
  if (!blackbird.isDead()) blackbird.die({hasGuardian: true});
  timers.clear();
  return {end, events, disk: left, problems, error};
}

const violatedBy = (text: string): Invariant => {
  if (text.startsWith('two ')) return 'oneAgent';
  return text.includes('is recorded as') ? 'noOrphans' : 'recorded';
};

function errorIn(result: unknown): unknown {
  return typeof result === 'object' && result !== null && 'error' in result ? result.error : undefined;
}

function isBeyond({world, scenario, counters}: Simulation): boolean {
  const {attempts, segments, agents} = scenario.bounds;
  if (counters.agents > agents) return true;
  for (const taskId of world.runs.texts.keys()) {
    const runs = world.runs.texts.get(taskId);
    if ((runs?.size ?? 0) > attempts) return true;
  }
  const counts = new Map<string, number>();
  for (const {runId} of world.history.activities) counts.set(runId, (counts.get(runId) ?? 0) + 1);
  return Math.max(0, ...counts.values()) > segments;
}

/** Runs end at a checkpoint when it was requested, and when they continue a run that does. */
function noteCheckpoint(world: World, {isGated}: Command, activity: AgentActivity): void {
  if (activity.isReviewer) return;
  const {gated} = world.history;
  const run = world.runs.records(activity.taskId).find(({run_id}) => run_id === activity.runId);
  const isInherited = isGated === undefined && gated.includes(run?.resumed_from_run_id ?? '');
  if ((isGated || isInherited) && !gated.includes(activity.runId)) gated.push(activity.runId);
}

/** Compares records and plan with their previous state, after every write. */
function watchWrites(world: World) {
  const texts = new Map<string, string>();
  let plan: Plan = world.plans.plan;
  for (const folder of world.runs.texts.values()) for (const [name, text] of folder) texts.set(name, text);
  return (simulation: Simulation, report: (invariant: Invariant, text: string) => void) => {
    for (const folder of world.runs.texts.values()) {
      for (const [name, text] of folder) {
        const before = texts.get(name);
        if (before === text) continue;
        texts.set(name, text);
        const parsed: RunRecord | null = before === undefined ? null : JSON.parse(before);
        checkRunWrite(simulation, parsed, JSON.parse(text), report);
      }
    }
    if (world.plans.plan === plan) return;
    checkPlanWrite(simulation, plan, world.plans.plan, report);
    plan = world.plans.plan;
  };
}

/** Another process that finds no lock file: what it reports, after it touched nothing of the working one. */
async function runSecondInstance(world: World): Promise<string> {
  const {isHeld} = world.lock;
  const before = [
    JSON.stringify([...world.plans.plan.items]),
    [...world.runs.texts.values()].map((each) => [...each]),
  ];
  const agents = world.agents.alive().length;
  const blackbird: BlackbirdProcess = createBlackbirdProcess(world, 1, {
    wrote: () => {},
    agentReleased: () => {},
    checkReleased: () => {},
  });
  const engine = createEngine(blackbird.services);
  let result: string | null = null;
  engine.start({steps: [{type: 'execute', taskIds: []}], options: {isImpatient: true}}).then(({error}) => {
    result = error instanceof Error && 'code' in error ? String(error.code) : 'no error';
  });
  for (let turn = 0; result === null && turn < maxChoices; turn++) {
    await blackbird.calls.shift()?.perform();
    await settled();
  }
  world.livePids.delete(1);
  world.lock.isHeld = isHeld;
  const after = [
    JSON.stringify([...world.plans.plan.items]),
    [...world.runs.texts.values()].map((each) => [...each]),
  ];
  if (JSON.stringify(before) !== JSON.stringify(after)) return 'it changed the records';
  if (world.agents.alive().length !== agents) return 'it ended an agent';
  return result ?? 'it never ended';
}
