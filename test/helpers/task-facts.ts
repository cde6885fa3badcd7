import {factsAbout, type KnownOfTask, type TaskFacts} from '../../src/machines/policies/run/task-options.ts';
import type {Plan, Task} from '../../src/services/contracts/plan.ts';

/** Only the plan is known, unless specified otherwise. */
export const factsIn =
  (plan: Plan, known: Partial<KnownOfTask> = {}) =>
  (task: Task): TaskFacts =>
    factsAbout(plan, task, {
      run: null,
      isSentBack: false,
      isEngineAlive: false,
      isSessionRef: () => true,
      repoRoot: '/project',
      explicitProvider: null,
      customCommand: null,
      ...known,
    });
