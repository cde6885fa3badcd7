import {assign, emit, setup} from 'xstate';
import type {SessionLaunch, SessionMeta} from '../services/contracts/session.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {errorIn, finalOutput, outputIn} from './chart-parts.ts';
import {sessionName} from './policies/session/session-names.ts';
import {
  failedEvent,
  mustAsk,
  type ResumeEventName,
  type ResumeRequest,
  refuseResume,
  restartQuestion,
  resumeEvent,
  type TerminalFacts,
  worktreeMissing,
} from './policies/session/session-resume.ts';
import {type EventInput, type SessionChangeInput, sessionChangeMachine} from './session-change.machine.ts';

export type SessionInput = {
  /** As typed: an id, a prefix of one, or a name. */
  readonly ref: string;
  readonly request: ResumeRequest;
  readonly terminal: TerminalFacts;
};

export type SessionOutput =
  | {
      readonly outcome: 'attached' | 'ready';
      readonly run: SessionMeta;
      readonly event: ResumeEventName | null;
    }
  | {readonly outcome: 'canceled'}
  | {readonly outcome: 'failed'; readonly error: unknown; readonly run: SessionMeta | null};

/** A running session is shown although its attach could not be recorded. */
export type SessionEmitted = {readonly type: 'attach.unrecorded'; readonly error: unknown};

type SessionContext = SessionInput & {
  run: SessionMeta | null;
  launch: SessionLaunch | null;
  isRunning: boolean;
  event: ResumeEventName | null;
  error: unknown;
};

const failed = {target: 'failed', actions: {type: 'rememberFailure', params: errorIn}} as const;

/**
 * Brings a run's session to the user: attaches to it, or creates it if it is missing or to be restarted. No lock is
 * held while the user is asked or attached; a success has exactly one event, recorded before the user sees the session.
 */
