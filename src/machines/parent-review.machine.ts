import {assign, type DoneActorEvent, type ErrorActorEvent, sendTo, setup} from 'xstate';
import type {ProviderId} from '../services/contracts/agent.ts';
import type {PendingFeedback} from '../services/contracts/feedback.ts';
import type {PauseReason, RunRecord} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import type {PrepareReviewInput} from './actors/prepare-review.actor.ts';
import type {PreparedRun} from './actors/run-situation.ts';
import type {
  CompleteParentsInput,
  ReviewScope,
  ReviewStep,
  SelectReviewInput,
} from './actors/select-review.actor.ts';
import type {ReviewVerdict} from './actors/settle-review.actor.ts';
import {isHopeless} from './policies/job/stop-reason.ts';
import {type RunOutput, runMachine} from './run.machine.ts';
import type {SegmentCommand} from './segment.machine.ts';

export type ParentReviewInput = ReviewScope & {
  readonly provider: ProviderId;
  readonly graceMilliseconds: number;
  /** A pause that was asked for before: nothing is begun any more. */
  readonly pauseReason: PauseReason | null;
};

/** What the end of a job tells of a review; records are too large to be kept for every one. */
export type Reviewed = Pick<RunRecord, 'failure'> & {
  readonly parentId: string;
  readonly verdict: ReviewVerdict['type'];
};

export type ParentReviewOutput = {
  /** `required`: feedback waits for an answer. `failed`: the next agent would fail as well. */
  readonly outcome: 'settled' | 'required' | 'paused' | 'failed' | 'error';
  readonly reviews: readonly Reviewed[];
  readonly pending: readonly PendingFeedback[];
  readonly error?: unknown;
};

type ParentReviewContext = ParentReviewInput & {
  outcome: ParentReviewOutput['outcome'];
  reviews: readonly Reviewed[];
  pending: readonly PendingFeedback[];
  step: ReviewStep;
  prepared: PreparedRun | null;
  ended: RunOutput | null;
  verdict: ReviewVerdict | null;
  error: unknown;
};

const failed = {target: 'done', actions: {type: 'endAs', params: errorOf}} as const;

/**
 * The parents whose children are all done, from the bottom up: a reviewer for each, and the plan says what it
 * says. What is left to do is read from plan, records and feedback each time, so a crash repeats nothing.
 */
