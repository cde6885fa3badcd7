import {and, assign, or, sendTo, setup, stateIn} from 'xstate';
import {promiseNotProvided} from './actors/not-provided.ts';
import {
  errorIn,
  eventIn,
  finalOutput,
  isPauseAsked,
  type LoopCommand,
  outputIn,
  stopWish,
} from './chart-parts.ts';
import {type ParentReviewOutput, parentReviewMachine} from './parent-review.machine.ts';
import type {ExecutorInput, ExecutorOutput, Selection} from './policies/job/execution-steps.ts';
import * as steps from './policies/job/execution-steps.ts';
import type {TaskOutput} from './policies/run/task-outcome.ts';
import {retryWaitMachine, waitInput} from './retry-wait.machine.ts';
import {taskMachine} from './task.machine.ts';

export type {ExecutorInput, ExecutorOutput};

type ExecutorContext = ExecutorInput & steps.ExecutorProgress;

const held = {type: 'isHeld', params: outputIn} as const;
const retried = {type: 'mayRetry', params: outputIn} as const;
const ending = {type: 'endsPlan', params: outputIn} as const;
const completed: steps.Stop = {reason: 'completed'};
const broken = {target: '#stopped', actions: {type: 'stopWithError', params: errorIn}} as const;
const attempted = {type: 'rememberAttempt', params: outputIn} as const;
const begun = [attempted, 'countTask'] as const;
const passedOver = {type: 'passOver', params: outputIn} as const;
const stopped = {type: 'stopAfterTask', params: outputIn} as const;
const waiting = {type: 'rememberWait', params: outputIn} as const;
const again = {type: 'tryAgain', params: outputIn} as const;
const givenUp = {type: 'giveUp', params: outputIn} as const;
const reviewed = {type: 'rememberReviews', params: outputIn} as const;
const leaving = [
  {guard: 'isPauseAsked', target: '#paused'},
  {guard: 'isStopAsked', target: '#completed'},
] as const;
const forwardToReview = {actions: {type: 'tellReview', params: eventIn}} as const;
const afterReview = [
  {
    guard: {type: 'reviewEnds', params: outputIn},
    target: '#stopped',
    actions: [reviewed, {type: 'stopAfterReview', params: outputIn}],
  },
  {target: 'choosing', actions: reviewed},
] as const;

/**
 * The plan loop: first open checkpoints and parent reviews, then the next ready task and the parents it made due, and
 * so on until there is a reason to stop.
 */
