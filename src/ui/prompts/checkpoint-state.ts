import {
  type CheckpointChoice,
  type CheckpointChoiceId,
  choicesAt,
} from '../../machines/policies/review/checkpoint-choices.ts';
import type {CheckpointAnswer} from '../../machines/policies/review/decisions.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {markFirst, type SelectItem, selectedAfter, selectKeys, unmarked} from '../components/select.ts';
import type {ReviewComment} from '../diff/comments.ts';
import {anchorAt, commentAt, diffKeymap, diffStep} from '../diff/diff-keymap.ts';
import {type DiffOutcome, diffHelpKeymap, diffMoveKeymap, toggleNotes} from '../diff/diff-moves.ts';
import {backStep, type DiffFrame, type DiffView, newDiffView} from '../diff/diff-view.ts';
import {type EditorFrame, type EditorState, editorState, editorStep} from '../editor/editor-state.ts';
import type {KeyPress} from '../input/key-press.ts';
import type {Step} from '../input/use-stepper.ts';
import {bindingOf, type Keymap, notNow, refusalOf} from '../keymap.ts';
import {type CommentChange, type WrittenComment, writtenChange} from './comment-change.ts';

export type CheckpointState = (
  | {readonly view: 'choosing' | 'reading'}
  /** The text that goes with a choice. */
  | {readonly view: 'writing'; readonly writing: CheckpointChoice}
  | {readonly view: 'commenting'; readonly comment: WrittenComment}
) & {
  readonly choice: number;
  /** What the list of keys returns to. */
  readonly behindKeys: 'choosing' | 'reading';
  /** Kept when the user returns to the list, so nothing written is lost. */
  readonly editor: EditorState;
  /** The reason for a rejection. */
  readonly reason: EditorState;
  readonly diff: DiffView;
  readonly comments: readonly ReviewComment[];
  /** Comments sent in earlier rounds. */
  readonly sent: readonly ReviewComment[];
  readonly notice: string | null;
  /** Decided: keys typed ahead must not decide again. */
  readonly isOver: boolean;
};

export type CheckpointOutcome =
  | {readonly type: 'decide'; readonly decision: CheckpointAnswer}
  | {readonly type: 'later'}
  | CommentChange
  | Extract<DiffOutcome, {type: 'openEditor' | 'openPager'}>;

export type CheckpointFrame = {
  readonly editor: EditorFrame;
  readonly diff: DiffFrame;
  /** Why changes cannot be requested; null if they can. */
  readonly changesRefused: string | null;
  /** The choices depend on how it ended. */
  readonly run: Pick<RunRecord, 'state'>;
};

export const checkpointState = (diff: DiffView = newDiffView): CheckpointState => ({
  view: diff.isFocused ? 'reading' : 'choosing',
  choice: unmarked,
  behindKeys: 'choosing',
  editor: editorState(),
  reason: editorState(),
  diff: {...diff, notice: null},
  comments: [],
  sent: [],
  notice: diff.notice,
  isOver: false,
});

/** The choices as a list, each with its key and, if there is space, its consequence. */
export const checkpointItems = ({run, changesRefused}: ChoiceFacts, columns = 0): SelectItem[] =>
  choicesAt(run).map(({id, label, about, brief}) => {
    if (id === 'requestChanges' && changesRefused !== null)
      return {label, note: changesRefused, isDisabled: true};
    const notes = [about, brief].flatMap((each) => (each ? [`${choiceKeys[id]}  ${each}`] : []));
    const note = notes.find((each) => label.length + each.length + 5 <= columns);
    return {label, note: note ?? choiceKeys[id]};
  });

type ChoiceFacts = Pick<CheckpointFrame, 'run' | 'changesRefused'>;

const choiceKeys = {
  approve: 'y',
  approveQuit: 'Y',
  requestChanges: 'r',
  reject: 'x',
  retry: 't',
} as const satisfies Record<CheckpointChoiceId, string>;

