import {AppError, type NextStep} from '../../../services/contracts/errors.ts';
import type {Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {displayLine} from '../text/display-text.ts';
import {failureSteps, failureTable} from './failure-table.ts';

// A run that rests because of what its provider could not do.

type Failed = Pick<RunRecord, 'failure'>;

/** The provider could not do it: nothing is wrong with the work. */
export const isByProvider = ({failure}: Failed): boolean =>
  failure !== undefined && failureTable[failure.kind].pauseReason !== null;

export const isHeldUp = ({state, failure}: Failed & Pick<RunRecord, 'state'>): boolean =>
  (state === 'paused' || state === 'waiting') && isByProvider({failure});

/** Whether nobody has to do anything about it but wait. */
export const isTimeNeeded = ({failure}: Failed): boolean =>
  failure !== undefined && failureTable[failure.kind].actor === 'time';

/** For the end of a plan: why it rests, and the commands that fit. */
export function heldUpLines({
  taskId,
  state,
  failure,
  next = [],
}: Pick<RunRecord, 'state' | 'failure'> & {
  readonly taskId: string;
  readonly next?: readonly NextStep[];
}): string[] {
  if (failure === undefined) return [];
  const {words, stopsPlan} = failureTable[failure.kind];
  const stop = stopsPlan ? ' The plan stopped: other tasks would meet the same.' : '';
  return [`${displayLine(taskId)} is ${state}: ${words}.${stop}`, ...stepLines(next)];
}

/** Commands below each other, each with what it does. */
export function stepLines(next: readonly NextStep[]): string[] {
  const width = Math.max(...next.map(({command}) => displayLine(command).length));
  return next.map(({command, why = ''}) => `  ${displayLine(command).padEnd(width)}  ${why}`);
}

/** For a single task: the whole diagnosis, as of any resume that came to nothing. */
export function heldUpError(task: Pick<Task, 'id' | 'title'>, run: RunRecord): AppError {
  const {message = ''} = run.failure ?? {};
  const words = run.failure ? failureTable[run.failure.kind].words : '';
  const code = isTimeNeeded(run) ? 'E_PROVIDER_UNAVAILABLE' : 'E_PROVIDER_REFUSED';
  return new AppError(code, `${task.id} cannot go on now: ${words}`, {
    details: diagnosis(task, run, message),
    next: failureSteps(run),
  });
}

/** What a failed resume tells: task, run, provider, session and reason. */
export function diagnosis(
  task: Pick<Task, 'id' | 'title'>,
  run: RunRecord,
  reason: string,
): Array<readonly [label: string, value: string]> {
  const since = run.state === 'paused' ? (run.paused_at ?? run.updated_at) : run.updated_at;
  return [
    ['task', `${task.id}  ${task.title}`.trimEnd()],
    ['run', `${run.run_id}  ${run.state} ${since}`],
    ['provider', run.provider],
    ['session', run.provider_session_ref === '' ? '(none)' : run.provider_session_ref],
    ['reason', reason],
  ];
}
