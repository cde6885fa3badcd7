import {isUndelivered} from '../../src/machines/policies/run/task-runs.ts';
import {latestRun} from '../../src/services/contracts/run.ts';
import {diskKey, sceneKey} from './canonical.ts';
import {adviceOn, type Command, commandsOn} from './commands.ts';
import {type AgentTale, nothingHappened} from './history.ts';
import {checkDisk} from './invariants.ts';
import type {Scenario} from './scene.ts';
import {type Deviation, type Problem, walk} from './stage.ts';
import {type Disk, openWorld} from './world.ts';

/** A command, and everything that happened until it was over. */
export type Leg = {readonly command: string; readonly events: readonly string[]};

/** A broken invariant, and the shortest path to it: fewest commands, then fewest surprises. */
export type Finding = Problem & {readonly path: readonly Leg[]};

export type Figures = {
  readonly scenario: string;
  /** Distinct projects at rest, and moments of work. */
  rests: number;
  moments: number;
  transitions: number;
  /** How often the machines were started. */
  walks: number;
  /** Walks that left the bounds. */
  cut: number;
  seconds: number;
};

type Rest = {readonly disk: Disk; readonly path: readonly Leg[]};

const start = Date.parse('2026-02-02T02:02:02.000Z');

export function firstDisk({
  plan,
  tree = null,
}: Pick<Scenario, 'plan'> & {readonly tree?: string | null}): Disk {
  const nothing = {runs: [], feedback: [], drafts: [], limits: [], jobs: [], commits: [], orphans: []};
  return {...nothing, plan, tree, milliseconds: start, history: nothingHappened()};
}

/** Everything that can happen to a project within the bounds of the scenario, or the first broken invariant. */
export async function explore(
  scenario: Scenario,
  {isOver = () => false, most = 1}: {readonly isOver?: () => boolean; readonly most?: number} = {},
): Promise<{readonly figures: Figures; readonly findings: readonly Finding[]}> {
  const figures = {
    scenario: scenario.name,
    rests: 0,
    moments: 0,
    transitions: 0,
    walks: 0,
    cut: 0,
    seconds: 0,
  };
  const begun = performance.now();
  const seen = new Set<string>();
  const ways = new Set<string>();
  const rests: Rest[] = [];
  const findings = new Map<string, Finding>();
  const isEnough = () => findings.size >= most || isOver();
  const note = (finding: Finding | null) => {
    if (!finding) return;
    const name = `${finding.invariant} ${finding.words}`;
    if (!findings.has(name)) findings.set(name, finding);
  };
  const arrive = async (rest: Rest) => {
    const key = diskKey(rest.disk);
    if (seen.has(key)) return;
    seen.add(key);
    figures.rests += 1;
    rests.push(rest);
    checkDisk(rest.disk, (invariant, words) => note({invariant, words, path: rest.path}));
    note(await wayOut(scenario, rest, ways, figures));
  };

  const first = await leadIn(scenario);
  await arrive(first);
  for (let rest = rests.shift(); rest && !isEnough(); rest = rests.shift()) {
    if (rest.path.length - first.path.length >= scenario.bounds.commands) continue;
    const {disk, path} = rest;
    const {services} = openWorld(disk, scenario);
    for (const command of await commandsOn(disk, services, scenario)) {
      if (!command.isOffered) {
        note(await refused(scenario, rest, command, figures));
        continue;
      }
      const open: Deviation[][] = [[]];
      for (let taken = open.shift(); taken && !isEnough(); taken = open.shift()) {
        figures.walks += 1;
        const deviations = taken;
        const crashed: Rest[] = [];
        const walked = await walk(
          scenario,
          disk,
          command,
          deviations,
          (scene, root, asked, at, moves, events) => {
            const key = sceneKey(scene, root, asked);
            if (seen.has(key)) return false;
            seen.add(key);
            figures.moments += 1;
            figures.transitions += moves.length;
            for (const {name, leaves} of moves.slice(1)) {
              const leg = {command: command.name, events: [...events, name]};
              if (leaves) crashed.push({disk: leaves(), path: [...path, leg]});
              else open.push([...deviations, {at, name}]);
            }
            return true;
          },
        );
        for (const each of crashed) await arrive(each);
        const {end, events, problems, error} = walked;
        const legs = [...path, {command: command.name, events}];
        for (const problem of problems) note({...problem, path: legs});
        if (end === 'idle' && deviations.length === 0 && error !== undefined)
          if (!isTorn(disk) || (await isStillOffered(scenario, walked.disk, command)))
            note({invariant: 'offered', words: `${command.name}: ${wordsOf(error)}`, path: legs});
        if (end === 'cut') figures.cut += 1;
        if (problems.length === 0 && (end === 'idle' || end === 'dead'))
          await arrive({disk: walked.disk, path: legs});
      }
    }
  }
  figures.seconds = (performance.now() - begun) / 1_000;
  return {figures, findings: [...findings.values()]};
}

