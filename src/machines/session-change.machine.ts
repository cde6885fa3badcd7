import {assign, setup} from 'xstate';
import type {SessionEvent, SessionLaunch, SessionMeta} from '../services/contracts/session.ts';
import type {CommandEnd, NewSession} from '../services/contracts/tmux.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {errorIn, outputIn} from './chart-parts.ts';
import {sessionName} from './policies/session/session-names.ts';
import {
  exitedEvent,
  failedEvent,
  type ResumeEventName,
  type ResumeRequest,
  resumeEvent,
  runnerExited,
  withoutOldSession,
  worktreeMissing,
} from './policies/session/session-resume.ts';

export type SessionChangeInput = {
  readonly run: SessionMeta;
  readonly launch: SessionLaunch;
  readonly request: ResumeRequest;
};

export type SessionChangeOutput = {
  /** The recorded event; null for the first start of a run. */
  readonly event: ResumeEventName | null;
  readonly failure: {readonly error: unknown} | null;
  /** Why a running session has no attach event. */
  readonly unrecorded: {readonly error: unknown} | null;
};

export type EventInput = {readonly run: SessionMeta; readonly event: SessionEvent};

type ChangeContext = SessionChangeInput & {
  -readonly [Key in keyof SessionChangeOutput]: SessionChangeOutput[Key];
} & {
  /** The session that was ended for this one. */
  ended: string | null;
  /** How the runner ended, if it ended at once. */
  end: CommandEnd | null;
};

const failed = {target: 'settled', actions: {type: 'rememberFailure', params: errorIn}} as const;

