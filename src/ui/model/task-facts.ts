import {
  factsAbout,
  nextCommands,
  type TaskCommand,
  type TaskFacts,
  taskStanding,
} from '../../machines/policies/run/task-options.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {ProjectData} from '../ports.ts';
import type {TuiState} from './facts.ts';

/** What the run chart is asked with about a task. */
export const taskFactsOf = ({data, job}: TuiState, plan: Plan, task: Task): TaskFacts | null =>
  data && factsIn(data, job !== null || data.otherEngine !== null, plan, task);

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
): TaskFacts =>
  factsAbout(plan, task, {
    ...place,
    run: runs.get(task.id) ?? null,
    isSentBack: pendingFeedback.has(task.id),
    isOrphaned: orphans.includes(task.id),
    isEngineAlive,
  });

/** What the person can do about it, by the keys that do it; best first. */
export const keyHints = (facts: TaskFacts): string[] =>
  nextCommands(facts).flatMap((command) => hints[command]?.(facts) ?? []);

const hints: Partial<Record<TaskCommand, (facts: TaskFacts) => string>> = {
  execute: () => 'e runs the plan, E only this',
  review: () => 'u decides',
  resume: (facts) => {
    if (facts.isSentBack) return 'u sends it back to work';
    if (facts.isOrphaned) return 'u ends its agent and goes on';
    return taskStanding(facts) === 'waiting' ? 'u answers its question' : 'u goes on in its session';
  },
  retry: ({task}) => (task.status === 'blocked' ? 't releases it' : 't makes it ready'),
  restart: ({isOrphaned}) => (isOrphaned ? 'R ends its agent and starts again' : 'R starts again'),
};
