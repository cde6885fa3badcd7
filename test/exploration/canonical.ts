import {createHash} from 'node:crypto';
import type {AnyActorRef} from 'xstate';
import type {Simulation} from './simulation.ts';
import type {Disk} from './world.ts';

/** What makes no difference between two states: process names, prompt sizes, times that nothing is compared with. */
const ignoredKeys = new Set([
  'job_id',
  'jobId',
  'pid',
  'start_time',
  'boot_id',
  'pid_namespace',
  'owner',
  'argv',
  'host',
  'started_at',
  'ended_at',
  'startedAt',
  'paused_at',
  'resumed_at',
  'pauses',
  'refusals',
  'createdAt',
  'stdout',
  'stderr',
  'bytes',
  'digest',
  'prompt',
  'decision_requested_at',
  'withdrawn_at',
  'beganAt',
  'since',
  'announcedAt',
  'schema_version',
  'schemaVersion',
  'repo_root',
  'answerSchema',
  'systemId',
  'input',
]);

const comparable = (key: string, value: unknown): unknown => {
  if (ignoredKeys.has(key)) return undefined;
  if (value instanceof Map) return [...value];
  if (value instanceof Error) return {name: value.name, message: value.message};
  return value;
};

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Times by their order only. */
function withRankedTimes(text: string, now: number): string {
  const times = new Set(text.match(time) ?? []);
  const ranks = new Map(
    [...times].sort((a, b) => Date.parse(a) - Date.parse(b)).map((each, rank) => [each, rank]),
  );
  const rankOfNow = [...times].filter((each) => Date.parse(each) <= now).length;
  return `${rankOfNow} ${text.replace(time, (each) => `t${ranks.get(each)}`)}`;
}

const hash = (text: string) => createHash('sha1').update(text).digest('base64');

/** What is on disk, and what really happened as far as an invariant needs it. */
function content(disk: Disk) {
  const {plan, runs, feedback, drafts, limits, jobs, tree, commits, orphans, history, milliseconds} = disk;
  const {activities, messages, decisions, gated, titles, titlesDuring, byHand} = history;
  const {edits, failures, crashes} = history;
  return {
    items: [...plan.items.values()],
    runs,
    feedback,
    drafts,
    limits,
    isJobOpen: jobs.at(-1)?.end === undefined,
    tree,
    commits,
    orphans: orphans.map(({run}) => run.run_id),
    verdicts: Object.fromEntries(activities.map(({runId, verdict}) => [runId, verdict])),
    passed: Object.fromEntries(activities.map(({runId, passed}) => [runId, passed])),
    sessions: Object.fromEntries(activities.map(({runId, session}) => [runId, session])),
    heard: activities.flatMap(({messages: heard, hasWorked, verdict}) => (hasWorked && verdict ? heard : [])),
    isLimited: history.limitedUntil > milliseconds,
    messages,
    decisions,
    gated,
    titles,
    titlesDuring,
    byHand,
    edits,
    failures,
    crashes,
  };
}

/** The key of an idle state: the project between commands. */
export const diskKey = (disk: Disk): string =>
  hash(withRankedTimes(JSON.stringify(content(disk), comparable), disk.milliseconds));

/** The key of a busy state: the project, every chart with its context, the requests, and the agents. */
export function simulationKey(
  simulation: Simulation,
  root: AnyActorRef | null,
  requested: readonly string[],
): string {
  const {world, blackbird, timers, counters} = simulation;
  const state = {
    ...content(world.disk()),
    charts: root?.getPersistedSnapshot(),
    command: simulation.command,
    calls: blackbird.calls.map(({name}) => name),
    requested,
    timers: timers.waiting(),
    counters,
    agents: [...world.activityOf].map(([{isAlive, hasGone, silence}, activity]) => [
      isAlive,
      hasGone,
      silence > 0,
      activity,
    ]),
    checks: world.checks.checks.map(({isAlive, hasGone, command}) => [isAlive, hasGone, command]),
    hasTransitioned: simulation.hasTransitioned,
  };
  return hash(withRankedTimes(JSON.stringify(state, comparable), world.clock.milliseconds));
}
