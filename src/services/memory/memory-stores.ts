import type {ProviderId} from '../contracts/agent.ts';
import type {CommentStore, LineComment} from '../contracts/comment.ts';
import type {DecisionInbox} from '../contracts/decision-inbox.ts';
import type {Draft, DraftStore} from '../contracts/draft.ts';
import {AppError} from '../contracts/errors.ts';
import type {FeedbackStore, PendingFeedback} from '../contracts/feedback.ts';
import type {JobRecord, JobStore, RequestBox} from '../contracts/job.ts';
import type {LimitStore, SeenLimit} from '../contracts/limits.ts';
import type {Plan} from '../contracts/plan.ts';
import type {PlanDraft, PlanDraftStore} from '../contracts/plan-draft.ts';
import {latestRun, type RunRecord, type RunStore} from '../contracts/run.ts';
import type {PlanRules, PlanStore} from '../contracts/stores.ts';
import {checkedRunId, runFilesIn} from '../stores/run-files.ts';

// In-memory stores. Records are immutable, so they are not copied.

export function createMemoryPlans(plan: Plan, {checkChange}: Pick<PlanRules, 'checkChange'>): PlanStore {
  let current = plan;
  return {
    file: 'blackbird.plan.json',
    read: async () => current,
    inspect: async () => ({plan: current}),
    create: async () => false,
    watch: async () => ({version: 'memory', edit: async () => null}),
    update: async (change) => {
      const before = current;
      const after = change(before);
      const [problem] = after === before ? [] : checkChange(before, after);
      if (problem) throw new AppError('E_PLAN_EDIT', problem.message);
      current = after;
      return {before, after};
    },
  };
}

export function createMemoryRuns(): RunStore {
  const tasks = new Map<string, Map<string, RunRecord>>();
  const runsOf = (taskId: string) => {
    const runs = tasks.get(taskId) ?? new Map<string, RunRecord>();
    tasks.set(taskId, runs);
    return runs;
  };
  const list = (taskId: string) =>
    [...(tasks.get(taskId)?.values() ?? [])].sort((one, other) => one.attempt - other.attempt);
  return {
    list: async (taskId) => ({runs: list(taskId), broken: []}),
    latest: async (taskId) => latestRun(list(taskId)),
    runningTaskIds: async () =>
      [...tasks.keys()].filter((taskId) => list(taskId).some(({state}) => state === 'running')),
    insert: async (run) => {
      if (runsOf(run.task_id).has(checkedRunId(run.run_id))) {
        throw new AppError('E_RUN_EXISTS', `run ${run.run_id} already exists`);
      }
      runsOf(run.task_id).set(run.run_id, run);
    },
    update: async (taskId, runId, change) => {
      const before = tasks.get(taskId)?.get(checkedRunId(runId));
      if (!before) throw new AppError('E_RUN_NOT_FOUND', `no run record of ${runId}`);
      const after = change(before);
      runsOf(taskId).set(runId, after);
      return after;
    },
    isAsWritten: () => true,
    restore: async (run) => void runsOf(run.task_id).set(run.run_id, run),
    files: (taskId, runId) => runFilesIn(encodeURIComponent(taskId), runId),
  };
}

/** In the order file names are listed. */
export const inOrder = <Entry>(entries: ReadonlyMap<string, Entry>): Entry[] =>
  [...entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);

export function createMemoryFeedback(): FeedbackStore {
  const entries = new Map<string, PendingFeedback>();
  return {
    list: async () => ({pending: inOrder(entries), broken: []}),
    read: async (taskId) => entries.get(taskId) ?? null,
    save: async (feedback) => void entries.set(feedback.childTaskId, feedback),
    remove: async (taskId) => void entries.delete(taskId),
  };
}

export function createMemoryDrafts(entries = new Map<string, Draft>()): DraftStore {
  const nameOf = ({kind, taskId}: Pick<Draft, 'kind' | 'taskId'>) => `${kind} ${taskId}`;
  return {
    all: async () => [...entries.values()],
    read: async (key) => entries.get(nameOf(key)) ?? null,
    save: async (draft) => void entries.set(nameOf(draft), draft),
    remove: async (kind, taskId) => void entries.delete(nameOf({kind, taskId})),
  };
}

export function createMemoryPlanDrafts(): PlanDraftStore {
  const entries = new Map<string, PlanDraft>();
  return {
    list: async () => ({drafts: inOrder(entries), broken: []}),
    read: async (draftId) => entries.get(draftId) ?? null,
    save: async (draft) => void entries.set(draft.draftId, draft),
    remove: async (draftId) => void entries.delete(draftId),
  };
}

export function createMemoryComments(): CommentStore {
  const entries = new Map<string, LineComment>();
  const nameOf = ({task_id, run_id, id}: Pick<LineComment, 'task_id' | 'run_id' | 'id'>) =>
    JSON.stringify([task_id, run_id, id]);
  const placeOf = ({file, line, created_at, id}: LineComment) =>
    [file, String(line).padStart(10), created_at, id].join('\0');
  return {
    list: async ({task_id, run_id}) =>
      [...entries.values()]
        .filter((each) => each.task_id === task_id && each.run_id === run_id)
        .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)),
    save: async (comment) => void entries.set(nameOf(comment), comment),
    remove: async (run, id) => entries.delete(nameOf({...run, id})),
  };
}

/** There is no one else to decide anything. */
export const emptyInbox: DecisionInbox = {
  post: async () => false,
  look: () => 'gone',
  retract: () => false,
  forget: () => {},
  discard: () => false,
  watch: () => () => {},
};

/** There is no one else to request anything. */
export const emptyRequestBox: RequestBox = {
  send: async () => 'open',
  isTaken: () => false,
  withdraw: () => true,
  watch: () => () => {},
};

export function createMemoryJobs(): JobStore {
  const jobs = new Map<string, JobRecord>();
  return {
    ids: () => [...jobs.keys()].sort().reverse(),
    read: async (jobId) => jobs.get(jobId) ?? null,
    create: async (job) => void jobs.set(job.jobId, job),
    // The history of a job that ends with the process is never read.
    note: async () => {},
    close: async (job) => void jobs.set(job.jobId, job),
  };
}

export function createMemoryLimits(limits = new Map<ProviderId, SeenLimit>()): LimitStore {
  return {
    read: async (provider) => limits.get(provider) ?? null,
    save: async (provider, limit) => void limits.set(provider, limit),
    clear: async (provider, before) => {
      const limit = limits.get(provider);
      if (limit && Date.parse(limit.seenAt) <= Date.parse(before)) limits.delete(provider);
    },
  };
}
