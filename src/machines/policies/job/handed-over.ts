import {AppError, shellWord, systemErrorCode} from '../../../services/contracts/errors.ts';
import type {HandOverInput, HandOverOutput} from '../../hand-over.machine.ts';
import {decisionWords} from '../review/checkpoint-choices.ts';
import type {JobProgress, JobStep} from './job-steps.ts';

/** Someone else holds the project lock and may be waiting for the one decision this job is about. */
export const mayHandOver = (steps: readonly JobStep[], error: unknown): boolean =>
  systemErrorCode(error) === 'E_REPO_LOCKED' && decisionIn(steps) !== null;

export function handOverInput(steps: readonly JobStep[]): HandOverInput {
  const input = decisionIn(steps);
  if (input === null) throw new Error('Nothing was decided that could be handed over');
  return input;
}

function decisionIn([step, ...others]: readonly JobStep[]): HandOverInput | null {
  if (step?.type !== 'task' || step.mode.type !== 'review' || others.length > 0) return null;
  const {decision} = step.mode;
  return decision && {taskId: step.taskId, decision};
}

/** The result of a handed-over job; if nobody waited for the decision, the lock is still the error. */
export function handedOver(
  output: HandOverOutput,
): Partial<Pick<JobProgress, 'handedOver' | 'error' | 'steps'>> {
  switch (output.outcome) {
    case 'decided':
      return {handedOver: output.run, error: undefined, steps: []};
    case 'decidedElsewhere': {
      const {task_id: id, decision_state = 'pending'} = output.run;
      const message = `${id} was decided in another terminal: ${decisionWords[decision_state]}`;
      const next = [{command: `blackbird runs ${shellWord(id)}`, why: 'see its history'}];
      return {error: new AppError('E_NO_DECISION', message, {next})};
    }
    case 'dropped':
      return {
        error: new AppError(
          'E_REPO_LOCKED',
          'the terminal that waits for the decision did not carry it out',
          {
            next: [{command: 'blackbird review', why: 'decide again'}],
          },
        ),
      };
    case 'error':
      return {error: output.error};
    case 'unclaimed':
      return {};
  }
}
