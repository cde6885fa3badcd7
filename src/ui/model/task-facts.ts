import {circumstancesAt} from '../../machines/policies/run/run-circumstances.ts';
import type {TaskFacts} from '../../machines/policies/run/task-options.ts';
import type {Facts, TuiState} from './facts.ts';

/** What the run chart is asked with about the selected task; null where none is. */
export function taskFactsOf({plan, task, run}: Facts, {data}: TuiState): TaskFacts | null {
  if (!plan || !task) return null;
  return {
    plan,
    task,
    run,
    // Folder, program and the form of the session are looked at by the job itself, with the whole diagnosis.
    circumstances: circumstancesAt(
      {repoRoot: run?.repo_root ?? '', explicitProvider: null, customCommand: run?.custom_command ?? null},
      run,
      {
        isSessionRef: true,
        owner: (data?.otherEngine ?? null) === null ? 'gone' : 'alive',
        isPastCheckpoint: task.status !== 'in_progress',
      },
    ),
    isSentBack: data?.pendingFeedback.has(task.id) ?? false,
  };
}
