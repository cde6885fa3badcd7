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
  /** The id of the machine, which is also the name under which it is found. */
  readonly name: string;
  /** What it owns, in a line. */
  readonly about: string;
  readonly machine: AnyStateMachine;
};

/** Every machine there is, from the outermost inwards: for the diagrams, the inspector and the replay. */
export const machines: readonly KnownMachine[] = [
  known(engineMachine, 'one job at a time, under the project lock; pause from every state'),
  known(executorMachine, 'the plan loop until one stop reason'),
  known(jobTaskMachine, 'a task that a job was asked for by its name, with what it has to wait for'),
  known(
    retryWaitMachine,
    'a wait for the wall clock: a limit, an outage; or until somebody wants to try now',
  ),
  known(
    taskMachine,
    'one task: prepare, run, check, pass the checkpoint, let the plan say what the run says',
  ),
  known(undoMachine, 'takes back what a task changed: recorded, written, then the task is ready again'),
  known(
    planGenerationMachine,
    'a change of the plan that an agent proposes: a draft until a person accepts it',
  ),
  known(planTurnMachine, 'one turn of a planner: told what its draft says next, its answer read'),
  known(parentReviewMachine, 'the parents whose children are done: a reviewer for each, from the bottom up'),
  known(runMachine, 'the whole life of one run across processes; what may happen next is what it accepts'),
  known(segmentMachine, 'one agent process, from launch to the last of its children'),
  known(verificationMachine, 'whether the work of a run holds: its checks, and sending its agent back'),
  known(budgetMachine, 'what an agent uses, watched until a budget is used up'),
  known(reviewGateMachine, 'the checkpoint after a run: left with a decision on disk, or still open'),
  known(handOverMachine, 'a decision for the Blackbird that waits for it in another terminal'),
  known(questionsMachine, "a waiting run's questions, one at a time"),
  known(draftMachine, 'what is being written in an editor: on disk until it is sent or dropped'),
  known(tuiMachine, 'where a person is in the terminal UI, and what Ctrl+C means there'),
  known(sessionMachine, 'an interactive session: gate, look, ask, have it made, record, attach'),
  known(sessionChangeMachine, 'making one under the lock of its repository'),
];

export function findMachine(name: string): KnownMachine | undefined {
  return machines.find((known) => known.name === name);
}

function known(machine: AnyStateMachine, about: string): KnownMachine {
  return {name: machine.id, about, machine};
}
