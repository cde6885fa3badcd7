import {type Budgets, overrunOf, timeLeft} from '../run/budget.ts';
import {nothingSpent, plus, spentBy} from '../run/spent.ts';

/** The usage of one task or one parent review. */
export type Account = {spent: ReturnType<typeof spentBy>};

/** The polling interval of the budget machine: the longest and the shortest. */
const longestLook = 30_000;
const shortestLook = 100;

/** The budgets of one night, counted as the machines do: time while an agent works, cost when it has ended. */
export function openNightBudget(budgets: Budgets | undefined) {
  let job = nothingSpent;
  return {
    account: (): Account => ({spent: nothingSpent}),
    isJobOver: (): boolean => budgets !== undefined && overrunOf(budgets, {job, task: nothingSpent}) !== null,
    isTaskOver: ({spent}: Account): boolean =>
      budgets !== undefined && overrunOf(budgets, {job: nothingSpent, task: spent}) !== null,
    /** How long an agent that starts now works before it is stopped. */
    stopsAfter: ({spent}: Account): number => {
      const left = budgets ? timeLeft(budgets, {job, task: spent}) : Number.POSITIVE_INFINITY;
      if (!Number.isFinite(left)) return Number.POSITIVE_INFINITY;
      const looks = Math.max(0, Math.ceil(left / longestLook) - 1) * longestLook;
      return looks + Math.max(shortestLook, left - looks);
    },
    pay: (account: Account, milliseconds: number, costUsd: number): void => {
      const spent = spentBy({input_tokens: 0, output_tokens: 0, cost_usd: costUsd}, milliseconds);
      job = plus(job, spent);
      account.spent = plus(account.spent, spent);
    },
  };
}
