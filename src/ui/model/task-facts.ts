import type {Wait} from '../../machines/policies/job/waiting.ts';
import {jobHold} from '../../machines/policies/run/job-hold.ts';
import {isHeldForTime, retryTimeOf} from '../../machines/policies/run/retry-time.ts';
import {
  continueAction,
  factsAbout,
  nextCommands,
  type TaskCommand,
  type TaskFacts,
  taskStanding,
} from '../../machines/policies/run/task-options.ts';
import {compareTimestamps} from '../../machines/policies/text/timestamps.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {ProjectData} from '../ports.ts';

/** The facts the run chart needs about a task. */
export function taskFactsOf(
  {data, job}: {readonly data: ProjectData | null; readonly job: {readonly wait: Wait | null} | null},
  plan: Plan,
  task: Task,
): TaskFacts | null {
  if (data === null) return null;
  const {runs, reviews} = data;
  // Computed for a single task only, because it looks at every run.
  const start = runs.get(task.id)?.decision_resolved_at === undefined ? null : latestStart(runs, reviews);
  const facts = factsIn(data, job !== null || data.otherEngine !== null, plan, task, start);
  if (job !== null) return {...facts, job: {pid: null, waitsFor: job.wait, takes: 'all'}};
  if (data.otherEngine === null) return facts;
  // What another process waits for is not known here; what only needs time is waited for.
  const isWaitedFor = facts.run !== null && isHeldForTime(facts.run);
  const waitsFor = isWaitedFor ? {taskId: task.id, until: retryTimeOf(facts.run)} : null;
  return {...facts, job: {pid: data.otherEngine, waitsFor, takes: 'all'}};
}

export const factsIn = (
  {
    place,
    runs,
    pendingFeedback,
    orphans,
  }: Pick<ProjectData, 'place' | 'runs' | 'pendingFeedback' | 'orphans'>,
  isEngineAlive: boolean,
  plan: Plan,
  task: Task,
  start: string | null = null,
): TaskFacts =>
  factsAbout(plan, task, {
    ...place,
    run: runs.get(task.id) ?? null,
    isSentBack: pendingFeedback.has(task.id),
    isOrphaned: orphans.includes(task.id),
    isEngineAlive,
    latestStart: start,
  });

function latestStart(...known: ReadonlyArray<ProjectData['runs']>): string | null {
  let latest: string | null = null;
  for (const runs of known)
    for (const {created_at} of runs.values())
      if (latest === null || compareTimestamps(created_at, latest) > 0) latest = created_at;
  return latest;
}

/** The keys for what the user can do about it, best first. */
export function keyHints(facts: TaskFacts): string[] {
  const next = nextCommands(facts);
  const texts = (hold: 'ends' | null) =>
    next
      .filter((command) => jobHold(facts, command) === hold)
      .flatMap((command) => hints[command]?.(facts) ?? []);
  const later = texts('ends');
  // Without a session to continue in, it can still be read.
  const read = continueAction(facts) === 'sendBack' && !next.includes('resume') ? ['u shows the review'] : [];
  return [
    ...read,
    ...texts(null),
    ...(later.length === 0 ? [] : [`once the job has ended: ${later.join(', ')}`]),
  ];
}

const hints: Partial<Record<TaskCommand, (facts: TaskFacts) => string>> = {
  execute: () => 'e runs the plan, E only this',
  review: () => 'u decides',
  resume: (facts) => {
    if (facts.isSentBack) return 'u sends it back to work';
    if (facts.isOrphaned) return 'u ends its agent and continues';
    return taskStanding(facts) === 'waiting' ? 'u answers its question' : 'u continues its session';
  },
  retry: ({task}) => (task.status === 'blocked' ? 't releases it' : 't makes it ready'),
  restart: ({isOrphaned}) => (isOrphaned ? 'R ends its agent and starts again' : 'R starts again'),
};