type Stepped = Step<CheckpointState, CheckpointOutcome>;
type Run = (state: CheckpointState, key: string, frame: CheckpointFrame) => Stepped;

/** A key per choice: it only selects, and Enter decides. Writing decides nothing, so it starts at once. */
const choiceKeymap: Keymap<Run, [facts: ChoiceFacts]> = (
  Object.entries(choiceKeys) as ReadonlyArray<[CheckpointChoiceId, string]>
).map(([id, key]) => ({
  id: `checkpoint.${id}`,
  keys: [key],
  label: id,
  refusal: ({run, changesRefused}) => {
    if (!choicesAt(run).some((choice) => choice.id === id)) return notNow;
    return id === 'requestChanges' ? changesRefused : null;
  },
  run: (state, _, {run}) => {
    const choice = choicesAt(run).findIndex((each) => each.id === id);
    const found = choicesAt(run)[choice];
    const marked = {...state, choice, diff: {...state.diff, isZoomed: false}};
    if (found === undefined || found.words === 'none') return {state: {...marked, view: 'choosing'}};
    return {state: {...marked, view: 'writing', writing: found}};
  },
}));

/** The keys while choosing. */
export const checkpointKeymap: Keymap<Run, [facts: ChoiceFacts]> = [
  {
    id: 'checkpoint.move',
    keys: selectKeys,
    label: 'move',
    hint: 'first',
    shown: 4,
    run: (state, key, frame) => {
      const choice = selectedAfter(checkpointItems(frame), state.choice, key);
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
    label: 'diff',
    hint: 'first',
    short: 'diff',
    run: (state) => ({state: {...state, view: 'reading'}}),
  },
  {
    id: 'checkpoint.later',
    keys: ['escape', 'ctrl+c'],
    label: 'decide later',
    hint: 'first',
    short: 'later',
    run: (state) => {
      const diff = backStep(state.diff);
      return diff ? {state: {...state, diff}} : later(state);
    },
  },
  ...choiceKeymap,
];

/** The keys while the diff has the focus, before those of the diff itself. */
export const readingKeymap: Keymap<Run, [facts: ChoiceFacts]> = [
  {
    id: 'checkpoint.back',
    keys: ['escape', 'q', 'd'],
    label: 'decide',
    hint: 'first',
    short: 'decide',
    run: (state, key) => {
      if (showsKeys(state.diff)) return {state: leaveKeys({...state, diff: toggleNotes(state.diff, true)})};
      const diff = key === 'escape' ? backStep(state.diff) : null;
      return {state: diff ? {...state, diff} : choosing({...state, diff: {...state.diff, isZoomed: false}})};
    },
  },
  ...choiceKeymap,
];

/** Handles one key at a checkpoint. */
export function checkpointStep(before: CheckpointState, key: KeyPress, frame: CheckpointFrame): Stepped {
  if (before.isOver) return {state: before};
  const state = before.notice === null ? before : {...before, notice: null};
  // In every view this leaves the decision open.
  if (key.name === 'ctrl+c') return later(state);
  if (state.view === 'writing') return write(state, key, frame, before.notice);
  if (state.view === 'commenting') return writeComment(state, key, frame);
  if (state.diff.isSearching) return read(state, key, frame);
  const keymap = state.view === 'reading' ? readingKeymap : checkpointKeymap;
  const binding = bindingOf(keymap, key.name, frame);
  if (binding) return binding.run(state, key.name, frame);
  const reason = refusalOf(keymap, key.name, frame);
  return reason === null ? read(state, key, frame) : {state: {...state, notice: reason}};
}

/** The list of keys takes the whole space; leaving it returns to where it was opened. */
const showsKeys = ({isTold, isKeys}: DiffView): boolean => isTold && isKeys;
const leaveKeys = (state: CheckpointState): CheckpointState =>
  state.behindKeys === 'reading' ? {...state, view: 'reading'} : choosing(state);

/** Nothing is marked when the user comes back, so that Enter does not decide by a mark from before. */
const choosing = (now: CheckpointState): CheckpointState => ({...now, view: 'choosing', choice: unmarked});

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

/** Shown if the reason is empty; a second Ctrl+S omits it on purpose. */
const noReason = 'No reason is written. Ctrl+S again rejects without one.';

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
  const isOptional = writing.words === 'optional';
  // Comments may be enough.
  const isEnough = isOptional ? before === noReason : state.comments.length > 0;
  if (words !== '' || isEnough) return decide(next, writing.answer(words));
  return {state: {...next, notice: isOptional ? noReason : 'Write what should change first.'}};
}

