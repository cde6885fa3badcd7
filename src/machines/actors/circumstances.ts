import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {circumstancesAt, type RunCircumstances} from '../policies/run/run-circumstances.ts';

/** What the run chart is asked with, here and now. Whoever asks holds the project lock. */
export function circumstancesOf(
  {project, agents, isSessionRef}: Pick<Services, 'project' | 'agents' | 'isSessionRef'>,
  run: RunRecord | null,
  {explicitProvider, isPastCheckpoint}: Pick<RunCircumstances, 'explicitProvider' | 'isPastCheckpoint'>,
): RunCircumstances {
  return circumstancesAt(
    {repoRoot: project.root, explicitProvider, customCommand: agents.customCommand},
    run,
    {
      isSessionRef: run !== null && isSessionRef(run.provider, run.provider_session_ref),
      owner: 'alive',
      isPastCheckpoint,
    },
  );
}
