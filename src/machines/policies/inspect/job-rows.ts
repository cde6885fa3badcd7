import type {RowQuery} from '../../../services/contracts/inspector.ts';
import type {Plan, Task, TaskStatus} from '../../../services/contracts/plan.ts';
import {tasksInTreeOrder} from '../plan/plan-graph.ts';
import {isDraftTaskId} from '../planning/draft-task.ts';
import type {Lane, LaneOutcome} from '../report/timeline.ts';
import type {OutcomeKind} from './outcomes.ts';

/** The state of a task: as in `outcomes.ts`, or not started. */
export type RowKind = OutcomeKind | 'todo';

/** One task of the plan, and what a job did with it. */
export type JobRow = {
  readonly task_id: string;
  /** Untrusted text. */
  readonly title: string;
  readonly depth: number;
  readonly is_parent: boolean;
  readonly is_closed: boolean;
  readonly kind: RowKind;
  readonly word: string;
  /** Counts over the tasks below a parent. */
  readonly done: number;
  readonly total: number;
  /** From the first to the last event below a parent in this job. */
  readonly span: {readonly from: string; readonly to: string} | null;
  readonly lane: Lane | null;
};

/** One page of the rows that match a query. */
export type RowPage = {readonly from: number; readonly total: number; readonly rows: readonly JobRow[]};

const laneKinds = {
  running: {kind: 'working', word: 'working'},
  lost: {kind: 'lost', word: 'lost'},
  done: {kind: 'succeeded', word: 'done'},
  failed: {kind: 'failed', word: 'failed'},
  refused: {kind: 'refused', word: 'refused'},
  waiting_answer: {kind: 'waiting', word: 'asks'},
  waiting_time: {kind: 'paused', word: 'waits for its time'},
  paused: {kind: 'paused', word: 'paused'},
  decision: {kind: 'waiting', word: 'waits for a decision'},
  sent_back: {kind: 'waiting', word: 'changes requested'},
  canceled: {kind: 'ended', word: 'canceled'},
  undone: {kind: 'ended', word: 'undone'},
  skipped: {kind: 'ended', word: 'skipped'},
  dropped: {kind: 'ended', word: 'dropped'},
} as const satisfies Record<LaneOutcome, {kind: RowKind; word: string}>;

export const laneStanding = (outcome: LaneOutcome): {readonly kind: OutcomeKind; readonly word: string} =>
  laneKinds[outcome];

const statusKinds = {
  todo: {kind: 'todo', word: 'todo'},
  queued: {kind: 'todo', word: 'queued'},
  in_progress: {kind: 'paused', word: 'in progress'},
  waiting_user: {kind: 'waiting', word: 'asks'},
  blocked: {kind: 'todo', word: 'blocked'},
  done: {kind: 'succeeded', word: 'done'},
  failed: {kind: 'failed', word: 'failed'},
  skipped: {kind: 'ended', word: 'skipped'},
} as const satisfies Record<TaskStatus, {kind: RowKind; word: string}>;

/** Every task in execution order with its lane; tasks no longer in the plan come last. */
export function planRows(plan: Plan, lanes: readonly Lane[]): JobRow[] {
  const laneOf = new Map(lanes.map((lane) => [lane.task_id, lane]));
  const rows = tasksInTreeOrder(plan).map(({task, depth}) => rowOf(task, depth, laneOf.get(task.id) ?? null));
  const gone = lanes.filter(({task_id}) => !plan.items.has(task_id)).map((lane) => goneRow(lane));
  return [...withSums(rows), ...gone];
}

const empty = {is_closed: false, done: 0, total: 0, span: null} as const;

function rowOf(task: Task, depth: number, lane: Lane | null): JobRow {
  const standing = lane ? laneKinds[lane.outcome] : statusKinds[task.status];
  const is_parent = task.childIds.length > 0;
  return {task_id: task.id, title: task.title, depth, is_parent, ...standing, ...empty, lane};
}

