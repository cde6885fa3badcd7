import {assign, type DoneActorEvent, type ErrorActorEvent, sendTo, setup} from 'xstate';
import type {PendingFeedback} from '../services/contracts/feedback.ts';
import type {PauseReason} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {type ParentReviewOutput, parentReviewMachine, type Reviewed} from './parent-review.machine.ts';
import {
  type ExecutorInput,
  type ExecutorOutput,
  executorOutput,
  isPassedOver,
  type PassedOver,
  passOver,
  reviewInput,
  type SelectedTask,
  type SelectTaskInput,
  stillPassedOver,
  stopAfter,
  stopAfterReview,
  taskInput,
} from './policies/job/execution-steps.ts';
import {type StopReason, stopReasonAfter, stopReasonAfterReview} from './policies/job/stop-reason.ts';
import {type Attempted, attemptOf, type TaskOutput} from './policies/run/task-outcome.ts';
import type {SegmentCommand} from './segment.machine.ts';
import {taskMachine} from './task.machine.ts';

export type {ExecutorInput, ExecutorOutput};

export type ExecutorCommand = SegmentCommand | {readonly type: 'executor.stopAfterTask'};

type ExecutorContext = ExecutorInput &
  SelectedTask & {
    attempted: readonly Attempted[];
    passedOver: readonly PassedOver[];
    /** The parents that earlier executions left were not looked at yet. */
    isFresh: boolean;
    reviews: readonly Reviewed[];
    pending: readonly PendingFeedback[];
    /** The task was left at a checkpoint by an earlier execution. */
    isRecalled: boolean;
    /** How many tasks this execution began. */
    begun: number;
    isStopping: boolean;
    reason: StopReason;
    error: unknown;
  };