export const parentReviewMachine = setup({
  types: {
    input: {} as ParentReviewInput,
    context: {} as ParentReviewContext,
    events: {} as SegmentCommand,
    output: {} as ParentReviewOutput,
  },
  actors: {
    selectReview: promiseNotProvided<ReviewStep, SelectReviewInput>('selectReview'),
    completeParents: promiseNotProvided<void, CompleteParentsInput>('completeParents'),
    prepareReview: promiseNotProvided<PreparedRun | null, PrepareReviewInput>('prepareReview'),
    run: runMachine,
    settleReview: promiseNotProvided<ReviewVerdict, {readonly run: RunRecord}>('settleReview'),
  },
  actions: {
    rememberStep: assign((_, params: {step: ReviewStep}) => params),
    rememberPrepared: assign((_, params: {prepared: PreparedRun | null}) => params),
    rememberEnd: assign((_, params: {ended: RunOutput}) => params),
    rememberVerdict: assign(({context}, {verdict}: {verdict: ReviewVerdict}) => ({
      verdict,
      reviews: [...context.reviews, reviewedOf(verdict)],
    })),
    rememberPause: assign((_, params: {pauseReason: PauseReason}) => params),
    requireAnswer: assign(({context: {step, verdict}}) => ({
      outcome: 'required' as const,
      pending: verdict?.type === 'sentBack' ? verdict.pending : step.type === 'answer' ? step.pending : [],
    })),
    endAs: assign((_, params: {outcome: ParentReviewOutput['outcome']; error?: unknown}) => params),
    endWithRun: assign(({context: {ended}}) => ({outcome: 'error' as const, error: ended?.error})),
    pauseRun: sendTo('run', (_, params: SegmentCommand) => params),
  },
  guards: {
    isNothingDue: ({context}) => context.step.type === 'none',
    isAnswerDue: ({context}) => context.step.type === 'answer',
    isCompletionDue: ({context}) => context.step.type === 'complete',
    isPauseAsked: ({context}) => context.pauseReason !== null,
    isOutdated: (_, params: {prepared: PreparedRun | null}) => params.prepared === null,
    isBroken: ({context}) => context.ended?.outcome === 'error',
    isPaused: ({context}) => context.ended?.outcome === 'paused',
    isSentBack: ({context}) => context.verdict?.type === 'sentBack',
    isHopeless: ({context: {verdict}}) => verdict?.type === 'broken' && isHopeless(verdict.run),
  },
}).createMachine({
  id: 'parentReview',
  context: ({input}) => ({
    ...{...input, outcome: 'settled', reviews: [], pending: [], step: {type: 'none'}},
    ...{prepared: null, ended: null, verdict: null, error: undefined},
  }),
  on: {
    'run.pause': {actions: {type: 'rememberPause', params: ({event}) => ({pauseReason: event.reason})}},
  },
  initial: 'selecting',
  states: {
    selecting: {
      invoke: {
        id: 'selectReview',
        src: 'selectReview',
        input: ({context: {taskId, isEnabled, reviews}}) => ({
          taskId,
          isEnabled,
          tried: reviews.flatMap(({verdict, parentId}) => (verdict === 'broken' ? [parentId] : [])),
        }),
        onDone: {
          target: 'selected',
          actions: {type: 'rememberStep', params: ({event}) => ({step: event.output})},
        },
        onError: failed,
      },
    },
    selected: {
      always: [
        {guard: 'isNothingDue', target: 'done'},
        {guard: 'isAnswerDue', target: 'done', actions: 'requireAnswer'},
        {guard: 'isCompletionDue', target: 'completing'},
        // Nobody waits for a reviewer any more.
        {guard: 'isPauseAsked', target: 'done', actions: {type: 'endAs', params: {outcome: 'paused'}}},
        {target: 'preparing'},
      ],
    },
    completing: {
      invoke: {
        id: 'completeParents',
        src: 'completeParents',
        input: ({context: {step, isEnabled}}) => ({parentIds: parentIdsIn(step), isEnabled}),
        onDone: 'selecting',
        onError: failed,
      },
    },
    preparing: {
      invoke: {
        id: 'prepareReview',
        src: 'prepareReview',
        input: ({context: {step, provider}}) => ({parentId: parentIdsIn(step)[0] ?? '', provider}),
        onDone: [
          {guard: {type: 'isOutdated', params: preparedOf}, target: 'selecting'},
          {target: 'running', actions: {type: 'rememberPrepared', params: preparedOf}},
        ],
        onError: failed,
      },
    },
    running: {
      on: {
        'run.pause': {
          actions: [
            {type: 'rememberPause', params: ({event}) => ({pauseReason: event.reason})},
            {type: 'pauseRun', params: ({event}) => event},
          ],
        },
      },
      invoke: {
        id: 'run',
        src: 'run',
        input: ({context}) => runInput(context),
        onDone: {
          target: 'ended',
          actions: {type: 'rememberEnd', params: ({event}) => ({ended: event.output})},
        },
        onError: failed,
      },
    },
    ended: {
      always: [
        {guard: 'isBroken', target: 'done', actions: 'endWithRun'},
        {guard: 'isPaused', target: 'done', actions: {type: 'endAs', params: {outcome: 'paused'}}},
        {target: 'judging'},
      ],
    },
    judging: {
      invoke: {
        id: 'settleReview',
        src: 'settleReview',
        input: ({context: {ended}}) => {
          if (ended === null) throw new Error('No review has ended');
          return {run: ended.run};
        },
        onDone: {
          target: 'judged',
          actions: {type: 'rememberVerdict', params: ({event}) => ({verdict: event.output})},
        },
        onError: failed,
      },
    },
    judged: {
      always: [
        {guard: 'isSentBack', target: 'done', actions: 'requireAnswer'},
        {guard: 'isHopeless', target: 'done', actions: {type: 'endAs', params: {outcome: 'failed'}}},
        {target: 'selecting'},
      ],
    },
    done: {type: 'final'},
  },
  output: ({context: {outcome, reviews, pending, error}}) => ({
    ...{outcome, reviews, pending},
    ...(error === undefined ? {} : {error}),
  }),
});

function reviewedOf({type, run}: ReviewVerdict): Reviewed {
  return {parentId: run.task_id, verdict: type, ...(run.failure && {failure: run.failure})};
}

function parentIdsIn(step: ReviewStep): readonly string[] {
  if (step.type === 'review') return [step.parentId];
  return step.type === 'complete' ? step.parentIds : [];
}

function preparedOf({event}: {event: DoneActorEvent<PreparedRun | null>}) {
  return {prepared: event.output};
}

function errorOf({event}: {event: ErrorActorEvent}) {
  return {outcome: 'error' as const, error: event.error};
}

function runInput({prepared, graceMilliseconds, pauseReason}: ParentReviewContext) {
  if (prepared === null) throw new Error('A review must be prepared before it runs');
  return {run: prepared.run, order: prepared.order, graceMilliseconds, pauseReason};
}
