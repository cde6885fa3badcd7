import type {Plan} from '../../../services/contracts/plan.ts';
import {checkCommands} from '../plan/task-checks.ts';
import {type Budgets, budgetWords} from '../run/budget.ts';
import {displayLine} from '../text/display-text.ts';
import type {JobRules} from './job-rules.ts';

/** The rules of a job, as shown before it starts. */
export type RuleSummary = {
  /** From the settings and the tasks that would run, each once. */
  readonly checks: readonly string[];
  /** Each task stops the job until someone decides. */
  readonly checkpoints: boolean;
  readonly commits: boolean;
  readonly budgets: Budgets | null;
};

export function ruleSummary(
  {checks, isReviewed, commits, budgets}: Pick<JobRules, 'checks' | 'isReviewed' | 'commits' | 'budgets'>,
  plan: Plan,
  taskIds: readonly string[],
): RuleSummary {
  const forAll = checks?.commands ?? [];
  const ofTasks = taskIds.flatMap((id) => {
    const task = plan.items.get(id);
    return task ? checkCommands(plan, task, forAll) : [];
  });
  return {
    checks: [...new Set([...forAll, ...ofTasks])],
    checkpoints: isReviewed === true,
    commits: commits === true,
    budgets: budgets ?? null,
  };
}

/** `codex · checks: npm test · no checkpoints · no commits · no budget`. */
export function ruleLine(agent: string | null, {checks, checkpoints, commits, budgets}: RuleSummary): string {
  const shown = checks.slice(0, shownChecks).map(displayLine).join(', ');
  const more = checks.length > shownChecks ? `, and ${checks.length - shownChecks} more` : '';
  return [
    ...(agent === null ? [] : [agent]),
    checks.length === 0 ? 'no checks' : `checks: ${shown}${more}`,
    checkpoints ? 'a checkpoint after each task' : 'no checkpoints',
    commits ? 'a commit for each task' : 'no commits',
    budgets === null ? 'no budget' : `budget: ${budgetWords(budgets)}`,
  ].join(' · ');
}

const shownChecks = 3;
