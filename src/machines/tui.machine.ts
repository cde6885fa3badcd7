import {assign, not, or, type SnapshotFrom, setup, stateIn} from 'xstate';
import type {PauseReason} from '../services/contracts/run.ts';
import type {Dialog} from './tui-dialogs.ts';

export type ScreenName = 'home' | 'plan' | 'settings' | 'sessions' | 'help';

export type TuiCommand =
  | {readonly type: `screen.${Exclude<ScreenName, 'help'>}`}
  | {readonly type: 'help.show'}
  | {readonly type: 'help.leave'}
  | {readonly type: 'search.begin'}
  | {readonly type: 'search.end'}
  | {readonly type: 'dialog.open'; readonly dialog: Dialog}
  | {readonly type: 'dialog.close'}
  | {readonly type: 'job.began'}
  /** It is to stop after the current task. */
  | {readonly type: 'job.stopAsked'}
  | {readonly type: 'job.stopped'; readonly isPaused: boolean}
  /** An answer to a review is being saved under the lock that a job needs; then it is saved, or failed. */
  | {readonly type: 'words.began'}
  | {readonly type: 'words.settled'}
  /** Ctrl+C: pauses, then forces, then quits. With nothing running it closes a dialog, and pressed twice it quits. */
  | {readonly type: 'tui.interrupt'}
  /** Ends the program; a running job is paused first. */
  | {readonly type: 'tui.leave'; readonly reason: PauseReason};

/** A screen with a search; what is typed into it is text, not keys. */
const searchable = {
  initial: 'browsing',
  states: {
    browsing: {on: {'search.begin': 'searching'}},
    searching: {tags: 'searching', on: {'search.end': 'browsing'}},
  },
} as const;

/**
 * Where the user is: the screen, the dialog above it, what Ctrl+C does, and which dialogs may open by themselves. It
 * knows nothing about plans and runs, and about jobs only when they start and stop.
 */
