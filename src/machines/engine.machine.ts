import {and, assign, type DoneActorEvent, emit, not, or, sendTo, setup, stateIn} from 'xstate';
import type {PauseReason, RunRecord} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import type {RecoverRunsInput} from './actors/recover-runs.actor.ts';
import {errorIn} from './chart-parts.ts';
import {type ExecutorOutput, executorMachine} from './executor.machine.ts';
import {handOverMachine} from './hand-over.machine.ts';
import {parentReviewMachine} from './parent-review.machine.ts';
import {handedOver, handOverInput, mayHandOver} from './policies/job/handed-over.ts';
import type {Job, JobOptions, JobResult, JobRules, StepResult} from './policies/job/job-steps.ts';
import * as jobs from './policies/job/job-steps.ts';
import {stopReasonAfterReview} from './policies/job/stop-reason.ts';
import type {TaskOutput} from './policies/run/task-outcome.ts';
import {taskMachine} from './task.machine.ts';
import {undoMachine} from './undo.machine.ts';

export type EngineCommand =
  | {readonly type: 'job.start'; readonly job: Job}
  | {readonly type: 'engine.pause'; readonly reason: PauseReason}
  | {readonly type: 'engine.stopAfterTask'};

export type EngineNews =
  | {readonly type: 'job.stopped'; readonly result: JobResult}
  | {readonly type: 'engine.pausing'; readonly reason: PauseReason; readonly isForced: boolean};

type EngineContext = jobs.JobProgress & {
  options: JobOptions;
  /** How many steps were done when parents were last looked at. */
  reviewed: number;
};

const announcedBy = (wish: jobs.Wish) => ({type: 'announceEnd', params: {wish}}) as const;
const broken = {target: 'stopped', actions: {type: 'rememberError', params: errorIn}} as const;
const failed = {target: 'releasing', actions: {type: 'rememberError', params: errorIn}} as const;

const noJob: EngineContext = {
  steps: [],
  options: {},
  rules: null,
  done: [],
  reviewed: 0,
  review: null,
  handedOver: null,
  error: undefined,
};

/**
 * The door: one job at a time, busy from the moment it is asked for until the last write. A job is a list of steps under
 * one lock and one set of rules. A pause is taken in every state, and nothing begins after it.
 */
