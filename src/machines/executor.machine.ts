import {assign, or, sendTo, setup, stateIn} from 'xstate';
import {promiseNotProvided} from './actors/not-provided.ts';
import {errorIn, finalOutput, isPauseAsked, outputIn, type PauseCommand, stopWish} from './chart-parts.ts';
import {type ParentReviewOutput, parentReviewMachine} from './parent-review.machine.ts';
import type {ExecutorInput, ExecutorOutput, SelectedTask} from './policies/job/execution-steps.ts';
import * as steps from './policies/job/execution-steps.ts';
import type {TaskOutput} from './policies/run/task-outcome.ts';
import {taskMachine} from './task.machine.ts';

export type {ExecutorInput, ExecutorOutput};

export type ExecutorCommand = PauseCommand | {readonly type: 'executor.stopAfterTask'};

type ExecutorContext = ExecutorInput & steps.ExecutorProgress;

const completed: steps.Stop = {reason: 'completed'};
const broken = {target: '#stopped', actions: {type: 'stopWithError', params: errorIn}} as const;
const attempted = {type: 'rememberAttempt', params: outputIn} as const;
const begun = [attempted, 'countTask'] as const;
const passedOver = {type: 'passOver', params: outputIn} as const;
const stopped = {type: 'stopAfterTask', params: outputIn} as const;
const reviewed = {type: 'rememberReviews', params: outputIn} as const;
const afterReview = [
  {
    guard: {type: 'reviewEndsPlan', params: outputIn},
    target: '#stopped',
    actions: [reviewed, {type: 'stopAfterReview', params: outputIn}],
  },
  {target: 'choosing', actions: reviewed},
] as const;

/**
 * The plan loop: first every checkpoint and every parent that was left open, then the next ready task, to
 * its end, and the parents it made due, again, until one stop reason.
 */
export const executorMachine = setup({
  types: {
    input: {} as ExecutorInput,
    context: {} as ExecutorContext,
    events: {} as ExecutorCommand,
    output: {} as ExecutorOutput,
  },
  actors: {
    /** The first task that stands at a checkpoint, or null. */
    findDecision: promiseNotProvided<string | null, void>('findDecision'),
    /** The next ready task of a freshly read plan, or null. */
    selectTask: promiseNotProvided<SelectedTask | null, steps.SelectTaskInput>('selectTask'),
    task: taskMachine,
    parentReview: parentReviewMachine,
  },
  actions: {
    rememberAttempt: assign(({context}, output: TaskOutput) => steps.afterAttempt(context, output)),
    countTask: assign({begun: ({context}) => context.begun + 1}),
    passOver: assign(({context}, output: TaskOutput) => steps.afterPassingOver(context, output)),
    rememberReviews: assign(({context}, {reviews, pending}: ParentReviewOutput) => ({
      reviews: [...context.reviews, ...reviews],
      pending,
    })),
    stopAfterTask: assign(({context}, output: TaskOutput) => ({stop: steps.stopAfter(output, context)})),
    stopAfterReview: assign(({context}, output: ParentReviewOutput) => ({
      stop: steps.stopAfterReview(output, context),
    })),
    stopWithError: assign((_, {error}: {error: unknown}) => ({stop: {reason: 'error' as const, error}})),
  },
  guards: {
    isPauseAsked,
    isEnough: or([
      stateIn('#stopping'),
      ({context}) => context.maxTasks !== null && context.begun >= context.maxTasks,
    ]),
    isNothing: (_, output: SelectedTask | string | null) => output === null,
    mayBeDue: ({context}, {outcome}: TaskOutput) => context.hasParent && outcome === 'succeeded',
    isPassedOver: (_, output: TaskOutput) => steps.isPassedOver(output),
    isDecisionGone: (_, output: TaskOutput) => steps.isDecisionGone(output),
    endsPlan: ({context}, output: TaskOutput) => steps.stopAfter(output, context) !== null,
    reviewEndsPlan: ({context}, output: ParentReviewOutput) =>
      steps.stopAfterReview(output, context) !== null,
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
                  {guard: {type: 'isNothing', params: outputIn}, target: 'recalled'},
                  {
                    target: 'deciding',
                    actions: assign(({event}) => ({taskId: event.output ?? '', hasParent: false})),
                  },
                ],
                onError: broken,
              },
            },
            // A task that an earlier execution left at its checkpoint. There may be others.
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
                  {
                    guard: {type: 'endsPlan', params: outputIn},
                    target: '#stopped',
                    actions: [attempted, stopped],
                  },
                  {target: 'recallingDecisions', actions: attempted},
                ],
                onError: broken,
              },
            },
            recalled: {
              always: [{guard: 'isEnough', target: '#completed'}, {target: 'reviewingLeftOpen'}],
            },
            reviewingLeftOpen: {
              on: {'run.pause': {actions: sendTo('parentReview', ({event}) => event)}},
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
                  {target: 'working', actions: assign(({event}) => event.output ?? {})},
                ],
                onError: broken,
              },
            },
            working: {
              on: {'run.pause': {actions: sendTo('task', ({event}) => event)}},
              invoke: {
                id: 'task',
                src: 'task',
                input: ({context}) => steps.nextTaskInput(context, {type: 'execute'}),
                onDone: [
                  // Somebody changed the plan after it was chosen, or its history cannot be read: others come first.
                  {guard: {type: 'isPassedOver', params: outputIn}, target: 'choosing', actions: passedOver},
                  {
                    guard: {type: 'endsPlan', params: outputIn},
                    target: '#stopped',
                    actions: [...begun, stopped],
                  },
                  {guard: 'isPauseAsked', target: '#paused', actions: begun},
                  {guard: {type: 'mayBeDue', params: outputIn}, target: 'reviewing', actions: begun},
                  {target: 'choosing', actions: begun},
                ],
                onError: broken,
              },
            },
            reviewing: {
              on: {'run.pause': {actions: sendTo('parentReview', ({event}) => event)}},
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
