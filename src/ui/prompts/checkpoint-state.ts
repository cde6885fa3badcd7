import type {Decision} from '../../machines/policies/review/decisions.ts';
import {atTop, type Scroll, scrolled} from '../components/scroll.ts';
import {type SelectItem, selectedAfter} from '../components/select.ts';
import {type EditorFrame, type EditorState, editorState, editorStep} from '../editor/editor-state.ts';
import type {KeyPress} from '../input/key-press.ts';
import type {Step} from '../input/use-stepper.ts';
import {commandOf, type Keymap} from '../keymap.ts';
import {type DiffView, diffStep, diffView} from './diff-view.ts';

export type CheckpointState = {
  readonly view: 'choosing' | 'writing' | 'reading';
  readonly choice: number;
  /** What is seen of the summary where it is longer than its room. */
  readonly summary: Scroll;
  /** Kept when one goes back to the list, so nothing written is lost. */
  readonly editor: EditorState;
  readonly diff: LoadedDiff;
  readonly notice: string | null;
  /** Decided: nothing that was typed ahead decides again. */
  readonly isOver: boolean;
};

export type LoadedDiff =
  | {readonly state: 'unread' | 'loading'}
  | {readonly state: 'failed'; readonly reason: string}
  | {readonly state: 'ready'; readonly view: DiffView};

export type CheckpointOutcome =
  | {readonly type: 'decide'; readonly decision: Decision}
  | {readonly type: 'later'}
  | {readonly type: 'loadDiff'};

export type CheckpointFrame = {
  readonly editor: EditorFrame;
  readonly summary: {readonly count: number; readonly height: number};
  readonly diffHeight: number;
  /** Why changes cannot be asked for; null when they can. */
  readonly changesRefused: string | null;
};

type CheckpointCommand = 'checkpoint.move' | 'checkpoint.choose' | 'checkpoint.diff' | 'checkpoint.later';

export const checkpointKeymap: Keymap<CheckpointCommand | 'checkpoint.summary'> = [
  {keys: ['up', 'down', 'j', 'k'], label: 'move', command: 'checkpoint.move', hint: 'always', shown: 4},
  {keys: ['enter'], label: 'choose', command: 'checkpoint.choose', hint: 'always', short: 'choose'},
  {keys: ['d'], label: 'full diff', command: 'checkpoint.diff', hint: 'always', short: 'diff'},
  {keys: ['ctrl+c'], label: 'decide later', command: 'checkpoint.later', hint: 'always', short: 'later'},
  {keys: ['pageup', 'pagedown'], label: 'scroll', command: 'checkpoint.summary', hint: 'always', shown: 2},
];

export const checkpointState = (draft = ''): CheckpointState => ({
  ...{view: 'choosing', choice: 0, summary: atTop, editor: editorState(draft)},
  ...{diff: {state: 'unread'}, notice: null, isOver: false},
});

/** The choices, in the order the specification gives them. */
export function checkpointItems(changesRefused: string | null): SelectItem[] {
  return [
    {label: 'Approve and continue'},
    {label: 'Approve and quit'},
    changesRefused === null
      ? {label: 'Request changes'}
      : {label: 'Request changes', note: changesRefused, isDisabled: true},
    {label: 'Reject changes'},
  ];
}

type Stepped = Step<CheckpointState, CheckpointOutcome>;

/** One key at a checkpoint. */
export function checkpointStep(before: CheckpointState, key: KeyPress, frame: CheckpointFrame): Stepped {
  if (before.isOver) return {state: before};
  const state = before.notice === null ? before : {...before, notice: null};
  if (key.name === 'ctrl+c') return {state: {...state, isOver: true}, outcome: {type: 'later'}};
  if (state.view === 'writing') return write(state, key, frame);
  if (state.view === 'reading') return {state: read(state, key, frame)};
  const index = selectedAfter(checkpointItems(frame.changesRefused), state.choice, key.name);
  if (index !== null) return {state: {...state, choice: index}};
  switch (commandOf(checkpointKeymap, key.name)) {
    case 'checkpoint.choose':
      return choose(state);
    case 'checkpoint.diff':
      return openDiff(state);
    case 'checkpoint.summary': {
      const command = key.name === 'pageup' ? 'scroll.pageUp' : 'scroll.pageDown';
      return {state: {...state, summary: scrolled(state.summary, command, frame.summary)}};
    }
    default:
      return {state};
  }
}

function choose(state: CheckpointState): Stepped {
  if (state.choice === 2) return {state: {...state, view: 'writing'}};
  const decided = (['approved_continue', 'approved_quit', null, 'rejected'] as const)[state.choice];
  return decided ? decide(state, {state: decided}) : {state};
}

function decide(state: CheckpointState, decision: Decision): Stepped {
  return {state: {...state, isOver: true}, outcome: {type: 'decide', decision}};
}

function write(state: CheckpointState, key: KeyPress, frame: CheckpointFrame): Stepped {
  const {state: editor, outcome} = editorStep(state.editor, key, frame.editor);
  const next = {...state, editor};
  if (outcome === undefined) return {state: next};
  if (outcome.type === 'cancel') return {state: {...next, view: 'choosing'}};
  const feedback = outcome.text.trim();
  if (feedback !== '') return decide(next, {state: 'changes_requested', feedback});
  return {state: {...next, notice: 'Write what should change first.'}};
}

function openDiff(state: CheckpointState): Stepped {
  const next: CheckpointState = {...state, view: 'reading'};
  if (state.diff.state === 'ready' || state.diff.state === 'loading') return {state: next};
  return {state: {...next, diff: {state: 'loading'}}, outcome: {type: 'loadDiff'}};
}

function read(state: CheckpointState, key: KeyPress, {diffHeight}: CheckpointFrame): CheckpointState {
  const {diff} = state;
  if (diff.state !== 'ready') {
    return ['escape', 'q', 'd'].includes(key.name) ? {...state, view: 'choosing'} : state;
  }
  const view = diffStep(diff.view, key.name, diffHeight);
  return view ? {...state, diff: {...diff, view}} : {...state, view: 'choosing'};
}

export const withDiff = (state: CheckpointState, patch: string): CheckpointState => ({
  ...state,
  diff: {state: 'ready', view: diffView(patch)},
});

export const withoutDiff = (state: CheckpointState, reason: string): CheckpointState => ({
  ...state,
  diff: {state: 'failed', reason},
});
