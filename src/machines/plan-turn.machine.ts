import {assign, or, sendTo, setup, stateIn} from 'xstate';
import type {RunRecord} from '../services/contracts/run.ts';
import type {FindTurnWaitInput} from './actors/find-turn-wait.actor.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import type {PlanReading, ReadAnswerInput} from './actors/plan-proposal.actor.ts';
import type {PrepareTurnInput} from './actors/prepare-turn.actor.ts';
import type {PreparedRun} from './actors/run-situation.ts';
import {failTo, finalOutput, isPauseAsked, type LoopCommand, outputIn, stopWish} from './chart-parts.ts';
import type {Wait} from './policies/job/waiting.ts';
import {
  answerInput,
  type PlanTurnInput,
  type PlanTurnOutput,
  prepareInput,
  turnOutput,
  turnRunInput,
  turnWaitInput,
} from './policies/planning/plan-steps.ts';
import {isHeldForTime} from './policies/run/retry-time.ts';
import {retryWaitMachine, waitInput} from './retry-wait.machine.ts';
import {endedBy, type RunOutput, runMachine} from './run.machine.ts';

type PlanTurnContext = PlanTurnInput & {
  /** The wait found at the last look. */
  wait: Wait | null;
  prepared: PreparedRun | null;
  ended: RunOutput | null;
  reading: PlanReading | null;
  error: unknown;
};

const broken = failTo('#broken');
const prepared = {type: 'rememberPrepared', params: outputIn} as const;

/**
 * One turn of a planner: sends the draft's next message, in its own session if it has one, and reads the answer. Waits
 * for limits and outages, before the start and in the middle.
 */
export const planTurnMachine = setup({
  types: {
    input: {} as PlanTurnInput,
    context: {} as PlanTurnContext,
    events: {} as LoopCommand,
    output: {} as PlanTurnOutput,
  },
  actors: {
    /** What the planner has to wait for, or null. */
    findTurnWait: promiseNotProvided<Wait | null, FindTurnWaitInput>('findTurnWait'),
    retryWait: retryWaitMachine,
    prepareTurn: promiseNotProvided<PreparedRun, PrepareTurnInput>('prepareTurn'),
    withdrawRun: promiseNotProvided<RunRecord, {readonly run: RunRecord}>('withdrawRun'),
    run: runMachine,
    readAnswer: promiseNotProvided<PlanReading, ReadAnswerInput>('readAnswer'),
  },
  actions: {
    rememberPrepared: assign((_, prepared: PreparedRun) => ({prepared})),
    rememberError: assign((_, params: {error: unknown}) => params),
  },
  guards: {
    isPauseAsked,
    isLeft: or([isPauseAsked, stateIn('#stopping')]),
    isWait: ({context}) => context.wait !== null,
    isTooLong: ({context}) => context.wait?.isTooLong === true,
    /** It only needs time: the turn continues by itself. */
    isHeld: ({context: {ended}}) => ended?.outcome === 'paused' && isHeldForTime(ended.run),
    isBroken: ({context}) => context.ended?.outcome === 'error',
    isPaused: ({context: {ended}}) => ended?.outcome === 'paused' || ended?.outcome === 'withdrawn',
    hasSucceeded: ({context}) => context.ended?.outcome === 'succeeded',
  },
}).createMachine({
  id: 'planTurn',
  context: ({input}) => ({
    ...input,
    wait: null,
    prepared: null,
    ended: null,
    reading: null,
    error: undefined,
  }),
  initial: 'talking',
  states: {
    talking: {
      type: 'parallel',
      states: {
        wish: stopWish,
        work: {
          initial: 'looking',
          states: {
            looking: {
              invoke: {
                id: 'findTurnWait',
                src: 'findTurnWait',
                input: ({context}) => turnWaitInput(context),
                onDone: {target: 'looked', actions: assign({wait: ({event}) => event.output})},
                onError: broken,
              },
            },
            looked: {
              always: [
                {guard: 'isPauseAsked', target: '#paused'},
                {guard: 'isTooLong', target: '#paused'},
                {guard: 'isWait', target: 'waitingForRetry'},
                {target: 'preparing'},
              ],
            },
            waitingForRetry: {
              always: {guard: 'isLeft', target: '#paused'},
              invoke: {
                id: 'retryWait',
                src: 'retryWait',
                input: ({context}) => waitInput(context.wait),
                onDone: 'looking',
                onError: broken,
              },
            },
            preparing: {
              invoke: {
                id: 'prepareTurn',
                src: 'prepareTurn',
                input: ({context}) => prepareInput(context),
                onDone: [
                  {guard: 'isPauseAsked', target: 'withdrawing', actions: prepared},
                  {target: 'running', actions: prepared},
                ],
                onError: broken,
              },
            },
            withdrawing: {
              invoke: {
                id: 'withdrawRun',
                src: 'withdrawRun',
                input: ({context}) => ({run: turnRunInput(context).run}),
                onDone: '#paused',
                onError: broken,
              },
            },
            running: {
              on: {'run.pause': {actions: sendTo('run', ({event}) => event)}},
              invoke: {
                id: 'run',
                src: 'run',
                input: ({context}) => turnRunInput(context),
                onDone: {target: 'ended', actions: assign(({event}) => endedBy(event.output))},
                onError: broken,
              },
            },
            ended: {
              always: [
                {guard: 'isBroken', target: '#broken'},
                {guard: 'isHeld', target: 'looking'},
                {guard: 'isPaused', target: '#paused'},
                {guard: 'hasSucceeded', target: 'reading'},
                {target: '#failed'},
              ],
            },
            // The answer is kept, even if a pause comes in.
            reading: {
              invoke: {
                id: 'readAnswer',
                src: 'readAnswer',
                input: ({context}) => answerInput(context),
                onDone: {target: '#answered', actions: assign({reading: ({event}) => event.output})},
                onError: broken,
              },
            },
          },
        },
      },
    },
    answered: {id: 'answered', type: 'final', output: outputFor('answered')},
    paused: {id: 'paused', type: 'final', output: outputFor('paused')},
    failed: {id: 'failed', type: 'final', output: outputFor('failed')},
    broken: {id: 'broken', type: 'final', output: outputFor('error')},
  },
  output: finalOutput<PlanTurnOutput>,
});

function outputFor(outcome: PlanTurnOutput['outcome']) {
  return ({context}: {context: PlanTurnContext}) => turnOutput(outcome, context);
}
