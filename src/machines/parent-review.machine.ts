import {and, assign, type DoneActorEvent, not, or, sendTo, setup, stateIn} from 'xstate';
import type {RunRecord} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import type {PrepareReviewInput} from './actors/prepare-review.actor.ts';
import type {PreparedRun} from './actors/run-situation.ts';
import type {CompleteParentsInput, ReviewStep, SelectReviewInput} from './actors/select-review.actor.ts';
import type {ReviewVerdict, SettleReviewInput} from './actors/settle-review.actor.ts';
import {failTo, finalOutput, isPauseAsked, type LoopCommand, outputIn, stopWish} from './chart-parts.ts';
import {isHopeless} from './policies/job/stop-reason.ts';
import {
  heldWait,
  type ParentReviewInput,
  type ParentReviewOutput,
  parentIdsIn,
  preparedReview,
  type Reviewed,
  reviewedOf,
  reviewOutput,
  reviewRunInput,
  selectInput,
  withReviews,
} from './policies/review/review-steps.ts';
import {reviewerModel} from './policies/run/agent-choice.ts';
import {isTimeNeeded} from './policies/run/failure-table.ts';
import {retryWaitMachine, waitInput} from './retry-wait.machine.ts';
import {endedBy, type RunOutput, runMachine} from './run.machine.ts';

export type {ParentReviewInput, ParentReviewOutput, Reviewed};

type ParentReviewContext = ParentReviewInput & {
  reviews: readonly Reviewed[];
  step: ReviewStep;
  prepared: PreparedRun | null;
  ended: RunOutput | null;
  /** Its time limit in minutes, if it took longer. */
  overrun: number | null;
  verdict: ReviewVerdict | null;
  error: unknown;
};

const prepared = {type: 'rememberPrepared', params: preparedIn} as const;
const ended = {type: 'rememberRun', params: outputIn} as const;
const broken = failTo('#broken');

/**
 * Reviews the parents whose children are all done, from the bottom up, and updates the plan. What is left is read from
 * plan, records and feedback each time, so a crash repeats nothing.
 */
