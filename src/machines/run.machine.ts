import {type ActorRefFrom, assign, enqueueActions, type SnapshotFrom, sendTo, setup} from 'xstate';
import type {AgentRequest, Failure} from '../services/contracts/agent.ts';
import type {ProcessIdentity} from '../services/contracts/process.ts';
import type {Answer, PauseReason, Question, RunRecord} from '../services/contracts/run.ts';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import {isSessionStored} from './policies/resume-check.ts';

/** What may be asked of a run; which of it is possible now, `can()` tells. */
export type RunCommand =
  | {readonly type: 'run.launch'; readonly request: AgentRequest}
  /** `obstacle` is why it cannot go on in its own session; null when it can. */
  | {readonly type: 'run.resume'; readonly request: AgentRequest; readonly obstacle: string | null}
  | {readonly type: 'run.answer'; readonly request: AgentRequest; readonly answers: readonly Answer[]}
  | {readonly type: 'run.restart'}
  | {readonly type: 'run.pause'; readonly reason: PauseReason};

export type RunInput = {
  readonly run: RunRecord;
  readonly order: RunCommand | null;
  readonly graceMilliseconds: number;
  /** Asked for before the run began. */
  readonly pauseReason?: PauseReason | undefined;
};

export type RunVerdict =
  | {readonly outcome: 'succeeded'}
  | {readonly outcome: 'waiting'; readonly questions: readonly Question[]}
  | {readonly outcome: 'failed'; readonly failure: Failure};

export type AgentReport =
  | {readonly type: 'agent.held'; readonly identity: ProcessIdentity; readonly argv: readonly string[]}
  | {readonly type: 'agent.spawnFailed'; readonly message: string}
  | {readonly type: 'agent.sessionCaptured'; readonly sessionRef: string; readonly at: number}
  | {readonly type: 'agent.lineSeen'}
  | {readonly type: 'agent.resultSeen'}
  | {readonly type: 'agent.exited'; readonly verdict: RunVerdict};

export type AgentOrder = {type: 'agent.go'} | {type: 'agent.interrupt'} | {type: 'agent.kill'};
export type AgentInput = {readonly run: RunRecord; readonly request: AgentRequest};

/** What to write down; the tails of the output are added by the actor, they never pass through here. */
export type RunStep =
  | {readonly type: 'segmentStarted'; readonly identity: ProcessIdentity; readonly argv: readonly string[]}
  | {readonly type: 'sessionCaptured'; readonly sessionRef: string}
  | {readonly type: 'pauseAsked'}
  | {readonly type: 'paused'; readonly reason: PauseReason; readonly resumable: boolean}
  | {readonly type: 'relaunched'; readonly answers?: readonly Answer[]}
  | {readonly type: 'ended'; readonly verdict: RunVerdict; readonly isResume: boolean};
export type RecordRunInput = {readonly run: RunRecord; readonly step: RunStep};

export type RunOutput = {
  readonly outcome: RunRecord['state'] | 'refused' | 'error';
  readonly run: RunRecord;
  readonly reason?: string;
  readonly error?: unknown;
};

type RunContext = {
  run: RunRecord;
  order: RunCommand | null;
  graceMilliseconds: number;
  request: AgentRequest | null;
  pause: {reason: PauseReason; presses: number} | null;
  held: {identity: ProcessIdentity; argv: readonly string[]} | null;
  session: {ref: string; seenAt: number; isSaved: boolean} | null;
  hasLaterLine: boolean;
  hasResult: boolean;
  verdict: RunVerdict | null;
  hasExited: boolean;
  killedAt: number | null;
  refusal: string | null;
  error: unknown;
};

/**
 * The whole life of one run. Rebuilt from its record it starts where the record stands. An agent is alive
 * only in `running`, facts about it are remembered whenever they come, and each state decides on them:
 * nothing that arrives during a write is lost. `paused` is recorded only after nothing of the run is alive.
 */
