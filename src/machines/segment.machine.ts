import {assign, sendTo, setup} from 'xstate';
import type {RunRecord} from '../services/contracts/run.ts';
import type {AgentInput, AgentOrder, AgentReport} from './actors/agent.actor.ts';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import type {RecordRunInput} from './actors/record-run.actor.ts';
import {budgetMachine} from './budget.machine.ts';
import {errorIn, finalOutput, outputIn, type PauseCommand, recordIn, stoppingStates} from './chart-parts.ts';
import type {Overrun} from './policies/run/budget.ts';
import {
  afterExit,
  afterResult,
  capturedSession,
  nothingSeen,
  pausedBy,
  pausedByBudget,
  type RunStep,
  type SegmentFacts,
  type SegmentOutput,
  segmentStep,
  spawnFailure,
} from './policies/run/run-step.ts';
import {type AgentTimes, type Silence, silencePause, untilSilenceCheck} from './policies/run/silence.ts';

export type SegmentInput = Pick<SegmentFacts, 'run' | 'request'> & AgentTimes;
/** `silent`: for this many milliseconds. */
type SegmentContext = AgentTimes & SegmentFacts & {isSwept: boolean; silent: number; error: unknown};

type Facts = {readonly context: SegmentFacts};

const remembered = {type: 'rememberRun', params: recordIn} as const;
const failed = {type: 'rememberError', params: errorIn} as const;

const recording = (id: string, step: (facts: SegmentFacts) => RunStep) =>
  ({id, src: 'recordRun', input: ({context}: Facts) => ({run: context.run, step: step(context)})}) as const;
const swept = ({context}: Facts) => ({run: context.run});

/**
 * One agent process, from launch until its last child has ended. Facts are stored whenever they arrive and each state
 * decides on them, so nothing is lost during a write. The end is recorded only when nothing of the run is alive; a
 * failed write ends the agent.
 */
