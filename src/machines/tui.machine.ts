import {assign, not, or, type SnapshotFrom, setup, stateIn} from 'xstate';
import type {ConfigLayerName, SettingKey} from '../services/contracts/config.ts';
import type {PauseReason} from '../services/contracts/run.ts';

export type ScreenName = 'home' | 'plan' | 'settings' | 'sessions' | 'help';

/** What a person is asked before anything else goes on. Only names; what they mean is looked up. */
export type Dialog =
  | {readonly type: 'quit'}
  | {readonly type: 'restart'; readonly taskId: string}
  /** `isForced`: what stands in its way is named in the lines, and confirmed with it. */
  | {
      readonly type: 'undo';
      readonly taskId: string;
      readonly lines: readonly string[];
      readonly isForced: boolean;
    }
  | {readonly type: 'status'; readonly taskId: string}
  | {readonly type: 'delete'; readonly taskId: string}
  | {readonly type: 'add'; readonly parentId: string | null; readonly index: number}
  /** `seen` is the value it may replace: the one a person was shown when theirs was refused. */
  | {readonly type: 'edit'; readonly taskId: string; readonly field: EditedField; readonly seen?: string}
  | {readonly type: 'fields'; readonly taskId: string}
  | {readonly type: 'deps'; readonly taskId: string}
  | {readonly type: 'move'; readonly taskId: string}
  | {readonly type: 'questions'; readonly taskId: string}
  | {readonly type: 'checkpoint'; readonly taskId: string}
  | {readonly type: 'feedback'; readonly taskId: string}
  | {readonly type: 'agent'}
  | {readonly type: 'planWish'; readonly kind: 'generate' | 'refine'; readonly taskId: string | null}
  /** What an agent proposes is looked up: only one plan is worked on at a time. */
  | {readonly type: 'planDrafts' | 'planWork' | 'planQuestions' | 'planReview' | 'planRevise'}
  | {readonly type: 'planFields'; readonly taskId: string}
  | {readonly type: 'planField'; readonly taskId: string; readonly field: PlannedField}
  | {readonly type: 'sessionNew'}
  | {readonly type: 'sessionKill'; readonly id: string}
  /** `force` after it was refused once, with what would be lost. */
  | {readonly type: 'sessionClean'; readonly id: string; readonly force: boolean}
  | {readonly type: 'setting'; readonly key: SettingKey; readonly layer: ConfigLayerName}
  | {
      readonly type: 'message';
      readonly title: string;
      readonly lines: readonly MessageLine[];
      /** What comes when it was read; nothing, if it is missing. */
      readonly next?: Dialog;
    };

/** Something known of what went wrong, under its name; or what to type next, and why. */
export type MessageLine = {
  readonly label: string;
  readonly text: string;
  readonly kind?: 'command' | 'why';
};

/** Asked beside the plan, which can still be looked at. */
export type Panel = Extract<Dialog, {readonly type: 'questions' | 'checkpoint' | 'feedback'}>;

export type EditedField = 'title' | 'description' | 'prompt' | 'notes' | 'acceptanceCriteria' | 'verify';

/** What a person may change of a proposed task. */
export type PlannedField = Extract<EditedField, 'title' | 'description' | 'prompt' | 'acceptanceCriteria'>;

export type TuiCommand =
  | {readonly type: `screen.${Exclude<ScreenName, 'help'>}`}
  | {readonly type: 'help.show'}
  | {readonly type: 'help.leave'}
  | {readonly type: 'search.begin'}
  | {readonly type: 'search.end'}
  | {readonly type: 'dialog.open'; readonly dialog: Dialog}
  | {readonly type: 'dialog.close'}
  | {readonly type: 'job.began'}
  | {readonly type: 'job.stopped'; readonly isPaused: boolean}
  /** Ctrl+C: pauses, then forces, then quits; with nothing at work it leaves a dialog, and pressed twice the program. */
  | {readonly type: 'tui.interrupt'}
  /** Ends the program; what runs is paused first. */
  | {readonly type: 'tui.leave'; readonly reason: PauseReason};

/**
 * Where the person is: the screen, the dialog above it, what Ctrl+C means now, and what may be asked unasked. It
 * knows nothing of plans and runs; of jobs it is told only that one began and how it stopped.
 */
export const tuiMachine = setup({
  types: {
    context: {} as {readonly dialog: Dialog | null},
    events: {} as TuiCommand,
    tags: {} as
      | ScreenName
      | 'searching'
      | 'busy'
      | 'pausing'
      | 'banner'
      | 'confirming'
      | 'gone'
      | 'asksAll'
      | 'quiet',
  },
  actions: {
    /** Provided by whoever owns the engine. */
    pauseEngine: (_, _params: {reason: PauseReason}) => {},
    rememberDialog: assign((_, params: {dialog: Dialog}) => params),
    forgetDialog: assign({dialog: null}),
  },
  guards: {
    hasDialog: ({context}) => context.dialog !== null,
    /** What works goes before what is asked: then Ctrl+C pauses and the dialog stays. */
    isAtRest: or([stateIn({job: 'resting'}), stateIn({job: 'confirming'}), stateIn({job: 'paused'})]),
    isPause: (_, params: {isPaused: boolean}) => params.isPaused,
  },
  delays: {untilForgotten: 3000},
}).createMachine({
  id: 'tui',
  context: {dialog: null},
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
            plan: {
              tags: 'plan',
              initial: 'browsing',
              states: {
                browsing: {on: {'search.begin': 'searching'}},
                searching: {tags: 'searching', on: {'search.end': 'browsing'}},
              },
            },
            settings: {tags: 'settings'},
            sessions: {tags: 'sessions'},
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
            'job.began': 'working',
            'tui.interrupt': {guard: not('hasDialog'), target: 'confirming'},
            'tui.leave': 'gone',
          },
        },
        // A Ctrl+C that was meant for a task which ended at that moment must not end the program.
        confirming: {
          tags: 'confirming',
          after: {untilForgotten: 'resting'},
          on: {
            'job.began': 'working',
            'tui.interrupt': {guard: not('hasDialog'), target: 'gone'},
            'tui.leave': 'gone',
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
            // Again: the engine forces it.
            'tui.interrupt': {actions: {type: 'pauseEngine', params: byHand}},
            'tui.leave': 'leaving',
            'job.stopped': [{guard: {type: 'isPause', params: howItStopped}, target: 'paused'}, 'resting'],
          },
        },
        paused: {
          tags: 'banner',
          on: {
            'job.began': 'working',
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
    // What opens by itself while no job works. Whoever pauses is asked nothing until the next job has ended.
    asking: {
      initial: 'decisions',
      states: {
        decisions: {on: {'job.began': 'atWork'}},
        atWork: {
          on: {
            'tui.interrupt': 'pausing',
            'job.stopped': [
              {guard: {type: 'isPause', params: howItStopped}, target: 'nothing'},
              'everything',
            ],
          },
        },
        pausing: {on: {'job.stopped': 'nothing'}},
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
