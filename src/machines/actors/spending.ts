import {type EventObject, fromCallback, fromPromise} from 'xstate';
import type {Usage} from '../../services/contracts/agent.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {Spent} from '../../services/contracts/usage.ts';
import {BudgetError, type Budgets, overrunOf, type Spending} from '../policies/run/budget.ts';
import {nothingSpent, plus, spentBy, spentIn, taskSpent, usageSince} from '../policies/run/spent.ts';

/** The usage of the job and its agents, from the records and from the running agents. */
export type SpendingTracker = {
  /** Starts a new job at zero. */
  begin(): void;
  /** A record as it is on disk now. */
  recorded(run: RunRecord, jobId: string): void;
  started(runId: string): void;
  used(run: RunRecord, usage: Usage, isWholeSession: boolean): void;
  ended(runId: string): void;
  /** Includes the running agent; `run` is the record from before it started. */
  read(run: RunRecord | null): Spending;
  watch(runId: string, listener: () => void): () => void;
};

type LiveAgent = {readonly startedAt: number; usage: Usage | undefined};

export function createSpendingTracker({monotonicNow}: Pick<Services, 'monotonicNow'>): SpendingTracker {
  const records = new Map<string, Spent>();
  const live = new Map<string, LiveAgent>();
  const listeners = new Map<string, () => void>();
  const liveSpent = ({startedAt, usage}: LiveAgent) => spentBy(usage, monotonicNow() - startedAt);
  return {
    begin: () => records.clear(),
    recorded: (run, jobId) => void records.set(run.run_id, spentIn(run, jobId)),
    started: (runId) => void live.set(runId, {startedAt: monotonicNow(), usage: undefined}),
    used: (run, usage, isWholeSession) => {
      const agent = live.get(run.run_id);
      const before = isWholeSession ? run.session_usage : undefined;
      if (agent) agent.usage = before ? usageSince(usage, before) : usage;
      listeners.get(run.run_id)?.();
    },
    ended: (runId) => void live.delete(runId),
    read: (run) => {
      const agent = run && live.get(run.run_id);
      const own = run ? taskSpent(run) : nothingSpent;
      return {
        job: [...records.values(), ...[...live.values()].map(liveSpent)].reduce(plus, nothingSpent),
        task: agent ? plus(own, liveSpent(agent)) : own,
      };
    },
    watch: (runId, listener) => {
      listeners.set(runId, listener);
      return () => listeners.delete(runId);
    },
  };
}

/** Throws if the budget is used up. `run` is the one to continue. */
export function requireBudget(
  spending: SpendingTracker,
  budgets: Budgets | undefined,
  taskId: string,
  run: RunRecord | null,
  asked?: 'execute' | 'resume' | 'restart',
): void {
  const overrun = budgets ? overrunOf(budgets, spending.read(run)) : null;
  if (overrun) throw new BudgetError(overrun, taskId, asked);
}

export const defineReadSpendingActor = (spending: SpendingTracker) =>
  fromPromise<Spending, {readonly run: RunRecord}>(async ({input: {run}}) => spending.read(run));

export const defineWatchUseActor = (spending: SpendingTracker) =>
  fromCallback<EventObject, {readonly run: RunRecord}>(({input: {run}, sendBack}) =>
    spending.watch(run.run_id, () => sendBack({type: 'use.changed'})),
  );
