import {assign, setup} from 'xstate';
import type {SessionLaunch, SessionMeta} from '../services/contracts/session.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {errorIn, outputIn} from './chart-parts.ts';
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
  /** What the user typed: an id, the beginning of one, or a name. */
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

type SessionContext = SessionInput & {
  run: SessionMeta | null;
  launch: SessionLaunch | null;
  isRunning: boolean;
  event: ResumeEventName | null;
  failure: {readonly error: unknown} | null;
  isCanceled: boolean;
};

const failed = {target: 'failed', actions: {type: 'rememberFailure', params: errorIn}} as const;

/**
 * Brings a run's session before the user: attaches to it, or has it created where it is missing or to be
 * restarted. Nothing is locked while somebody is asked or attached; a success has exactly one event,
 * recorded before the user sees the session.
 */
export const sessionMachine = setup({
  types: {
    input: {} as SessionInput,
    context: {} as SessionContext,
    output: {} as SessionOutput,
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
    rememberEvent: assign((_, params: {event: ResumeEventName | null}) => params),
    rememberFailure: assign((_, params: {error: unknown}) => ({failure: params})),
    rememberCancel: assign({isCanceled: true}),
  },
  guards: {
    isYes: (_, answer: boolean) => answer,
    hasFailed: (_, params: {failure: unknown}) => params.failure !== null,
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
    failure: null,
    isCanceled: false,
  }),
  initial: 'resolving',
  states: {
    resolving: {
      invoke: {
        id: 'findRun',
        src: 'findRun',
        input: ({context}) => ({ref: context.ref}),
        onDone: {
          target: 'checkingWorktree',
          actions: assign(({event}) => ({run: event.output})),
        },
        onError: failed,
      },
    },
    // Before any word to tmux, which would start the runner somewhere else without complaint.
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
        onDone: {
          target: 'deciding',
          actions: assign(({event}) => ({isRunning: event.output})),
        },
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
        {
          guard: 'mayAttach',
          target: 'recordingAttach',
          actions: {type: 'rememberEvent', params: {event: 'resume_attach'}},
        },
        {guard: 'mustAsk', target: 'confirming'},
        {target: 'resolvingRunner'},
      ],
    },
    confirming: {
      invoke: {
        id: 'confirm',
        src: 'confirm',
        input: {question: restartQuestion},
        onDone: [
          {guard: {type: 'isYes', params: outputIn}, target: 'resolvingRunner'},
          {target: 'canceled', actions: 'rememberCancel'},
        ],
        onError: failed,
      },
    },
    // Before the lock and before the kill: a runner that cannot start must not cost the old session.
    resolvingRunner: {
      invoke: {
        id: 'resolveRunner',
        src: 'resolveRunner',
        input: ({context}) => ({run: runOf(context)}),
        onDone: {
          target: 'changing',
          actions: assign(({event}) => ({launch: event.output})),
        },
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
            guard: {type: 'hasFailed', params: ({event}) => ({failure: event.output.failure})},
            target: 'failed',
            actions: {type: 'rememberFailure', params: ({event}) => ({error: event.output.failure?.error})},
          },
          {
            target: 'showing',
            actions: {type: 'rememberEvent', params: ({event}) => ({event: event.output.event})},
          },
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
        onError: failed,
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
    done: {type: 'final'},
    canceled: {type: 'final'},
    failed: {type: 'final'},
  },
  output: ({context}) => outputOf(context),
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

function outputOf(context: SessionContext): SessionOutput {
  if (context.failure) return {outcome: 'failed', error: context.failure.error, run: context.run};
  if (context.isCanceled) return {outcome: 'canceled'};
  const outcome = context.request.detached ? 'ready' : 'attached';
  return {outcome, run: runOf(context), event: context.event};
}