export const tuiMachine = setup({
  types: {
    context: {} as {readonly dialog: Dialog | null; readonly unsettled: number},
    events: {} as TuiCommand,
    tags: {} as
      | ScreenName
      | 'searching'
      | 'busy'
      | 'pausing'
      | 'behindWords'
      | 'banner'
      | 'confirming'
      | 'gone'
      | 'asksAll'
      | 'quiet',
  },
  actions: {
    /** Provided by the owner of the engine. */
    pauseEngine: (_, _params: {reason: PauseReason}) => {},
    /** Starts the waiting job; also provided by the owner of the engine. */
    beginJob: () => {},
    dropJob: () => {},
    rememberDialog: assign((_, params: {dialog: Dialog}) => params),
    forgetDialog: assign({dialog: null}),
    countWords: assign({unsettled: ({context}) => context.unsettled + 1}),
    settleWords: assign({unsettled: ({context}) => context.unsettled - 1}),
  },
  guards: {
    hasDialog: ({context}) => context.dialog !== null,
    /** A running job comes before a dialog: Ctrl+C pauses it and the dialog stays. */
    isAtRest: or([stateIn({job: 'resting'}), stateIn({job: 'confirming'}), stateIn({job: 'paused'})]),
    isLastOfWords: ({context}) => context.unsettled === 1,
    isWriting: stateIn({words: 'writing'}),
    isPause: (_, params: {isPaused: boolean}) => params.isPaused,
  },
  delays: {untilForgotten: 3000},
}).createMachine({
  id: 'tui',
  context: {dialog: null, unsettled: 0},
  type: 'parallel',
  states: {
    screen: {
      initial: 'shown',
      states: {
        shown: {
          on: {
            'help.show': 'help',
            'screen.home': '.home',
            'screen.plan': '.plan',
            'screen.settings': '.settings',
            'screen.sessions': '.sessions',
          },
          initial: 'home',
          states: {
            home: {tags: 'home'},
            plan: {tags: 'plan', ...searchable},
            settings: {tags: 'settings', ...searchable},
            sessions: {tags: 'sessions', ...searchable},
            before: {type: 'history'},
          },
        },
        help: {tags: 'help', on: {'help.leave': 'shown.before'}},
      },
    },
    dialog: {
      initial: 'closed',
      states: {
        closed: {
          on: {
            'dialog.open': {
              target: 'open',
              actions: {type: 'rememberDialog', params: ({event}) => ({dialog: event.dialog})},
            },
          },
        },
        open: {
          exit: 'forgetDialog',
          on: {
            'dialog.close': 'closed',
            'tui.interrupt': {guard: 'isAtRest', target: 'closed'},
            // One dialog leads to another: a field to its editor, a refusal to its reason.
            'dialog.open': {actions: {type: 'rememberDialog', params: ({event}) => ({dialog: event.dialog})}},
          },
        },
      },
    },
    job: {
      initial: 'resting',
      states: {
        resting: {
          on: {
            'job.began': [{guard: 'isWriting', target: 'behindWords'}, 'working'],
            'tui.interrupt': {guard: not('hasDialog'), target: 'confirming'},
            'tui.leave': 'gone',
          },
        },
        // A Ctrl+C meant for a task that ended at that moment must not end the program.
        confirming: {
          tags: 'confirming',
          after: {untilForgotten: 'resting'},
          on: {
            'job.began': [{guard: 'isWriting', target: 'behindWords'}, 'working'],
            'tui.interrupt': {guard: not('hasDialog'), target: 'gone'},
            'tui.leave': 'gone',
          },
        },
        // A job must not be refused because of our own write: one after the other.
        behindWords: {
          tags: ['busy', 'behindWords'],
          on: {
            'words.settled': {guard: 'isLastOfWords', target: 'working', actions: 'beginJob'},
            'tui.interrupt': {actions: 'dropJob'},
            'tui.leave': 'gone',
            'job.stopped': 'paused',
          },
        },
        working: {
          tags: 'busy',
          on: {
            'tui.interrupt': {target: 'pausing', actions: {type: 'pauseEngine', params: byHand}},
            'tui.leave': {
              target: 'leaving',
              actions: {type: 'pauseEngine', params: ({event}) => ({reason: event.reason})},
            },
            'job.stopped': [{guard: {type: 'isPause', params: howItStopped}, target: 'paused'}, 'resting'],
          },
        },
        pausing: {
          tags: ['busy', 'pausing'],
          on: {
            // A second time: the engine forces it.
            'tui.interrupt': {actions: {type: 'pauseEngine', params: byHand}},
            'tui.leave': 'leaving',
            'job.stopped': [{guard: {type: 'isPause', params: howItStopped}, target: 'paused'}, 'resting'],
          },
        },
        paused: {
          tags: 'banner',
          on: {
            'job.began': [{guard: 'isWriting', target: 'behindWords'}, 'working'],
            'tui.interrupt': {guard: not('hasDialog'), target: 'gone'},
            'tui.leave': 'gone',
          },
        },
        leaving: {
          tags: ['busy', 'pausing'],
          on: {
            'tui.interrupt': {actions: {type: 'pauseEngine', params: byHand}},
            'job.stopped': 'gone',
          },
        },
        gone: {tags: 'gone'},
      },
    },
    words: {
      initial: 'settled',
      states: {
        settled: {on: {'words.began': {target: 'writing', actions: 'countWords'}}},
        writing: {
          on: {
            'words.began': {actions: 'countWords'},
            'words.settled': [
              {guard: 'isLastOfWords', target: 'settled', actions: 'settleWords'},
              {actions: 'settleWords'},
            ],
          },
        },
      },
    },
    // Which dialogs open by themselves. After a pause or a stop, none until the next job has ended.
    asking: {
      initial: 'decisions',
      states: {
        decisions: {on: {'job.began': 'atWork'}},
        atWork: {
          on: {
            'tui.interrupt': 'stopping',
            'job.stopAsked': 'stopping',
            'job.stopped': [
              {guard: {type: 'isPause', params: howItStopped}, target: 'nothing'},
              'everything',
            ],
          },
        },
        stopping: {on: {'job.stopped': 'nothing'}},
        nothing: {tags: 'quiet', on: {'job.began': 'atWork'}},
        everything: {tags: 'asksAll', on: {'job.began': 'atWork'}},
      },
    },
  },
});

export type TuiSnapshot = SnapshotFrom<typeof tuiMachine>;

function byHand() {
  return {reason: 'user_interrupt' as const};
}

function howItStopped({event}: {event: Extract<TuiCommand, {type: 'job.stopped'}>}) {
  return {isPaused: event.isPaused};
}