const besideChoices = [...diffKeymap, ...diffHelpKeymap];
const alone = [...besideChoices, ...diffMoveKeymap];

/** A key of the diff, and its effect here. */
function read(state: CheckpointState, key: KeyPress, frame: CheckpointFrame): Stepped {
  const keymap = state.view === 'choosing' ? besideChoices : alone;
  const stepped = diffStep(state.diff, key, frame.diff, keymap);
  if (stepped === null) return {state};
  const {state: diff, outcome} = stepped;
  const seen = {...state, diff: {...diff, notice: null}, notice: diff.notice};
  // The diff then has the whole space, and the focus.
  const isAlone = diff.isZoomed || showsKeys(diff);
  const next = isAlone ? takeSpace(seen, state) : showsKeys(state.diff) ? leaveKeys(seen) : seen;
  if (outcome === undefined) return {state: next};
  if (outcome.type === 'comment') return {state: startComment(next)};
  if (outcome.type !== 'removeComment') return {state: next, outcome};
  const {id, file, side, line, text} = outcome.comment;
  return {
    state: {...next, notice: 'Removed. c on this line brings it back.'},
    outcome: {type: 'removeComment', id, place: {file, side, line}, text},
  };
}

/** The diff or the list of keys has the whole space now. */
function takeSpace(state: CheckpointState, before: CheckpointState): CheckpointState {
  const isOpened = showsKeys(state.diff) && !showsKeys(before.diff);
  const behindKeys = before.view === 'reading' ? 'reading' : 'choosing';
  return {...state, view: 'reading', ...(isOpened ? {behindKeys} : {})};
}

function startComment(state: CheckpointState): CheckpointState {
  const place = anchorAt(state.diff);
  if (place === null) return state;
  const known = commentAt(state.diff, state.comments);
  const comment = {place, id: known?.id ?? null, editor: editorState(known?.text ?? '')};
  return {...state, view: 'commenting', comment};
}

/** A comment that was left half-written is not one of those that are sent. */
const commentKept = 'Kept as a draft that is not sent; c on this line opens it.';

function writeComment(
  state: Extract<CheckpointState, {view: 'commenting'}>,
  key: KeyPress,
  frame: CheckpointFrame,
): Stepped {
  const {comment} = state;
  const {state: editor, outcome} = editorStep(comment.editor, key, frame.editor);
  if (outcome === undefined) return {state: {...state, comment: {...comment, editor}}};
  const back: CheckpointState = {...state, view: 'reading'};
  if (outcome.type === 'cancel') {
    const isKept = editor.buffer.text.trim() !== (commentAt(state.diff, state.comments)?.text ?? '');
    return {state: isKept ? {...back, notice: commentKept} : back};
  }
  const {id, place} = comment;
  const text = outcome.type === 'discard' ? null : outcome.text.trim();
  return {state: back, outcome: {place, ...writtenChange(id, text)}};
}

export const withComments = (
  state: CheckpointState,
  comments: readonly ReviewComment[],
  sent: readonly ReviewComment[],
): CheckpointState => ({...state, comments, sent: sent.map((each) => ({...each, isSent: true}))});
