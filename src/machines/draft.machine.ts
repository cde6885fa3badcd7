import {assign, setup, stateIn} from 'xstate';
import type {DraftSlot, DraftText} from '../services/contracts/draft.ts';
import {promiseNotProvided} from './actors/not-provided.ts';
import {failTo} from './chart-parts.ts';

export type DraftCommand =
  | {readonly type: 'draft.change'; readonly text: string}
  /** Save now: the user is leaving. */
  | {readonly type: 'draft.flush'}
  /** It was sent, or dropped on purpose. */
  | {readonly type: 'draft.drop'};

type DraftContext = {
  /** With what the text belonged to when it was started. */
  slot: DraftSlot;
  text: string;
  error: unknown;
};

const failed = failTo('unsaved');

/** The text in one editor: saved shortly after the first change, and kept until it is sent. */
export const draftMachine = setup({
  types: {
    input: {} as DraftSlot,
    context: {} as DraftContext,
    events: {} as DraftCommand,
    /** `kept`: disk and editor agree. `unsaved`: it cannot be written. */
    tags: {} as 'loading' | 'kept' | 'unsaved' | 'gone',
  },
  actors: {
    recallDraft: promiseNotProvided<DraftText | null, DraftSlot>('recallDraft'),
    saveDraft: promiseNotProvided<void, {readonly slot: DraftSlot; readonly text: string}>('saveDraft'),
    removeDraft: promiseNotProvided<void, DraftSlot>('removeDraft'),
  },
  actions: {
    rememberText: assign((_, {text}: {text: string}) => ({text})),
    rememberError: assign((_, params: {error: unknown}) => params),
  },
  guards: {
    isOutdated: stateIn({saving: 'outdated'}),
    isDropped: stateIn({saving: 'dropped'}),
  },
  delays: {saveDelay: 500},
}).createMachine({
  id: 'draft',
  context: ({input}) => ({slot: input, text: '', error: undefined}),
  initial: 'recalling',
  states: {
    recalling: {
      tags: 'loading',
      invoke: {
        id: 'recallDraft',
        src: 'recallDraft',
        input: ({context}) => context.slot,
        onDone: {
          target: 'kept',
          actions: assign(({context: {slot}, event: {output}}) => ({
            slot: {...slot, prompt: output?.prompt ?? slot.prompt},
            text: output?.text ?? '',
          })),
        },
        onError: failed,
      },
      on: {'draft.drop': 'dropping'},
    },
    kept: {
      tags: 'kept',
      on: {
        'draft.change': {target: 'changed', actions: {type: 'rememberText', params: textIn}},
        'draft.drop': 'dropping',
      },
    },
    // Not delayed by the next key: at most a second of typing can be lost.
    changed: {
      after: {saveDelay: 'saving'},
      on: {
        'draft.change': {actions: {type: 'rememberText', params: textIn}},
        'draft.flush': 'saving',
        'draft.drop': 'dropping',
      },
    },
    saving: {
      initial: 'current',
      states: {
        current: {
          on: {
            'draft.change': {target: 'outdated', actions: {type: 'rememberText', params: textIn}},
            'draft.drop': 'dropped',
          },
        },
        outdated: {
          on: {
            'draft.change': {actions: {type: 'rememberText', params: textIn}},
            'draft.drop': 'dropped',
          },
        },
        dropped: {},
      },
      invoke: {
        id: 'saveDraft',
        src: 'saveDraft',
        input: ({context: {slot, text}}) => ({slot, text}),
        onDone: [
          {guard: 'isDropped', target: 'dropping'},
          {guard: 'isOutdated', target: 'saving', reenter: true},
          {target: 'kept'},
        ],
        onError: [{guard: 'isDropped', target: 'dropping'}, failed],
      },
    },
    unsaved: {
      tags: 'unsaved',
      on: {
        'draft.change': {target: 'changed', actions: {type: 'rememberText', params: textIn}},
        'draft.flush': 'saving',
        'draft.drop': 'dropping',
      },
    },
    dropping: {
      invoke: {
        id: 'removeDraft',
        src: 'removeDraft',
        input: ({context}) => context.slot,
        onDone: 'dropped',
        onError: failed,
      },
    },
    dropped: {tags: 'gone', type: 'final'},
  },
});

function textIn({event}: {event: Extract<DraftCommand, {type: 'draft.change'}>}) {
  return {text: event.text};
}