/** Creates a session under the repository lock, and releases the lock whatever happens inside. */
export const sessionChangeMachine = setup({
  types: {
    input: {} as SessionChangeInput,
    context: {} as ChangeContext,
    output: {} as SessionChangeOutput,
  },
  actors: {
    acquireLock: promiseNotProvided<void, {repoId: string}>('acquireLock'),
    hasWorktree: promiseNotProvided<boolean, {run: SessionMeta}>('hasWorktree'),
    hasSession: promiseNotProvided<boolean, {name: string}>('hasSession'),
    killSession: promiseNotProvided<void, {name: string}>('killSession'),
    newSession: promiseNotProvided<void, NewSession>('newSession'),
    releaseSession: promiseNotProvided<CommandEnd | null, {name: string}>('releaseSession'),
    recordEvent: promiseNotProvided<void, EventInput>('recordEvent'),
    releaseLock: promiseNotProvided<void, void>('releaseLock'),
  },
  actions: {
    // The first failure matters; releasing may only add to it.
    rememberFailure: assign(({context}, params: {error: unknown}) => ({failure: context.failure ?? params})),
    rememberNoSession: assign(({context}, {error}: {error: unknown}) => ({
      failure: {error: context.ended === null ? error : withoutOldSession(error)},
    })),
  },
  guards: {
    isYes: (_, answer: boolean) => answer,
    isNo: (_, answer: boolean) => !answer,
    isFirst: ({context}) => context.request.isFirst,
    isRestart: ({context}) => context.request.restart,
    isAttach: ({context}) => context.event === 'resume_attach',
    hasExited: (_, end: CommandEnd | null) => end !== null,
  },
  // An agent that cannot start ends within this time; the user waits for it at every start.
  delays: {settleTime: 1000},
}).createMachine({
  id: 'sessionChange',
  context: ({input}) => ({...input, event: null, failure: null, unrecorded: null, ended: null, end: null}),
  initial: 'locking',
  states: {
    locking: {
      invoke: {
        id: 'acquireLock',
        src: 'acquireLock',
        input: ({context}) => ({repoId: context.run.repo_id}),
        onDone: 'locked',
        onError: {target: 'done', actions: {type: 'rememberFailure', params: errorIn}},
      },
    },
    locked: {
      initial: 'checkingWorktree',
      states: {
        // The previous lock holder may have archived the run.
        checkingWorktree: {
          invoke: {
            id: 'hasWorktree',
            src: 'hasWorktree',
            input: ({context}) => ({run: context.run}),
            onDone: [
              {guard: {type: 'isYes', params: outputIn}, target: 'checkingSession'},
              'worktreeMissing',
            ],
            onError: failed,
          },
        },
        worktreeMissing: {
          entry: {type: 'rememberFailure', params: ({context: {run}}) => ({error: worktreeMissing(run)})},
          always: [{guard: 'isFirst', target: 'settled'}, 'recordingFailure'],
        },
        recordingFailure: {
          invoke: {
            id: 'recordFailure',
            src: 'recordEvent',
            input: ({context: {run, request}}) => ({run, event: failedEvent(run, request)}),
            onDone: 'settled',
            onError: failed,
          },
        },
        checkingSession: {
          invoke: {
            id: 'hasSession',
            src: 'hasSession',
            input: ({context}) => ({name: nameOf(context)}),
            onDone: [
              {guard: {type: 'isNo', params: outputIn}, target: 'creating'},
              {guard: 'isRestart', target: 'killing'},
              // Someone else was faster; their session is as good as ours.
              {guard: 'isFirst', target: 'settled'},
              {target: 'recording', actions: assign({event: 'resume_attach'})},
            ],
            onError: failed,
          },
        },
        killing: {
          invoke: {
            id: 'killSession',
            src: 'killSession',
            input: ({context}) => ({name: nameOf(context)}),
            onDone: {target: 'creating', actions: assign({ended: ({context}) => nameOf(context)})},
            onError: failed,
          },
        },
        creating: {
          invoke: {
            id: 'newSession',
            src: 'newSession',
            input: ({context}) => ({
              name: nameOf(context),
              cwd: context.run.worktree_path,
              ...context.launch,
            }),
            onDone: 'settling',
            onError: {target: 'settled', actions: {type: 'rememberNoSession', params: errorIn}},
          },
        },
        settling: {after: {settleTime: 'checkingRunner'}},
        checkingRunner: {
          invoke: {
            id: 'releaseSession',
            src: 'releaseSession',
            input: ({context}) => ({name: nameOf(context)}),
            onDone: [
              {
                guard: {type: 'hasExited', params: outputIn},
                target: 'recordingExit',
                actions: assign({end: ({event}) => event.output}),
              },
              {guard: 'isFirst', target: 'settled'},
              {
                guard: 'isRestart',
                target: 'recording',
                actions: assign({event: 'resume_restart'}),
              },
              {target: 'recording', actions: assign({event: 'resume_create'})},
            ],
            onError: failed,
          },
        },
        recordingExit: {
          entry: {type: 'rememberNoSession', params: ({context}) => exited(context)},
          invoke: {
            id: 'recordExit',
            src: 'recordEvent',
            input: ({context: {run, request, end}}) => ({run, event: exitedEvent(run, request, known(end))}),
            onDone: 'removing',
            // The runner's output is reported anyway.
            onError: 'removing',
          },
        },
        removing: {
          invoke: {
            id: 'removeSession',
            src: 'killSession',
            input: ({context}) => ({name: nameOf(context)}),
            onDone: 'settled',
            onError: failed,
          },
        },
        recording: {
          invoke: {
            id: 'recordEvent',
            src: 'recordEvent',
            input: ({context}) => eventInput(context),
            onDone: 'settled',
            onError: [
              // Someone else's session is running; only an event is missing.
              {
                guard: 'isAttach',
                target: 'settled',
                actions: assign({unrecorded: ({event}) => errorIn({event})}),
              },
              failed,
            ],
          },
        },
        settled: {type: 'final'},
      },
      onDone: 'unlocking',
    },
    unlocking: {
      invoke: {
        id: 'releaseLock',
        src: 'releaseLock',
        onDone: 'done',
        onError: {target: 'done', actions: {type: 'rememberFailure', params: errorIn}},
      },
    },
    done: {type: 'final'},
  },
  output: ({context: {event, failure, unrecorded}}) => ({event, failure, unrecorded}),
});

function nameOf({run}: ChangeContext): string {
  return sessionName(run.run_id);
}

const exited = ({run, end}: ChangeContext) => ({error: runnerExited(run, known(end))});

function known(end: CommandEnd | null): CommandEnd {
  if (!end) throw new Error('The runner has not ended');
  return end;
}

function eventInput({run, request, event}: ChangeContext): EventInput {
  if (!event) throw new Error('There is no event to record');
  return {run, event: resumeEvent(event, run, request)};
}
