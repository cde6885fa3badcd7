import {assign, sendTo, setup} from 'xstate';
import type {AgentRequest} from '../services/contracts/agent.ts';
import type {PauseReason, RunRecord} from '../services/contracts/run.ts';
import type {CheckInput, CheckOrder, CheckReport} from './actors/check.actor.ts';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import type {RecordRunInput} from './actors/record-run.actor.ts';
import {failTo, finalOutput, outputIn, type PauseCommand, recordIn, stoppingStates} from './chart-parts.ts';
import type {CheckStep, VerificationOutput} from './policies/run/verification.ts';
import * as checks from './policies/run/verification.ts';

export type VerificationInput = {
  /** Its agent has said that it is done, and the record says `verifying`. */
  readonly run: RunRecord;
  /** A pause that came before. */
  readonly pauseReason: PauseReason | null;
  readonly graceMilliseconds: number;
  /** The time limit of one check. */
  readonly limitMilliseconds: number;
  readonly rounds: number;
};

type VerificationContext = checks.VerificationFacts &
  Pick<VerificationInput, 'graceMilliseconds' | 'limitMilliseconds'> & {
    request: AgentRequest | null;
    error: unknown;
  };

type Facts = {readonly context: VerificationContext};

const remembered = {type: 'rememberRun', params: recordIn} as const;
const failed = failTo('#verification.failed');

const recording = (id: string, step: (facts: VerificationContext) => CheckStep) =>
  ({id, src: 'recordRun', input: ({context}: Facts) => ({run: context.run, step: step(context)})}) as const;

const nothingOfCheck = {held: null, exit: null, isTimedOut: false} as const;

/**
 * Runs the checks of a run in order, until one fails or all have passed. Each is a process like an agent: recorded
 * before it is released, and recorded as ended only when nothing of it is alive. A failed check goes back to the agent,
 * as often as the rules allow.
 */
