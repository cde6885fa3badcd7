import {and, assign, type EventObject, emit, not, or, sendTo, setup, stateIn} from 'xstate';
import {messageOf} from '../services/contracts/errors.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import type {JobOpening} from './actors/job.actor.ts';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import type {RecoverRunsInput} from './actors/recover-runs.actor.ts';
import type {SurveyPlanInput} from './actors/survey-plan.actor.ts';
import type {PauseWish, StopWish} from './chart-parts.ts';
import {byWish, errorIn, failTo, jobStep, pauseFact, runPause, stopAnnounced} from './chart-parts.ts';
import {type EngineContext, noJob} from './engine-context.ts';
import type {EmittedFact} from './engine-fact.ts';
import {executorMachine} from './executor.machine.ts';
import {handOverMachine} from './hand-over.machine.ts';
import {jobTaskMachine} from './job-task.machine.ts';
import {parentReviewMachine} from './parent-review.machine.ts';
import {planGenerationMachine} from './plan-generation.machine.ts';
import {handedOver, handOverInput, mayHandOver} from './policies/job/handed-over.ts';
import type {Job, JobOptions, JobResult, JobRules, StepResult} from './policies/job/job-steps.ts';
import * as jobs from './policies/job/job-steps.ts';
import type {Obstacle} from './policies/job/obstacles.ts';
import {undoMachine} from './undo.machine.ts';

export type EngineCommand =
  | {readonly type: 'job.start'; readonly job: Job}
  | ({readonly type: 'engine.pause'} & PauseWish)
  | ({readonly type: 'engine.stopAfterTask'} & StopWish);

const failed = failTo('ending');
const unheard = {actions: {type: 'warnUnheard', params: errorIn}} as const;

/**
 * The entry point: one job at a time, busy from the request until the last write. A job is a list of steps under one
 * lock and one set of rules. A pause is accepted in every state, and nothing starts after it.
 */
