import {isUndelivered} from '../../src/machines/policies/run/task-runs.ts';
import {latestRun} from '../../src/services/contracts/run.ts';
import {diskKey, simulationKey} from './canonical.ts';
import {type Command, commandsFor, suggestedCommand} from './commands.ts';
import {type AgentActivity, emptyHistory} from './history.ts';
import {checkDisk} from './invariants.ts';
import type {Scenario} from './simulation.ts';
import {type Deviation, type Problem, walk} from './walk.ts';
import {type Disk, openWorld} from './world.ts';

/** A command, and everything that happened until it was over. */
export type PathStep = {readonly command: string; readonly events: readonly string[]};

/** A broken invariant, and the shortest path to it: fewest commands, then fewest deviations. */
export type Finding = Problem & {readonly path: readonly PathStep[]};

export type Figures = {
  readonly scenario: string;
  /** Distinct states between commands, and within one. */
  idleStates: number;
  busyStates: number;
  transitions: number;
  /** How often the machines were started. */
  walks: number;
  /** Walks that left the bounds. */
  cut: number;
  seconds: number;
};

type IdleState = {readonly disk: Disk; readonly path: readonly PathStep[]};

const start = Date.parse('2026-02-02T02:02:02.000Z');

function firstDisk({plan, tree = null}: Pick<Scenario, 'plan'> & {readonly tree?: string | null}): Disk {
  const nothing = {runs: [], feedback: [], drafts: [], limits: [], jobs: [], commits: [], orphans: []};
  return {...nothing, plan, tree, milliseconds: start, history: emptyHistory()};
}

/** Everything that can happen to a project within the bounds of the scenario, or the first broken invariant. */
export async function explore(
  scenario: Scenario,
  {
    isOutOfTime = () => false,
    maxFindings = 1,
  }: {readonly isOutOfTime?: () => boolean; readonly maxFindings?: number} = {},
): Promise<{readonly figures: Figures; readonly findings: readonly Finding[]}> {
  const figures = {
    scenario: scenario.name,
    idleStates: 0,
    busyStates: 0,
    transitions: 0,
    walks: 0,
    cut: 0,
    seconds: 0,
  };
  const startedAt = performance.now();
  const seen = new Set<string>();
  const finishable = new Set<string>();
  const queue: IdleState[] = [];
  const findings = new Map<string, Finding>();
  const isEnough = () => findings.size >= maxFindings || isOutOfTime();
  const note = (finding: Finding | null) => {
    if (!finding) return;
    const name = `${finding.invariant} ${finding.text}`;
    if (!findings.has(name)) findings.set(name, finding);
  };
  const visit = async (state: IdleState) => {
    const key = diskKey(state.disk);
    if (seen.has(key)) return;
    seen.add(key);
    figures.idleStates += 1;
    queue.push(state);
    checkDisk(state.disk, (invariant, text) => note({invariant, text, path: state.path}));
    note(await canFinish(scenario, state, finishable, figures));
  };

  const first = await runSetup(scenario);
  await visit(first);
  for (let state = queue.shift(); state && !isEnough(); state = queue.shift()) {
    if (state.path.length - first.path.length >= scenario.bounds.commands) continue;
    const {disk, path} = state;
    const {services} = openWorld(disk, scenario);
    for (const command of await commandsFor(disk, services, scenario)) {
      if (!command.isOffered) {
        note(await refused(scenario, state, command, figures));
        continue;
      }
      const open: Deviation[][] = [[]];
      for (let taken = open.shift(); taken && !isEnough(); taken = open.shift()) {
        figures.walks += 1;
        const deviations = taken;
        const crashed: IdleState[] = [];
        const walked = await walk(
          scenario,
          disk,
          command,
          deviations,
          (simulation, root, requested, at, possible, events) => {
            const key = simulationKey(simulation, root, requested);
            if (seen.has(key)) return false;
            seen.add(key);
            figures.busyStates += 1;
            figures.transitions += possible.length;
            for (const {name, diskAfter} of possible.slice(1)) {
              const step = {command: command.name, events: [...events, name]};
              if (diskAfter) crashed.push({disk: diskAfter(), path: [...path, step]});
              else open.push([...deviations, {at, name}]);
            }
            return true;
          },
        );
        for (const each of crashed) await visit(each);
        const {end, events, problems, error} = walked;
        const steps = [...path, {command: command.name, events}];
        for (const problem of problems) note({...problem, path: steps});
        if (end === 'idle' && deviations.length === 0 && error !== undefined)
          if (!isUnrepaired(disk) || (await isStillOffered(scenario, walked.disk, command)))
            note({invariant: 'offered', text: `${command.name}: ${errorText(error)}`, path: steps});
        if (end === 'cut') figures.cut += 1;
        if (problems.length === 0 && (end === 'idle' || end === 'dead'))
          await visit({disk: walked.disk, path: steps});
      }
    }
  }
  figures.seconds = (performance.now() - startedAt) / 1_000;
  return {figures, findings: [...findings.values()]};
}

