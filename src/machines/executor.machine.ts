import {assign, type DoneActorEvent, or, sendTo, setup, stateIn} from 'xstate';
import type {PendingFeedback} from '../services/contracts/feedback.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {errorIn} from './actors/results.ts';
import {finalOutput} from './final-output.ts';
import {type ParentReviewOutput, parentReviewMachine, type Reviewed} from './parent-review.machine.ts';
import {isPauseAsked, type PauseCommand, stopWish} from './pause-wish.ts';
import type {
  ExecutorInput,
  ExecutorOutput,
  PassedOver,
  SelectedTask,
} from './policies/job/execution-steps.ts';
import * as steps from './policies/job/execution-steps.ts';
import {type Attempted, attemptOf, type TaskOutput} from './policies/run/task-outcome.ts';
import {taskMachine} from './task.machine.ts';

export type {ExecutorInput, ExecutorOutput};

export type ExecutorCommand = PauseCommand | {readonly type: 'executor.stopAfterTask'};

type ExecutorContext = ExecutorInput &
  SelectedTask & {
    attempted: readonly Attempted[];
    passedOver: readonly PassedOver[];
    reviews: readonly Reviewed[];
    pending: readonly PendingFeedback[];
    /** How many tasks this execution began. */
    begun: number;
    stop: steps.Stop | null;
  };

const completed: steps.Stop = {reason: 'completed'};
const broken = {target: '#stopped', actions: {type: 'stopWithError', params: errorIn}} as const;
const attempted = {type: 'rememberAttempt', params: outputIn} as const;
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
    rememberAttempt: assign({
      attempted: ({context}, {output}: {output: TaskOutput}) =>
        'run' in output ? [...context.attempted, attemptOf(context.taskId, output.run)] : context.attempted,
      passedOver: ({context}) => steps.stillPassedOver(context.passedOver),
    }),
    countTask: assign({begun: ({context}) => context.begun + 1}),
    passOver: assign({
      passedOver: ({context}, {output}: {output: TaskOutput}) => [
        ...context.passedOver,
        {taskId: context.taskId, error: 'error' in output ? output.error : undefined},
      ],
    }),
    rememberReviews: assign(({context}, {output: {reviews, pending}}: {output: ParentReviewOutput}) => ({
      reviews: [...context.reviews, ...reviews],
      pending,
    })),
    stopAfterTask: assign(({context}, {output}: {output: TaskOutput}) => ({
      stop: steps.stopAfter(output, context),
    })),
    stopAfterReview: assign(({context}, {output}: {output: ParentReviewOutput}) => ({
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
    isNothing: (_, params: {output: unknown}) => params.output === null,
    mayBeDue: ({context}, params: {output: TaskOutput}) =>
      context.hasParent && params.output.outcome === 'succeeded',
    isPassedOver: (_, params: {output: TaskOutput}) => steps.isPassedOver(params.output),
    isDecisionGone: (_, params: {output: TaskOutput}) => steps.isDecisionGone(params.output),
    endsPlan: ({context}, params: {output: TaskOutput}) => steps.stopAfter(params.output, context) !== null,
    reviewEndsPlan: ({context}, params: {output: ParentReviewOutput}) =>
      steps.stopAfterReview(params.output, context) !== null,
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
                input: ({context}) =>
                  steps.taskInput(context, context.taskId, {type: 'review', decision: null}),
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
                input: ({context}) => steps.reviewInput(context, null),
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
                input: ({context}) => ({
                  taskIds: context.taskIds,
                  explicitProvider: context.explicitProvider,
                  attempted: [...context.attempted, ...context.passedOver].map(({taskId}) => taskId),
                  isFirst:
                    context.attempted.length + context.passedOver.length + context.reviews.length === 0,
                }),
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
                input: ({context}) => steps.taskInput(context, context.taskId, {type: 'execute'}),
                onDone: [
                  // Somebody changed the plan after it was chosen, or its history cannot be read: others come first.
                  {guard: {type: 'isPassedOver', params: outputIn}, target: 'choosing', actions: passedOver},
                  {
                    guard: {type: 'endsPlan', params: outputIn},
                    target: '#stopped',
                    actions: [attempted, 'countTask', stopped],
                  },
                  {guard: 'isPauseAsked', target: '#paused', actions: [attempted, 'countTask']},
                  {
                    guard: {type: 'mayBeDue', params: outputIn},
                    target: 'reviewing',
                    actions: [attempted, 'countTask'],
                  },
                  {target: 'choosing', actions: [attempted, 'countTask']},
                ],
                onError: broken,
              },
            },
            reviewing: {
              on: {'run.pause': {actions: sendTo('parentReview', ({event}) => event)}},
              invoke: {
                id: 'parentReview',
                src: 'parentReview',
                input: ({context}) => steps.reviewInput(context, [context.taskId]),
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

function outputIn<Output>({event}: {event: DoneActorEvent<Output>}) {
  return {output: event.output};
}
