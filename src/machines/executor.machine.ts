import {assign, type DoneActorEvent, type ErrorActorEvent, or, sendTo, setup, stateIn} from 'xstate';
import type {PendingFeedback} from '../services/contracts/feedback.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {finalOutput} from './final-output.ts';
import {type ParentReviewOutput, parentReviewMachine, type Reviewed} from './parent-review.machine.ts';
import type {PauseCommand} from './pause-wish.ts';
import {
  type ExecutorInput,
  type ExecutorOutput,
  executorOutput,
  isPassedOver,
  type PassedOver,
  reviewInput,
  type SelectedTask,
  type SelectTaskInput,
  type Stop,
  stillPassedOver,
  stopAfter,
  stopAfterReview,
  taskInput,
} from './policies/job/execution-steps.ts';
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
    stop: Stop;
  };

const completed: Stop = {reason: 'completed'};
const broken = {target: '#stopped', actions: {type: 'stopFor', params: errorIn}} as const;
const attempted = {type: 'rememberAttempt', params: outputIn} as const;
const passedOver = {type: 'passOver', params: outputIn} as const;
const stopped = {type: 'stopFor', params: stopIn} as const;
const reviewed = {type: 'rememberReviews', params: reviewsIn} as const;
const pauseTask = {actions: {type: 'pauseTask', params: pauseIn}} as const;
const pauseReview = {actions: {type: 'pauseReview', params: pauseIn}} as const;
const afterReview = [
  {
    guard: {type: 'reviewEndsPlan', params: reviewsIn},
    target: '#stopped',
    actions: [reviewed, {type: 'stopFor', params: reviewStopIn}],
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
    selectTask: promiseNotProvided<SelectedTask | null, SelectTaskInput>('selectTask'),
    task: taskMachine,
    parentReview: parentReviewMachine,
  },
  actions: {
    rememberAttempt: assign({
      attempted: ({context}, {output}: {output: TaskOutput}) =>
        'run' in output ? [...context.attempted, attemptOf(context.taskId, output.run)] : context.attempted,
      passedOver: ({context}) => stillPassedOver(context.passedOver),
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
    stopFor: assign((_, params: {stop: Stop}) => params),
    pauseTask: sendTo('task', (_, params: PauseCommand) => params),
    pauseReview: sendTo('parentReview', (_, params: PauseCommand) => params),
  },
  guards: {
    isPauseAsked: stateIn('#pausing'),
    isEnough: or([
      stateIn('#stopping'),
      ({context}) => context.maxTasks !== null && context.begun >= context.maxTasks,
    ]),
    isNothing: (_, params: {found: unknown}) => params.found === null,
    mayBeDue: ({context}, params: {output: TaskOutput}) =>
      context.hasParent && params.output.outcome === 'succeeded',
    isPassedOver: (_, params: {output: TaskOutput}) => isPassedOver(params.output),
    endsPlan: ({context}, params: {output: TaskOutput}) => stopAfter(params.output, context) !== null,
    reviewEndsPlan: ({context}, params: {output: ParentReviewOutput}) =>
      stopAfterReview(params.output, context) !== null,
  },
}).createMachine({
  id: 'executor',
  context: ({input}) => ({
    ...input,
    taskId: '',
    hasParent: false,
    attempted: [],
    passedOver: [],
    reviews: [],
    pending: [],
    begun: 0,
    stop: {reason: 'completed'},
  }),
  initial: 'executing',
  states: {
    executing: {
      type: 'parallel',
      states: {
        wish: {
          initial: 'none',
          states: {
            none: {on: {'executor.stopAfterTask': 'stopping', 'run.pause': 'pausing'}},
            stopping: {id: 'stopping', on: {'run.pause': 'pausing'}},
            pausing: {id: 'pausing'},
          },
        },
        loop: {
          initial: 'recallingDecisions',
          states: {
            recallingDecisions: {
              invoke: {
                id: 'findDecision',
                src: 'findDecision',
                onDone: [
                  {guard: 'isPauseAsked', target: '#paused'},
                  {guard: {type: 'isNothing', params: foundIn}, target: 'recalled'},
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
              on: {'run.pause': pauseTask},
              invoke: {
                id: 'task',
                src: 'task',
                input: ({context}) => taskInput(context, context.taskId, {type: 'review', decision: null}),
                onDone: [
                  {guard: {type: 'isPassedOver', params: outputIn}, target: 'recalled', actions: passedOver},
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
            recalled: {always: [{guard: 'isEnough', target: '#completed'}, {target: 'reviewingLeftOpen'}]},
            reviewingLeftOpen: {
              on: {'run.pause': pauseReview},
              invoke: {
                id: 'parentReview',
                src: 'parentReview',
                input: ({context}) => reviewInput(context, null),
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
                  attempted: [...context.attempted, ...context.passedOver].map(({taskId}) => taskId),
                  isFirst:
                    context.attempted.length + context.passedOver.length + context.reviews.length === 0,
                }),
                onDone: [
                  {guard: 'isPauseAsked', target: '#paused'},
                  {guard: {type: 'isNothing', params: foundIn}, target: '#completed'},
                  {target: 'working', actions: assign(({event}) => event.output ?? {})},
                ],
                onError: broken,
              },
            },
            working: {
              on: {'run.pause': pauseTask},
              invoke: {
                id: 'task',
                src: 'task',
                input: ({context}) => taskInput(context, context.taskId, {type: 'execute'}),
                onDone: [
                  // Somebody changed the plan after it was chosen, or its history cannot be read: others come first.
                  {guard: {type: 'isPassedOver', params: outputIn}, target: 'choosing', actions: passedOver},
                  {
                    guard: {type: 'endsPlan', params: outputIn},
                    target: '#stopped',
                    actions: [attempted, 'countTask', stopped],
                  },
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
              on: {'run.pause': pauseReview},
              invoke: {
                id: 'parentReview',
                src: 'parentReview',
                input: ({context}) => reviewInput(context, [context.taskId]),
                onDone: afterReview,
                onError: broken,
              },
            },
          },
        },
      },
    },
    completed: {id: 'completed', type: 'final', output: outputFor({reason: 'completed'})},
    paused: {id: 'paused', type: 'final', output: outputFor({reason: 'paused'})},
    stopped: {
      id: 'stopped',
      type: 'final',
      output: ({context}) => executorOutput(context, context.stop),
    },
  },
  output: finalOutput<ExecutorOutput>,
});

function outputFor(stop: Stop) {
  return ({context}: {context: ExecutorContext}) => executorOutput(context, stop);
}

function pauseIn({event}: {event: PauseCommand}) {
  return event;
}

function foundIn({event}: {event: DoneActorEvent<unknown>}) {
  return {found: event.output};
}

function outputIn({event}: {event: DoneActorEvent<TaskOutput>}) {
  return {output: event.output};
}

function reviewsIn({event}: {event: DoneActorEvent<ParentReviewOutput>}) {
  return {output: event.output};
}

function stopIn({context, event}: {context: ExecutorContext; event: DoneActorEvent<TaskOutput>}) {
  return {stop: stopAfter(event.output, context) ?? completed};
}

function reviewStopIn({
  context,
  event,
}: {
  context: ExecutorContext;
  event: DoneActorEvent<ParentReviewOutput>;
}) {
  return {stop: stopAfterReview(event.output, context) ?? completed};
}

function errorIn({event}: {event: ErrorActorEvent}) {
  return {stop: {reason: 'error' as const, error: event.error}};
}
