import {assign, setup} from 'xstate';
import type {SessionEvent, SessionLaunch, SessionMeta} from '../services/contracts/session.ts';
import type {NewSession} from '../services/contracts/tmux.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {errorIn, outputIn} from './chart-parts.ts';
import {sessionName} from './policies/session/session-names.ts';
import {
  failedEvent,
  type ResumeEventName,
  type ResumeRequest,
  resumeEvent,
  worktreeMissing,
} from './policies/session/session-resume.ts';

export type SessionChangeInput = {
  readonly run: SessionMeta;
  readonly launch: SessionLaunch;
  readonly request: ResumeRequest;
};

export type SessionChangeOutput = {
  /** What was recorded; nothing for the first start of a run. */
  readonly event: ResumeEventName | null;
  readonly failure: {readonly error: unknown} | null;
};

export type EventInput = {readonly run: SessionMeta; readonly event: SessionEvent};

type ChangeContext = SessionChangeInput & {
  -readonly [Key in keyof SessionChangeOutput]: SessionChangeOutput[Key];
};

/**
 * Makes a session under the lock of its repository: looks again at worktree and session, ends the old one where that is asked
 * for, starts the new one, records it. Whatever happens inside, it ends without the lock.
 */
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
    recordEvent: promiseNotProvided<void, EventInput>('recordEvent'),
    releaseLock: promiseNotProvided<void, void>('releaseLock'),
  },
  actions: {
    rememberEvent: assign((_, params: {event: ResumeEventName}) => params),
    // The first failure is the one that matters; releasing may only add to it.
    rememberFailure: assign(({context}, params: {error: unknown}) => ({failure: context.failure ?? params})),
  },
  guards: {
    isYes: (_, answer: boolean) => answer,
    isNo: (_, answer: boolean) => !answer,
    isFirst: ({context}) => context.request.isFirst,
    isRestart: ({context}) => context.request.restart,
  },
}).createMachine({
  id: 'sessionChange',
  context: ({input}) => ({...input, event: null, failure: null}),
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
        // Whoever had the lock before us may have archived the run.
        checkingWorktree: {
          invoke: {
            id: 'hasWorktree',
            src: 'hasWorktree',
            input: ({context}) => ({run: context.run}),
            onDone: [
              {guard: {type: 'isYes', params: outputIn}, target: 'checkingSession'},
              {
                guard: 'isFirst',
                target: 'settled',
                actions: {type: 'rememberFailure', params: ({context}) => missing(context)},
              },
              {
                target: 'recordingFailure',
                actions: {type: 'rememberFailure', params: ({context}) => missing(context)},
              },
            ],
            onError: {target: 'settled', actions: {type: 'rememberFailure', params: errorIn}},
          },
        },
        recordingFailure: {
          invoke: {
            id: 'recordFailure',
            src: 'recordEvent',
            input: ({context: {run, request}}) => ({run, event: failedEvent(run, request)}),
            onDone: 'settled',
            onError: {target: 'settled', actions: {type: 'rememberFailure', params: errorIn}},
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
              // Somebody else was faster; theirs is as good as ours.
              {guard: 'isFirst', target: 'settled'},
              {target: 'recording', actions: {type: 'rememberEvent', params: {event: 'resume_attach'}}},
            ],
            onError: {target: 'settled', actions: {type: 'rememberFailure', params: errorIn}},
          },
        },
        killing: {
          invoke: {
            id: 'killSession',
            src: 'killSession',
            input: ({context}) => ({name: nameOf(context)}),
            onDone: 'creating',
            onError: {target: 'settled', actions: {type: 'rememberFailure', params: errorIn}},
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
            onDone: [
              {guard: 'isFirst', target: 'settled'},
              {
                guard: 'isRestart',
                target: 'recording',
                actions: {type: 'rememberEvent', params: {event: 'resume_restart'}},
              },
              {target: 'recording', actions: {type: 'rememberEvent', params: {event: 'resume_create'}}},
            ],
            onError: {target: 'settled', actions: {type: 'rememberFailure', params: errorIn}},
          },
        },
        recording: {
          invoke: {
            id: 'recordEvent',
            src: 'recordEvent',
            input: ({context}) => eventInput(context),
            onDone: 'settled',
            onError: {target: 'settled', actions: {type: 'rememberFailure', params: errorIn}},
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
  output: ({context: {event, failure}}) => ({event, failure}),
});

function nameOf({run}: ChangeContext): string {
  return sessionName(run.run_id);
}

const missing = ({run}: ChangeContext) => ({error: worktreeMissing(run)});

function eventInput({run, request, event}: ChangeContext): EventInput {
  if (!event) throw new Error('There is no event to record');
  return {run, event: resumeEvent(event, run, request)};
}