export const runMachine = setup({
  types: {
    input: {} as RunInput,
    context: {} as RunContext,
    events: {} as RunCommand | AgentReport,
    output: {} as RunOutput,
    tags: {} as 'pausable' | 'pausing',
  },
  actors: {
    agent: callbackNotProvided<AgentOrder, AgentInput>('agent'),
    recordRun: promiseNotProvided<RunRecord, RecordRunInput>('recordRun'),
    endEverything: promiseNotProvided<void, {readonly run: RunRecord}>('endEverything'),
  },
  actions: {
    obeyOrder: enqueueActions(({context, enqueue}) => {
      if (context.order) enqueue.raise(context.order);
    }),
    rememberRun: assign((_, params: {run: RunRecord}) => params),
    rememberRequest: assign((_, params: {request: AgentRequest}) => params),
    rememberRefusal: assign((_, params: {refusal: string}) => params),
    rememberError: assign((_, params: {error: unknown}) => params),
    rememberKill: assign({killedAt: (_, params: {at: number}) => params.at}),
    markSessionSaved: assign({
      session: ({context}) => context.session && {...context.session, isSaved: true},
    }),
    startAgent: sendTo('agent', {type: 'agent.go'}),
    interruptAgent: sendTo('agent', {type: 'agent.interrupt'}),
    killAgent: sendTo('agent', {type: 'agent.kill'}),
  },
  guards: {
    isLaunching: ({context}) => context.run.state === 'running',
    isPaused: ({context}) => context.run.state === 'paused',
    isWaiting: ({context}) => context.run.state === 'waiting',
    hasNoObstacle: (_, params: {obstacle: string | null}) => params.obstacle === null,
    hasExited: ({context}) => context.hasExited,
    hasUnsavedSession: ({context}) => context.session !== null && !context.session.isSaved,
    isPauseAsked: ({context}) => context.pause !== null,
    isForced: ({context}) => (context.pause?.presses ?? 0) > 1,
    hasResult: ({context}) => context.hasResult,
    hasFailed: ({context}) => context.error !== undefined,
    // A result that was seen before the pause counts: the work is done.
    endsAsPause: ({context}) => context.pause !== null && !context.hasResult,
  },
  delays: {
    graceWindow: ({context}) => context.graceMilliseconds,
    killWindow: 5_000,
    lingerWindow: 10_000,
  },
}).createMachine({
  id: 'run',
  context: ({input}) => ({
    run: input.run,
    order: input.order,
    graceMilliseconds: input.graceMilliseconds,
    request: null,
    pause: input.pauseReason ? {reason: input.pauseReason, presses: 1} : null,
    held: null,
    session: null,
    hasLaterLine: false,
    hasResult: false,
    verdict: null,
    hasExited: false,
    killedAt: null,
    refusal: null,
    error: undefined,
  }),
  entry: 'obeyOrder',
  initial: 'routing',
  states: {
    routing: {
      always: [
        {guard: 'isLaunching', target: 'launchable'},
        {guard: 'isPaused', target: 'paused'},
        {guard: 'isWaiting', target: 'waiting'},
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
      tags: 'pausable',
      on: {
        'run.resume': [
          {
            guard: {type: 'hasNoObstacle', params: ({event}) => ({obstacle: event.obstacle})},
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
    ended: {on: {'run.restart': 'superseded'}},
    recordingRelaunch: {
      invoke: {
        id: 'recordRelaunch',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: {type: 'relaunched', ...answersOf(context.order)}}),
        onDone: {
          target: 'running',
          actions: {type: 'rememberRun', params: ({event}) => ({run: event.output})},
        },
        onError: {
          target: 'done',
          actions: {type: 'rememberError', params: ({event}) => ({error: event.error})},
        },
      },
    },
    running: {
      tags: 'pausable',
      // One agent spans all its children, so that stopping it never loses hold of it.
      invoke: {
        id: 'agent',
        src: 'agent',
        input: ({context}) => ({run: context.run, request: requestOf(context)}),
        onError: {
          target: 'done',
          actions: {type: 'rememberError', params: ({event}) => ({error: event.error})},
        },
      },
      on: {
        'agent.sessionCaptured': {
          actions: assign({
            session: ({event}) => ({ref: event.sessionRef, seenAt: event.at, isSaved: false}),
          }),
        },
        'agent.lineSeen': {actions: assign({hasLaterLine: true})},
        'agent.resultSeen': {actions: assign({hasResult: true})},
        'agent.exited': {actions: assign({hasExited: true, verdict: ({event}) => event.verdict})},
        'run.pause': {
          actions: assign({
            pause: ({context, event}) => ({
              reason: context.pause?.reason ?? event.reason,
              presses: (context.pause?.presses ?? 0) + 1,
            }),
          }),
        },
      },
      initial: 'launching',
      states: {
        launching: {
          on: {
            'agent.held': {
              target: 'recordingStart',
              actions: assign({held: ({event}) => ({identity: event.identity, argv: event.argv})}),
            },
            'agent.spawnFailed': {
              target: '#run.recordingOutcome',
              actions: assign({
                verdict: ({event}) => ({
                  outcome: 'failed',
                  failure: {kind: 'spawn_failed', message: event.message},
                }),
              }),
            },
          },
        },
        recordingStart: {
          invoke: {
            id: 'recordStart',
            src: 'recordRun',
            input: ({context}) => ({run: context.run, step: {type: 'segmentStarted', ...heldOf(context)}}),
            onDone: [
              {
                guard: 'isPauseAsked',
                target: 'recordingPauseIntent',
                actions: {type: 'rememberRun', params: ({event}) => ({run: event.output})},
              },
              {
                target: 'active',
                actions: [{type: 'rememberRun', params: ({event}) => ({run: event.output})}, 'startAgent'],
              },
            ],
            onError: {
              target: 'killing',
              actions: {type: 'rememberError', params: ({event}) => ({error: event.error})},
            },
          },
        },
        active: {
          always: [
            {guard: 'hasUnsavedSession', target: 'recordingSession'},
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
            onDone: {
              target: 'active',
              actions: [
                {type: 'rememberRun', params: ({event}) => ({run: event.output})},
                'markSessionSaved',
              ],
            },
            onError: {
              target: 'killing',
              actions: {type: 'rememberError', params: ({event}) => ({error: event.error})},
            },
          },
        },
        // Some agents live on after their result; the result stands, however they end.
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
            onDone: {
              target: 'interrupting',
              actions: {type: 'rememberRun', params: ({event}) => ({run: event.output})},
            },
            onError: {
              target: 'killing',
              actions: {type: 'rememberError', params: ({event}) => ({error: event.error})},
            },
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
          entry: ['killAgent', {type: 'rememberKill', params: () => ({at: Date.now()})}],
          always: {guard: 'hasExited', target: 'sweeping'},
          after: {killWindow: 'sweeping'},
        },
        sweeping: {
          tags: 'pausing',
          invoke: {
            id: 'endEverything',
            src: 'endEverything',
            input: ({context}) => ({run: context.run}),
            onDone: [
              {guard: 'hasUnsavedSession', target: 'recordingLateSession'},
              {guard: 'hasFailed', target: '#run.done'},
              {guard: 'endsAsPause', target: '#run.recordingPause'},
              {target: '#run.recordingOutcome'},
            ],
            onError: {
              target: '#run.done',
              actions: {type: 'rememberError', params: ({event}) => ({error: event.error})},
            },
          },
        },
        // The session line can be the last thing an interrupted agent says.
        recordingLateSession: {
          tags: 'pausing',
          invoke: {
            id: 'recordLateSession',
            src: 'recordRun',
            input: ({context}) => ({
              run: context.run,
              step: {type: 'sessionCaptured', sessionRef: context.session?.ref ?? ''},
            }),
            onDone: [
              {
                guard: 'endsAsPause',
                target: '#run.recordingPause',
                actions: [
                  {type: 'rememberRun', params: ({event}) => ({run: event.output})},
                  'markSessionSaved',
                ],
              },
              {
                target: '#run.recordingOutcome',
                actions: [
                  {type: 'rememberRun', params: ({event}) => ({run: event.output})},
                  'markSessionSaved',
                ],
              },
            ],
            onError: {
              target: '#run.done',
              actions: {type: 'rememberError', params: ({event}) => ({error: event.error})},
            },
          },
        },
      },
    },
    recordingPause: {
      tags: 'pausing',
      invoke: {
        id: 'recordPause',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: pauseStep(context)}),
        onDone: {target: 'done', actions: {type: 'rememberRun', params: ({event}) => ({run: event.output})}},
        onError: {
          target: 'done',
          actions: {type: 'rememberError', params: ({event}) => ({error: event.error})},
        },
      },
    },
    recordingOutcome: {
      invoke: {
        id: 'recordOutcome',
        src: 'recordRun',
        input: ({context}) => ({run: context.run, step: endStep(context)}),
        onDone: {target: 'done', actions: {type: 'rememberRun', params: ({event}) => ({run: event.output})}},
        onError: {
          target: 'done',
          actions: {type: 'rememberError', params: ({event}) => ({error: event.error})},
        },
      },
    },
    superseded: {type: 'final'},
    refused: {type: 'final'},
    done: {type: 'final'},
  },
  output: ({context}) => outputOf(context),
});

