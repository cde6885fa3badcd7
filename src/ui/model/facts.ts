import type {PlanQuestion} from '../../machines/actors/plan-draft.actor.ts';
import type {JobStep} from '../../machines/policies/job/job-steps.ts';
import type {Wait} from '../../machines/policies/job/waiting.ts';
import {isLeaf, subtreeOf} from '../../machines/policies/plan/plan-graph.ts';
import {isReady} from '../../machines/policies/plan/readiness.ts';
import {dueParents} from '../../machines/policies/review/parent-review.ts';
import type {OutsideProgram} from '../../machines/policies/text/outside-program.ts';
import type {DecisionRequest} from '../../machines/review-gate.machine.ts';
import type {ScreenName, TuiSnapshot} from '../../machines/tui.machine.ts';
import type {Dialog, MessageLine, Panel} from '../../machines/tui-dialogs.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {PlanDraft} from '../../services/contracts/plan-draft.ts';
import type {BrokenRun, RunRecord} from '../../services/contracts/run.ts';
import type {ReviewComment} from '../diff/comments.ts';
import type {DiffView} from '../diff/diff-view.ts';
import type {Conversation, PlanChange, ProjectData, SessionRow} from '../ports.ts';
import type {Browse} from './browse.ts';
import {type Layout, layoutOf, type Size} from './layout.ts';
import {memoizeLast} from './memoize.ts';
import {factsIn} from './task-facts.ts';
import {type TaskState, taskState} from './task-state.ts';
import {type PlanSummary, summarizePlan, type TreeEntry, treeEntries} from './tree.ts';

export type Notice = {
  readonly tone: 'good' | 'bad' | 'warning' | 'accent';
  readonly text: string;
  /** Nothing else on the screen says it, so it comes before the last words of a job, which may be cut off. */
  readonly isFirst?: boolean;
};

/** The job of this process. */
export type JobView = {
  readonly steps: readonly JobStep[];
  /** The active runs, by run id. */
  readonly runs: ReadonlyMap<string, RunRecord>;
  readonly isStopping: boolean;
  /** The limit or outage it waits for. */
  readonly wait: Wait | null;
};

export type PlanningView = {
  /** The planner's current or last turn. */
  readonly runId: string | null;
  readonly words: string;
  /** The current question to the user. */
  readonly question: PlanQuestion | null;
  /** The proposed task that was selected. */
  readonly selectedId: string | null;
};

export type MadeEdit = {readonly label: string; readonly change: PlanChange};

/** Everything the screens are drawn from, except the live logs, which change too often. */
export type TuiState = {
  readonly ui: TuiSnapshot;
  /** Null until the project was read for the first time. */
  readonly data: ProjectData | null;
  readonly browse: Browse;
  readonly job: JobView | null;
  readonly notice: Notice | null;
  /** Plan changes made here, latest last: those that can be undone, and those that were. */
  readonly edits: {readonly done: readonly MadeEdit[]; readonly undone: readonly MadeEdit[]};
  /** The engine's open questions, by run id; it waits for the answers. */
  readonly decisions: ReadonlyMap<string, DecisionRequest>;
  /** The plan an agent works on; null if there is none. */
  readonly planning: PlanningView | null;
  /** Proposals left for later, as last read. */
  readonly planDrafts: readonly PlanDraft[];
  /** The diff view of each run, by run id; only the visible one has its content. */
  readonly diffs: ReadonlyMap<string, DiffView>;
  /** Why no editor can be opened; null if one can. */
  readonly editorRefused: string | null;
  /** What the open tab had to fetch. */
  readonly detail: Detail | null;
  /** An earlier run of a task, selected by the user. */
  readonly past: {
    readonly taskId: string;
    readonly runs: readonly RunRecord[];
    readonly index: number;
  } | null;
  /** The first visible line of the help. */
  readonly helpTop: number;
  /** The selected row of settings and sessions. */
  readonly list: {
    readonly index: number;
    /** What is searched for; it leaves only the rows that contain it. */
    readonly query: string;
    /** The screen it was opened from. */
    readonly from: 'home' | 'plan';
    readonly sessions: readonly SessionRow[] | null;
    /** The last screen of the selected session. */
    readonly preview: {readonly id: string; readonly lines: readonly string[]} | null;
  };
  /** Who has the terminal now: a session, the shell behind us, or the user's editor or pager. */
  readonly handover:
    | {readonly type: 'session'; readonly id: string}
    | {readonly type: 'shell'}
    | {readonly type: 'program'; readonly program: OutsideProgram}
    | null;
  readonly size: Size;
};

/** What a tab shows of a run, once it is loaded. */
export type Detail = {readonly key: string} & (
  | {readonly type: 'loading'}
  | {readonly type: 'failed'; readonly title: string; readonly lines: readonly MessageLine[]}
  | {readonly type: 'transcript'; readonly lines: readonly string[]; readonly isCut: boolean}
  | ({readonly type: 'conversation'} & Conversation)
  /** The diff itself is in `diffs`. */
  | {readonly type: 'diff'; readonly comments: readonly ReviewComment[]}
  | {readonly type: 'history'; readonly runs: readonly RunRecord[]; readonly broken: readonly BrokenRun[]}
);

/** Derived from the state: the rows of the tree, the state of each task, the selection. */
export type Facts = {
  readonly screen: ScreenName;
  readonly isSearching: boolean;
  readonly isBusy: boolean;
  readonly isPausing: boolean;
  /** A job works on the project, in this process or another. */
  readonly isEngineAlive: boolean;
  readonly hasBanner: boolean;
  /** Ctrl+C was pressed while nothing was running. */
  readonly isConfirming: boolean;
  /** The prompt beside the plan. */
  readonly panel: Panel | null;
  readonly layout: Layout;
  readonly plan: Plan | null;
  readonly entries: readonly TreeEntry[];
  readonly summary: PlanSummary | null;
  readonly stateOf: (task: Task) => TaskState;
  readonly task: Task | null;
  readonly state: TaskState | null;
  readonly run: RunRecord | null;
  /** The run that the tabs show: an earlier one if the user went back; for a parent, its review. */
  readonly shownRun: RunRecord | null;
};

