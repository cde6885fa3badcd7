import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {openDecision} from '../../machines/policies/review/decisions.ts';
import {circumstancesAt} from '../../machines/policies/run/run-circumstances.ts';
import {tellingRun} from '../../machines/policies/run/run-status.ts';
import type {TaskFacts} from '../../machines/policies/run/task-options.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import type {Project} from '../composition.ts';
import {liveEngine} from '../job/running-task.ts';

/** What the run chart is asked with about one task, as it is on disk now. */
export async function taskFacts({folder}: Project, plan: Plan, taskId: string): Promise<TaskFacts> {
  const task = requireTask(plan, taskId);
  const {runs} = await createRunStore({folder: folder.runsFolder}).list(taskId);
  const open = openDecision(task, runs);
  const run = open?.run ?? tellingRun(runs);
  const {createFeedbackStore} = await import('../../services/stores/feedback-store.ts');
  const {isConsumed} = await import('../../machines/policies/review/parent-feedback.ts');
  const pending = await createFeedbackStore({folder: folder.feedbackFolder}).read(taskId);
  return {
    plan,
    task,
    run,
    circumstances: circumstancesAt(
      {repoRoot: folder.root, explicitProvider: null, customCommand: run?.custom_command ?? null},
      run,
      {
        // Its form is looked at by those who start an agent; a person is told then.
        isSessionRef: true,
        owner: (await liveEngine(folder)) === null ? 'gone' : 'alive',
        isPastCheckpoint: open === null,
      },
    ),
    isSentBack: pending !== null && !isConsumed(pending, runs),
  };
}
