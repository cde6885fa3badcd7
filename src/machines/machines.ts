import type {AnyStateMachine} from 'xstate';
import {budgetMachine} from './budget.machine.ts';
import {draftMachine} from './draft.machine.ts';
import {engineMachine} from './engine.machine.ts';
import {executorMachine} from './executor.machine.ts';
import {handOverMachine} from './hand-over.machine.ts';
import {jobTaskMachine} from './job-task.machine.ts';
import {parentReviewMachine} from './parent-review.machine.ts';
import {planGenerationMachine} from './plan-generation.machine.ts';
import {planTurnMachine} from './plan-turn.machine.ts';
import {questionsMachine} from './questions.machine.ts';
import {retryWaitMachine} from './retry-wait.machine.ts';
import {reviewGateMachine} from './review-gate.machine.ts';
import {runMachine} from './run.machine.ts';
import {segmentMachine} from './segment.machine.ts';
import {sessionMachine} from './session.machine.ts';
import {sessionChangeMachine} from './session-change.machine.ts';
import {taskMachine} from './task.machine.ts';
import {tuiMachine} from './tui.machine.ts';
import {undoMachine} from './undo.machine.ts';
import {verificationMachine} from './verification.machine.ts';

export type KnownMachine = {
  /** The id of the machine, which `findMachine` looks up. */
  readonly name: string;
  /** One line about what it owns. */
  readonly about: string;
  readonly machine: AnyStateMachine;
};

/** All machines, outermost first: for the diagrams, the inspector and replay. */
export const machines: readonly KnownMachine[] = [
  known(engineMachine, 'one job at a time, under the project lock; pause from every state'),
  known(executorMachine, 'the loop over the plan, until there is a reason to stop'),
  known(jobTaskMachine, 'one task requested by id, including the wait before it'),
  known(retryWaitMachine, 'the wait for a limit or an outage to end, or for a user who wants to try now'),
  known(taskMachine, 'one task: prepare, run, check, pass the checkpoint, update the plan'),
  known(undoMachine, 'undoing a task: record it, write the files, make the task ready again'),
  known(
    planGenerationMachine,
    'a change to the plan that an agent proposes: a draft until the user accepts it',
  ),
  known(planTurnMachine, "one turn of a planner: the draft's next prompt and the answer to it"),
  known(parentReviewMachine, 'the review of each parent whose children are done, from the bottom up'),
  known(runMachine, 'the whole life of one run across processes, and the commands it accepts'),
  known(segmentMachine, 'one agent process, from launch until its last child process has ended'),
  known(verificationMachine, 'the checks of a run, and sending its agent back when one fails'),
  known(budgetMachine, "the agent's usage, until a budget is used up"),
  known(reviewGateMachine, 'the checkpoint after a run, until a decision is on disk or it is left open'),
  known(handOverMachine, 'a decision for a Blackbird that is running in another terminal'),
  known(questionsMachine, "a waiting run's questions, one at a time"),
  known(draftMachine, 'text in an editor, kept on disk until it is sent or dropped'),
  known(tuiMachine, 'where the user is in the terminal UI, and what Ctrl+C does there'),
  known(sessionMachine, 'opening an interactive session: find it, ask, create it, record it, attach'),
  known(sessionChangeMachine, 'creating a session under the repository lock'),
];

export function findMachine(name: string): KnownMachine | undefined {
  return machines.find((known) => known.name === name);
}

function known(machine: AnyStateMachine, about: string): KnownMachine {
  return {name: machine.id, about, machine};
}