export const sessionMachine = setup({
  types: {
    input: {} as SessionInput,
    context: {} as SessionContext,
    output: {} as SessionOutput,
    emitted: {} as SessionEmitted,
  },
  actors: {
    findRun: promiseNotProvided<SessionMeta, {ref: string}>('findRun'),
    hasWorktree: promiseNotProvided<boolean, {run: SessionMeta}>('hasWorktree'),
    hasSession: promiseNotProvided<boolean, {name: string}>('hasSession'),
    confirm: promiseNotProvided<boolean, {question: string}>('confirm'),
    resolveRunner: promiseNotProvided<SessionLaunch, {run: SessionMeta}>('resolveRunner'),
    change: sessionChangeMachine,
    recordEvent: promiseNotProvided<void, EventInput>('recordEvent'),
    attach: promiseNotProvided<void, {name: string}>('attach'),
  },
  actions: {
    rememberFailure: assign((_, params: {error: unknown}) => params),
    warn: emit((_, params: {error: unknown}): SessionEmitted => ({type: 'attach.unrecorded', ...params})),
  },
  guards: {
    isYes: (_, answer: boolean) => answer,
    isSet: (_, params: {value: unknown}) => params.value !== null,
    isRefused: ({context}) => refuseResume(context) !== null,
    mayAttach: ({context}) => context.isRunning && !context.request.restart,
    mustAsk: ({context}) => mustAsk(context),
    isDetached: ({context}) => context.request.detached,
  },
}).createMachine({
  id: 'session',
  context: ({input}) => ({
    ...input,
    run: null,
    launch: null,
    isRunning: false,
    event: null,
    error: null,
  }),
  initial: 'resolving',
  states: {
    resolving: {
      invoke: {
        id: 'findRun',
        src: 'findRun',
        input: ({context}) => ({ref: context.ref}),
        onDone: {target: 'checkingWorktree', actions: assign({run: ({event}) => event.output})},
        onError: failed,
      },
    },
    // Before any call to tmux, which would silently start the runner elsewhere.
    checkingWorktree: {
      invoke: {
        id: 'hasWorktree',
        src: 'hasWorktree',
        input: ({context}) => ({run: runOf(context)}),
        onDone: [{guard: {type: 'isYes', params: outputIn}, target: 'checkingSession'}, 'recordingFailure'],
        onError: failed,
      },
    },
    recordingFailure: {
      invoke: {
        id: 'recordFailure',
        src: 'recordEvent',
        input: ({context}) => ({run: runOf(context), event: failedEvent(runOf(context), context.request)}),
        onDone: {
          target: 'failed',
          actions: {
            type: 'rememberFailure',
            params: ({context}) => ({error: worktreeMissing(runOf(context))}),
          },
        },
        onError: failed,
      },
    },
    checkingSession: {
      invoke: {
        id: 'hasSession',
        src: 'hasSession',
        input: ({context}) => ({name: nameOf(context)}),
        onDone: {target: 'deciding', actions: assign({isRunning: ({event}) => event.output})},
        onError: failed,
      },
    },
    deciding: {
      always: [
        {
          guard: 'isRefused',
          target: 'failed',
          actions: {type: 'rememberFailure', params: ({context}) => ({error: refuseResume(context)})},
        },
        {guard: 'mayAttach', target: 'recordingAttach', actions: assign({event: 'resume_attach'})},
        {guard: 'mustAsk', target: 'confirming'},
        {target: 'resolvingRunner'},
      ],
    },
    confirming: {
      invoke: {
        id: 'confirm',
        src: 'confirm',
        input: {question: restartQuestion},
        onDone: [{guard: {type: 'isYes', params: outputIn}, target: 'resolvingRunner'}, 'canceled'],
        onError: failed,
      },
    },
    // Before the lock and the kill: a runner that cannot start must not cost the old session.
    resolvingRunner: {
      invoke: {
        id: 'resolveRunner',
        src: 'resolveRunner',
        input: ({context}) => ({run: runOf(context)}),
        onDone: {target: 'changing', actions: assign({launch: ({event}) => event.output})},
        onError: failed,
      },
    },
    changing: {
      invoke: {
        id: 'change',
        src: 'change',
        input: ({context}) => changeInput(context),
        onDone: [
          {
            guard: {type: 'isSet', params: ({event}) => ({value: event.output.failure})},
            target: 'failed',
            actions: {type: 'rememberFailure', params: ({event}) => ({error: event.output.failure?.error})},
          },
          {
            guard: {type: 'isSet', params: ({event}) => ({value: event.output.unrecorded})},
            target: 'showing',
            actions: [
              {type: 'warn', params: ({event}) => ({error: event.output.unrecorded?.error})},
              assign({event: ({event}) => event.output.event}),
            ],
          },
          {target: 'showing', actions: assign({event: ({event}) => event.output.event})},
        ],
        onError: failed,
      },
    },
    recordingAttach: {
      invoke: {
        id: 'recordAttach',
        src: 'recordEvent',
        input: ({context}) => ({
          run: runOf(context),
          event: resumeEvent('resume_attach', runOf(context), context.request),
        }),
        onDone: 'showing',
        // The session is healthy; only an event is missing.
        onError: {target: 'showing', actions: {type: 'warn', params: errorIn}},
      },
    },
    showing: {always: [{guard: 'isDetached', target: 'done'}, {target: 'attaching'}]},
    attaching: {
      invoke: {
        id: 'attach',
        src: 'attach',
        input: ({context}) => ({name: nameOf(context)}),
        onDone: 'done',
        onError: failed,
      },
    },
    done: {
      type: 'final',
      output: ({context}) => ({
        outcome: context.request.detached ? 'ready' : 'attached',
        run: runOf(context),
        event: context.event,
      }),
    },
    canceled: {type: 'final', output: {outcome: 'canceled'}},
    failed: {type: 'final', output: ({context: {run, error}}) => ({outcome: 'failed', error, run})},
  },
  output: finalOutput<SessionOutput>,
});

function runOf({run}: SessionContext): SessionMeta {
  if (!run) throw new Error('There is no run yet');
  return run;
}

function nameOf(context: SessionContext): string {
  return sessionName(runOf(context).run_id);
}

function changeInput(context: SessionContext): SessionChangeInput {
  if (!context.launch) throw new Error('There is nothing to launch');
  return {run: runOf(context), launch: context.launch, request: context.request};
}
