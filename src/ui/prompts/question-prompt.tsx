import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Question} from '../../services/contracts/run.ts';
import {hintLine} from '../components/hint-line.tsx';
import {blankLine, type Line, lineOf} from '../components/lines.tsx';
import {usePromptFrame} from '../components/prompt-frame.tsx';
import {clamped} from '../components/scroll.ts';
import {wrappedSelectLines} from '../components/select.ts';
import {frameOf, readFilesFor, useFileList} from '../editor/editor.tsx';
import {editorLines} from '../editor/editor-view.ts';
import type {FileIndex} from '../editor/file-index.ts';
import {useStepper} from '../input/use-stepper.ts';
import {hintsOf} from '../keymap.ts';
import {justify} from '../text/fit.ts';
import {wrapped} from '../text/wrap.ts';
import {questionItems, questionKeymap, questionState, questionStep} from './question-state.ts';

export type QuestionPromptProps = {
  readonly task: {readonly id: string; readonly title: string};
  readonly question: Question;
  /** The position among the questions, 1-based. */
  readonly number: number;
  readonly total: number;
  /** The previous answer, if the user came back to it. */
  readonly answer?: string;
  readonly files: FileIndex;
  readonly columns: number;
  readonly rows: number;
  readonly isActive?: boolean;
  /** Each is called once; for the next question mount a new one (`key`). */
  readonly onAnswer: (value: string) => void;
  /** Called with every change of an unfinished answer. */
  readonly onDraft: (value: string) => void;
  readonly onBack: () => void;
  readonly onLater: () => void;
};

/** One question of an agent: its options, or a free text. */
export function QuestionPrompt({
  task,
  question,
  number,
  total,
  answer = '',
  files,
  columns,
  rows,
  isActive = true,
  onAnswer,
  onDraft,
  onBack,
  onLater,
}: QuestionPromptProps) {
  const list = useFileList(files);
  const {Frame, footColumns} = usePromptFrame();
  const foot = footColumns ?? columns;
  const items = questionItems(question);
  const optionLines = wrappedSelectLines(items, 0, {columns, height: Number.MAX_SAFE_INTEGER}).length;
  const choices = Math.min(optionLines, Math.max(2, Math.floor(rows / 2) - 1));
  const text = wrapped(question.prompt, columns - 2);
  const canGoBack = number > 1;
  // The question stays visible above its editor.
  const quoted = Math.min(text.length, Math.max(1, Math.floor(rows / 3)));
  const editorRows = rows - 1 - quoted;
  const height = Math.max(1, rows - 2 - choices);
  const {state} = useStepper({
    initial: () => questionState(question, answer),
    step: (before, key) => {
      if (before.view === 'writing') readFilesFor(key, files);
      return questionStep(before, key, question, {
        editor: frameOf({list: files.get(), columns, rows: editorRows}),
        prompt: {count: text.length, height},
        canGoBack,
      });
    },
    onChange: ({editor}, {editor: before}) => {
      if (editor.buffer.text !== before.buffer.text) onDraft(editor.buffer.text);
    },
    onOutcome: (outcome) => {
      if (outcome.type === 'answer') onAnswer(outcome.value);
      else if (outcome.type === 'back') onBack();
      else onLater();
    },
    isActive,
  });

  const call = ' ACTION REQUIRED ';
  const name = `  ${displayLine(task.id)}  ${displayLine(task.title)}`;
  const which = total > 1 ? `question ${number} of ${total} ` : 'question ';
  const head: Line = [
    {text: call, tone: 'warning', bold: true, inverse: true},
    {text: justify(name, which, columns - call.length), bold: true},
  ];
  if (state.view === 'writing') {
    const view = {
      columns,
      footColumns: foot,
      height: editorRows,
      list,
      notice: state.notice,
      title: 'Answer',
      placeholder: '',
    };
    const quote = text.slice(0, quoted).map((line) => lineOf(` ${line}`));
    return <Frame lines={[head, ...quote, ...editorLines(state.editor, view)].slice(0, rows)} isWriting />;
  }
  const scroll = clamped(state.prompt, text.length, height);
  const shown = text.slice(scroll.top, scroll.top + height);
  const hints = hintsOf(questionKeymap, {canGoBack, prompt: {count: text.length, height}});
  return (
    <Frame
      lines={[
        head,
        ...shown.map((line) => lineOf(` ${line}`)),
        ...(shown.length < height ? [blankLine] : []),
        ...wrappedSelectLines(items, state.choice, {columns, height: choices}),
        state.notice === null ? hintLine(hints, foot) : lineOf(` ${state.notice}`, {tone: 'warning'}),
      ]}
    />
  );
}