export const executorMachine = setup({
  types: {
    input: {} as ExecutorInput,
    context: {} as ExecutorContext,
    events: {} as LoopCommand,
    output: {} as ExecutorOutput,
  },
  actors: {
    /** The first task at a checkpoint, or null. */
    findDecision: promiseNotProvided<string | null, void>('findDecision'),
    /** What a freshly read plan continues with: a task, a wait, or nothing. */
    selectTask: promiseNotProvided<Selection, steps.SelectTaskInput>('selectTask'),
    task: taskMachine,
    parentReview: parentReviewMachine,
    retryWait: retryWaitMachine,
  },
  actions: {
    rememberAttempt: assign(({context}, output: TaskOutput) => steps.afterAttempt(context, output)),
    countTask: assign({begun: ({context}) => context.begun + 1}),
    passOver: assign(({context}, output: TaskOutput) => steps.afterPassingOver(context, output)),
    rememberReviews: assign(({context}, output: ParentReviewOutput) => steps.afterReviews(context, output)),
    tellReview: sendTo('parentReview', (_, command: LoopCommand) => command),
    rememberWait: assign((_, selection: Selection) => ({wait: steps.waitIn(selection)})),
    tryAgain: assign((_, output: TaskOutput) => ({mode: steps.retryMode(output)})),
    // What it waited for still only needs time.
    leaveWait: assign(({context: {wait}}) => ({stop: {...completed, ...(wait && {wait})}})),
    giveUp: assign((_, selection: Selection) => ({stop: steps.givenUp(selection)})),
    stopAfterTask: assign(({context}, output: TaskOutput) => ({stop: steps.stopAfter(output, context)})),
    stopAfterReview: assign(({context}, output: ParentReviewOutput) => ({
      stop: steps.stopAfterReview(output, context),
    })),
    stopWithError: assign((_, {error}: {error: unknown}) => ({stop: {reason: 'error' as const, error}})),
  },
  guards: {
    isPauseAsked,
    isStopAsked: stateIn('#stopping'),
    isReviewUnwanted: and(['isStopAsked', ({context}) => context.reviewsParents]),
    mayRetry: ({context}, output: TaskOutput) => steps.mayRetry(output, context),
    isEnough: or([
      stateIn('#stopping'),
      ({context}) => context.maxTasks !== null && context.begun >= context.maxTasks,
    ]),
    isDecision: (_, output: string | null) => output !== null,
    isNothing: (_, {type}: Selection) => type === 'none',
    isWait: (_, selection: Selection) => selection.type === 'wait' && !selection.wait.isTooLong,
    isTooLong: (_, selection: Selection) => selection.type === 'wait' && selection.wait.isTooLong,
    /** It only needs time: the run continues by itself. */
    isHeld: (_, output: TaskOutput) => steps.isHeld(output),
    mayBeDue: ({context}, {outcome}: TaskOutput) => context.hasParent && outcome === 'succeeded',
    isPassedOver: (_, output: TaskOutput) => steps.isPassedOver(output),
    isDecisionGone: (_, output: TaskOutput) => steps.isDecisionGone(output),
    endsPlan: ({context}, output: TaskOutput) => steps.stopAfter(output, context) !== null,
    reviewEnds: ({context}, output: ParentReviewOutput) => steps.stopAfterReview(output, context) !== null,
  },
}).createMachine({
  id: 'executor',
  context: ({input}) => ({...input, ...steps.nothingDone}),
  initial: 'executing',
  states: {
    executing: {
      type: 'parallel',
      states: {
        wish: stopWish,
        loop: {
          initial: 'recallingDecisions',
          states: {
            recallingDecisions: {
              invoke: {
                id: 'findDecision',
                src: 'findDecision',
                onDone: [
                  {guard: 'isPauseAsked', target: '#paused'},
                  {
                    guard: {type: 'isDecision', params: outputIn},
                    target: 'deciding',
                    actions: assign(({event}) => ({taskId: event.output ?? '', hasParent: false})),
                  },
                  {target: 'recalled'},
                ],
                onError: broken,
              },
            },
            // A task that an earlier execution left at its checkpoint. There may be more.
            deciding: {
              on: {'run.pause': {actions: sendTo('task', ({event}) => event)}},
              invoke: {
                id: 'task',
                src: 'task',
                input: ({context}) => steps.nextTaskInput(context, {type: 'review', decision: null}),
                onDone: [
                  {
                    guard: {type: 'isDecisionGone', params: outputIn},
                    target: 'recallingDecisions',
                    actions: passedOver,
                  },
                  {guard: held, target: 'recallingDecisions', actions: attempted},
                  {guard: ending, target: '#stopped', actions: [attempted, stopped]},
                  {target: 'recallingDecisions', actions: attempted},
                ],
                onError: broken,
              },
            },
            recalled: {
              always: [{guard: 'isEnough', target: '#completed'}, {target: 'reviewingLeftOpen'}],
            },
            reviewingLeftOpen: {
              on: {'run.pause': forwardToReview, 'executor.stopAfterTask': forwardToReview},
              invoke: {
                id: 'parentReview',
                src: 'parentReview',
                input: ({context}) => steps.dueReviewInput(context, null),
                onDone: afterReview,
                onError: broken,
              },
            },
            choosing: {
              always: [
                {guard: 'isPauseAsked', target: '#paused'},
                {guard: 'isEnough', target: '#completed'},
                {target: 'selecting'},
              ],
            },
            selecting: {
              invoke: {
                id: 'selectTask',
                src: 'selectTask',
                input: ({context}) => steps.selectTaskInput(context),
                onDone: [
                  {guard: 'isPauseAsked', target: '#paused'},
                  {guard: 'isEnough', target: '#completed'},
                  {guard: {type: 'isNothing', params: outputIn}, target: '#completed'},
                  {guard: {type: 'isWait', params: outputIn}, target: 'waitingForRetry', actions: waiting},
                  {guard: {type: 'isTooLong', params: outputIn}, target: '#stopped', actions: givenUp},
                  {target: 'working', actions: assign(({event}) => steps.selectedIn(event.output))},
                ],
                onError: broken,
              },
            },
            // A limit or an outage. What continues afterwards is read from disk again, so a wait can be left at any
            // time.
            waitingForRetry: {
              always: [
                {guard: 'isPauseAsked', target: '#paused'},
                {guard: 'isStopAsked', target: '#stopped', actions: 'leaveWait'},
              ],
              invoke: {
                id: 'retryWait',
                src: 'retryWait',
                input: ({context}) => waitInput(context.wait),
                onDone: 'choosing',
                onError: broken,
              },
            },
            working: {
              on: {'run.pause': {actions: sendTo('task', ({event}) => event)}},
              invoke: {
                id: 'task',
                src: 'task',
                input: ({context}) => steps.nextTaskInput(context, context.mode),
                onDone: [
                  // The plan changed after the selection, or the task's history is unreadable: others come first.
                  {guard: {type: 'isPassedOver', params: outputIn}, target: 'choosing', actions: passedOver},
                  {guard: held, target: 'choosing', actions: attempted},
                  {guard: retried, target: 'retrying', actions: [attempted, again]},
                  {guard: ending, target: '#stopped', actions: [...begun, stopped]},
                  {guard: 'isPauseAsked', target: '#paused', actions: begun},
                  // After a stop request there is no review either.
                  {guard: 'isReviewUnwanted', target: 'choosing', actions: begun},
                  {guard: {type: 'mayBeDue', params: outputIn}, target: 'reviewing', actions: begun},
                  {target: 'choosing', actions: begun},
                ],
                onError: broken,
              },
            },
            // A new run of the same task that knows what failed.
            retrying: {
              always: [...leaving, {target: 'working'}],
            },
            reviewing: {
              on: {'run.pause': forwardToReview, 'executor.stopAfterTask': forwardToReview},
              invoke: {
                id: 'parentReview',
                src: 'parentReview',
                input: ({context}) => steps.dueReviewInput(context, [context.taskId]),
                onDone: afterReview,
                onError: broken,
              },
            },
          },
        },
      },
    },
    completed: {id: 'completed', type: 'final', output: outputFor(completed)},
    paused: {id: 'paused', type: 'final', output: outputFor({reason: 'paused'})},
    stopped: {
      id: 'stopped',
      type: 'final',
      output: ({context}) => steps.executorOutput(context, context.stop ?? completed),
    },
  },
  output: finalOutput<ExecutorOutput>,
});

function outputFor(stop: steps.Stop) {
  return ({context}: {context: ExecutorContext}) => steps.executorOutput(context, stop);
}
