import type {AnyStateMachine} from 'xstate';
import {engineMachine} from './engine.machine.ts';
import {executorMachine} from './executor.machine.ts';
import {questionsMachine} from './questions.machine.ts';
import {runMachine} from './run.machine.ts';
import {segmentMachine} from './segment.machine.ts';
import {sessionMachine} from './session.machine.ts';
import {sessionChangeMachine} from './session-change.machine.ts';
import {taskMachine} from './task.machine.ts';

/** Every machine by its id, for what draws, replays or checks them all. */
export const allMachines: Readonly<Record<string, AnyStateMachine>> = {
  engine: engineMachine,
  executor: executorMachine,
  task: taskMachine,
  run: runMachine,
  segment: segmentMachine,
  questions: questionsMachine,
  session: sessionMachine,
  sessionChange: sessionChangeMachine,
};