export const parentReviewMachine = setup({
  types: {
    input: {} as ParentReviewInput,
    context: {} as ParentReviewContext,
    events: {} as LoopCommand,
    output: {} as ParentReviewOutput,
  },
  actors: {
    selectReview: promiseNotProvided<ReviewStep, SelectReviewInput>('selectReview'),
    completeParents: promiseNotProvided<void, CompleteParentsInput>('completeParents'),
    prepareReview: promiseNotProvided<PreparedRun | null, PrepareReviewInput>('prepareReview'),
    withdrawRun: promiseNotProvided<RunRecord, {readonly run: RunRecord}>('withdrawRun'),
    run: runMachine,
    retryWait: retryWaitMachine,
    settleReview: promiseNotProvided<ReviewVerdict, SettleReviewInput>('settleReview'),
  },
  actions: {
    rememberPrepared: assign((_, params: {prepared: PreparedRun | null}) => params),
    rememberVerdict: assign(({context}, {verdict}: {verdict: ReviewVerdict}) => ({
      verdict,
      reviews: withReviews(context.reviews, [reviewedOf(verdict)]),
    })),
    rememberRun: assign((_, ended: RunOutput) => ({...endedBy(ended), overrun: null})),
    rememberOverrun: assign({overrun: ({context}) => context.minutes}),
    rememberError: assign((_, params: {error: unknown}) => params),
  },
  guards: {
    isPauseAsked,
    isStopAsked: stateIn('#stopping'),
    isNothingDue: ({context}) => context.step.type === 'none',
    isAnswerDue: ({context}) => context.step.type === 'answer',
    isUndecided: ({context}) => context.step.type === 'decide',
    isHeld: ({context: {step}}) => step.type === 'held',
    isTooLong: ({context: {step}}) => step.type === 'held' && step.wait.isTooLong,
    isCompletionDue: ({context}) => context.step.type === 'complete',
    isOutdated: (_, params: {prepared: PreparedRun | null}) => params.prepared === null,
    isBroken: ({context}) => context.ended?.outcome === 'error',
    isPaused: ({context: {ended}}) => ended?.outcome === 'paused' || ended?.outcome === 'withdrawn',
    isSentBack: ({context}) => context.verdict?.type === 'sentBack',
    isOverdue: and([not('isPauseAsked'), stateIn('#overdue')]),
    isHopeless: ({context: {verdict}}) =>
      verdict?.type === 'broken' && isHopeless(verdict.run) && !isTimeNeeded(verdict.run),
  },
  delays: {timeLimit: ({context}) => context.minutes * 60_000},
}).createMachine({
  id: 'parentReview',
  context: ({input}) => ({
    ...input,
    reviews: [],
    step: {type: 'none'},
    prepared: null,
    ended: null,
    overrun: null,
    verdict: null,
    error: undefined,
  }),
  initial: 'reviewing',
  states: {
    reviewing: {
      type: 'parallel',
      states: {
        wish: stopWish,
        work: {
          initial: 'selecting',
          states: {
            selecting: {
              invoke: {
                id: 'selectReview',
                src: 'selectReview',
                input: ({context}) => selectInput(context),
                onDone: {target: 'selected', actions: assign({step: ({event}) => event.output})},
                onError: broken,
              },
            },
            selected: {
              always: [
                {guard: 'isNothingDue', target: '#settled'},
                {guard: 'isAnswerDue', target: '#required'},
                {guard: 'isUndecided', target: '#undecided'},
                {guard: 'isTooLong', target: '#held'},
                {guard: 'isCompletionDue', target: 'completing'},
                // The wait for the reviewer was given up.
                {guard: 'isPauseAsked', target: '#paused'},
                {guard: 'isStopAsked', target: '#settled'},
                {guard: 'isHeld', target: 'waitingForRetry'},
                {target: 'preparing'},
              ],
            },
            waitingForRetry: {
              always: [
                {guard: 'isPauseAsked', target: '#paused'},
                {guard: 'isStopAsked', target: '#held'},
              ],
              invoke: {
                id: 'retryWait',
                src: 'retryWait',
                input: ({context}) => waitInput(heldWait(context.step)),
                onDone: 'selecting',
                onError: broken,
              },
            },
            completing: {
              invoke: {
                id: 'completeParents',
                src: 'completeParents',
                input: ({context: {step, isEnabled}}) => ({parentIds: parentIdsIn(step), isEnabled}),
                onDone: 'selecting',
                onError: broken,
              },
            },
            preparing: {
              invoke: {
                id: 'prepareReview',
                src: 'prepareReview',
                input: ({context: {step, provider, modelChoices, budgets}}) => ({
                  parentId: parentIdsIn(step)[0] ?? '',
                  provider,
                  modelChoice: reviewerModel(provider, modelChoices),
                  ...(budgets && {budgets}),
                }),
                onDone: [
                  {guard: {type: 'isOutdated', params: preparedIn}, target: 'selecting'},
                  {guard: or(['isPauseAsked', 'isStopAsked']), target: 'withdrawing', actions: prepared},
                  {target: 'running', actions: prepared},
                ],
                onError: broken,
              },
            },
            withdrawing: {
              invoke: {
                id: 'withdrawRun',
                src: 'withdrawRun',
                input: ({context}) => ({run: preparedReview(context).run}),
                onDone: [{guard: 'isStopAsked', target: '#settled'}, {target: '#paused'}],
                onError: broken,
              },
            },
            running: {
              on: {'run.pause': {actions: sendTo('run', ({event}) => event)}},
              invoke: {
                id: 'run',
                src: 'run',
                input: ({context}) => reviewRunInput(context),
                onDone: [
                  {guard: 'isOverdue', target: 'stopped', actions: ended},
                  {target: 'ended', actions: ended},
                ],
                onError: broken,
              },
              initial: 'inTime',
              states: {
                inTime: {after: {timeLimit: 'overdue'}},
                overdue: {id: 'overdue', entry: sendTo('run', {type: 'run.pause', reason: 'stalled'})},
              },
            },
            stopped: {
              always: [{guard: 'isPaused', target: 'judging', actions: 'rememberOverrun'}, {target: 'ended'}],
            },
            ended: {
              always: [
                {guard: 'isBroken', target: '#broken'},
                {guard: 'isPaused', target: '#paused'},
                {target: 'judging'},
              ],
            },
            judging: {
              invoke: {
                id: 'settleReview',
                src: 'settleReview',
                input: ({context}) => settleInput(context),
                onDone: {
                  target: 'judged',
                  actions: {type: 'rememberVerdict', params: ({event}) => ({verdict: event.output})},
                },
                onError: broken,
              },
            },
            judged: {
              always: [
                {guard: 'isSentBack', target: '#required'},
                {guard: 'isHopeless', target: '#failed'},
                {target: 'selecting'},
              ],
            },
          },
        },
      },
    },
    settled: {id: 'settled', type: 'final', output: outputFor('settled')},
    /** Feedback is pending. */
    required: {id: 'required', type: 'final', output: outputFor('required')},
    /** Its reviews sent tasks back as often as allowed: the user decides. */
    undecided: {id: 'undecided', type: 'final', output: outputFor('undecided')},
    /** The reviewer is at its limit, or cannot be reached. */
    held: {id: 'held', type: 'final', output: outputFor('held')},
    paused: {id: 'paused', type: 'final', output: outputFor('paused')},
    /** The next agent would fail as well. */
    failed: {id: 'failed', type: 'final', output: outputFor('failed')},
    broken: {id: 'broken', type: 'final', output: outputFor('error')},
  },
  output: finalOutput<ParentReviewOutput>,
});

function outputFor(outcome: ParentReviewOutput['outcome']) {
  return ({context}: {context: ParentReviewContext}) => reviewOutput(outcome, context);
}

function preparedIn({event}: {event: DoneActorEvent<PreparedRun | null>}) {
  return {prepared: event.output};
}

function settleInput({ended, overrun}: ParentReviewContext): SettleReviewInput {
  if (ended === null) throw new Error('No review has ended');
  return {run: ended.run, overrun};
}
