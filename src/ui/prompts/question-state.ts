import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Question} from '../../services/contracts/run.ts';
import {atTop, type Scroll, scrolled} from '../components/scroll.ts';
import {type SelectItem, selectedAfter} from '../components/select.ts';
import {type EditorFrame, type EditorState, editorState, editorStep} from '../editor/editor-state.ts';
import type {KeyPress} from '../input/key-press.ts';
import type {Step} from '../input/use-stepper.ts';
import type {Keymap} from '../keymap.ts';

export type QuestionState = {
  readonly view: 'choosing' | 'writing';
  readonly choice: number;
  /** What is seen of a long question. */
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
  readonly prompt: {readonly count: number; readonly height: number};
  /** There is a question before this one. */
  readonly canGoBack: boolean;
};

export const questionKeymap: Keymap<`question.${'move' | 'choose' | 'scroll' | 'back' | 'later'}`> = [
  {keys: ['up', 'down', 'j', 'k'], label: 'move', command: 'question.move', hint: 'always', shown: 4},
  {keys: ['enter'], label: 'choose', command: 'question.choose', hint: 'always', short: 'choose'},
  {keys: ['ctrl+c'], label: 'answer later', command: 'question.later', hint: 'always', short: 'later'},
  {keys: ['escape'], label: 'previous question', command: 'question.back', hint: 'always', short: 'back'},
  {keys: ['pageup', 'pagedown'], label: 'scroll', command: 'question.scroll', hint: 'always', shown: 2},
];

/** A question without options is answered in the editor at once. */
export function questionState({options = []}: Question, answer: string): QuestionState {
  const place = options.indexOf(answer);
  const isOwn = answer !== '' && place < 0;
  return {
    view: options.length === 0 ? 'writing' : 'choosing',
    choice: place >= 0 ? place : isOwn ? options.length : 0,
    prompt: atTop,
    editor: editorState(isOwn ? answer : ''),
    notice: null,
    isOver: false,
  };
}

export const questionItems = ({options = []}: Question): SelectItem[] => [
  ...options.map((option) => ({label: displayLine(option)})),
  {label: 'Another answer…'},
];

type Stepped = Step<QuestionState, QuestionOutcome>;

/** One key at a question. */
export function questionStep(
  before: QuestionState,
  key: KeyPress,
  question: Question,
  frame: QuestionFrame,
): Stepped {
  if (before.isOver) return {state: before};
  const state = before.notice === null ? before : {...before, notice: null};
  if (key.name === 'ctrl+c') return over(state, {type: 'later'});
  if (state.view === 'writing') return write(state, key, question, frame);
  const items = questionItems(question);
  if (key.name === 'escape') return frame.canGoBack ? over(state, {type: 'back'}) : {state};
  if (key.name === 'pageup' || key.name === 'pagedown') return scroll(state, key.name, frame);
  if (key.name === 'enter') {
    const option = question.options?.[state.choice];
    if (option === undefined) return {state: {...state, view: 'writing'}};
    return over(state, {type: 'answer', value: option});
  }
  const index = numbered(key.name, items.length) ?? selectedAfter(items, state.choice, key.name);
  return {state: index === null ? state : {...state, choice: index}};
}

/** A digit marks its option; Enter still has to say so. */
function numbered(key: string, count: number): number | null {
  const number = /^[1-9]$/.test(key) ? Number(key) : 0;
  return number > 0 && number <= count ? number - 1 : null;
}

function scroll(state: QuestionState, key: 'pageup' | 'pagedown', frame: QuestionFrame): Stepped {
  const command = key === 'pageup' ? 'scroll.pageUp' : 'scroll.pageDown';
  return {state: {...state, prompt: scrolled(state.prompt, command, frame.prompt)}};
}

function write(state: QuestionState, key: KeyPress, {options = []}: Question, frame: QuestionFrame): Stepped {
  const {state: editor, outcome} = editorStep(state.editor, key, frame.editor);
  const next = {...state, editor};
  if (outcome === undefined) return {state: next};
  if (outcome.type === 'cancel') {
    if (options.length > 0) return {state: {...next, view: 'choosing'}};
    return frame.canGoBack ? over(next, {type: 'back'}) : {state: next};
  }
  const value = outcome.text.trim();
  if (value === '') return {state: {...next, notice: 'Write an answer first.'}};
  return over(next, {type: 'answer', value});
}

const over = (state: QuestionState, outcome: QuestionOutcome): Stepped => ({
  state: {...state, isOver: true},
  outcome,
});