export const segmentMachine = setup({
  types: {
    input: {} as SegmentInput,
    context: {} as SegmentContext,
    events: {} as PauseCommand | AgentReport,
    output: {} as SegmentOutput,
  },
  actors: {
    agent: callbackNotProvided<AgentOrder, AgentInput>('agent'),
    budget: budgetMachine,
    recordRun: promiseNotProvided<RunRecord, RecordRunInput>('recordRun'),
    endEverything: promiseNotProvided<void, {readonly run: RunRecord}>('endEverything'),
  },
  actions: {
    rememberRun: assign((_, params: {run: RunRecord}) => params),
    rememberError: assign((_, params: {error: unknown}) => params),
    pauseForBudget: assign(({context}, overrun: Overrun | null) => pausedByBudget(context, overrun)),
    pauseUnwatched: assign({pause: ({context}) => context.pause ?? pausedBy(context, 'budget')}),
    markSessionRecorded: assign({
      session: ({context}) => context.session && {...context.session, isRecorded: true},
    }),
    startAgent: sendTo('agent', {type: 'agent.go'}),
    readOn: sendTo('agent', {type: 'agent.readOn'}),
    interruptAgent: sendTo('agent', {type: 'agent.interrupt'}),
    askForSilence: sendTo('agent', {type: 'agent.reportSilence'}),
    killAgent: sendTo('agent', {type: 'agent.kill'}),
  },
  guards: {
    hasExited: ({context}) => context.exit !== null,
    hasNewSession: ({context}) => context.session !== null && !context.session.isRecorded,
    isPauseAsked: ({context}) => context.pause !== null,
    isForced: ({context}) => (context.pause?.presses ?? 0) > 1,
    isSwept: ({context}) => context.isSwept,
    hasResult: ({context}) => context.hasResult,
    /** Nothing more is used: the budget watch may fail. */
    isWorkOver: ({context}) => context.hasResult || context.exit !== null,
    hasError: ({context}) => context.error !== undefined,
    isStalled: ({context}, silence: Silence) => silencePause(silence, context.stallMilliseconds) !== null,
    /** Sent back without a budget left: that is a pause by Blackbird itself. */
    restsForBudget: ({context}, {run}: {run: RunRecord}) =>
      context.pause?.failure !== undefined && run.state === 'paused',
    endsAsPause: ({context}) => context.pause !== null && !context.hasResult,
  },
  delays: {
    graceWindow: ({context}) => context.graceMilliseconds,
    silenceWindow: ({context}) => untilSilenceCheck(context.stallMilliseconds, context.silent),
    killWindow: 5_000,
    lingerWindow: 10_000,
  },
}).createMachine({
  id: 'segment',
  context: ({input}) => ({
    ...input,
    ...nothingSeen,
    isSwept: false,
    silent: 0,
    error: undefined,
  }),
  // One agent actor spans all states, so that stopping never loses control of it.
  invoke: [
    {
      id: 'agent',
      src: 'agent',
      input: ({context: {run, request, budgets}}) => ({run, request, ...(budgets && {budgets})}),
      onError: {target: '.failed', actions: failed},
    },
    {
      id: 'budget',
      src: 'budget',
      input: ({context: {run, budgets}}) => ({run, ...(budgets && {budgets})}),
      onDone: {actions: {type: 'pauseForBudget', params: outputIn}},
      // Usage could no longer be watched, so the agent is stopped as by a pause, and the segment fails with the reason.
      onError: [{guard: 'isWorkOver'}, {actions: [failed, 'pauseUnwatched']}],
    },
  ],
  on: {
    'agent.sessionCaptured': {actions: assign({session: ({event}) => capturedSession(event)})},
    'agent.resultSeen': {actions: assign(({context, event}) => afterResult(context, event.isOk))},
    'agent.exited': {actions: assign(({context, event}) => afterExit(context, event))},
    'run.pause': {actions: assign({pause: ({context, event}) => pausedBy(context, event.reason)})},
  },
  initial: 'launching',
  states: {
    launching: {
      on: {
        'agent.held': {
          target: 'recordingStart',
          actions: assign({held: ({event: {identity, argv}}) => ({identity, argv})}),
        },
        'agent.spawnFailed': {
          target: 'recordingOutcome',
          actions: assign({exit: ({event}) => spawnFailure(event.message)}),
        },
      },
    },
    recordingStart: {
      invoke: {
        ...recording('recordStart', segmentStep.start),
        onDone: [
          {guard: 'isPauseAsked', target: 'withdrawing', actions: remembered},
          {target: 'active', actions: [remembered, 'startAgent']},
        ],
        onError: {target: 'killing', actions: failed},
      },
    },
    active: {
      // The failure is final; waiting for its further retries would only take minutes.
      on: {
        'agent.fatalRetrySeen': 'interrupting',
        'agent.silent': [
          {
            guard: {type: 'isStalled', params: ({event}) => event},
            target: 'recordingPauseIntent',
            actions: assign({pause: ({context, event}) => silencePause(event, context.stallMilliseconds)}),
          },
          {target: 'active', reenter: true, actions: assign({silent: ({event}) => event.milliseconds})},
        ],
      },
      after: {silenceWindow: {actions: 'askForSilence'}},
      always: [
        {guard: 'hasNewSession', target: 'recordingSession'},
        {guard: 'hasExited', target: 'sweeping'},
        {guard: 'hasResult', target: 'lingering'},
        {guard: 'isPauseAsked', target: 'recordingPauseIntent'},
      ],
    },
    recordingSession: {
      invoke: {
        ...recording('recordSession', segmentStep.session),
        onDone: [
          {guard: 'isSwept', target: 'settling', actions: [remembered, 'markSessionRecorded']},
          {target: 'active', actions: [remembered, 'markSessionRecorded', 'readOn']},
        ],
        onError: [
          {guard: 'isSwept', target: 'failed', actions: failed},
          {target: 'killing', actions: failed},
        ],
      },
    },
    // Never released: the waiting process is ended, and the run is as if nobody had asked for it.
    withdrawing: {
      invoke: {
        id: 'endHeld',
        src: 'endEverything',
        input: swept,
        onDone: 'recordingWithdrawal',
        onError: {target: 'failed', actions: failed},
      },
    },
    recordingWithdrawal: {
      invoke: {
        ...recording('recordWithdrawal', segmentStep.withdrawal),
        onDone: [
          {guard: 'hasError', target: 'failed', actions: remembered},
          {guard: {type: 'restsForBudget', params: recordIn}, target: 'ended', actions: remembered},
          {target: 'withdrawn', actions: remembered},
        ],
        onError: {target: 'failed', actions: failed},
      },
    },
    // Some agents stay alive after their result, which counts however they end.
    lingering: {
      always: [
        {guard: 'hasNewSession', target: 'recordingSession'},
        {guard: 'hasExited', target: 'sweeping'},
        {guard: 'isPauseAsked', target: 'interrupting'},
      ],
      after: {lingerWindow: 'interrupting'},
    },
    recordingPauseIntent: {
      invoke: {
        ...recording('recordPauseIntent', () => ({type: 'pauseAsked'})),
        onDone: {target: 'interrupting', actions: remembered},
        onError: {target: 'killing', actions: failed},
      },
    },
    ...stoppingStates('interruptAgent', 'killAgent'),
    sweeping: {
      invoke: {
        id: 'endEverything',
        src: 'endEverything',
        input: swept,
        onDone: {target: 'settling', actions: assign({isSwept: true})},
        onError: {target: 'failed', actions: failed},
      },
    },
    settling: {
      always: [
        {guard: 'hasError', target: 'failed'},
        // The session line can be the last output of an interrupted agent.
        {guard: 'hasNewSession', target: 'recordingSession'},
        {guard: 'endsAsPause', target: 'recordingPause'},
        {target: 'recordingOutcome'},
      ],
    },
    recordingPause: {
      invoke: {
        ...recording('recordPause', segmentStep.pause),
        onDone: {target: 'ended', actions: remembered},
        onError: {target: 'failed', actions: failed},
      },
    },
    recordingOutcome: {
      invoke: {
        ...recording('recordOutcome', segmentStep.end),
        onDone: {target: 'ended', actions: remembered},
        onError: {target: 'failed', actions: failed},
      },
    },
    ended: {type: 'final', output: ({context: {run}}) => ({outcome: 'ended', run})},
    withdrawn: {type: 'final', output: ({context: {run}}) => ({outcome: 'withdrawn', run})},
    failed: {type: 'final', output: ({context: {run, error}}) => ({outcome: 'error', run, error})},
  },
  output: finalOutput<SegmentOutput>,
});
