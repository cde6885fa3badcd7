import {assign, type DoneActorEvent, sendTo, setup} from 'xstate';
import type {AgentRequest} from '../services/contracts/agent.ts';
import type {PauseReason, RunRecord} from '../services/contracts/run.ts';
import type {AgentInput, AgentOrder, AgentReport} from './actors/agent.actor.ts';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import type {RecordRunInput} from './actors/record-run.actor.ts';
import {errorOf} from './actors/results.ts';
import {type SegmentFacts, segmentStep, spawnFailure} from './policies/run/run-step.ts';

export type SegmentInput = {
  readonly run: RunRecord;
  readonly request: AgentRequest;
  readonly graceMilliseconds: number;
  /** A pause that was asked for before the segment began. */
  readonly pauseReason: PauseReason | null;
};
export type SegmentCommand = {readonly type: 'run.pause'; readonly reason: PauseReason};
export type SegmentOutput = {readonly run: RunRecord; readonly error?: unknown};

type SegmentContext = SegmentInput &
  SegmentFacts & {
    /** Whatever comes now, the agent's own verdict stands. */
    hasResult: boolean;
    isSwept: boolean;
    error: unknown;
  };

const remembered = {type: 'rememberRun', params: runOf} as const;
const failed = {type: 'rememberError', params: errorOf} as const;

/**
 * One agent process from launch to the last of its children. Facts are remembered whenever they come and
 * each state decides on them, so nothing that arrives during a write is lost. The end is recorded only
 * after nothing of the run is alive; a write that fails ends the agent.
 */
export const segmentMachine = setup({
  types: {
    input: {} as SegmentInput,
    context: {} as SegmentContext,
    events: {} as SegmentCommand | AgentReport,
    output: {} as SegmentOutput,
    tags: {} as 'pausing',
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
    markSwept: assign({isSwept: true}),
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
    pause: input.pauseReason && {reason: input.pauseReason, presses: 1},
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
    onError: {target: '.done', actions: failed},
  },
  on: {
    'agent.sessionCaptured': {
      actions: assign({
        session: ({event: {sessionRef, dialect}}) => ({
          ref: sessionRef,
          ...(dialect && {dialect}),
          isRecorded: false,
        }),
      }),
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
          {guard: 'isPauseAsked', target: 'recordingPauseIntent', actions: remembered},
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
          {guard: 'isSwept', target: 'done', actions: failed},
          {target: 'killing', actions: failed},
        ],
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
      tags: 'pausing',
      invoke: {
        id: 'recordPauseIntent',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: {type: 'pauseAsked'}}),
        onDone: {target: 'interrupting', actions: remembered},
        onError: {target: 'killing', actions: failed},
      },
    },
    interrupting: {
      tags: 'pausing',
      entry: 'interruptAgent',
      always: [
        {guard: 'hasExited', target: 'sweeping'},
        {guard: 'isForced', target: 'killing'},
      ],
      after: {graceWindow: 'killing'},
    },
    killing: {
      tags: 'pausing',
      entry: 'killAgent',
      always: {guard: 'hasExited', target: 'sweeping'},
      after: {killWindow: 'sweeping'},
    },
    sweeping: {
      tags: 'pausing',
      invoke: {
        id: 'endEverything',
        src: 'endEverything',
        input: ({context}) => ({run: context.run}),
        onDone: {target: 'settling', actions: 'markSwept'},
        onError: {target: 'done', actions: failed},
      },
    },
    settling: {
      tags: 'pausing',
      always: [
        {guard: 'hasError', target: 'done'},
        // The session line can be the last thing an interrupted agent says.
        {guard: 'hasNewSession', target: 'recordingSession'},
        {guard: 'endsAsPause', target: 'recordingPause'},
        {target: 'recordingOutcome'},
      ],
    },
    recordingPause: {
      tags: 'pausing',
      invoke: {
        id: 'recordPause',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: segmentStep.pause(context)}),
        onDone: {target: 'done', actions: remembered},
        onError: {target: 'done', actions: failed},
      },
    },
    recordingOutcome: {
      invoke: {
        id: 'recordOutcome',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: segmentStep.end(context)}),
        onDone: {target: 'done', actions: remembered},
        onError: {target: 'done', actions: failed},
      },
    },
    done: {type: 'final'},
  },
  output: ({context: {run, error}}) => (error === undefined ? {run} : {run, error}),
});

function runOf({event}: {event: DoneActorEvent<RunRecord>}) {
  return {run: event.output};
}
