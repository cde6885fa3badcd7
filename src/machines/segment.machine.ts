import {assign, sendTo, setup} from 'xstate';
import type {RunRecord} from '../services/contracts/run.ts';
import type {AgentInput, AgentOrder, AgentReport} from './actors/agent.actor.ts';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import type {RecordRunInput} from './actors/record-run.actor.ts';
import {errorIn, finalOutput, type PauseCommand, recordIn} from './chart-parts.ts';
import {
  capturedSession,
  type SegmentFacts,
  type SegmentOutput,
  segmentStep,
  spawnFailure,
} from './policies/run/run-step.ts';

export type SegmentInput = Pick<SegmentFacts, 'run' | 'request'> & {readonly graceMilliseconds: number};
/** `hasResult`: whatever comes now, the agent's own verdict stands. */
type SegmentContext = SegmentInput & SegmentFacts & {hasResult: boolean; isSwept: boolean; error: unknown};

const remembered = {type: 'rememberRun', params: recordIn} as const;
const failed = {type: 'rememberError', params: errorIn} as const;

/**
 * One agent process from launch to the last of its children. Facts are remembered whenever they come and
 * each state decides on them, so nothing that arrives during a write is lost. The end is recorded only
 * after nothing of the run is alive; a write that fails ends the agent.
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
    recordRun: promiseNotProvided<RunRecord, RecordRunInput>('recordRun'),
    endEverything: promiseNotProvided<void, {readonly run: RunRecord}>('endEverything'),
  },
  actions: {
    rememberRun: assign((_, params: {run: RunRecord}) => params),
    rememberError: assign((_, params: {error: unknown}) => params),
    markSessionRecorded: assign({
      session: ({context}) => context.session && {...context.session, isRecorded: true},
    }),
    startAgent: sendTo('agent', {type: 'agent.go'}),
    readOn: sendTo('agent', {type: 'agent.readOn'}),
    interruptAgent: sendTo('agent', {type: 'agent.interrupt'}),
    killAgent: sendTo('agent', {type: 'agent.kill'}),
  },
  guards: {
    hasExited: ({context}) => context.exit !== null,
    hasNewSession: ({context}) => context.session !== null && !context.session.isRecorded,
    isPauseAsked: ({context}) => context.pause !== null,
    isForced: ({context}) => (context.pause?.presses ?? 0) > 1,
    isSwept: ({context}) => context.isSwept,
    hasResult: ({context}) => context.hasResult,
    hasError: ({context}) => context.error !== undefined,
    endsAsPause: ({context}) => context.pause !== null && !context.hasResult,
  },
  delays: {
    graceWindow: ({context}) => context.graceMilliseconds,
    killWindow: 5_000,
    lingerWindow: 10_000,
  },
}).createMachine({
  id: 'segment',
  context: ({input}) => ({
    ...input,
    pause: null,
    held: null,
    session: null,
    hasResult: false,
    exit: null,
    isSwept: false,
    error: undefined,
  }),
  // One agent spans every state, so that stopping it never loses hold of it.
  invoke: {
    id: 'agent',
    src: 'agent',
    input: ({context}) => ({run: context.run, request: context.request}),
    onError: {target: '.failed', actions: failed},
  },
  on: {
    'agent.sessionCaptured': {
      actions: assign({session: ({event}) => capturedSession(event)}),
    },
    // Interrupted, an agent may say that it failed: that is the pause. A success is one at any time.
    'agent.resultSeen': {
      actions: assign({
        hasResult: ({context, event}) => context.hasResult || context.pause === null || event.isOk,
      }),
    },
    'agent.exited': {
      actions: assign({
        exit: ({event: {type: _, ...exit}}) => exit,
        hasResult: ({context}) => context.hasResult || context.pause === null,
      }),
    },
    'run.pause': {
      actions: assign({
        pause: ({context: {pause}, event: {reason}}) =>
          pause ? {...pause, presses: pause.presses + 1} : {reason, presses: 1},
      }),
    },
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
        id: 'recordStart',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: segmentStep.start(context)}),
        onDone: [
          {guard: 'isPauseAsked', target: 'withdrawing', actions: remembered},
          {target: 'active', actions: [remembered, 'startAgent']},
        ],
        onError: {target: 'killing', actions: failed},
      },
    },
    active: {
      // Its verdict is known; waiting for its other attempts would only take minutes.
      on: {'agent.fatalRetrySeen': 'interrupting'},
      always: [
        {guard: 'hasNewSession', target: 'recordingSession'},
        {guard: 'hasExited', target: 'sweeping'},
        {guard: 'hasResult', target: 'lingering'},
        {guard: 'isPauseAsked', target: 'recordingPauseIntent'},
      ],
    },
    recordingSession: {
      invoke: {
        id: 'recordSession',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: segmentStep.session(context)}),
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
    // Never told to go: the held process is ended, and the run is as if nobody had asked for it.
    withdrawing: {
      invoke: {
        id: 'endHeld',
        src: 'endEverything',
        input: ({context}) => ({run: context.run}),
        onDone: 'recordingWithdrawal',
        onError: {target: 'failed', actions: failed},
      },
    },
    recordingWithdrawal: {
      invoke: {
        id: 'recordWithdrawal',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: {type: 'withdrawn'}}),
        onDone: {target: 'withdrawn', actions: remembered},
        onError: {target: 'failed', actions: failed},
      },
    },
    // Some agents live on after their result; it stands, however they end.
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
        id: 'recordPauseIntent',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: {type: 'pauseAsked'}}),
        onDone: {target: 'interrupting', actions: remembered},
        onError: {target: 'killing', actions: failed},
      },
    },
    interrupting: {
      entry: 'interruptAgent',
      always: [
        {guard: 'hasExited', target: 'sweeping'},
        {guard: 'isForced', target: 'killing'},
      ],
      after: {graceWindow: 'killing'},
    },
    killing: {
      entry: 'killAgent',
      always: {guard: 'hasExited', target: 'sweeping'},
      after: {killWindow: 'sweeping'},
    },
    sweeping: {
      invoke: {
        id: 'endEverything',
        src: 'endEverything',
        input: ({context}) => ({run: context.run}),
        onDone: {target: 'settling', actions: assign({isSwept: true})},
        onError: {target: 'failed', actions: failed},
      },
    },
    settling: {
      always: [
        {guard: 'hasError', target: 'failed'},
        // The session line can be the last thing an interrupted agent says.
        {guard: 'hasNewSession', target: 'recordingSession'},
        {guard: 'endsAsPause', target: 'recordingPause'},
        {target: 'recordingOutcome'},
      ],
    },
    recordingPause: {
      invoke: {
        id: 'recordPause',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: segmentStep.pause(context)}),
        onDone: {target: 'ended', actions: remembered},
        onError: {target: 'failed', actions: failed},
      },
    },
    recordingOutcome: {
      invoke: {
        id: 'recordOutcome',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: segmentStep.end(context)}),
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