/** The project after the commands that come before the exploration. */
async function runSetup(scenario: Scenario): Promise<IdleState> {
  let state: IdleState = {disk: firstDisk(scenario), path: []};
  for (const [name, ...eventNames] of scenario.setup ?? []) {
    const {disk} = state;
    const commands = await commandsFor(disk, openWorld(disk, scenario).services, scenario);
    const command = commands.find((each) => each.name === name);
    if (!command) throw new Error(`"${name}" is no command in the setup of ${scenario.name}`);
    const deviations: Deviation[] = [];
    for (const event of eventNames) {
      let place = -1;
      await walk(scenario, disk, command, deviations, (_simulation, _root, _requested, at, possible) => {
        if (place < 0 && possible.some(({name: each}) => each === event)) place = at;
        return true;
      });
      if (place < 0) throw new Error(`"${event}" cannot happen in the setup of ${scenario.name}`);
      deviations.push({at: place, name: event});
    }
    const walked = await walk(scenario, disk, command, deviations);
    state = {disk: walked.disk, path: [...state.path, {command: name, events: walked.events}]};
  }
  return state;
}

/** A crash left it so: only after the first command repairs it is it known what is possible. */
const isUnrepaired = ({orphans, runs}: Disk) =>
  orphans.length > 0 || runs.some(({state}) => state === 'running');

/** A command refused because of what a crash left is no longer offered: its record shows the state. */
async function isStillOffered(scenario: Scenario, disk: Disk, {name}: Command): Promise<boolean> {
  const {services} = openWorld(disk, scenario);
  const commands = await commandsFor(disk, services, scenario);
  return isUnrepaired(disk) || commands.some((each) => each.name === name && each.isOffered);
}

const isLeftOpen = ({jobs}: Disk) => jobs.length > 0 && jobs.at(-1)?.end === undefined;

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A command that no view shows must be refused, and must change nothing. */
async function refused(
  scenario: Scenario,
  {disk, path}: IdleState,
  command: Command,
  figures: Figures,
): Promise<Finding | null> {
  if (isUnrepaired(disk)) return null;
  figures.walks += 1;
  const {events, error, disk: after} = await walk(scenario, disk, command);
  const steps = [...path, {command: command.name, events}];
  if (error === undefined)
    return {invariant: 'refused', text: `${command.name} was not refused`, path: steps};
  const content = ({plan, runs, feedback}: Disk) => JSON.stringify([[...plan.items], runs, feedback]);
  // What a dead Blackbird or a full disk left behind is repaired by whatever comes next.
  if (content(after) === content(disk) || isLeftOpen(disk) || disk.history.failures > 0) return null;
  return {invariant: 'refused', text: `${command.name} was refused and changed something`, path: steps};
}

/** More than any plan of a scenario needs. */
const maxCommands = 30;

/** Follows the suggestions of the views, with agents that succeed, until everything is done. */
async function canFinish(
  scenario: Scenario,
  state: IdleState,
  finishable: Set<string>,
  figures: Figures,
): Promise<Finding | null> {
  const keys: string[] = [];
  let {disk, path} = state;
  for (let turn = 0; ; turn++) {
    const key = diskKey(disk);
    if (finishable.has(key)) break;
    const stuck = turn >= maxCommands || keys.includes(key);
    if (stuck) return {invariant: 'canFinish', text: `${path.at(-1)?.command} leads nowhere`, path};
    keys.push(key);
    const {services} = openWorld(disk, scenario);
    const command = await suggestedCommand(disk, services, scenario);
    if (command === null) {
      const unheard = unheardIn(disk);
      if (unheard) return {invariant: 'messages', text: unheard, path};
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
    if (walked.error !== undefined && !isUnrepaired(disk))
      return {invariant: 'offered', text: `${command.name}: ${errorText(walked.error)}`, path};
    // A day later: whatever only needs time has had it.
    disk = {...walked.disk, milliseconds: walked.disk.milliseconds + 86_400_000};
  }
  for (const key of keys) finishable.add(key);
  return null;
}

/**
 * Feedback that was stored and never delivered although everything is done. If the last run could not deliver it, the
 * task is as before and a draft keeps the text for the next try.
 */
function unheardIn({history: {messages, activities, failures}, runs, drafts}: Disk): string | null {
  const works = ({hasWorked, verdict}: AgentActivity) => hasWorked && verdict !== null;
  // A resumed session includes what was said in it before.
  const isHeard = (token: string) =>
    activities.some(
      (activity, place) =>
        activity.messages.includes(token) &&
        (works(activity) ||
          (activity.isStored &&
            activities
              .slice(place + 1)
              .some((later) => later.askedRef === activity.session && works(later)))),
    );
  const isOffered = (token: string, taskId: string) => {
    const last = latestRun(runs.filter(({task_id}) => task_id === taskId));
    const isKept = JSON.stringify(drafts).includes(token);
    // After a full disk, the run that was to deliver it may not be on record at all.
    return isKept && last !== null && (isUndelivered(last) || failures > 0);
  };
  const lost = messages.find(
    ({token, taskId, isAccepted, isMoot}) =>
      isAccepted && !isMoot && !isHeard(token) && !isOffered(token, taskId),
  );
  return lost ? `${lost.token} to ${lost.taskId} was kept and never heard` : null;
}
