import type {AnyActorRef} from 'xstate';
import {createEngine} from '../../src/machines/engine.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import type {Command} from './commands.ts';
import type {AgentTale} from './history.ts';
import {
  checkBeginning,
  checkCheck,
  checkGo,
  checkIdle,
  checkPlanWrite,
  checkQuestion,
  checkRunWrite,
  checkWrite,
  type Invariant,
} from './invariants.ts';
import {createLife, type Life} from './life.ts';
import {movesAt} from './moves.ts';
import type {Move, Scenario, Scene} from './scene.ts';
import {settled, type Timers, takeOverTimers} from './timers.ts';
import {type Disk, noteLoss, openWorld, type World, wakeOrphans} from './world.ts';

export type Problem = {readonly invariant: Invariant; readonly words: string};

/** An event other than the first possible one, at a choice of a walk. */
export type Deviation = {readonly at: number; readonly name: string};

export type Walk = {
  /** `known`: it reached a moment that was explored before. `cut`: it left the bounds. */
  readonly end: 'idle' | 'dead' | 'known' | 'cut';
  readonly events: readonly string[];
  /** What it left, where it came to rest. */
  readonly disk: Disk;
  readonly problems: readonly Problem[];
  /** The error that refused the command. */
  readonly error: unknown;
};

/** Asked at every choice after the last deviation; false when nothing new can follow. */
export type Visitor = (
  scene: Scene,
  root: AnyActorRef | null,
  asked: readonly string[],
  at: number,
  moves: readonly Move[],
  events: readonly string[],
) => boolean;

/** More choices than any command has: a walk that gets there never comes to rest. */
const longest = 600;

const clock = {world: null as World | null};
let timers: Timers | null = null;

/** One command on a project, from its first call to rest, along the given events. */
export async function walk(
  scenario: Scenario,
  disk: Disk,
  command: Command,
  deviations: readonly Deviation[] = [],
  visitor: Visitor = () => true,
): Promise<Walk> {
  timers ??= takeOverTimers(() => clock.world?.clock.milliseconds ?? 0);
  timers.clear();
  const world = openWorld(disk, scenario);
  clock.world = world;
  await wakeOrphans(world, disk.orphans);
  const problems: Problem[] = [];
  const report = (invariant: Invariant, words: string) => problems.push({invariant, words});
  const watch = createWatch(world);
  let transitions = 0;
  let root: AnyActorRef | null = null;
  const tally = {
    pauses: 0,
    stops: 0,
    overtakes: 0,
    rivals: 0,
    begun: 0,
    checked: 0,
    checkedAtPause: 0,
    begunAtPause: null,
    begunAtStop: null,
  };
  const life = createLife(world, 1_000 + disk.jobs.length * 2 + disk.history.crashes, {
    wrote: (name) => {
      checkWrite(scene, name, report);
      watch(scene, report);
    },
    toldToGo: (tale) => {
      scene.tally.begun += 1;
      noteGate(world, command, tale);
      checkGo(scene, tale, report);
    },
    checked: (runId) => {
      scene.tally.checked += 1;
      checkCheck(scene, runId, report);
    },
  });
  const engine = createEngine(life.services, {
    inspect: (event) => {
      if (event.type === '@xstate.microstep') transitions += 1;
      else if (event.type === '@xstate.actor') {
        root ??= event.actorRef as AnyActorRef;
        if (root !== event.actorRef) checkBeginning(scene, (event.actorRef as AnyActorRef).id, report);
      }
    },
  });
  const scene: Scene = {
    ...{scenario, world, life, engine, timers, tally, isFresh: true},
    command: command.name,
    problems: [],
    rival: () => rivalOf(world),
  };

  let isOver = false;
  let error: unknown;
  command
    .begin({engine, services: life.services, history: world.history})
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
  let asked: string[] = [];
  let end: Walk['end'] | null = null;
  while (end === null) {
    const [call = null] = life.calls;
    if (call === null && isOver) end = 'idle';
    else {
      scene.isFresh = transitions !== seen;
      if (scene.isFresh) asked = [];
      seen = transitions;
      if (call) asked.push(call.name);
      if (call && !call.isWrite && !scene.isFresh) {
        life.calls.shift();
        await call.perform();
      } else {
        const moves = movesAt(scene, {call});
        for (const {run} of engine.openDecisions()) checkQuestion(scene, run, report);
        const isHelpless = call === null && tally.pauses > 0 && timers.nextDue() === null;
        if (isHelpless && engine.openDecisions().length === 0)
          report('comesToRest', 'after a pause it waits for an agent, and for how long nobody knows');
        if (choices > last && !visitor(scene, root, asked, choices, moves, events)) end = 'known';
        else {
          const deviation = deviations.find(({at}) => at === choices);
          const move = deviation ? moves.find(({name}) => name === deviation.name) : moves[0];
          if (deviation && !move)
            throw new Error(`nobody can do "${deviation.name}" here: ${events.join(' · ')}`);
          if (!move) {
            report('comesToRest', 'it is busy, and nothing can happen');
            end = 'cut';
          } else {
            events.push(move.name);
            await move.act();
            choices += 1;
          }
        }
      }
      await settled();
      if (life.isDead()) end = 'dead';
      if (choices > longest) {
        report('comesToRest', `it is busy after ${longest} events`);
        end = 'cut';
      }
      for (const words of scene.problems.splice(0)) report('owner', words);
      for (const words of world.violations.splice(0)) report(violated(words), words);
      if (end === null && isBeyond(scene)) end = 'cut';
      if (problems.length > 0) end ??= 'cut';
    }
  }
  if (end === 'idle' || end === 'dead') {
    const runs = [...world.runs.texts.keys()].flatMap(world.runs.records);
    for (const tale of world.history.tales) noteLoss(tale, runs, world.history);
  }
  if (end === 'idle') checkIdle(scene, world.jobs.records().length > disk.jobs.length, report);
  const left = end === 'known' || end === 'cut' ? disk : world.disk();
  if (!life.isDead()) life.die({hasGuardian: true});
  timers.clear();
  return {end, events, disk: left, problems, error};
}