export const engineMachine = setup({
  types: {} as {context: EngineContext; events: EngineCommand; emitted: EmittedFact; tags: 'busy'},
  actors: {
    resolveJob: promiseNotProvided<JobRules, {readonly options: JobOptions}>('resolveJob'),
    acquireLock: promiseNotProvided<void, void>('acquireLock'),
    releaseLock: promiseNotProvided<void, void>('releaseLock'),
    openJob: promiseNotProvided<void, JobOpening>('openJob'),
    closeJob: promiseNotProvided<void, {readonly result: JobResult | null}>('closeJob'),
    watchRequests: callbackNotProvided<EventObject, void>('watchRequests'),
    recoverRuns: promiseNotProvided<readonly RunRecord[], RecoverRunsInput>('recoverRuns'),
    surveyPlan: promiseNotProvided<readonly Obstacle[], SurveyPlanInput>('surveyPlan'),
    handOver: handOverMachine,
    executor: executorMachine,
    jobTask: jobTaskMachine,
    undo: undoMachine,
    planGeneration: planGenerationMachine,
    parentReview: parentReviewMachine,
  },
  actions: {
    rememberError: assign((_, params: {error: unknown}) => params),
    rememberEnd: assign(({context}, {wish}: {wish: jobs.Wish}) => ({result: jobs.jobResult(context, wish)})),
    rememberStep: assign(({context}, result: StepResult) => ({
      done: [...context.done, result],
      wanted: jobs.wantedAfter(context),
      steps: jobs.stepsAfter(context.steps, result),
    })),
    announce: emit((_, fact: EmittedFact) => fact),
    warnUnheard: emit((_, {error}: {error: unknown}): EmittedFact => {
      return {
        type: 'engine.warning',
        message: `requests from other terminals are no longer received: ${messageOf(error)}`,
      };
    }),
    announceEnd: emit(({context}, {wish}: {wish: jobs.Wish}): EmittedFact => {
      return {type: 'job.stopped', result: jobs.jobResult(context, wish)};
    }),
  },
  guards: {
    isPauseAsked: or([stateIn('#pausing'), stateIn('#forcing')]),
    isStopAsked: stateIn('#stopping'),
    /** After a stop request there is no review either. */
    isReviewUnwanted: and(['isStopAsked', ({context}) => jobs.rulesOf(context).reviewsParents]),
    mayHandOver: ({context}, {error}: {error: unknown}) => mayHandOver(context.steps, error),
    isTaskNext: ({context}) => context.steps[0]?.type === 'task',
    isUndoNext: ({context}) => context.steps[0]?.type === 'undo',
    isPlanningNext: ({context}) => context.steps[0]?.type === 'plan',
    isPlanNext: ({context}) => context.steps[0]?.type === 'execute',
    hasDueParents: ({context: {done, reviewed}}) => jobs.succeededRuns(done.slice(reviewed)).length > 0,
    isEnded: ({context}) => jobs.isJobEnded(context),
    isReviewEnded: ({context}) => jobs.isReviewEnded(context),
    isOver: or(['isPauseAsked', 'isEnded', 'isReviewEnded', 'isReviewUnwanted']),
    isSurveyDue: and([not('isPauseAsked'), ({context}) => jobs.isSurveyDue(context)]),
  },
}).createMachine({
  id: 'engine',
  context: noJob,
  initial: 'idle',
  states: {
    idle: {
      on: {'job.start': {target: 'working', actions: assign(({event}) => ({...noJob, ...event.job}))}},
    },
    working: {
      tags: 'busy',
      type: 'parallel',
      // If this breaks, the job continues; only other terminals cannot reach it any more.
      invoke: {id: 'watchRequests', src: 'watchRequests', onError: unheard},
      states: {
        wish: {
          initial: 'none',
          states: {
            none: {on: {'engine.stopAfterTask': stopAnnounced, 'engine.pause': 'pausing'}},
            stopping: {id: 'stopping', on: {'engine.pause': 'pausing'}},
            pausing: {
              id: 'pausing',
              entry: {type: 'announce', params: ({event}) => pauseFact(event, false)},
              on: {'engine.pause': 'forcing'},
            },
            forcing: {
              id: 'forcing',
              entry: {type: 'announce', params: ({event}) => pauseFact(event, true)},
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
                onError: failTo('stopped'),
              },
            },
            locking: {
              invoke: {
                id: 'acquireLock',
                src: 'acquireLock',
                onDone: 'opening',
                onError: [
                  {...failTo('handingOver'), guard: {type: 'mayHandOver', params: errorIn}},
                  failTo('stopped'),
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
                onError: failTo('stopped'),
              },
            },
            opening: {
              invoke: {
                id: 'openJob',
                src: 'openJob',
                input: ({context}) => ({steps: context.steps, rules: jobs.rulesOf(context)}),
                onDone: 'recovering',
                onError: failTo('releasing'),
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
                {guard: 'isOver', target: 'ending'},
                {guard: and([not('isStopAsked'), 'isTaskNext']), target: 'tasking'},
                {guard: and([not('isStopAsked'), 'isUndoNext']), target: 'undoing'},
                {guard: and([not('isStopAsked'), 'isPlanningNext']), target: 'planning'},
                {guard: 'hasDueParents', target: 'reviewing'},
                {guard: and([not('isStopAsked'), 'isPlanNext']), target: 'executing'},
                {target: 'ending'},
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
                onDone: {target: 'choosing', actions: {type: 'rememberStep', params: jobStep('execute')}},
                onError: failed,
              },
            },
            tasking: {
              on: {
                'engine.pause': {actions: sendTo('jobTask', ({event}) => runPause(event))},
                'engine.stopAfterTask': {actions: sendTo('jobTask', {type: 'executor.stopAfterTask'})},
              },
              invoke: {
                id: 'jobTask',
                src: 'jobTask',
                input: ({context}) => ({task: jobs.jobTaskIn(context.steps), rules: jobs.rulesOf(context)}),
                onDone: {target: 'choosing', actions: {type: 'rememberStep', params: jobStep('task')}},
                onError: failed,
              },
            },
            // Too short to be paused; nothing starts after it.
            undoing: {
              invoke: {
                id: 'undo',
                src: 'undo',
                input: ({context}) => jobs.undoInput(context.steps[0]),
                onDone: {target: 'choosing', actions: {type: 'rememberStep', params: jobStep('undo')}},
                onError: failed,
              },
            },
            planning: {
              on: {
                'engine.pause': {actions: sendTo('planGeneration', ({event}) => runPause(event))},
                'engine.stopAfterTask': {actions: sendTo('planGeneration', {type: 'executor.stopAfterTask'})},
              },
              invoke: {
                id: 'planGeneration',
                src: 'planGeneration',
                input: ({context}) => jobs.planInput(context.steps[0], jobs.rulesOf(context)),
                onDone: {target: 'choosing', actions: {type: 'rememberStep', params: jobStep('plan')}},
                onError: failed,
              },
            },
            reviewing: {
              on: {
                'engine.pause': {actions: sendTo('parentReview', ({event}) => runPause(event))},
                'engine.stopAfterTask': {actions: sendTo('parentReview', {type: 'executor.stopAfterTask'})},
              },
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
            ending: {
              always: [{guard: 'isSurveyDue', target: 'surveying'}, ...byWish('closing', 'rememberEnd')],
            },
            // A job that executed the plan reports what keeps it from being done, whichever job left it that way.
            surveying: {
              invoke: {
                id: 'surveyPlan',
                src: 'surveyPlan',
                input: ({context}) => jobs.surveyInput(context),
                onDone: {target: 'ending', actions: assign({obstacles: ({event}) => event.output})},
                onError: failed,
              },
            },
            closing: {
              invoke: {
                id: 'closeJob',
                src: 'closeJob',
                input: ({context: {result}}) => ({result}),
                onDone: 'releasing',
                onError: failTo('releasing'),
              },
            },
            releasing: {
              invoke: {
                id: 'releaseLock',
                src: 'releaseLock',
                onDone: 'stopped',
                onError: failTo('stopped'),
              },
            },
            stopped: {always: byWish('#engine.idle', 'announceEnd')},
          },
        },
      },
    },
  },
});
