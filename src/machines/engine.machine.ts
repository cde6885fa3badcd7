import {assign, type DoneActorEvent, type ErrorActorEvent, emit, sendTo, setup} from 'xstate';
import type {PauseReason, RunRecord} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {type ExecutorInput, type ExecutorOutput, executorMachine} from './executor.machine.ts';
import {
  type ParentReviewInput,
  type ParentReviewOutput,
  parentReviewMachine,
} from './parent-review.machine.ts';
import type {TaskOutput} from './policies/run/task-outcome.ts';
import type {SegmentCommand} from './segment.machine.ts';
import {type TaskInput, taskMachine} from './task.machine.ts';

/** One thing for the engine to do. A task is resumed or restarted alone; executing is the whole plan. */
export type Job =
  | {readonly type: 'execute'; readonly input: Omit<ExecutorInput, 'pauseReason'>}
  | {readonly type: 'task'; readonly input: Omit<TaskInput, 'pauseReason'>};

export type JobResult =
  | {readonly type: 'execute'; readonly output: ExecutorOutput}
  /** `review`: what became of the parents that the task made due. */
  | {readonly type: 'task'; readonly output: TaskOutput; readonly review?: ParentReviewOutput}
  /** The job never began: the project is locked, or could not be repaired. */
  | {readonly type: 'failed'; readonly error: unknown};

export type EngineCommand =
  | {readonly type: 'job.start'; readonly job: Job}
  | {readonly type: 'engine.pause'; readonly reason: PauseReason}
  | {readonly type: 'engine.stopAfterTask'};

type EngineContext = {
  job: Job | null;
  pauseReason: PauseReason | null;
  isStopping: boolean;
  result: JobResult | null;
};

const pauseRemembered = {type: 'rememberPause', params: pauseOf} as const;

/**
 * The door: one job at a time, under the project lock from before the first look at the records until
 * after the last write. A pause is accepted in every state and never lost.
 */
