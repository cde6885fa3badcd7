import type {ProviderId} from '../../../services/contracts/provider-table.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {ProgramChoice} from './agent-program.ts';
import {circumstancesAt, obstacleText} from './run-circumstances.ts';
import {runObstacle} from './run-options.ts';

/** Why changes cannot be requested at this checkpoint; null if they can. */
export function changesObstacle(
  run: RunRecord,
  {
    isSessionRef,
    ...place
  }: ProgramChoice & {
    readonly repoRoot: string;
    readonly isSessionRef: (provider: ProviderId, ref: string) => boolean;
  },
): string | null {
  const circumstances = circumstancesAt(place, run, {
    isSessionRef: isSessionRef(run.provider, run.provider_session_ref),
    owner: 'alive',
    isPastCheckpoint: false,
  });
  const obstacle = runObstacle(run, circumstances, 'sendBack');
  if (obstacle === 'standing') return 'it is no longer at a checkpoint';
  return obstacle === null ? null : obstacleText(obstacle, run, circumstances);
}
