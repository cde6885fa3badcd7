import {type CheckpointChoice, choicesAt} from '../../machines/policies/review/checkpoint-choices.ts';
import type {CheckpointAnswer} from '../../machines/policies/review/decisions.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {atTop, pageDown, pageUp, type Scroll, type ScrollRoom} from '../components/scroll.ts';
import {type SelectItem, selectedAfter, selectKeys, unmarked} from '../components/select.ts';
import {type EditorFrame, type EditorState, editorState, editorStep} from '../editor/editor-state.ts';
import type {KeyPress} from '../input/key-press.ts';
import type {Step} from '../input/use-stepper.ts';
import {bindingOf, type Keymap, notNow} from '../keymap.ts';
import {type DiffView, diffStep, diffView, emptyDiff} from './diff-view.ts';

export type CheckpointState = (
  | {readonly view: 'choosing' | 'reading'}
  /** The words that go with a choice. */
  | {readonly view: 'writing'; readonly writing: CheckpointChoice}
) & {
  readonly choice: number;
  /** What is seen of the summary where it is longer than its room. */
  readonly summary: Scroll;
  /** Kept when one goes back to the list, so nothing written is lost. */
  readonly editor: EditorState;
  /** Why it is rejected. */
  readonly reason: EditorState;
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
  | {readonly type: 'decide'; readonly decision: CheckpointAnswer}
  | {readonly type: 'later'}
  | {readonly type: 'loadDiff'};

export type CheckpointFrame = {
  readonly editor: EditorFrame;
  readonly summary: ScrollRoom;
  readonly diffHeight: number;
  /** Why changes cannot be asked for; null when they can. */
  readonly changesRefused: string | null;
  /** What can be chosen depends on how it ended. */
  readonly run: Pick<RunRecord, 'state'>;
};

export const checkpointState = (): CheckpointState => ({
  view: 'choosing',
  choice: unmarked,
  summary: atTop,
  editor: editorState(),
  reason: editorState(),
  diff: {state: 'unread'},
  notice: null,
  isOver: false,
});

/** The choices as a list. */
export const checkpointItems = (run: Pick<RunRecord, 'state'>, changesRefused: string | null): SelectItem[] =>
  choicesAt(run).map(({id, label}) =>
    id === 'requestChanges' && changesRefused !== null
      ? {label, note: changesRefused, isDisabled: true}
      : {label},
  );

/** Said where Enter comes before anything is marked. */
export const markFirst = 'Mark a choice first: ↑ ↓ or j k, then enter.';

type Stepped = Step<CheckpointState, CheckpointOutcome>;
type Run = (state: CheckpointState, key: string, frame: CheckpointFrame) => Stepped;

/** The keys while one chooses. Scrolling is refused where the whole summary is seen. */
export const checkpointKeymap: Keymap<Run, [summary: ScrollRoom]> = [
  {
    id: 'checkpoint.move',
    keys: selectKeys,
    label: 'move',
    hint: 'first',
    shown: 4,
    run: (state, key, {run, changesRefused}) => {
      const choice = selectedAfter(checkpointItems(run, changesRefused), state.choice, key);
      return {state: {...state, choice: choice ?? state.choice}};
    },
  },
  {
    id: 'checkpoint.choose',
    keys: ['enter'],
    label: 'choose',
    hint: 'first',
    short: 'choose',
    run: (state, _, {run}) => choose(state, run),
  },
  {
    id: 'checkpoint.diff',
    keys: ['d'],
    label: 'full diff',
    hint: 'first',
    short: 'diff',
    run: (state) => openDiff(state),
  },
  {
    id: 'checkpoint.later',
    keys: ['ctrl+c'],
    label: 'decide later',
    hint: 'first',
    short: 'later',
    run: (state) => later(state),
  },
  {
    id: 'checkpoint.summary',
    keys: ['pageup', 'pagedown'],
    label: 'scroll',
    hint: 'first',
    shown: 2,
    refusal: ({count, height}) => (count > height ? null : notNow),
    run: (state, key, frame) => {
      const page = key === 'pageup' ? pageUp : pageDown;
      return {state: {...state, summary: page(state.summary, frame.summary)}};
    },
  },
];

/** One key at a checkpoint. */
export function checkpointStep(before: CheckpointState, key: KeyPress, frame: CheckpointFrame): Stepped {
  if (before.isOver) return {state: before};
  const state = before.notice === null ? before : {...before, notice: null};
  // Whatever is seen, it leaves the decision open.
  if (key.name === 'ctrl+c') return later(state);
  if (state.view === 'writing') return write(state, key, frame, before.notice);
  if (state.view === 'reading') return {state: read(state, key, frame)};
  return bindingOf(checkpointKeymap, key.name, frame.summary)?.run(state, key.name, frame) ?? {state};
}

function later(state: CheckpointState): Stepped {
  return {state: {...state, isOver: true}, outcome: {type: 'later'}};
}

function choose(state: CheckpointState, run: Pick<RunRecord, 'state'>): Stepped {
  const choice = choicesAt(run)[state.choice];
  if (choice === undefined) return {state: {...state, notice: markFirst}};
  if (choice.words === 'none') return decide(state, choice.answer(''));
  return {state: {...state, view: 'writing', writing: choice}};
}

function decide(state: CheckpointState, decision: CheckpointAnswer): Stepped {
  return {state: {...state, isOver: true}, outcome: {type: 'decide', decision}};
}

/** Said where a reason is left out; saying it again leaves it out on purpose. */
export const noReason = 'No reason is written. Ctrl+S again rejects without one.';

function write(
  state: Extract<CheckpointState, {view: 'writing'}>,
  key: KeyPress,
  frame: CheckpointFrame,
  before: string | null,
): Stepped {
  const {writing} = state;
  const field = writing.words === 'required' ? 'editor' : 'reason';
  const {state: editor, outcome} = editorStep(state[field], key, frame.editor);
  const next = {...state, [field]: editor};
  if (outcome === undefined) return {state: next};
  if (outcome.type === 'cancel') return {state: {...next, view: 'choosing'}};
  if (outcome.type === 'discard') return {state: {...next, view: 'choosing', [field]: editorState()}};
  const words = outcome.text.trim();
  if (words !== '' || (writing.words === 'optional' && before === noReason))
    return decide(next, writing.answer(words));
  const notice = writing.words === 'optional' ? noReason : 'Write what should change first.';
  return {state: {...next, notice}};
}

function openDiff(state: CheckpointState): Stepped {
  const next: CheckpointState = {...state, view: 'reading'};
  if (state.diff.state === 'ready' || state.diff.state === 'loading') return {state: next};
  return {state: {...next, diff: {state: 'loading'}}, outcome: {type: 'loadDiff'}};
}

function read(state: CheckpointState, key: KeyPress, {diffHeight}: CheckpointFrame): CheckpointState {
  const {diff} = state;
  const view = diffStep(diff.state === 'ready' ? diff.view : emptyDiff, key.name, diffHeight);
  if (view === null) return {...state, view: 'choosing'};
  return diff.state === 'ready' ? {...state, diff: {...diff, view}} : state;
}

export const withDiff = (state: CheckpointState, patch: string): CheckpointState => ({
  ...state,
  diff: {state: 'ready', view: diffView(patch)},
});

export const withoutDiff = (state: CheckpointState, reason: string): CheckpointState => ({
  ...state,
  diff: {state: 'failed', reason},
});
