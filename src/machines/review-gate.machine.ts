import {assign, type ErrorActorEvent, setup} from 'xstate';
import type {ProviderId} from '../services/contracts/agent.ts';
import type {Task} from '../services/contracts/plan.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import {errorOf} from './actors/results.ts';
import type {Decision} from './policies/review/decisions.ts';
import type {SegmentCommand} from './segment.machine.ts';

export type ReviewGateInput = {
  readonly task: Pick<Task, 'id' | 'title'>;
  /** The run that ended at this checkpoint. */
  readonly run: RunRecord;
  /** Made before anybody was asked. */
  readonly decision: Decision | null;
  /** Somebody is there to decide. */
  readonly isAttended: boolean;
  readonly explicitProvider: ProviderId | null;
};

export type ReviewGateCommand =
  | {readonly type: 'review.decide'; readonly decision: Decision}
  | {readonly type: 'review.postpone'}
  | SegmentCommand;

export type ReviewGateOutput = {
  readonly outcome: 'decided' | 'postponed' | 'error';
  /** With the decision on it, once there is one. */
  readonly run: RunRecord;
  readonly error?: unknown;
};

/** What is asked of a person. */
export type DecisionRequest = {
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly run: RunRecord;
  /** Why changes cannot be requested; null when they can. */
  readonly obstacle: string | null;
  /** Why the decision before this question could not be; undefined the first time. */
  readonly refusal: unknown;
};

export type AskDecisionInput = Omit<DecisionRequest, 'obstacle'> & Pick<ReviewGateInput, 'explicitProvider'>;

export type CheckDecisionInput = {
  readonly task: Pick<Task, 'id' | 'title'>;
  readonly run: RunRecord;
  readonly decision: Decision;
  readonly explicitProvider: ProviderId | null;
};
export type RecordDecisionInput = {readonly run: RunRecord; readonly decision: Decision};

type ReviewGateContext = ReviewGateInput & {
  outcome: ReviewGateOutput['outcome'];
  refusal: unknown;
  error: unknown;
};

/**
 * The checkpoint after a run. It is left in two ways only: with a decision that is on disk, or with the
 * question still open. A decision that cannot be carried out is refused before it is recorded.
 */
export const reviewGateMachine = setup({
  types: {
    input: {} as ReviewGateInput,
    context: {} as ReviewGateContext,
    events: {} as ReviewGateCommand,
    output: {} as ReviewGateOutput,
  },
  actors: {
    /** Lets somebody answer for as long as the question is open. */
    askDecision: callbackNotProvided<ReviewGateCommand, AskDecisionInput>('askDecision'),
    checkDecision: promiseNotProvided<void, CheckDecisionInput>('checkDecision'),
    recordDecision: promiseNotProvided<RunRecord, RecordDecisionInput>('recordDecision'),
  },
  actions: {
    rememberDecision: assign((_, params: {decision: Decision}) => ({...params, refusal: undefined})),
    rememberRecorded: assign((_, params: {run: RunRecord}) => ({
      ...params,
      outcome: 'decided' as const,
    })),
    rememberRefusal: assign(({event}) => ({refusal: (event as unknown as ErrorActorEvent).error})),
    rememberError: assign((_, params: {error: unknown}) => ({...params, outcome: 'error' as const})),
  },
  guards: {
    isDecided: ({context}) => context.decision !== null,
    isAttended: ({context}) => context.isAttended,
  },
}).createMachine({
  id: 'reviewGate',
  context: ({input}) => ({
    ...input,
    outcome: 'postponed',
    refusal: undefined,
    error: undefined,
  }),
  initial: 'routing',
  states: {
    routing: {
      always: [
        {guard: 'isDecided', target: 'checkingDecision'},
        {guard: 'isAttended', target: 'asking'},
        {target: 'done'},
      ],
    },
    asking: {
      invoke: {
        id: 'askDecision',
        src: 'askDecision',
        input: ({context: {task, run, refusal, explicitProvider}}) => ({
          task,
          run,
          refusal,
          explicitProvider,
        }),
        onError: {target: 'done', actions: {type: 'rememberError', params: errorOf}},
      },
      on: {
        'review.decide': {
          target: 'checkingDecision',
          actions: {type: 'rememberDecision', params: ({event}) => ({decision: event.decision})},
        },
        'review.postpone': 'done',
        'run.pause': 'done',
      },
    },
    checkingDecision: {
      invoke: {
        id: 'checkDecision',
        src: 'checkDecision',
        input: ({context}) => ({...decisionIn(context), explicitProvider: context.explicitProvider}),
        onDone: 'recordingDecision',
        onError: [
          {guard: 'isAttended', target: 'asking', actions: 'rememberRefusal'},
          {target: 'done', actions: {type: 'rememberError', params: errorOf}},
        ],
      },
    },
    recordingDecision: {
      invoke: {
        id: 'recordDecision',
        src: 'recordDecision',
        input: ({context}) => decisionIn(context),
        onDone: {
          target: 'done',
          actions: {type: 'rememberRecorded', params: ({event}) => ({run: event.output})},
        },
        onError: {target: 'done', actions: {type: 'rememberError', params: errorOf}},
      },
    },
    done: {type: 'final'},
  },
  output: ({context: {outcome, run, error}}) => ({outcome, run, ...(error === undefined ? {} : {error})}),
});

function decisionIn({task, run, decision}: ReviewGateContext) {
  if (decision === null) throw new Error('Nothing was decided');
  return {task, run, decision};
}
