import {assign, setup} from 'xstate';
import type {PostedDecision} from '../services/contracts/decision-inbox.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {failTo, finalOutput} from './chart-parts.ts';
import type {Decision} from './policies/review/decisions.ts';

export type HandOverInput = {readonly taskId: string; readonly decision: Decision};

export type HandOverCommand = {readonly type: 'handOver.cancel'};

/** `decided`: the run has this decision; `decidedElsewhere`: another one came first. */
export type HandOverOutput =
  | {readonly outcome: 'decided' | 'decidedElsewhere'; readonly run: RunRecord}
  /** Nobody waits at that checkpoint. */
  | {readonly outcome: 'unclaimed'}
  /** The waiting Blackbird could not carry it out, or died. */
  | {readonly outcome: 'dropped'}
  | {readonly outcome: 'error'; readonly error: unknown};

/** The state of a posted decision; with the record once it is decided. */
export type Posted =
  | {readonly state: 'open' | 'taken' | 'dropped'}
  | {readonly state: 'decided' | 'decidedElsewhere'; readonly run: RunRecord};

type HandOverContext = HandOverInput & {
  posted: PostedDecision | null;
  run: RunRecord | null;
  error: unknown;
};

const failed = failTo('#handOver.failed');

/**
 * A decision for another Blackbird that holds the project lock and waits at the checkpoint. It is withdrawn if nobody
 * takes it; once taken, the record decides.
 */
export const handOverMachine = setup({
  types: {
    input: {} as HandOverInput,
    context: {} as HandOverContext,
    events: {} as HandOverCommand,
    output: {} as HandOverOutput,
  },
  actors: {
    postDecision: promiseNotProvided<PostedDecision, HandOverInput>('postDecision'),
    lookAtPosted: promiseNotProvided<Posted, {readonly posted: PostedDecision}>('lookAtPosted'),
    retractPosted: promiseNotProvided<boolean, {readonly posted: PostedDecision}>('retractPosted'),
  },
  actions: {
    rememberError: assign((_, params: {error: unknown}) => params),
    rememberRun: assign((_, params: Posted) => ({run: 'run' in params ? params.run : null})),
  },
  guards: {
    isOpen: (_, {state}: Posted) => state === 'open',
    isDropped: (_, {state}: Posted) => state === 'dropped',
    isDecided: (_, {state}: Posted) => state === 'decided',
    isDecidedElsewhere: (_, {state}: Posted) => state === 'decidedElsewhere',
    isRetracted: (_, params: {isRetracted: boolean}) => params.isRetracted,
  },
  delays: {betweenLooks: 100, patience: 3000, untilRecorded: 60_000},
}).createMachine({
  id: 'handOver',
  context: ({input}) => ({...input, posted: null, run: null, error: undefined}),
  initial: 'posting',
  states: {
    posting: {
      invoke: {
        id: 'postDecision',
        src: 'postDecision',
        input: ({context: {taskId, decision}}) => ({taskId, decision}),
        onDone: {target: 'offered', actions: assign({posted: ({event}) => event.output})},
        onError: failed,
      },
    },
    offered: {
      initial: 'waiting',
      after: {patience: 'retracting'},
      on: {'handOver.cancel': 'retracting'},
      states: {
        waiting: {after: {betweenLooks: 'looking'}},
        looking: {
          invoke: {
            id: 'lookAtOffer',
            src: 'lookAtPosted',
            input: ({context}) => postedIn(context),
            onDone: [
              {guard: {type: 'isOpen', params: ({event}) => event.output}, target: 'waiting'},
              {
                guard: {type: 'isDecidedElsewhere', params: ({event}) => event.output},
                target: '#handOver.retracting',
              },
              {target: '#handOver.taken'},
            ],
            onError: failed,
          },
        },
      },
    },
    retracting: {
      invoke: {
        id: 'retractPosted',
        src: 'retractPosted',
        input: ({context}) => postedIn(context),
        onDone: [
          {
            guard: {type: 'isRetracted', params: ({event}) => ({isRetracted: event.output})},
            target: 'lookingBack',
          },
          {target: 'taken'},
        ],
        onError: failed,
      },
    },
    // Nobody took it: someone may have decided in the other terminal.
    lookingBack: {
      invoke: {
        id: 'lookBack',
        src: 'lookAtPosted',
        input: ({context}) => postedIn(context),
        onDone: [
          {
            guard: {type: 'isDecidedElsewhere', params: ({event}) => event.output},
            target: 'decidedElsewhere',
            actions: {type: 'rememberRun', params: ({event}) => event.output},
          },
          {target: 'unclaimed'},
        ],
        onError: failed,
      },
    },
    taken: {
      initial: 'looking',
      // Whoever took it died before recording it.
      after: {untilRecorded: 'dropped'},
      states: {
        waiting: {after: {betweenLooks: 'looking'}},
        looking: {
          invoke: {
            id: 'lookAtTaken',
            src: 'lookAtPosted',
            input: ({context}) => postedIn(context),
            onDone: [
              {
                guard: {type: 'isDecided', params: ({event}) => event.output},
                target: '#handOver.decided',
                actions: {type: 'rememberRun', params: ({event}) => event.output},
              },
              {
                guard: {type: 'isDecidedElsewhere', params: ({event}) => event.output},
                target: '#handOver.decidedElsewhere',
                actions: {type: 'rememberRun', params: ({event}) => event.output},
              },
              {guard: {type: 'isDropped', params: ({event}) => event.output}, target: '#handOver.dropped'},
              {target: 'waiting'},
            ],
            onError: failed,
          },
        },
      },
    },
    decided: {type: 'final', output: ({context}) => ({outcome: 'decided', run: context.run})},
    decidedElsewhere: {
      type: 'final',
      output: ({context}) => ({outcome: 'decidedElsewhere', run: context.run}),
    },
    unclaimed: {type: 'final', output: {outcome: 'unclaimed'}},
    dropped: {type: 'final', output: {outcome: 'dropped'}},
    failed: {type: 'final', output: ({context: {error}}) => ({outcome: 'error', error})},
  },
  output: finalOutput<HandOverOutput>,
});

function postedIn({posted}: HandOverContext) {
  if (posted === null) throw new Error('Nothing was posted');
  return {posted};
}