/** Memoized: most keys change nothing that the expensive parts depend on. */
export function createFacts(): (state: TuiState) => Facts {
  const statesOf = memoizeLast(
    (
      plan: Plan,
      isEngineAlive: boolean,
      place: ProjectData['place'],
      runs: ProjectData['runs'],
      pendingFeedback: ProjectData['pendingFeedback'],
      orphans: ProjectData['orphans'],
    ) => {
      const data = {place, runs, pendingFeedback, orphans};
      const known = new Map<string, TaskState>();
      const stateOf = (task: Task): TaskState => {
        const found = known.get(task.id) ?? taskState(factsIn(data, isEngineAlive, plan, task));
        known.set(task.id, found);
        return found;
      };
      return {stateOf, summary: summarizePlan(plan, stateOf)};
    },
  );
  const rows = memoizeLast(
    (
      plan: Plan,
      stateOf: Facts['stateOf'],
      folded: Browse['folded'],
      filter: Browse['filter'],
      query: string,
    ) => treeEntries(plan, {folded, filter, query}, stateOf),
  );
  const layout = memoizeLast(layoutOf);

  return memoizeLast((state: TuiState): Facts => {
    const {ui, data, browse, job} = state;
    const panel = panelOf(ui.context.dialog);
    const plan = data?.plan.type === 'plan' ? data.plan.plan : null;
    const isEngineAlive = job !== null || (data?.otherEngine ?? null) !== null;
    const states =
      plan && data
        ? statesOf(plan, isEngineAlive, data.place, data.runs, data.pendingFeedback, data.orphans)
        : {stateOf: () => 'open' as const, summary: null};
    const {folded, filter, query, selectedId} = browse;
    const entries = plan ? rows(plan, states.stateOf, folded, filter, query) : [];
    // Nothing is selected while a search or filter matches nothing.
    const isListed = selectedId !== null && entries.length > 0;
    const task = (isListed ? plan?.items.get(selectedId) : undefined) ?? null;
    const shownRun = pastRun(state, task) ?? runOf(state, task) ?? reviewOf(state, task);
    return {
      screen: screenOf(ui),
      isSearching: ui.hasTag('searching'),
      isBusy: ui.hasTag('busy'),
      isPausing: ui.hasTag('pausing'),
      isEngineAlive,
      hasBanner: ui.hasTag('banner'),
      isConfirming: ui.hasTag('confirming'),
      panel,
      layout: layout(state.size, panel !== null, isZoomed(state, panel, shownRun)),
      plan,
      entries,
      ...states,
      task,
      state: task ? states.stateOf(task) : null,
      run: runOf(state, task),
      shownRun,
    };
  });
}

/** A focused diff takes the whole screen. */
function isZoomed(
  {browse, diffs, ...state}: TuiState,
  panel: Panel | null,
  shownRun: RunRecord | null,
): boolean {
  if (browse.pane !== 'detail' || (panel ? panel.type !== 'checkpoint' : browse.tab !== 'diff')) return false;
  const run = panel ? (decisionOn(state, panel.taskId)?.run ?? state.data?.runs.get(panel.taskId)) : shownRun;
  return diffs.get(run?.run_id ?? '')?.isZoomed === true;
}

function panelOf(dialog: Dialog | null): Panel | null {
  switch (dialog?.type) {
    case 'questions':
    case 'checkpoint':
    case 'feedback':
      return dialog;
    default:
      return null;
  }
}

const reviewOf = ({data}: TuiState, task: Task | null): RunRecord | null =>
  (task && data?.reviews.get(task.id)) ?? null;

function pastRun({past}: TuiState, task: Task | null): RunRecord | null {
  return past && past.taskId === task?.id ? (past.runs[past.index] ?? null) : null;
}

function runOf({job, data}: TuiState, task: Task | null): RunRecord | null {
  if (!task) return null;
  return reviewAtWork(job, task) ?? data?.runs.get(task.id) ?? null;
}

/** The running review of a parent. It says nothing about the parent's state. */
export function reviewAtWork(job: JobView | null, {id}: Task): RunRecord | null {
  const runs = [...(job?.runs.values() ?? [])];
  return runs.find(({run_type, task_id}) => run_type === 'review' && task_id === id) ?? null;
}

/** The engine's question about a task. */
export function decisionOn({decisions}: Pick<TuiState, 'decisions'>, taskId: string): DecisionRequest | null {
  return [...decisions.values()].find(({task}) => task.id === taskId) ?? null;
}

const screens = ['help', 'home', 'plan', 'settings', 'sessions'] as const satisfies readonly ScreenName[];

const screenOf = (ui: TuiSnapshot): ScreenName => screens.find((screen) => ui.hasTag(screen)) ?? 'home';

/** Parents that the next execute reviews or completes; one that sent tasks back waits for the user. */
export function parentsDueNow(plan: Plan, {pendingFeedback}: Pick<ProjectData, 'pendingFeedback'>): Task[] {
  const judged = new Set([...pendingFeedback.values()].map(({parentTaskId}) => parentTaskId));
  return dueParents(plan).filter(({id}) => !judged.has(id));
}

/** The leaves below a task, or itself, that could run now. */
export function readyBelow(plan: Plan, task: Task): string[] {
  return subtreeOf(plan, task).flatMap((each) => (isLeaf(each) && isReady(plan, each) ? [each.id] : []));
}
