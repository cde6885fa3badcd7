import {AppError, type NextStep, shellWord} from '../../../services/contracts/errors.ts';
import type {Task} from '../../../services/contracts/plan.ts';
import {providerTable} from '../../../services/contracts/provider-table.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {nearTime} from '../text/durations.ts';
import {vendorOf} from './agent-program.ts';
import {budgetFlag} from './budget.ts';
import {diagnosis, failureTable, isTimeNeeded} from './failure-table.ts';

type FailedProgram = Pick<RunRecord, 'provider' | 'provider_dialect' | 'failure'>;

/** The next steps after this failure: first remove the cause, then continue. */
export function failureSteps(
  run: FailedProgram & Pick<RunRecord, 'task_id' | 'resumable' | 'retry_at' | 'updated_at'>,
): NextStep[] {
  const {task_id, resumable, failure, retry_at, updated_at} = run;
  if (failure === undefined) return [];
  const task = shellWord(task_id);
  return [
    ...loginSteps(run),
    ...(resumable
      ? [
          {
            command: `blackbird resume ${task}${modelFlag(run)}${budgetFlag(failure.setting)}`,
            why: resumeWords(failure, updated_at, retry_at),
          },
        ]
      : []),
    {command: `blackbird restart ${task}`, why: 'or start again; the conversation is forgotten'},
  ];
}

/** At the end of a job. A task that only needs time is also continued by `execute`, and then the plan. */
export function jobSteps(run: Parameters<typeof failureSteps>[0]): NextStep[] {
  const {failure, updated_at, retry_at} = run;
  if (failure === undefined || !isTimeNeeded(run)) return failureSteps(run);
  if (!run.resumable)
    return [{command: 'blackbird execute', why: resumeWords(failure, updated_at, retry_at)}];
  const [resume] = failureSteps(run);
  return [...(resume ? [resume] : []), {command: 'blackbird execute', why: 'or continue it with the plan'}];
}

/** A custom command sets its own model. */
const modelFlag = ({provider, failure}: FailedProgram): string =>
  failure !== undefined && failureTable[failure.kind].actor === 'model' && provider !== 'custom'
    ? ' --model <name>'
    : '';

/** The provider's login command, if a login is missing. */
export function loginSteps({failure, ...program}: FailedProgram): NextStep[] {
  const vendor = vendorOf(program);
  const login = vendor === null ? null : providerTable[vendor].login;
  const isMissing = failure !== undefined && failureTable[failure.kind].actor === 'login';
  return isMissing && login !== null ? [{command: login, why: 'log in first'}] : [];
}

function resumeWords(
  {kind, reset_at}: NonNullable<RunRecord['failure']>,
  now: string,
  retryAt: string | undefined = reset_at,
): string {
  switch (failureTable[kind].actor) {
    case 'time':
      return retryAt === undefined ? 'continue later' : `continue after ${nearTime(retryAt, now)}`;
    case 'login':
      return 'then continue in the same session';
    case 'payment':
      return 'continue once the account has credit';
    case 'model':
      return 'continue with a model that exists';
    case 'task':
      return 'continue in the same session';
  }
}

/** For a single task: the full diagnosis, the same as after a failed resume. */
export function heldUpError(task: Pick<Task, 'id' | 'title'>, run: RunRecord): AppError {
  const {message = ''} = run.failure ?? {};
  const words = run.failure ? failureTable[run.failure.kind].words : '';
  const code = isTimeNeeded(run) ? 'E_PROVIDER_UNAVAILABLE' : refusalCode(run);
  return new AppError(code, `${task.id} cannot continue now: ${words}`, {
    details: diagnosis(task, run, message),
    next: failureSteps(run),
  });
}

const refusalCode = ({failure}: RunRecord) =>
  failure?.kind === 'own_limit' ? 'E_BUDGET' : 'E_PROVIDER_REFUSED';
