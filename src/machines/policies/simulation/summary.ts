import type {Plan} from '../../../services/contracts/plan.ts';
import {isLeaf, tasksInTreeOrder} from '../plan/plan-graph.ts';
import {displayLine} from '../text/display-text.ts';
import {duration} from '../text/durations.ts';
import type {Night} from './night.ts';

export type Spread = {
  readonly min: number;
  readonly p10: number;
  readonly median: number;
  readonly p90: number;
  readonly max: number;
  readonly mean: number;
};

export type Simulation = {
  readonly nights: number;
  /** How many nights the machines ran, with the same result as the rules. */
  readonly checked: number;
  readonly order: readonly string[];
  readonly critical: {readonly path: readonly string[]; readonly minutes: number};
  readonly minutes: Spread;
  readonly costUsd: Spread;
  /** Nights that finished everything; nights with a task that failed for good. */
  readonly completed: number;
  readonly failed: number;
  /** Why the nights stopped, with the same names as a job: `completed` means that no task was ready. */
  readonly reasons: Readonly<Record<string, number>>;
  /** The tasks that stopped nights for a person, most frequent first. */
  readonly people: ReadonlyArray<{readonly taskId: string; readonly nights: number}>;
  /** Open tasks that no night has started. */
  readonly neverBegun: readonly string[];
};

export function summarize(
  plan: Plan,
  nights: readonly Night[],
  {checked, meanMinutes}: {readonly checked: number; readonly meanMinutes: number},
): Simulation {
  const reasons = counts(nights.map(({reason}) => reason));
  const people = counts(nights.flatMap(({needsPerson}) => needsPerson ?? []));
  const begun = new Set(nights.flatMap(({order}) => order));
  const open = tasksInTreeOrder(plan).filter(({task}) => isLeaf(task) && isOpen(task.status));
  return {
    nights: nights.length,
    checked,
    order: nights[0]?.order ?? [],
    critical: criticalPath(plan, meanMinutes),
    minutes: spreadOf(nights.map(({milliseconds}) => milliseconds / 60_000)),
    costUsd: spreadOf(nights.map(({costUsd}) => costUsd)),
    completed: nights.filter(({reason, done}) => reason === 'completed' && done === open.length).length,
    failed: nights.filter(({failed}) => failed.length > 0).length,
    reasons: Object.fromEntries(reasons),
    people: [...people]
      .map(([taskId, count]) => ({taskId, nights: count}))
      .sort((a, b) => b.nights - a.nights),
    neverBegun: open.flatMap(({task}) => (begun.has(task.id) ? [] : [task.id])),
  };
}

const isOpen = (status: string) => status !== 'done' && status !== 'skipped';

function counts(names: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return found;
}

function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((one, other) => one - other);
  const at = (share: number) => rounded(sorted[Math.round(share * (sorted.length - 1))] ?? 0);
  const mean = rounded(sorted.reduce((sum, number) => sum + number, 0) / Math.max(1, sorted.length));
  return {min: at(0), p10: at(0.1), median: at(0.5), p90: at(0.9), max: at(1), mean};
}

const rounded = (number: number) => Math.round(number * 100) / 100;

/** The longest chain of open leaves that depend on each other; a parent counts as its own longest chain. */
function criticalPath(plan: Plan, minutes: number): Simulation['critical'] {
  const rows = tasksInTreeOrder(plan).map(({task}) => task);
  const waiting = new Map<string, number>();
  const followers = new Map<string, string[]>();
  for (const task of rows) {
    // A parent ends after its children.
    const before = [...task.deps, ...task.childIds].filter((id) => plan.items.has(id));
    waiting.set(task.id, before.length);
    for (const id of before) {
      const list = followers.get(id);
      if (list) list.push(task.id);
      else followers.set(id, [task.id]);
    }
  }
  const longest = new Map<string, {length: number; from: string | null}>();
  const free = rows.filter(({id}) => waiting.get(id) === 0).map(({id}) => id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    const task = plan.items.get(id);
    const known = longest.get(id) ?? {length: 0, from: null};
    const own = task && isLeaf(task) && isOpen(task.status) ? 1 : 0;
    longest.set(id, {length: known.length + own, from: known.from});
    for (const next of followers.get(id) ?? []) {
      if (known.length + own > (longest.get(next)?.length ?? 0))
        longest.set(next, {length: known.length + own, from: id});
      const left = (waiting.get(next) ?? 1) - 1;
      waiting.set(next, left);
      if (left === 0) free.push(next);
    }
  }
  let end: string | null = null;
  for (const [id, {length}] of longest)
    if (length > (end === null ? 0 : (longest.get(end)?.length ?? 0))) end = id;
  const path: string[] = [];
  for (let id: string | null = end; id !== null; id = longest.get(id)?.from ?? null) {
    const task = plan.items.get(id);
    if (task && isLeaf(task) && isOpen(task.status)) path.push(id);
  }
  path.reverse();
  return {path, minutes: rounded(path.length * minutes)};
}

