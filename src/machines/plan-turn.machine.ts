import {assign, sendTo, setup} from 'xstate';
import type {RunRecord} from '../services/contracts/run.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import type {PlanReading, ReadAnswerInput} from './actors/plan-proposal.actor.ts';
import type {PrepareTurnInput} from './actors/prepare-turn.actor.ts';
import type {PreparedRun} from './actors/run-situation.ts';
import {errorIn, finalOutput, isPauseAsked, outputIn, type PauseCommand, pauseWish} from './chart-parts.ts';
import {answerInput, type PlanTurnOutput, turnOutput, turnRunInput} from './policies/planning/plan-steps.ts';
import {type RunInput, type RunOutput, runMachine} from './run.machine.ts';

export type PlanTurnInput = PrepareTurnInput & Pick<RunInput, 'graceMilliseconds' | 'stallMilliseconds'>;

type PlanTurnContext = PlanTurnInput & {
  prepared: PreparedRun | null;
  ended: RunOutput | null;
  reading: PlanReading | null;
  error: unknown;
};

const broken = {target: '#broken', actions: {type: 'rememberError', params: errorIn}} as const;
const prepared = {type: 'rememberPrepared', params: outputIn} as const;

/** One turn of a planner: told what its draft says next, in its own session where it has one, and its answer read. */
export const planTurnMachine = setup({
  types: {
    input: {} as PlanTurnInput,
    context: {} as PlanTurnContext,
    events: {} as PauseCommand,
    output: {} as PlanTurnOutput,
  },
  actors: {
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
    isBroken: ({context}) => context.ended?.outcome === 'error',
    isPaused: ({context: {ended}}) => ended?.outcome === 'paused' || ended?.outcome === 'withdrawn',
    hasSucceeded: ({context}) => context.ended?.outcome === 'succeeded',
  },
}).createMachine({
  id: 'planTurn',
  context: ({input}) => ({...input, prepared: null, ended: null, reading: null, error: undefined}),
  initial: 'talking',
  states: {
    talking: {
      type: 'parallel',
      states: {
        wish: pauseWish,
        work: {
          initial: 'preparing',
          states: {
            preparing: {
              invoke: {
                id: 'prepareTurn',
                src: 'prepareTurn',
                input: ({context: {draftId, provider, explicitProvider, wish}}) => ({
                  draftId,
                  provider,
                  explicitProvider,
                  wish,
                }),
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
                onDone: {target: 'ended', actions: assign({ended: ({event}) => event.output})},
                onError: broken,
              },
            },
            ended: {
              always: [
                {
                  guard: 'isBroken',
                  target: '#broken',
                  actions: assign(({context: {ended}}) =>
                    ended?.outcome === 'error' ? {error: ended.error} : {},
                  ),
                },
                {guard: 'isPaused', target: '#paused'},
                {guard: 'hasSucceeded', target: 'reading'},
                {target: '#failed'},
              ],
            },
            // What was answered is kept, whoever wants to pause meanwhile.
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