/** The project after the commands that come before the exploration. */
async function leadIn(scenario: Scenario): Promise<Rest> {
  let rest: Rest = {disk: firstDisk(scenario), path: []};
  for (const [name, ...happening] of scenario.lead ?? []) {
    const {disk} = rest;
    const commands = await commandsOn(disk, openWorld(disk, scenario).services, scenario);
    const command = commands.find((each) => each.name === name);
    if (!command) throw new Error(`nobody can ask for "${name}" in the lead of ${scenario.name}`);
    const deviations: Deviation[] = [];
    for (const event of happening) {
      let place = -1;
      await walk(scenario, disk, command, deviations, (_scene, _root, _asked, at, moves) => {
        if (place < 0 && moves.some((move) => move.name === event)) place = at;
        return true;
      });
      if (place < 0) throw new Error(`"${event}" cannot happen in the lead of ${scenario.name}`);
      deviations.push({at: place, name: event});
    }
    const walked = await walk(scenario, disk, command, deviations);
    rest = {disk: walked.disk, path: [...rest.path, {command: name, events: walked.events}]};
  }
  return rest;
}

/** A crash left it so: only after the first command repairs it is it known what is possible. */
const isTorn = ({orphans, runs}: Disk) => orphans.length > 0 || runs.some(({state}) => state === 'running');

/** A command refused because of what a crash left is no longer offered: its record shows the state. */
async function isStillOffered(scenario: Scenario, disk: Disk, {name}: Command): Promise<boolean> {
  const {services} = openWorld(disk, scenario);
  const commands = await commandsOn(disk, services, scenario);
  return isTorn(disk) || commands.some((each) => each.name === name && each.isOffered);
}

const isLeftOpen = ({jobs}: Disk) => jobs.length > 0 && jobs.at(-1)?.end === undefined;

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A command that no view shows must be refused, and must change nothing. */
async function refused(
  scenario: Scenario,
  {disk, path}: Rest,
  command: Command,
  figures: Figures,
): Promise<Finding | null> {
  if (isTorn(disk)) return null;
  figures.walks += 1;
  const {events, error, disk: after} = await walk(scenario, disk, command);
  const legs = [...path, {command: command.name, events}];
  if (error === undefined)
    return {invariant: 'refused', words: `${command.name} was not refused`, path: legs};
  const content = ({plan, runs, feedback}: Disk) => JSON.stringify([[...plan.items], runs, feedback]);
  // What a dead Blackbird or a full disk left behind is repaired by whatever comes next.
  if (content(after) === content(disk) || isLeftOpen(disk) || disk.history.failures > 0) return null;
  return {invariant: 'refused', words: `${command.name} was refused and changed something`, path: legs};
}

/** More than any plan of a scenario needs. */
const longestWay = 30;

/** Follows the suggestions of the views, with agents that succeed, until everything is done. */
async function wayOut(
  scenario: Scenario,
  rest: Rest,
  ways: Set<string>,
  figures: Figures,
): Promise<Finding | null> {
  const keys: string[] = [];
  let {disk, path} = rest;
  for (let turn = 0; ; turn++) {
    const key = diskKey(disk);
    if (ways.has(key)) break;
    const stuck = turn >= longestWay || keys.includes(key);
    if (stuck) return {invariant: 'wayOut', words: `${path.at(-1)?.command} leads nowhere`, path};
    keys.push(key);
    const {services} = openWorld(disk, scenario);
    const command = await adviceOn(disk, services, scenario);
    if (command === null) {
      const unheard = unheardIn(disk);
      if (unheard) return {invariant: 'words', words: unheard, path};
      break;
    }
    figures.walks += 1;
    const walked = await walk(
      {...scenario, bounds: {...scenario.bounds, attempts: 99, segments: 99, agents: 99}},
      disk,
      command,
    );
    path = [...path, {command: command.name, events: walked.events}];
    const [problem] = walked.problems;
    if (problem) return {...problem, path};
    if (walked.error !== undefined && !isTorn(disk))
      return {invariant: 'offered', words: `${command.name}: ${wordsOf(walked.error)}`, path};
    // A day later: whatever only needs time has had it.
    disk = {...walked.disk, milliseconds: walked.disk.milliseconds + 86_400_000};
  }
  for (const key of keys) ways.add(key);
  return null;
}

/**
 * Feedback that was stored and never delivered although everything is done. If the last run could not deliver it, the
 * task is as before and a draft keeps the text for the next try.
 */
function unheardIn({history: {words, tales, failures}, runs, drafts}: Disk): string | null {
  const works = ({hasWorked, verdict}: AgentTale) => hasWorked && verdict !== null;
  // A resumed session includes what was said in it before.
  const isHeard = (token: string) =>
    tales.some(
      (tale, place) =>
        tale.words.includes(token) &&
        (works(tale) ||
          (tale.isStored &&
            tales.slice(place + 1).some((later) => later.askedRef === tale.session && works(later)))),
    );
  const isOffered = (token: string, taskId: string) => {
    const last = latestRun(runs.filter(({task_id}) => task_id === taskId));
    const isKept = JSON.stringify(drafts).includes(token);
    // After a full disk, the run that was to deliver it may not be on record at all.
    return isKept && last !== null && (isUndelivered(last) || failures > 0);
  };
  const lost = words.find(
    ({token, taskId, isAccepted, isMoot}) =>
      isAccepted && !isMoot && !isHeard(token) && !isOffered(token, taskId),
  );
  return lost ? `${lost.token} to ${lost.taskId} was kept and never heard` : null;
}
