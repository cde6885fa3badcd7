import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Question} from '../../services/contracts/run.ts';
import {atTop, pageDown, pageUp, type Scroll, type ScrollRoom} from '../components/scroll.ts';
import {type SelectItem, selectedAfter, selectKeys, unmarked} from '../components/select.ts';
import {type EditorFrame, type EditorState, editorState, editorStep} from '../editor/editor-state.ts';
import type {KeyPress} from '../input/key-press.ts';
import type {Step} from '../input/use-stepper.ts';
import {bindingOf, type Keymap, notNow} from '../keymap.ts';

export type QuestionState = {
  readonly view: 'choosing' | 'writing';
  readonly choice: number;
  /** The visible part of a long question. */
  readonly prompt: Scroll;
  readonly editor: EditorState;
  readonly notice: string | null;
  readonly isOver: boolean;
};

export type QuestionOutcome =
  | {readonly type: 'answer'; readonly value: string}
  | {readonly type: 'back'}
  | {readonly type: 'later'};

export type QuestionFrame = {
  readonly editor: EditorFrame;
  readonly prompt: ScrollRoom;
  /** There is a previous question. */
  readonly canGoBack: boolean;
};

/** A question without options opens the editor at once. */
export function questionState({options = []}: Question, answer: string): QuestionState {
  const place = options.indexOf(answer);
  const isOwn = answer !== '' && place < 0;
  return {
    view: options.length === 0 ? 'writing' : 'choosing',
    choice: place >= 0 ? place : isOwn ? options.length : unmarked,
    prompt: atTop,
    editor: editorState(isOwn ? answer : ''),
    notice: null,
    isOver: false,
  };
}

const numberKeys = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

export const questionItems = ({options = []}: Question): SelectItem[] =>
  [...options.map(displayLine), 'Another answer…'].map((label, index) => ({
    label,
    mark: numberKeys[index] ?? ' ',
  }));

const markAnswerFirst = 'Select an answer first: its number, ↑ ↓ or j k, then enter.';

type Stepped = Step<QuestionState, QuestionOutcome>;
type Run = (state: QuestionState, key: string, question: Question, frame: QuestionFrame) => Stepped;
type Facts = [frame: Pick<QuestionFrame, 'canGoBack' | 'prompt'>];

/** The keys while choosing. */
export const questionKeymap: Keymap<Run, Facts> = [
  {
    id: 'question.move',
    keys: selectKeys,
    label: 'move',
    hint: 'first',
    shown: 4,
    run: (state, key, question) => {
      const index = selectedAfter(questionItems(question), state.choice, key);
      return {state: {...state, choice: index ?? state.choice}};
    },
  },
  {
    id: 'question.number',
    keys: numberKeys,
    label: 'mark',
    // A digit only selects its option; Enter confirms it.
    run: (state, key, question) => {
      const index = Number(key) - 1;
      return {state: index < questionItems(question).length ? {...state, choice: index} : state};
    },
  },
  {
    id: 'question.choose',
    keys: ['enter'],
    label: 'choose',
    hint: 'first',
    short: 'choose',
    run: (state, _, {options}) => {
      if (state.choice === unmarked) return {state: {...state, notice: markAnswerFirst}};
      const option = options?.[state.choice];
      if (option === undefined) return {state: {...state, view: 'writing'}};
      return over(state, {type: 'answer', value: option});
    },
  },
  {
    id: 'question.back',
    keys: ['escape'],
    label: 'previous question',
    hint: 'first',
    short: 'back',
    refusal: ({canGoBack}) => (canGoBack ? null : notNow),
    run: (state) => over(state, {type: 'back'}),
  },
  {
    id: 'question.later',
    keys: ['escape', 'ctrl+c'],
    label: 'answer later',
    hint: 'first',
    short: 'later',
    run: (state) => over(state, {type: 'later'}),
  },
  {
    id: 'question.scroll',
    keys: ['pageup', 'pagedown'],
    label: 'scroll',
    hint: 'first',
    shown: 2,
    refusal: ({prompt}) => (prompt.count > prompt.height ? null : notNow),
    run: (state, key, _, frame) => {
      const page = key === 'pageup' ? pageUp : pageDown;
      return {state: {...state, prompt: page(state.prompt, frame.prompt)}};
    },
  },
];

/** Handles one key at a question. */
export function questionStep(
  before: QuestionState,
  key: KeyPress,
  question: Question,
  frame: QuestionFrame,
): Stepped {
  if (before.isOver) return {state: before};
  const state = before.notice === null ? before : {...before, notice: null};
  // In every view this leaves the question open.
  if (key.name === 'ctrl+c') return over(state, {type: 'later'});
  if (state.view === 'writing') return write(state, key, question, frame);
  return bindingOf(questionKeymap, key.name, frame)?.run(state, key.name, question, frame) ?? {state};
}

function write(state: QuestionState, key: KeyPress, {options = []}: Question, frame: QuestionFrame): Stepped {
  const {state: editor, outcome} = editorStep(state.editor, key, frame.editor);
  const next = {...state, editor};
  if (outcome === undefined) return {state: next};
  if (outcome.type === 'cancel') {
    if (options.length > 0) return {state: {...next, view: 'choosing'}};
    return over(next, {type: frame.canGoBack ? 'back' : 'later'});
  }
  if (outcome.type === 'discard') {
    return {state: {...next, editor: editorState(), ...(options.length > 0 ? {view: 'choosing'} : {})}};
  }
  const value = outcome.text.trim();
  if (value === '') return {state: {...next, notice: 'Write an answer first.'}};
  return over(next, {type: 'answer', value});
}

function over(state: QuestionState, outcome: QuestionOutcome): Stepped {
  return {state: {...state, isOver: true}, outcome};
}