const failed = {target: 'stopped', actions: {type: 'stopFor', params: errorOf}} as const;
const attempted = {type: 'rememberAttempt', params: outputIn} as const;
const reviewed = {type: 'rememberReviews', params: reviewsIn} as const;
const pauseRemembered = {type: 'rememberPause', params: pauseOf} as const;

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
    rememberRecalled: assign((_, params: {taskId: string}) => ({...params, isRecalled: true})),
    rememberTask: assign(({context}, {selected}: {selected: SelectedTask | null}) => ({
      ...(selected ?? {}),
      isRecalled: false,
      begun: context.begun + 1,
    })),
    rememberAttempt: assign({
      attempted: ({context}, params: {output: TaskOutput}) =>
        'run' in params.output
          ? [...context.attempted, attemptOf(context.taskId, params.output.run)]
          : context.attempted,
      passedOver: ({context}) => stillPassedOver(context.passedOver),
    }),
    passOver: assign(({context}, params: {output: TaskOutput}) => passOver(context, params.output)),
    rememberReviews: assign(({context}, {output: {reviews, pending}}: {output: ParentReviewOutput}) => ({
      ...{isFresh: false, reviews: [...context.reviews, ...reviews], pending},
    })),
    rememberPause: assign((_, params: {pauseReason: PauseReason}) => params),
    rememberStop: assign({isStopping: true}),
    stopFor: assign((_, params: {reason: StopReason; error?: unknown}) => params),
    pauseTask: sendTo('task', (_, params: SegmentCommand) => params),
    pauseReview: sendTo('parentReview', (_, params: SegmentCommand) => params),
  },
  guards: {
    isPauseAsked: ({context}) => context.pauseReason !== null,
    isEnough: ({context}) =>
      context.isStopping || (context.maxTasks !== null && context.begun >= context.maxTasks),
    isNothing: (_, params: {found: unknown}) => params.found === null,
    isFresh: ({context}) => context.isFresh,
    mayBeDue: ({context}, params: {output: TaskOutput}) =>
      context.hasParent && !context.isRecalled && params.output.outcome === 'succeeded',
    isRecalled: ({context}) => context.isRecalled,
    isPassedOver: (_, params: {output: TaskOutput}) => isPassedOver(params.output),
    endsPlan: ({context}, params: {output: TaskOutput}) => stopReasonAfter(params.output, context) !== null,
    reviewEndsPlan: ({context}, params: {output: ParentReviewOutput}) =>
      stopReasonAfterReview(params.output, context) !== null,
  },
}).createMachine({
  id: 'executor',
  context: ({input}) => ({
    ...input,
    attempted: [],
    passedOver: [],
    ...{taskId: '', hasParent: false, isFresh: true, reviews: [], pending: []},
    ...{isRecalled: false, begun: 0, isStopping: false, reason: 'completed', error: undefined},
  }),
  on: {
    'executor.stopAfterTask': {actions: 'rememberStop'},
    'run.pause': {actions: pauseRemembered},
  },
  initial: 'recalling',
  states: {
    recalling: {
      invoke: {
        id: 'findDecision',
        src: 'findDecision',
        onDone: [
          {guard: {type: 'isNothing', params: foundIn}, target: 'choosing'},
          {
            target: 'working',
            actions: {type: 'rememberRecalled', params: ({event}) => ({taskId: event.output ?? ''})},
          },
        ],
        onError: failed,
      },
    },
    choosing: {
      always: [
        {guard: 'isPauseAsked', target: 'stopped', actions: {type: 'stopFor', params: {reason: 'paused'}}},
        {guard: 'isEnough', target: 'stopped', actions: {type: 'stopFor', params: {reason: 'completed'}}},
        {guard: 'isFresh', target: 'reviewing'},
        {target: 'selecting'},
      ],
    },
    reviewing: {
      on: {
        'run.pause': {actions: [pauseRemembered, {type: 'pauseReview', params: ({event}) => event}]},
      },
      invoke: {
        id: 'parentReview',
        src: 'parentReview',
        input: ({context}) => reviewInput(context),
        onDone: [
          {
            guard: {type: 'reviewEndsPlan', params: reviewsIn},
            target: 'stopped',
            actions: [
              reviewed,
              {type: 'stopFor', params: ({context, event}) => stopAfterReview(event.output, context)},
            ],
          },
          {target: 'choosing', actions: reviewed},
        ],
        onError: failed,
      },
    },
    selecting: {
      invoke: {
        id: 'selectTask',
        src: 'selectTask',
        input: ({context}) => ({
          taskIds: context.taskIds,
          attempted: [...context.attempted, ...context.passedOver].map(({taskId}) => taskId),
        }),
        onDone: [
          {
            guard: {type: 'isNothing', params: foundIn},
            target: 'stopped',
            actions: {type: 'stopFor', params: {reason: 'completed'}},
          },
          // Between two tasks a pause stops before the next one.
          {guard: 'isPauseAsked', target: 'stopped', actions: {type: 'stopFor', params: {reason: 'paused'}}},
          {
            target: 'working',
            actions: {type: 'rememberTask', params: ({event}) => ({selected: event.output})},
          },
        ],
        onError: failed,
      },
    },
    working: {
      on: {
        // Remembered as well: a task that ends before it hears of it is the last one all the same.
        'run.pause': {actions: [pauseRemembered, {type: 'pauseTask', params: ({event}) => event}]},
      },
      invoke: {
        id: 'task',
        src: 'task',
        input: ({context}) => taskInput(context),
        onDone: [
          // Somebody changed the plan after it was chosen, or its history cannot be read: others come first.
          {
            guard: {type: 'isPassedOver', params: outputIn},
            target: 'choosing',
            actions: {type: 'passOver', params: outputIn},
          },
          {
            guard: {type: 'endsPlan', params: outputIn},
            target: 'stopped',
            actions: [
              attempted,
              {type: 'stopFor', params: ({context, event}) => stopAfter(event.output, context)},
            ],
          },
          {guard: {type: 'mayBeDue', params: outputIn}, target: 'reviewing', actions: attempted},
          // There may be other checkpoints that were left open.
          {guard: 'isRecalled', target: 'recalling', actions: attempted},
          {target: 'choosing', actions: attempted},
        ],
        onError: failed,
      },
    },
    stopped: {type: 'final'},
  },
  output: ({context}) => executorOutput(context),
});

function foundIn({event}: {event: DoneActorEvent<unknown>}) {
  return {found: event.output};
}

function outputIn({event}: {event: DoneActorEvent<TaskOutput>}) {
  return {output: event.output};
}

function reviewsIn({event}: {event: DoneActorEvent<ParentReviewOutput>}) {
  return {output: event.output};
}

function pauseOf({event}: {event: SegmentCommand}) {
  return {pauseReason: event.reason};
}

function errorOf({event}: {event: ErrorActorEvent}) {
  return {reason: 'error' as const, error: event.error};
}
