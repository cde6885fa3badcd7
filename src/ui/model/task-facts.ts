import {
  factsAbout,
  nextCommands,
  type TaskCommand,
  type TaskFacts,
  taskStanding,
} from '../../machines/policies/run/task-options.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {TuiState} from './facts.ts';

/** What the run chart is asked with about a task. */
export function taskFactsOf({data, job}: TuiState, plan: Plan, task: Task): TaskFacts | null {
  if (data === null) return null;
  return factsAbout(plan, task, {
    ...data.place,
    run: data.runs.get(task.id) ?? null,
    isSentBack: data.pendingFeedback.has(task.id),
    isEngineAlive: job !== null || data.otherEngine !== null,
  });
}

/** What the person can do about it, by the keys that do it; best first. */
export const keyHints = (facts: TaskFacts): string[] =>
  nextCommands(facts).flatMap((command) => hints[command]?.(facts) ?? []);

const hints: Partial<Record<TaskCommand, (facts: TaskFacts) => string>> = {
  execute: () => 'e runs the plan, E only this',
  review: () => 'u decides',
  resume: (facts) => {
    if (facts.isSentBack) return 'u sends it back to work';
    return taskStanding(facts) === 'waiting' ? 'u answers its question' : 'u goes on in its session';
  },
  retry: ({task}) => (task.status === 'blocked' ? 't releases it' : 't makes it ready'),
  restart: () => 'R starts again',
};