export type RunActorRef = ActorRefFrom<typeof runMachine>;
export type RunSnapshot = SnapshotFrom<typeof runMachine>;

function requestOf({request}: RunContext): AgentRequest {
  if (request === null) throw new Error('A run cannot start without a request');
  return request;
}

function heldOf({held}: RunContext) {
  if (held === null) throw new Error('No agent is held back');
  return held;
}

function answersOf(order: RunCommand | null): {answers?: readonly Answer[]} {
  return order?.type === 'run.answer' ? {answers: order.answers} : {};
}

function pauseStep(context: RunContext): RunStep {
  const {run, session, hasLaterLine, killedAt, pause} = context;
  // A session that was confirmed in an earlier segment stays resumable, whatever happened to this one.
  const isKnown = run.segments.length > 1 && run.resumable;
  const isStored = isSessionStored({sessionSeenAt: session?.seenAt ?? null, hasLaterLine, killedAt});
  return {type: 'paused', reason: pause?.reason ?? 'user_interrupt', resumable: isKnown || isStored};
}

function endStep({verdict, request}: RunContext): RunStep {
  const lost: RunVerdict = {
    outcome: 'failed',
    failure: {kind: 'agent_error', message: 'the agent could not be stopped'},
  };
  return {type: 'ended', verdict: verdict ?? lost, isResume: request?.kind === 'resume'};
}

function outputOf({run, refusal, error}: RunContext): RunOutput {
  if (error !== undefined) return {outcome: 'error', run, error};
  if (refusal !== null) return {outcome: 'refused', run, reason: refusal};
  return {outcome: run.state, run};
}
