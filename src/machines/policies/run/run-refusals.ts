import {AppError, type ErrorCode, type NextStep, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {decisionWords} from '../review/checkpoint-choices.ts';
import {isReviewDue} from '../review/parent-review.ts';
import {isAboutProgram, resumeInProgram} from './agent-program.ts';
import {diagnosis} from './failure-table.ts';
import {type ApprovalObstacle, obstacleText, type SessionObstacle} from './run-circumstances.ts';
import {
  nextCommands,
  possibleCommands,
  type TaskCommand,
  type TaskFacts,
  type TaskObstacle,
  taskObstacle,
  taskStanding,
} from './task-options.ts';
import {hasUndeliveredAnswer, isUndelivered} from './task-runs.ts';
import {startedBelow, undoOfParent} from './undo-of-parent.ts';

/** Throws if the chart does not allow the command, with everything the user needs to continue. */
export function requirePossible(facts: TaskFacts, command: TaskCommand): void {
  const obstacle = taskObstacle(facts, command);
  if (obstacle !== null) throw refusalOf(facts, command, obstacle);
}

export function refusalOf(facts: TaskFacts, command: TaskCommand, obstacle: TaskObstacle): AppError {
  const {task, run} = facts;
  const {id} = task;
  switch (obstacle) {
    case 'children':
    case 'reviewDue':
      return command === 'undo'
        ? undoOfParent(task, startedBelow(facts.plan, task))
        : parentRefusal(facts.plan, task);
    case 'running':
      return new AppError('E_TASK_RUNNING', `${id} is running`, {
        details: run ? [['run', run.run_id]] : [],
        next: [
          {command: `blackbird runs ${shellWord(id)}`, why: 'see its state'},
          {command: 'blackbird pause', why: 'pause it first'},
        ],
      });
    case 'checkpoint':
      return atCheckpoint(facts);
    case 'notApproved':
    case 'builtOn':
    case 'committed':
      return approvalStands(facts, obstacle);
    case 'noDecision':
      return noDecision(id, facts);
    case 'neverRan':
      if (command === 'undo') return nothingToUndo(id, 'it has never run', firstSteps(facts));
      return command === 'restart'
        ? new AppError('E_RESTART_REFUSED', `${id} has no run to restart`, {next: firstSteps(facts)})
        : nothingToResume(id, 'it has never run', firstSteps(facts));
    case 'ended':
    case 'unasked':
      return nothingToResume(id, `its latest run ${run?.state}`, stepsOf(facts, ['sendBack', 'restart']));
    case 'notReady':
      return new AppError('E_TASK_NOT_READY', notReadyText(task), {
        next: [...stepsOf(facts, nextCommands(facts)), whyStep(id)].slice(0, 3),
      });
    case 'done':
      return unready(`${id} is done`, stepsOf(facts, ['resume', 'sendBack', 'restart', 'setStatus']));
    case 'paused':
      return unready(`${id} is paused`, stepsOf(facts, ['resume', 'restart']));
    case 'asking':
      return unready(askingText(id, run), stepsOf(facts, ['resume', 'restart']));
    case 'notFailed':
      return new AppError('E_RETRY_REFUSED', `task ${id} is not failed or blocked`, {
        details: [['status', task.status]],
        next: [
          ...stepsOf(facts, ['resume', 'restart']),
          {command: `blackbird why ${shellWord(id)}`, why: 'see its state'},
        ].slice(0, 2),
      });
    case 'replaced':
      return command === 'undo' ? undoneBefore(id, required(run)) : goneBefore(facts, command);
    default:
      return resumeRefusal('E_RESUME_REFUSED', task, required(run), sessionText(facts, obstacle));
  }
}

const unready = (message: string, next: readonly NextStep[]): AppError =>
  new AppError('E_TASK_NOT_READY', message, {next});

const askingText = (id: string, run: RunRecord | null): string =>
  run && hasUndeliveredAnswer(run)
    ? `your answer did not reach the agent of ${id}`
    : `${id} waits for your answer`;

function required(run: RunRecord | null): RunRecord {
  if (run === null) throw new Error('Only a run can have such an obstacle');
  return run;
}

function approvalStands(facts: TaskFacts, obstacle: ApprovalObstacle | 'notApproved'): AppError {
  const {id} = facts.task;
  const reason = {
    notApproved: `${id} was not approved at a checkpoint`,
    builtOn: `the approval of ${id} stands: the next task has started`,
    committed: `the approval of ${id} stands: its change was committed`,
  }[obstacle];
  const instead = obstacle === 'notApproved' ? [] : stepsOf(facts, ['undo', 'sendBack']);
  return new AppError('E_NO_DECISION', reason, {next: [...instead, history(id)]});
}

/** Lists what can be done with a task that has already been decided. Without facts, `why` knows what comes next. */
export function noDecision(id: string, facts?: TaskFacts): AppError {
  const state = facts?.run?.decision_state;
  const decided = state === undefined || state === 'pending' ? '' : `: ${decisionWords[state]}`;
  const next = facts
    ? afterDecision(facts)
    : [{command: `blackbird why ${shellWord(id)}`, why: 'see its state'}];
  return new AppError('E_NO_DECISION', `there is nothing to decide for ${id}${decided}`, {next});
}

const afterDecision = (facts: TaskFacts): readonly NextStep[] =>
  facts.run === null
    ? firstSteps(facts)
    : [...stepsOf(facts, ['withdraw', 'undo', 'sendBack']), history(facts.task.id)];

/** A parent has no runs of its own except its reviews, which are repeated, never resumed. */
export function parentRefusal(plan: Plan, task: Task, sentBack: readonly string[] = []): AppError {
  const why = `blackbird why ${shellWord(task.id)}`;
  if (sentBack.length > 0)
    return new AppError('E_TASK_NOT_READY', `the review of ${task.id} sent back ${sentBack.join(', ')}`, {
      next: sentBack.map((id) => ({
        command: `blackbird resume ${shellWord(id)}`,
        why: 'continue with what the review said',
      })),
    });
  if (isReviewDue(plan, task))
    return new AppError('E_TASK_NOT_READY', `the review of ${task.id} is due`, {
      next: [
        {command: 'blackbird execute', why: 'review it'},
        {command: why, why: 'see its state'},
      ],
    });
  return new AppError('E_TASK_NOT_READY', `${task.id} has children; they are the ones that run`, {
    next: [{command: why, why: 'see what is left'}],
  });
}

export const notReady = (id: string): AppError =>
  new AppError('E_TASK_NOT_READY', `${id} is not ready`, {next: [whyStep(id)]});

const whyStep = (id: string): NextStep => ({
  command: `blackbird why ${shellWord(id)}`,
  why: 'see what it waits for',
});

function notReadyText({id, status}: Task): string {
  if (status === 'failed') return `${id} failed`;
  return status === 'blocked' || status === 'skipped' ? `${id} is ${status}` : `${id} is not ready`;
}

/** For a task that never ran, or whose latest run was undone. */
function firstSteps(facts: TaskFacts): NextStep[] {
  const {id} = facts.task;
  if (taskObstacle(facts, 'execute') !== null) return [whyStep(id)];
  const why = facts.run === null ? 'run it for the first time' : 'run it again';
  return [{command: `blackbird execute ${shellWord(id)}`, why}];
}

/** Its latest run was replaced, usually by an undo: only `execute` starts another one. */
function goneBefore(facts: TaskFacts, command: TaskCommand): AppError {
  const {task, run} = facts;
  const reason = `its latest run was undone or replaced, by run ${run?.superseded_by_run_id}`;
  const next = firstSteps(facts);
  if (command === 'restart')
    return new AppError('E_RESTART_REFUSED', `cannot restart ${task.id}: ${reason}`, {next});
  const {code, message, details} = resumeRefusal('E_RESUME_REFUSED', task, required(run), reason);
  return new AppError(code, message, {details, next});
}

const history = (id: string): NextStep => ({
  command: `blackbird runs ${shellWord(id)}`,
  why: 'see its history',
});

const nothingToResume = (id: string, reason: string, next: readonly NextStep[]): AppError =>
  new AppError('E_NOTHING_TO_RESUME', `nothing to resume for ${id}: ${reason}`, {next});

const nothingToUndo = (id: string, reason: string, next: readonly NextStep[] = [history(id)]): AppError =>
  new AppError('E_UNDO_REFUSED', `nothing to undo for ${id}: ${reason}`, {next});

function undoneBefore(id: string, {superseded_by_run_id: by = ''}: RunRecord): AppError {
  const {message, code, next} = nothingToUndo(id, `run ${by} has already undone it`);
  const redo = `blackbird undo ${shellWord(id)} ${shellWord(by)}`;
  return new AppError(code, message, {next: [{command: redo, why: 'revert the undo'}, ...next]});
}

/** Explains why its session cannot be continued. */
const sessionText = ({run, circumstances}: TaskFacts, obstacle: SessionObstacle): string =>
  run === null ? '' : obstacleText(obstacle, run, circumstances);

/** The commands of this list that are possible, as shell commands. */
function stepsOf(facts: TaskFacts, commands: readonly TaskCommand[]): NextStep[] {
  const possible = possibleCommands(facts);
  return commands.filter((command) => possible.includes(command)).map((command) => stepFor(facts, command));
}

/** How to continue a run with the program it belongs to; undefined if that is not the obstacle. */
export function stepInProgram(facts: TaskFacts): NextStep | undefined {
  const {run, circumstances} = facts;
  if (run === null || taskObstacle(facts, 'resume') !== 'otherProgram') return undefined;
  const there = {...facts, circumstances: {...circumstances, isSameProgram: true}};
  return taskObstacle(there, 'resume') === null ? resumeInProgram(run) : undefined;
}

/** A command for the shell, and the reason to use it. */
export function stepFor(facts: TaskFacts, command: TaskCommand): NextStep {
  const {verb, rest = '', why} = shell[command];
  return {
    command: `blackbird ${verb} ${shellWord(facts.task.id)}${rest}`,
    why: special(facts, command) ?? why,
  };
}

/** What the same command means for this task. */
function special(facts: TaskFacts, command: TaskCommand): string | undefined {
  const {status} = facts.task;
  if (command === 'setStatus' && status === 'blocked') return 'release it';
  if (command === 'setStatus' && status === 'skipped') return 'or remove the dependency on it';
  if (command === 'restart' && facts.isOrphaned) return 'end the agent and start again';
  if (command !== 'resume') return undefined;
  if (facts.isSentBack) return 'continue with what the review said';
  if (facts.isOrphaned) return 'end the agent and continue';
  if (taskStanding(facts) === 'ended') return shell.sendBack.why;
  return taskStanding(facts) === 'waiting' ? shell.answer.why : undefined;
}

const shell: Record<TaskCommand, {verb: string; rest?: string; why: string}> = {
  review: {verb: 'review', why: 'decide'},
  resume: {verb: 'resume', why: 'continue where it stopped'},
  answer: {verb: 'resume', why: 'answer its questions'},
  sendBack: {verb: 'resume', rest: ' --feedback <text>', why: 'continue in its session'},
  execute: {verb: 'execute', why: 'run it'},
  retry: {verb: 'retry', why: 'make it ready for execute; the conversation is forgotten'},
  restart: {verb: 'restart', why: 'start again; the conversation is forgotten'},
  withdraw: {verb: 'review', rest: ' --withdraw', why: 'decide again'},
  undo: {verb: 'undo', why: 'take its changes out of the files'},
  setStatus: {verb: 'set-status', rest: ' todo', why: 'make it ready'},
};

/** A task at its checkpoint needs a decision and cannot be changed otherwise. */
function atCheckpoint(facts: TaskFacts): AppError {
  const taskId = facts.task.id;
  const review = `blackbird review ${shellWord(taskId)}`;
  const changes = {command: `${review} --request-changes [text]`, why: 'send the agent back to work'};
  return new AppError('E_DECISION_PENDING', `${taskId} waits for your decision`, {
    next: [
      {command: `${review} --approve`, why: 'let the plan continue'},
      ...(taskObstacle(facts, 'sendBack') === null ? [changes] : []),
      {command: `${review} --reject [reason]`, why: 'the task has failed'},
      {command: `blackbird restart ${shellWord(taskId)}`, why: 'or start again from scratch'},
    ],
  });
}

/** Whether its own program could continue: in a session, or from scratch if it only waits for answers. */
const canContinue = ({provider_session_ref, resumable, state}: RunRecord): boolean =>
  (provider_session_ref !== '' && resumable) || state === 'waiting';

/** The full diagnosis of a refused resume: task, run, provider, session, reason and next steps. */
export function resumeRefusal(
  code: ErrorCode,
  task: Pick<Task, 'id' | 'title'>,
  run: RunRecord,
  reason: string,
): AppError {
  // The session exists, so whatever stopped the agent may be fixed by now.
  const isPassing = reason === run.failure?.message && run.resumable;
  return new AppError(code, `cannot resume ${task.id}: ${reason}`, {
    details: diagnosis(task, run, reason),
    next: [
      ...(isAboutProgram(reason) && canContinue(run) ? [resumeInProgram(run)] : []),
      ...(isPassing
        ? [{command: `blackbird resume ${shellWord(task.id)}`, why: 'try again once it is fixed'}]
        : []),
      {command: `blackbird restart ${shellWord(task.id)}`, why: shell.restart.why},
      ...(isStillAsked(run) ? [stillAsked(task.id)] : []),
    ],
  });
}

const stillAsked = (id: string): NextStep => ({
  command: `blackbird review ${shellWord(id)}`,
  why: 'decide differently; it still waits for you',
});

/** Requested changes that were not delivered leave the checkpoint open. */
const isStillAsked = (run: RunRecord) =>
  run.decision_state === 'pending' || (run.decision_required === true && isUndelivered(run));