export const engineMachine = setup({
  types: {
    context: {} as EngineContext,
    events: {} as EngineCommand,
    emitted: {} as {readonly type: 'job.stopped'; readonly result: JobResult},
    tags: {} as 'busy',
  },
  actors: {
    acquireLock: promiseNotProvided<void, void>('acquireLock'),
    releaseLock: promiseNotProvided<void, void>('releaseLock'),
    recoverRuns: promiseNotProvided<readonly RunRecord[], void>('recoverRuns'),
    executor: executorMachine,
    task: taskMachine,
    parentReview: parentReviewMachine,
  },
  actions: {
    rememberJob: assign((_, params: {job: Job}) => ({
      ...params,
      pauseReason: null,
      isStopping: false,
      result: null,
    })),
    rememberPause: assign((_, params: {pauseReason: PauseReason}) => params),
    rememberStop: assign({isStopping: true}),
    rememberResult: assign((_, params: {result: JobResult}) => params),
    announceStop: emit(({context}) => ({type: 'job.stopped', result: resultOf(context)})),
    pauseExecutor: sendTo('executor', (_, params: SegmentCommand) => params),
    pauseTask: sendTo('task', (_, params: SegmentCommand) => params),
    pauseReview: sendTo('parentReview', (_, params: SegmentCommand) => params),
    rememberReview: assign(({context: {result}}, {review}: {review: ParentReviewOutput}) => {
      const isSilent = review.outcome === 'settled' && review.reviews.length === 0;
      return {result: result?.type === 'task' && !isSilent ? {...result, review} : result};
    }),
    stopExecutor: sendTo('executor', {type: 'executor.stopAfterTask'}),
  },
  guards: {
    isPlan: ({context}) => context.job?.type === 'execute',
    mayBeDue: (_, {output}: {output: TaskOutput}) =>
      output.outcome === 'succeeded' && output.run.decision_state !== 'approved_quit',
  },
}).createMachine({
  id: 'engine',
  context: {job: null, pauseReason: null, isStopping: false, result: null},
  on: {
    'engine.pause': {actions: pauseRemembered},
    'engine.stopAfterTask': {actions: 'rememberStop'},
  },
  initial: 'idle',
  states: {
    idle: {
      on: {
        'job.start': {
          target: 'locking',
          actions: {type: 'rememberJob', params: ({event}) => ({job: event.job})},
        },
      },
    },
    locking: {
      tags: 'busy',
      invoke: {
        id: 'acquireLock',
        src: 'acquireLock',
        onDone: 'recovering',
        onError: {target: 'stopped', actions: {type: 'rememberResult', params: failureOf}},
      },
    },
    recovering: {
      tags: 'busy',
      invoke: {
        id: 'recoverRuns',
        src: 'recoverRuns',
        onDone: [{guard: 'isPlan', target: 'executing'}, {target: 'working'}],
        onError: {target: 'releasing', actions: {type: 'rememberResult', params: failureOf}},
      },
    },
    executing: {
      tags: 'busy',
      on: {
        'engine.pause': {
          actions: {type: 'pauseExecutor', params: runPause},
        },
        'engine.stopAfterTask': {actions: 'stopExecutor'},
      },
      invoke: {
        id: 'executor',
        src: 'executor',
        input: ({context}) => executorInput(context),
        onDone: {target: 'releasing', actions: {type: 'rememberResult', params: executedOf}},
        onError: {target: 'releasing', actions: {type: 'rememberResult', params: failureOf}},
      },
    },
    working: {
      tags: 'busy',
      on: {
        'engine.pause': {actions: [pauseRemembered, {type: 'pauseTask', params: runPause}]},
      },
      invoke: {
        id: 'task',
        src: 'task',
        input: ({context}) => taskInput(context),
        onDone: [
          {
            guard: {type: 'mayBeDue', params: ({event}) => ({output: event.output})},
            target: 'reviewing',
            actions: {type: 'rememberResult', params: workedOf},
          },
          {target: 'releasing', actions: {type: 'rememberResult', params: workedOf}},
        ],
        onError: {target: 'releasing', actions: {type: 'rememberResult', params: failureOf}},
      },
    },
    reviewing: {
      tags: 'busy',
      on: {'engine.pause': {actions: [pauseRemembered, {type: 'pauseReview', params: runPause}]}},
      invoke: {
        id: 'parentReview',
        src: 'parentReview',
        input: ({context}) => reviewInput(context),
        onDone: {
          target: 'releasing',
          actions: {type: 'rememberReview', params: ({event}) => ({review: event.output})},
        },
        onError: {target: 'releasing', actions: {type: 'rememberResult', params: failureOf}},
      },
    },
    releasing: {
      tags: 'busy',
      invoke: {
        id: 'releaseLock',
        src: 'releaseLock',
        onDone: 'stopped',
        onError: {target: 'stopped', actions: {type: 'rememberResult', params: failureOf}},
      },
    },
    stopped: {entry: 'announceStop', always: 'idle'},
  },
});

function executorInput({job, pauseReason, isStopping}: EngineContext): ExecutorInput {
  if (job?.type !== 'execute') throw new Error('There is no plan to execute');
  return {...job.input, ...(isStopping ? {maxTasks: 0} : {}), pauseReason};
}

function taskInput({job, pauseReason}: EngineContext): TaskInput {
  if (job?.type !== 'task') throw new Error('There is no task to work on');
  return {...job.input, pauseReason};
}

function reviewInput({job, pauseReason}: EngineContext): ParentReviewInput {
  if (job?.type !== 'task') throw new Error('There is no task whose parents could be due');
  const {taskId, provider, graceMilliseconds, reviewsParents = true} = job.input;
  return {taskId, isEnabled: reviewsParents, provider, graceMilliseconds, pauseReason};
}

function pauseOf({event}: {event: {readonly reason: PauseReason}}) {
  return {pauseReason: event.reason};
}

function runPause({event}: {event: {readonly reason: PauseReason}}) {
  return {type: 'run.pause', reason: event.reason} as const;
}

function executedOf({event}: {event: DoneActorEvent<ExecutorOutput>}) {
  return {result: {type: 'execute', output: event.output} as const};
}

function workedOf({event}: {event: DoneActorEvent<TaskOutput>}) {
  return {result: {type: 'task', output: event.output} as const};
}

function failureOf({event}: {event: ErrorActorEvent}) {
  return {result: {type: 'failed', error: event.error} as const};
}

function resultOf({result}: EngineContext): JobResult {
  return result ?? {type: 'failed', error: new Error('The job stopped without a result')};
}
