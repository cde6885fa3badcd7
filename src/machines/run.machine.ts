import {type ActorRefFrom, assign, type DoneActorEvent, enqueueActions, sendTo, setup} from 'xstate';
import type {AgentRequest} from '../services/contracts/agent.ts';
import type {Answer, PauseReason, RunRecord} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import type {RecordRunInput} from './actors/record-run.actor.ts';
import {errorOf} from './actors/results.ts';
import type {Decision} from './policies/review/decisions.ts';
import type {FeedbackMark} from './policies/review/parent-feedback.ts';
import {type SegmentCommand, type SegmentOutput, segmentMachine} from './segment.machine.ts';

/** What may be asked of a run; what of it is possible now, `can()` tells. */
export type RunCommand =
  | {readonly type: 'run.launch'; readonly request: AgentRequest}
  /** `obstacle` is why it cannot go on in its own session; null when it can. */
  | ({
      readonly type: 'run.resume';
      readonly request: AgentRequest;
      readonly obstacle: string | null;
      readonly feedback?: string;
      readonly isReviewed?: boolean;
    } & FeedbackMark)
  | ({
      readonly type: 'run.answer';
      readonly request: AgentRequest;
      readonly answers: readonly Answer[];
      readonly feedback?: string;
      readonly isReviewed?: boolean;
    } & FeedbackMark)
  | {readonly type: 'run.restart'}
  | {readonly type: 'review.decide'; readonly decision: Decision}
  | SegmentCommand;

export type RunInput = {
  readonly run: RunRecord;
  /** Obeyed as soon as the run stands where its record does. */
  readonly order: RunCommand | null;
  readonly graceMilliseconds: number;
  readonly pauseReason: PauseReason | null;
};

export type RunOutput = {
  readonly outcome: RunRecord['state'] | 'refused' | 'error';
  readonly run: RunRecord;
  /** Why it was refused. */
  readonly reason?: string;
  readonly error?: unknown;
};

type RunContext = RunInput & {
  request: AgentRequest | null;
  refusal: string | null;
  error: unknown;
};

/**
 * The whole life of one run, across processes. Rebuilt from its record it starts where the record stands,
 * and what may happen next is what it accepts there. An agent is alive only in `running`.
 */
export const runMachine = setup({
  types: {
    input: {} as RunInput,
    context: {} as RunContext,
    events: {} as RunCommand,
    output: {} as RunOutput,
  },
  actors: {
    segment: segmentMachine,
    recordRun: promiseNotProvided<RunRecord, RecordRunInput>('recordRun'),
  },
  actions: {
    obeyOrder: enqueueActions(({context, enqueue}) => {
      if (context.order) enqueue.raise(context.order);
    }),
    rememberRun: assign((_, params: {run: RunRecord}) => params),
    rememberRequest: assign((_, params: {request: AgentRequest}) => params),
    rememberRefusal: assign((_, params: {refusal: string}) => params),
    rememberError: assign((_, params: {error: unknown}) => params),
    rememberPause: assign((_, params: {pauseReason: PauseReason}) => params),
    pauseSegment: sendTo('segment', (_, params: SegmentCommand) => params),
  },
  guards: {
    isLaunching: ({context}) => context.run.state === 'running',
    isPaused: ({context}) => context.run.state === 'paused',
    isWaiting: ({context}) => context.run.state === 'waiting',
    isAtCheckpoint: ({context}) => context.run.decision_state === 'pending',
    isFree: (_, params: {obstacle: string | null}) => params.obstacle === null,
  },
}).createMachine({
  id: 'run',
  context: ({input}) => ({...input, request: null, refusal: null, error: undefined}),
  entry: 'obeyOrder',
  on: {
    'run.pause': {actions: {type: 'rememberPause', params: ({event}) => ({pauseReason: event.reason})}},
  },
  initial: 'routing',
  states: {
    routing: {
      always: [
        {guard: 'isLaunching', target: 'launchable'},
        {guard: 'isPaused', target: 'paused'},
        {guard: 'isWaiting', target: 'waiting'},
        {guard: 'isAtCheckpoint', target: 'decisionPending'},
        {target: 'ended'},
      ],
    },
    launchable: {
      on: {
        'run.launch': {
          target: 'running',
          actions: {type: 'rememberRequest', params: ({event}) => ({request: event.request})},
        },
      },
    },
    paused: {
      on: {
        'run.resume': [
          {
            guard: {type: 'isFree', params: ({event}) => ({obstacle: event.obstacle})},
            target: 'recordingRelaunch',
            actions: {type: 'rememberRequest', params: ({event}) => ({request: event.request})},
          },
          {
            target: 'refused',
            actions: {type: 'rememberRefusal', params: ({event}) => ({refusal: event.obstacle ?? ''})},
          },
        ],
        'run.restart': 'superseded',
      },
    },
    waiting: {
      on: {
        'run.answer': {
          target: 'recordingRelaunch',
          actions: {type: 'rememberRequest', params: ({event}) => ({request: event.request})},
        },
        'run.restart': 'superseded',
      },
    },
    // The review gate records what is decided; requested changes are another run.
    decisionPending: {on: {'review.decide': 'ended', 'run.restart': 'superseded'}},
    ended: {on: {'run.restart': 'superseded'}},
    recordingRelaunch: {
      invoke: {
        id: 'recordRelaunch',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: {type: 'relaunched', ...wordsIn(context.order)}}),
        onDone: {
          target: 'running',
          actions: {type: 'rememberRun', params: ({event}) => ({run: event.output})},
        },
        onError: {target: 'done', actions: {type: 'rememberError', params: errorOf}},
      },
    },
    running: {
      on: {'run.pause': {actions: {type: 'pauseSegment', params: ({event}) => event}}},
      invoke: {
        id: 'segment',
        src: 'segment',
        input: ({context: {run, request, graceMilliseconds, pauseReason}}) => {
          if (request === null) throw new Error('A run cannot start without a request');
          return {run, request, graceMilliseconds, pauseReason};
        },
        onDone: {
          target: 'done',
          actions: [
            {type: 'rememberRun', params: runOf},
            {type: 'rememberError', params: failureOf},
          ],
        },
        onError: {target: 'done', actions: {type: 'rememberError', params: errorOf}},
      },
    },
    refused: {type: 'final'},
    superseded: {type: 'final'},
    done: {type: 'final'},
  },
  output: ({context}) => outputOf(context),
});

export type RunActorRef = ActorRefFrom<typeof runMachine>;

function runOf({event}: {event: DoneActorEvent<SegmentOutput>}) {
  return {run: event.output.run};
}

function failureOf({event}: {event: DoneActorEvent<SegmentOutput>}) {
  return {error: event.output.error};
}

/** What a person says to a run that goes on, and whether they want to see its end. */
function wordsIn(order: RunCommand | null): FeedbackMark & {
  answers?: readonly Answer[];
  feedback?: string;
  isReviewed?: boolean;
} {
  if (order?.type !== 'run.answer' && order?.type !== 'run.resume') return {};
  return {
    ...(order.type === 'run.answer' ? {answers: order.answers} : {}),
    ...(order.feedback === undefined ? {} : {feedback: order.feedback}),
    ...(order.isReviewed === undefined ? {} : {isReviewed: order.isReviewed}),
    ...(order.parentReviewFeedback && {parentReviewFeedback: order.parentReviewFeedback}),
  };
}

function outputOf({run, refusal, error}: RunContext): RunOutput {
  if (error !== undefined) return {outcome: 'error', run, error};
  if (refusal !== null) return {outcome: 'refused', run, reason: refusal};
  return {outcome: run.state, run};
}