export const engineMachine = setup({
  types: {
    context: {} as EngineContext,
    events: {} as EngineCommand,
    emitted: {} as EngineNews,
    tags: {} as 'busy',
  },
  actors: {
    resolveJob: promiseNotProvided<JobRules, {readonly options: JobOptions}>('resolveJob'),
    acquireLock: promiseNotProvided<void, void>('acquireLock'),
    releaseLock: promiseNotProvided<void, void>('releaseLock'),
    recoverRuns: promiseNotProvided<readonly RunRecord[], RecoverRunsInput>('recoverRuns'),
    handOver: handOverMachine,
    executor: executorMachine,
    task: taskMachine,
    undo: undoMachine,
    parentReview: parentReviewMachine,
  },
  actions: {
    rememberError: assign((_, params: {error: unknown}) => params),
    rememberStep: assign(({context: {done, steps}}, {result}: {result: StepResult}) => ({
      done: [...done, result],
      steps: jobs.stepsAfter(steps, result),
    })),
    announcePause: emit((_, params: {reason: PauseReason; isForced: boolean}) => ({
      type: 'engine.pausing' as const,
      ...params,
    })),
    announceEnd: emit(({context}, {wish}: {wish: jobs.Wish}) => ({
      type: 'job.stopped' as const,
      result: jobs.jobResult(context, wish),
    })),
  },
  guards: {
    isPauseAsked: or([stateIn('#pausing'), stateIn('#forcing')]),
    isStopAsked: stateIn('#stopping'),
    mayHandOver: ({context}, {error}: {error: unknown}) => mayHandOver(context.steps, error),
    isTaskNext: ({context}) => context.steps[0]?.type === 'task',
    isUndoNext: ({context}) => context.steps[0]?.type === 'undo',
    isPlanNext: ({context}) => context.steps[0]?.type === 'execute',
    hasDueParents: ({context: {done, reviewed}}) => jobs.succeededRuns(done.slice(reviewed)).length > 0,
    isEnded: ({context}) => jobs.isEnded(context),
    isReviewEnded: ({context}) =>
      context.review !== null && stopReasonAfterReview(context.review, jobs.rulesOf(context)) !== null,
  },
}).createMachine({
  id: 'engine',
  context: noJob,
  initial: 'idle',
  states: {
    idle: {
      on: {
        'job.start': {target: 'working', actions: assign(({event}) => ({...noJob, ...event.job}))},
      },
    },
    working: {
      tags: 'busy',
      type: 'parallel',
      states: {
        wish: {
          initial: 'none',
          states: {
            none: {on: {'engine.stopAfterTask': 'stopping', 'engine.pause': 'pausing'}},
            stopping: {id: 'stopping', on: {'engine.pause': 'pausing'}},
            pausing: {
              id: 'pausing',
              entry: {type: 'announcePause', params: ({event}) => pauseIn(event, false)},
              on: {'engine.pause': 'forcing'},
            },
            forcing: {
              id: 'forcing',
              entry: {type: 'announcePause', params: ({event}) => pauseIn(event, true)},
              on: {'engine.pause': {target: 'forcing', reenter: true}},
            },
          },
        },
        work: {
          initial: 'resolving',
          states: {
            resolving: {
              invoke: {
                id: 'resolveJob',
                src: 'resolveJob',
                input: ({context}) => ({options: context.options}),
                onDone: {target: 'locking', actions: assign({rules: ({event}) => event.output})},
                onError: broken,
              },
            },
            locking: {
              invoke: {
                id: 'acquireLock',
                src: 'acquireLock',
                onDone: 'recovering',
                onError: [
                  {...broken, guard: {type: 'mayHandOver', params: errorIn}, target: 'handingOver'},
                  broken,
                ],
              },
            },
            handingOver: {
              on: {'engine.pause': {actions: sendTo('handOver', {type: 'handOver.cancel'})}},
              invoke: {
                id: 'handOver',
                src: 'handOver',
                input: ({context}) => handOverInput(context.steps),
                onDone: {target: 'stopped', actions: assign(({event}) => handedOver(event.output))},
                onError: broken,
              },
            },
            recovering: {
              invoke: {
                id: 'recoverRuns',
                src: 'recoverRuns',
                input: ({context: {rules}}) => (rules?.commits ? {commits: true} : {}),
                onDone: 'choosing',
                onError: failed,
              },
            },
            choosing: {
              always: [
                {guard: or(['isPauseAsked', 'isEnded', 'isReviewEnded']), target: 'releasing'},
                {guard: and([not('isStopAsked'), 'isTaskNext']), target: 'tasking'},
                {guard: and([not('isStopAsked'), 'isUndoNext']), target: 'undoing'},
                {guard: 'hasDueParents', target: 'reviewing'},
                {guard: and([not('isStopAsked'), 'isPlanNext']), target: 'executing'},
                {target: 'releasing'},
              ],
            },
            executing: {
              on: {
                'engine.pause': {actions: sendTo('executor', ({event}) => runPause(event))},
                'engine.stopAfterTask': {actions: sendTo('executor', {type: 'executor.stopAfterTask'})},
              },
              invoke: {
                id: 'executor',
                src: 'executor',
                input: ({context}) => jobs.executorInput(context.steps[0], jobs.rulesOf(context)),
                onDone: {target: 'choosing', actions: {type: 'rememberStep', params: executeResult}},
                onError: failed,
              },
            },
            tasking: {
              on: {'engine.pause': {actions: sendTo('task', ({event}) => runPause(event))}},
              invoke: {
                id: 'task',
                src: 'task',
                input: ({context}) => jobs.taskInput(context.steps[0], jobs.rulesOf(context)),
                onDone: {target: 'choosing', actions: {type: 'rememberStep', params: taskResult}},
                onError: failed,
              },
            },
            // Too short to be paused; nothing begins behind it.
            undoing: {
              invoke: {
                id: 'undo',
                src: 'undo',
                input: ({context}) => jobs.undoInput(context.steps[0]),
                onDone: {
                  target: 'choosing',
                  actions: {
                    type: 'rememberStep',
                    params: ({event}) => ({result: {type: 'undo', output: event.output}}),
                  },
                },
                onError: failed,
              },
            },
            reviewing: {
              on: {'engine.pause': {actions: sendTo('parentReview', ({event}) => runPause(event))}},
              invoke: {
                id: 'parentReview',
                src: 'parentReview',
                input: ({context}) =>
                  jobs.reviewInput(context.done.slice(context.reviewed), jobs.rulesOf(context)),
                onDone: {
                  target: 'choosing',
                  actions: assign(({context, event}) => ({
                    review: event.output,
                    reviewed: context.done.length,
                  })),
                },
                onError: failed,
              },
            },
            releasing: {
              invoke: {
                id: 'releaseLock',
                src: 'releaseLock',
                onDone: 'stopped',
                onError: broken,
              },
            },
            stopped: {
              always: [
                {guard: 'isPauseAsked', target: '#engine.idle', actions: announcedBy('pause')},
                {guard: 'isStopAsked', target: '#engine.idle', actions: announcedBy('stop')},
                {target: '#engine.idle', actions: announcedBy('none')},
              ],
            },
          },
        },
      },
    },
  },
});

function pauseIn(event: EngineCommand, isForced: boolean) {
  return {reason: event.type === 'engine.pause' ? event.reason : 'user_interrupt', isForced} as const;
}

function runPause({reason}: Extract<EngineCommand, {type: 'engine.pause'}>) {
  return {type: 'run.pause', reason} as const;
}

function executeResult({event: {output}}: {event: DoneActorEvent<ExecutorOutput>}) {
  return {result: {type: 'execute', output} as const};
}

function taskResult({event: {output}}: {event: DoneActorEvent<TaskOutput>}) {
  return {result: {type: 'task', output} as const};
}
