import {type ActorRefFrom, assign, type DoneActorEvent, type ErrorActorEvent, sendTo, setup} from 'xstate';
import type {AgentRequest, Failure} from '../services/contracts/agent.ts';
import type {ProcessIdentity} from '../services/contracts/process.ts';
import type {PauseReason, Question, RunRecord} from '../services/contracts/run.ts';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import type {RecordRunInput, RunStep} from './actors/record-run.actor.ts';

export type SegmentInput = {
  readonly run: RunRecord;
  readonly request: AgentRequest;
  readonly graceMilliseconds: number;
  /** A pause that was asked for before the segment began. */
  readonly pauseReason: PauseReason | null;
};
export type SegmentCommand = {readonly type: 'run.pause'; readonly reason: PauseReason};
export type SegmentOutput = {readonly run: RunRecord; readonly error?: unknown};

export type SegmentVerdict =
  | {readonly outcome: 'succeeded'}
  | {readonly outcome: 'waiting'; readonly questions: readonly Question[]}
  | {readonly outcome: 'failed'; readonly failure: Failure};

export type AgentReport =
  | {readonly type: 'agent.held'; readonly identity: ProcessIdentity; readonly argv: readonly string[]}
  | {readonly type: 'agent.spawnFailed'; readonly message: string}
  | {readonly type: 'agent.sessionCaptured'; readonly sessionRef: string}
  | {readonly type: 'agent.resultSeen'}
  /** `isSessionStored`: the provider has the session on its own disk, so it can be resumed. */
  | {readonly type: 'agent.exited'; readonly verdict: SegmentVerdict; readonly isSessionStored: boolean};

export type AgentOrder = {type: 'agent.go'} | {type: 'agent.interrupt'} | {type: 'agent.kill'};
export type AgentInput = {readonly run: RunRecord; readonly request: AgentRequest};

type SegmentContext = SegmentInput & {
  pause: {reason: PauseReason; presses: number} | null;
  held: {identity: ProcessIdentity; argv: readonly string[]} | null;
  session: {ref: string; isRecorded: boolean} | null;
  hasResult: boolean;
  exit: {verdict: SegmentVerdict; isSessionStored: boolean} | null;
  isSwept: boolean;
  error: unknown;
};

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
    // A result that was seen before the pause counts: the work is done.
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
    onError: {target: '.done', actions: {type: 'rememberError', params: errorOf}},
  },
  on: {
    'agent.sessionCaptured': {
      actions: assign({session: ({event}) => ({ref: event.sessionRef, isRecorded: false})}),
    },
    'agent.resultSeen': {actions: assign({hasResult: true})},
    'agent.exited': {
      actions: assign({exit: ({event: {verdict, isSessionStored}}) => ({verdict, isSessionStored})}),
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
        input: ({context}) => ({run: context.run, step: startStep(context)}),
        onDone: [
          {
            guard: 'isPauseAsked',
            target: 'recordingPauseIntent',
            actions: {type: 'rememberRun', params: runOf},
          },
          {target: 'active', actions: [{type: 'rememberRun', params: runOf}, 'startAgent']},
        ],
        onError: {target: 'killing', actions: {type: 'rememberError', params: errorOf}},
      },
    },
    active: {
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
        input: ({context}) => ({
          run: context.run,
          step: {type: 'sessionCaptured', sessionRef: context.session?.ref ?? ''},
        }),
        onDone: [
          {
            guard: 'isSwept',
            target: 'settling',
            actions: [{type: 'rememberRun', params: runOf}, 'markSessionRecorded'],
          },
          {target: 'active', actions: [{type: 'rememberRun', params: runOf}, 'markSessionRecorded']},
        ],
        onError: [
          {
            guard: 'isSwept',
            target: 'done',
            actions: {type: 'rememberError', params: errorOf},
          },
          {target: 'killing', actions: {type: 'rememberError', params: errorOf}},
        ],
      },
    },
    // Some agents live on after their result; it stands, however they end.
    lingering: {
      always: [
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
        onDone: {target: 'interrupting', actions: {type: 'rememberRun', params: runOf}},
        onError: {target: 'killing', actions: {type: 'rememberError', params: errorOf}},
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
        onError: {target: 'done', actions: {type: 'rememberError', params: errorOf}},
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
        input: ({context}) => ({run: context.run, step: pauseStep(context)}),
        onDone: {target: 'done', actions: {type: 'rememberRun', params: runOf}},
        onError: {target: 'done', actions: {type: 'rememberError', params: errorOf}},
      },
    },
    recordingOutcome: {
      invoke: {
        id: 'recordOutcome',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: endStep(context)}),
        onDone: {target: 'done', actions: {type: 'rememberRun', params: runOf}},
        onError: {target: 'done', actions: {type: 'rememberError', params: errorOf}},
      },
    },
    done: {type: 'final'},
  },
  output: ({context: {run, error}}) => (error === undefined ? {run} : {run, error}),
});

export type SegmentActorRef = ActorRefFrom<typeof segmentMachine>;

function runOf({event}: {event: DoneActorEvent<RunRecord>}) {
  return {run: event.output};
}

function errorOf({event}: {event: ErrorActorEvent}) {
  return {error: event.error};
}

function startStep({held}: SegmentContext): RunStep {
  if (held === null) throw new Error('No agent is held back');
  return {type: 'segmentStarted', ...held};
}

function pauseStep({run, exit, pause}: SegmentContext): RunStep {
  // A session that an earlier segment confirmed stays resumable, whatever happened to this one.
  const wasStored = run.segments.length > 1 && run.resumable;
  const reason = pause?.reason ?? 'user_interrupt';
  return {type: 'paused', reason, resumable: wasStored || exit?.isSessionStored === true};
}

function endStep({exit, request}: SegmentContext): RunStep {
  const {verdict} = exit ?? noExit;
  return {type: 'ended', verdict, isResume: request.kind === 'resume'};
}

const failedWith = (failure: Failure) => ({
  verdict: {outcome: 'failed', failure} as const,
  isSessionStored: false,
});
const spawnFailure = (message: string) => failedWith({kind: 'spawn_failed', message});
const noExit = failedWith({kind: 'agent_error', message: 'the agent could not be stopped'});