const violated = (words: string): Invariant => {
  if (words.startsWith('two ')) return 'oneAgent';
  return words.includes('is recorded as') ? 'noneAtRest' : 'recorded';
};

function errorIn(result: unknown): unknown {
  return typeof result === 'object' && result !== null && 'error' in result ? result.error : undefined;
}

function isBeyond({world, scenario, tally}: Scene): boolean {
  const {attempts, segments, agents} = scenario.bounds;
  if (tally.begun > agents) return true;
  for (const taskId of world.runs.texts.keys()) {
    const runs = world.runs.texts.get(taskId);
    if ((runs?.size ?? 0) > attempts) return true;
  }
  const counts = new Map<string, number>();
  for (const {runId} of world.history.tales) counts.set(runId, (counts.get(runId) ?? 0) + 1);
  return Math.max(0, ...counts.values()) > segments;
}

/** Runs end at a checkpoint when it was requested, and when they continue a run that does. */
function noteGate(world: World, {isGated}: Command, tale: AgentTale): void {
  if (tale.isReviewer) return;
  const {gated} = world.history;
  const run = world.runs.records(tale.taskId).find(({run_id}) => run_id === tale.runId);
  const isInherited = isGated === undefined && gated.includes(run?.resumed_from_run_id ?? '');
  if ((isGated || isInherited) && !gated.includes(tale.runId)) gated.push(tale.runId);
}

/** Compares records and plan with their previous state, after every write. */
function createWatch(world: World) {
  const texts = new Map<string, string>();
  let plan: Plan = world.plans.plan;
  for (const folder of world.runs.texts.values()) for (const [name, text] of folder) texts.set(name, text);
  return (scene: Scene, report: (invariant: Invariant, words: string) => void) => {
    for (const folder of world.runs.texts.values()) {
      for (const [name, text] of folder) {
        const before = texts.get(name);
        if (before === text) continue;
        texts.set(name, text);
        const parsed: RunRecord | null = before === undefined ? null : JSON.parse(before);
        checkRunWrite(scene, parsed, JSON.parse(text), report);
      }
    }
    if (world.plans.plan === plan) return;
    checkPlanWrite(scene, plan, world.plans.plan, report);
    plan = world.plans.plan;
  };
}

/** Another process that finds no lock file: what it reports, after it touched nothing of the working one. */
async function rivalOf(world: World): Promise<string> {
  const {isHeld} = world.lock;
  const before = [
    JSON.stringify([...world.plans.plan.items]),
    [...world.runs.texts.values()].map((each) => [...each]),
  ];
  const agents = world.agents.alive().length;
  const life: Life = createLife(world, 1, {wrote: () => {}, toldToGo: () => {}, checked: () => {}});
  const engine = createEngine(life.services);
  let said: string | null = null;
  engine.start({steps: [{type: 'execute', taskIds: []}], options: {isImpatient: true}}).then(({error}) => {
    said = error instanceof Error && 'code' in error ? String(error.code) : 'no error';
  });
  for (let turn = 0; said === null && turn < longest; turn++) {
    await life.calls.shift()?.perform();
    await settled();
  }
  world.living.delete(1);
  world.lock.isHeld = isHeld;
  const after = [
    JSON.stringify([...world.plans.plan.items]),
    [...world.runs.texts.values()].map((each) => [...each]),
  ];
  if (JSON.stringify(before) !== JSON.stringify(after)) return 'it changed the records';
  if (world.agents.alive().length !== agents) return 'it ended an agent';
  return said ?? 'it never ended';
}