export const verificationMachine = setup({
  types: {
    input: {} as VerificationInput,
    context: {} as VerificationContext,
    events: {} as PauseCommand | CheckReport,
    output: {} as VerificationOutput,
  },
  actors: {
    check: callbackNotProvided<CheckOrder, CheckInput>('check'),
    recordRun: promiseNotProvided<RunRecord, RecordRunInput>('recordRun'),
    endEverything: promiseNotProvided<void, {readonly run: RunRecord}>('endEverything'),
    /** The prompt about the failed check. */
    prepareRound: promiseNotProvided<AgentRequest, {readonly run: RunRecord}>('prepareRound'),
  },
  actions: {
    rememberRun: assign((_, params: {run: RunRecord}) => params),
    rememberRequest: assign((_, request: AgentRequest) => ({request})),
    rememberError: assign((_, params: {error: unknown}) => params),
    forgetCheck: assign(nothingOfCheck),
    takeNext: assign({place: ({context}) => context.place + 1}),
    startCheck: sendTo('check', {type: 'check.go'}),
    interruptCheck: sendTo('check', {type: 'check.interrupt'}),
    killCheck: sendTo('check', {type: 'check.kill'}),
  },
  guards: {
    hasFailed: ({context}) => checks.hasFailed(context),
    isThrough: ({context}) => checks.isThrough(context),
    hasRoundsLeft: ({context}) => checks.hasRoundsLeft(context),
    isPauseAsked: ({context}) => context.pause !== null,
    isForced: ({context}) => (context.pause?.presses ?? 0) > 1,
    hasExited: ({context}) => context.exit !== null,
    hasError: ({context}) => context.error !== undefined,
    isVoid: ({context}) => checks.isVoid(context),
  },
  delays: {
    timeLimit: ({context}) => context.limitMilliseconds,
    graceWindow: ({context}) => context.graceMilliseconds,
    killWindow: 5_000,
  },
}).createMachine({
  id: 'verification',
  context: ({input: {run, pauseReason, ...rules}}) => ({
    ...rules,
    run,
    place: 0,
    pause: pauseReason && {reason: pauseReason, presses: 1},
    ...nothingOfCheck,
    request: null,
    error: undefined,
  }),
  on: {'run.pause': {actions: assign({pause: ({context, event}) => checks.pausedBy(context, event.reason)})}},
  initial: 'choosing',
  states: {
    choosing: {
      always: [
        {guard: 'hasFailed', target: 'judging'},
        {guard: 'isThrough', target: 'recordingSuccess'},
        {guard: 'isPauseAsked', target: 'recordingPause'},
        {target: 'checking'},
      ],
    },
    checking: {
      entry: 'forgetCheck',
      invoke: {
        id: 'check',
        src: 'check',
        input: ({context: {run, place}}) => ({run, check: checks.checkAt(run, place)}),
        onError: failed,
      },
      on: {'check.exited': {actions: assign(({context}) => checks.exited(context))}},
      initial: 'launching',
      states: {
        launching: {
          on: {
            'check.held': {target: 'recordingStart', actions: assign({held: ({event}) => event.identity})},
            'check.notStarted': 'recordingEnd',
          },
        },
        recordingStart: {
          invoke: {
            ...recording('recordStart', checks.checkStarted),
            onDone: [
              // Never released: it is ended, and runs again with the next resume.
              {guard: 'isPauseAsked', target: 'sweeping', actions: remembered},
              {target: 'active', actions: [remembered, 'startCheck']},
            ],
            onError: failTo('killing'),
          },
        },
        active: {
          always: [
            {guard: 'hasExited', target: 'sweeping'},
            {guard: 'isPauseAsked', target: 'interrupting'},
          ],
          after: {timeLimit: {target: 'interrupting', actions: assign({isTimedOut: true})}},
        },
        ...stoppingStates('interruptCheck', 'killCheck'),
        // What a check left running ends with it.
        sweeping: {
          invoke: {
            id: 'endEverything',
            src: 'endEverything',
            input: ({context: {run}}) => ({run}),
            onDone: [
              {guard: 'hasError', target: '#verification.failed'},
              {guard: 'isVoid', target: '#verification.recordingPause'},
              {target: 'recordingEnd'},
            ],
            onError: failed,
          },
        },
        recordingEnd: {
          invoke: {
            ...recording('recordEnd', checks.checkEnded),
            onDone: {
              target: '#verification.choosing',
              actions: [remembered, 'takeNext'],
            },
            onError: failed,
          },
        },
      },
    },
    judging: {
      always: [
        {guard: 'isPauseAsked', target: 'recordingPause'},
        {guard: 'hasRoundsLeft', target: 'preparingRound'},
        {target: 'recordingFailure'},
      ],
    },
    preparingRound: {
      invoke: {
        id: 'prepareRound',
        src: 'prepareRound',
        input: ({context: {run}}) => ({run}),
        onDone: [
          {guard: 'isPauseAsked', target: 'recordingPause'},
          {target: 'recordingRound', actions: {type: 'rememberRequest', params: outputIn}},
        ],
        // The agent cannot be told: the check stays failed, and the record says why.
        onError: failTo('recordingFailure'),
      },
    },
    recordingRound: {
      invoke: {
        ...recording('recordRound', () => ({type: 'sentBack'})),
        onDone: [
          {guard: 'isPauseAsked', target: 'recordingPause', actions: remembered},
          {target: 'sentBack', actions: remembered},
        ],
        onError: failed,
      },
    },
    recordingPause: {
      invoke: {
        ...recording('recordPause', (facts) => ({type: 'checksPaused', reason: checks.pauseReasonOf(facts)})),
        onDone: {target: 'concluded', actions: remembered},
        onError: failed,
      },
    },
    recordingSuccess: {
      invoke: {
        ...recording('recordSuccess', () => ({type: 'verified'})),
        onDone: {target: 'concluded', actions: remembered},
        onError: failed,
      },
    },
    recordingFailure: {
      invoke: {
        ...recording('recordFailure', checks.checksFailed),
        onDone: {target: 'concluded', actions: remembered},
        onError: failed,
      },
    },
    concluded: {type: 'final', output: ({context: {run}}) => ({outcome: 'concluded', run})},
    sentBack: {type: 'final', output: ({context}) => checks.sentBackOutput(context)},
    failed: {type: 'final', output: ({context: {run, error}}) => ({outcome: 'error', run, error})},
  },
  output: finalOutput<VerificationOutput>,
});