const orderLimit = 30;
const bars = 12;

/** The text for people: order, people, critical path, durations and costs. */
export function simulationLines(simulation: Simulation, nights: readonly Night[], columns: number): string[] {
  const {order, people, critical, minutes, costUsd, neverBegun, completed, failed} = simulation;
  const shown = order.slice(0, orderLimit);
  const left = order.length - shown.length;
  const list = (ids: readonly string[]) =>
    `${ids.slice(0, 10).map(displayLine).join(', ')}${ids.length > 10 ? `, … and ${ids.length - 10} more` : ''}`;
  const time = (number: number) => duration(number * 60_000);
  return [
    'The first night:',
    ...(shown.length === 0 ? ['  nothing is ready'] : []),
    ...shown.map((id, index) => `  ${String(index + 1).padStart(3)}  ${displayLine(id)}`),
    ...(left > 0 ? [`       … and ${left} more`] : []),
    '',
    `Critical path: ${critical.path.length === 0 ? 'none' : critical.path.slice(0, 10).map(displayLine).join(' → ')}${critical.path.length > 10 ? ` → … (${critical.path.length})` : ''}, about ${time(critical.minutes)}`,
    `All done: ${completed} of ${simulation.nights} ${simulation.nights === 1 ? 'night' : 'nights'}`,
    ...(failed > 0 ? [`Something failed: ${failed} of ${simulation.nights}`] : []),
    ...people
      .slice(0, 5)
      .map(
        ({taskId, nights: count}) =>
          `A person is needed: ${displayLine(taskId)}, ${count} of ${simulation.nights}`,
      ),
    ...(people.length > 5 ? [`  … and at ${people.length - 5} other tasks`] : []),
    ...(neverBegun.length > 0 ? [`Never begun: ${list(neverBegun)}`] : []),
    `Time: ${time(minutes.median)} (${time(minutes.p10)} to ${time(minutes.p90)})`,
    ...(costUsd.max > 0
      ? [`Cost: $${costUsd.median.toFixed(2)} ($${costUsd.p10.toFixed(2)} to $${costUsd.p90.toFixed(2)})`]
      : []),
    ...(nights.length > 1
      ? [
          '',
          ...plot(
            nights.map(({milliseconds}) => milliseconds),
            columns,
          ),
        ]
      : []),
  ];
}

/** A histogram of the durations. */
function plot(milliseconds: readonly number[], columns: number): string[] {
  const min = Math.min(...milliseconds);
  const max = Math.max(...milliseconds);
  const width = (max - min) / bars || 1;
  const buckets = new Array<number>(max === min ? 1 : bars).fill(0);
  for (const each of milliseconds) {
    const at = Math.min(buckets.length - 1, Math.floor((each - min) / width));
    buckets[at] = (buckets[at] ?? 0) + 1;
  }
  const most = Math.max(...buckets);
  const room = Math.max(10, Math.min(60, columns - 24));
  return buckets.map((count, index) => {
    const label = duration(min + index * width).padStart(10);
    const bar = '█'.repeat(Math.round((count / most) * room));
    return `${label}  ${bar}${bar === '' && count > 0 ? '▏' : ''} ${count}`;
  });
}