function goneRow(lane: Lane): JobRow {
  const {task_id, outcome} = lane;
  const untitled = isDraftTaskId(task_id) ? 'planning' : 'no longer in the plan';
  const title = lane.title === '' ? untitled : lane.title;
  return {task_id, title, depth: 0, is_parent: false, ...laneKinds[outcome], ...empty, lane};
}

type Sum = {done: number; total: number; from: string | null; to: string | null; kinds: Set<RowKind>};

/** Parents summarise their children. Goes backwards: everything below a row comes after it and is deeper. */
function withSums(rows: readonly JobRow[]): JobRow[] {
  const open: Sum[] = [];
  const summed: JobRow[] = [];
  for (const row of rows.toReversed()) {
    const below = open[row.depth + 1] ?? newSum();
    open.length = Math.min(open.length, row.depth + 1);
    for (let depth = open.length; depth <= row.depth; depth++) open[depth] = newSum();
    const sum = open[row.depth] ?? newSum();
    const shown = row.is_parent ? parentRow(row, below) : row;
    add(sum, shown, below);
    summed.push(shown);
  }
  return summed.reverse();
}

const newSum = (): Sum => ({done: 0, total: 0, from: null, to: null, kinds: new Set()});

function add(sum: Sum, row: JobRow, below: Sum): void {
  const isOver = row.kind === 'succeeded' || row.word === 'skipped';
  sum.done += row.is_parent ? below.done : Number(isOver);
  sum.total += row.is_parent ? below.total : 1;
  sum.kinds.add(row.kind);
  for (const {from, to} of [...(row.lane?.bars ?? []), ...(row.span ? [row.span] : [])]) {
    sum.from = sum.from === null || from < sum.from ? from : sum.from;
    sum.to = sum.to === null || to > sum.to ? to : sum.to;
  }
}

/** The most important kind below a parent wins. */
const precedence: readonly RowKind[] = [
  'working',
  'failed',
  'lost',
  'refused',
  'waiting',
  'paused',
  'todo',
  'ended',
];

function parentRow(row: JobRow, {done, total, from, to, kinds}: Sum): JobRow {
  const span = from === null || to === null ? null : {from, to};
  const worst = row.lane ? undefined : precedence.find((kind) => kinds.has(kind));
  const isBegun = done > 0 && worst === 'todo';
  const standing = worst === undefined || isBegun ? {} : {kind: worst, word: worst};
  return {...row, ...standing, done, total, span};
}

const attentionKinds = new Set<RowKind>(['failed', 'refused', 'lost', 'waiting', 'paused']);

/** The matching rows from the requested one on, including the parents of matches. */
export function rowPage(all: readonly JobRow[], query: RowQuery): RowPage {
  const wanted = query.find.trim().toLowerCase();
  const fits = (row: JobRow): boolean => {
    if (query.show === 'job' && row.lane === null) return false;
    if (query.show === 'attention' && (row.is_parent || !attentionKinds.has(row.kind))) return false;
    return wanted === '' || `${row.task_id} ${row.title}`.toLowerCase().includes(wanted);
  };
  const isFiltered = query.show !== 'all' || wanted !== '';
  const found = isFiltered ? withParents(all, fits) : [...all];
  const shown = withoutClosed(found, new Set(query.closed));
  return {from: query.from, total: shown.length, rows: shown.slice(query.from, query.from + query.count)};
}

function withParents(all: readonly JobRow[], fits: (row: JobRow) => boolean): JobRow[] {
  const found: JobRow[] = [];
  let needed = -1;
  for (const row of all.toReversed()) {
    const isAbove = row.depth < needed;
    if (!fits(row) && !isAbove) continue;
    needed = row.depth;
    found.push(row);
  }
  return found.reverse();
}

function withoutClosed(rows: readonly JobRow[], closed: ReadonlySet<string>): JobRow[] {
  if (closed.size === 0) return [...rows];
  const shown: JobRow[] = [];
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.depth > hiddenBelow) continue;
    const is_closed = row.is_parent && closed.has(row.task_id);
    hiddenBelow = is_closed ? row.depth : Number.POSITIVE_INFINITY;
    shown.push(is_closed ? {...row, is_closed} : row);
  }
  return shown;
}
