import {assign, sendTo, setup, stateIn} from 'xstate';
import type {FindWaitInput} from './actors/find-wait.actor.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {failTo, finalOutput, isPauseAsked, type LoopCommand, outputIn, stopWish} from './chart-parts.ts';
import type {JobRules} from './policies/job/job-steps.ts';
import {type JobTask, taskInput} from './policies/job/job-steps.ts';
import {retriedTask} from './policies/job/retried-task.ts';
import type {Wait} from './policies/job/waiting.ts';
import {isHeldForTime} from './policies/run/retry-time.ts';
import {type TaskOutput, unbegunOutcome} from './policies/run/task-outcome.ts';
import {retryWaitMachine, waitInput} from './retry-wait.machine.ts';
import {taskMachine} from './task.machine.ts';

export type JobTaskInput = {readonly task: JobTask; readonly rules: JobRules};
type JobTaskContext = JobTaskInput & {wait: Wait | null; last: TaskOutput | null; error: unknown};

const failed = failTo('#failed');

/** One task requested by id: waits for a known limit, and resumes a run that only needs time when its time has come. */
export const jobTaskMachine = setup({
  types: {
    input: {} as JobTaskInput,
    context: {} as JobTaskContext,
    events: {} as LoopCommand,
    output: {} as TaskOutput,
  },
  actors: {
    /** What the task waits for, or null; throws if that would take too long. */
    findWait: promiseNotProvided<Wait | null, FindWaitInput>('findWait'),
    retryWait: retryWaitMachine,
    task: taskMachine,
  },
  actions: {
    rememberError: assign((_, params: {error: unknown}) => params),
    rememberHeld: assign(({context: {task}}, last: TaskOutput) => ({
      last,
      task: 'run' in last ? retriedTask(task, last.run) : task,
    })),
  },
  guards: {
    isPauseAsked,
    isStopAsked: stateIn('#stopping'),
    isWait: (_, wait: Wait | null) => wait !== null,
    isHeld: (_, output: TaskOutput) => 'run' in output && isHeldForTime(output.run),
  },
}).createMachine({
  id: 'jobTask',
  context: ({input}) => ({...input, wait: null, last: null, error: undefined}),
  initial: 'executing',
  states: {
    executing: {
      type: 'parallel',
      states: {
        wish: stopWish,
        step: {
          initial: 'looking',
          states: {
            looking: {
              invoke: {
                id: 'findWait',
                src: 'findWait',
                input: ({context}) => context,
                onDone: [
                  {guard: 'isPauseAsked', target: '#left'},
                  {
                    guard: {type: 'isWait', params: outputIn},
                    target: 'waitingForRetry',
                    actions: assign({wait: ({event}) => event.output}),
                  },
                  {target: 'working'},
                ],
                onError: failed,
              },
            },
            waitingForRetry: {
              always: [
                {guard: 'isPauseAsked', target: '#left'},
                {guard: 'isStopAsked', target: '#waitGivenUp'},
              ],
              invoke: {
                id: 'retryWait',
                src: 'retryWait',
                input: ({context}) => waitInput(context.wait),
                onDone: 'looking',
                onError: failed,
              },
            },
            working: {
              on: {'run.pause': {actions: sendTo('task', ({event}) => event)}},
              invoke: {
                id: 'task',
                src: 'task',
                input: ({context: {task, rules}}) => taskInput(task, rules),
                onDone: [
                  {
                    guard: {type: 'isHeld', params: outputIn},
                    target: 'held',
                    actions: {type: 'rememberHeld', params: outputIn},
                  },
                  {target: '#ended', actions: assign({last: ({event}) => event.output})},
                ],
                onError: failed,
              },
            },
            held: {
              always: [{guard: 'isPauseAsked', target: '#left'}, {target: 'looking'}],
            },
          },
        },
      },
    },
    ended: {id: 'ended', type: 'final', output: lastOutput},
    left: {id: 'left', type: 'final', output: lastOutput},
    /** What it waited for still only needs time. */
    waitGivenUp: {
      id: 'waitGivenUp',
      type: 'final',
      output: ({context: {last, task, wait}}) => last ?? unbegunOutcome(task, wait),
    },
    /** The last state of its run says more than that the wait was given up. */
    failed: {
      id: 'failed',
      type: 'final',
      output: ({context: {last, error}}) => last ?? {outcome: 'error', error},
    },
  },
  output: finalOutput<TaskOutput>,
});

function lastOutput({context: {last, task}}: {context: JobTaskContext}): TaskOutput {
  return last ?? unbegunOutcome(task);
}
