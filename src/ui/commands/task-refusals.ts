import {waitedFor} from '../../machines/policies/job/wait-lines.ts';
import {isLeaf} from '../../machines/policies/plan/plan-graph.ts';
import {isOver} from '../../machines/policies/plan/readiness.ts';
import {
  continueAction,
  type TaskCommand,
  type TaskFacts,
  type TaskObstacle,
  taskObstacle,
} from '../../machines/policies/run/task-options.ts';
import {shellWord} from '../../services/contracts/errors.ts';
import {parentsDueNow, readyBelow} from '../model/facts.ts';
import {taskFactsOf} from '../model/task-facts.ts';
import {changeable, noTask, planRefusal, type Refusal} from './command.ts';

/** Refusals of execute, resume, restart and retry for a task or the plan. */

const whileIdle =
  (next: Refusal): Refusal =>
  (facts, state) => {
    const wait = state.job?.wait;
    if (facts.isBusy) return wait ? `${waitedFor(wait)}: r tries now` : 'a task is running: ctrl+c pauses it';
    const other = state.data?.otherEngine ?? null;
    if (other !== null) return `process ${other} is working on this project`;
    return next(facts, state);
  };

const byChart =
  (...commands: readonly TaskCommand[]): Refusal =>
  (facts, state) => {
    const {plan, task} = facts;
    const asked = plan && task ? taskFactsOf(state, plan, task) : null;
    if (asked === null) return noTask;
    const obstacles = commands.map((command) => taskObstacle(asked, command));
    const [first = null] = obstacles;
    if (first === null || obstacles.includes(null)) return null;
    const isStuck = first === 'paused' && taskObstacle(asked, 'resume') !== null;
    return isStuck
      ? 'it is paused, without a session to continue: R restarts it'
      : wordsFor(first, commands[0], asked);
  };

const ofTask = (...commands: readonly TaskCommand[]): Refusal => whileIdle(byChart(...commands));

/** The run chart's answers, short enough to fit beside a key. */
const words: Partial<Record<TaskObstacle, string>> & {readonly ended: string} = {
  children: 'it has children; they are the ones that run',
  reviewDue: 'its review is due: e continues with it',
  running: 'an agent is working on it',
  noSession: 'it has no session to continue in: R restarts it',
  foreignSession: 'it has no session to continue in: R restarts it',
  unsavedSession: 'it has no session to continue in: R restarts it',
  otherFolder: 'it belongs to another working folder: R restarts it',
  otherProgram: 'its session belongs to another program: R restarts it',
  checkpoint: 'it waits for your decision: u decides',
  paused: 'it is paused: u resumes it, R restarts it',
  asking: 'it waits for your answer: u answers',
  done: 'it is done: R restarts it',
  notReady: 'it is not ready',
  ended: 'there is nothing to resume',
  notApproved: 'it was not approved at a checkpoint',
  builtOn: 'the next task has started since it was approved',
  committed: 'its change was committed',
};

function wordsFor(
  obstacle: TaskObstacle,
  command: TaskCommand | undefined,
  {task, run}: Pick<TaskFacts, 'task' | 'run'>,
): string {
  if (command === 'retry' && obstacle !== 'children' && obstacle !== 'reviewDue')
    return 'it is neither failed nor blocked nor lost';
  if (command === 'execute' && obstacle === 'children') return 'no task below it is ready';
  if (command === 'undo' && obstacle === 'neverRan') return 'it has no run yet';
  if (command === 'undo' && obstacle === 'replaced') {
    const redo = `blackbird undo ${shellWord(task.id)} ${shellWord(run?.superseded_by_run_id ?? '')}`;
    return `already undone; ${redo} brings it back`;
  }
  if (!run && isOver(task) && (obstacle === 'done' || command === 'restart'))
    return `it is ${task.status} and never ran: s makes it todo`;
  if (command === 'restart' && obstacle === 'neverRan') return 'it has no run yet: e executes it';
  return words[obstacle] ?? words.ended;
}

export const executeRefusal = whileIdle((facts, state) => {
  const {plan, summary} = facts;
  const {data} = state;
  if (!plan) return planRefusal(facts, state);
  if ((summary?.counts.get('ready') ?? 0) > 0) return null;
  // A pending parent review is work as well.
  return data && parentsDueNow(plan, data).length > 0 ? null : 'no task is ready';
});

/** A parent stands for its children. */
export const executeTaskRefusal: Refusal = (facts, state) => {
  const {plan, task} = facts;
  const isOfChildren = plan && task && !isLeaf(task) && readyBelow(plan, task).length > 0;
  return (isOfChildren ? whileIdle(() => null) : ofTask('execute'))(facts, state);
};

/** One key resumes, answers, decides or shows a parent's review, whichever applies. */
export const resumeRefusal = whileIdle((facts, state) => {
  const {plan, task} = facts;
  const asked = plan && task ? taskFactsOf(state, plan, task) : null;
  return asked && continueAction(asked) !== null ? null : byChart('resume', 'review')(facts, state);
});

export const restartRefusal = ofTask('restart');

export const retryRefusal = ofTask('retry');

export const undoRefusal = ofTask('undo');

export const withdrawRefusal = ofTask('withdraw');

/** The user may set a status while other tasks run. */
export const statusRefusal: Refusal = (facts, state) =>
  changeable('status')(facts, state) ?? byChart('setStatus')(facts, state);
