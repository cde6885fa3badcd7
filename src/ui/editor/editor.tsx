import {useState, useSyncExternalStore} from 'react';
import type {OpenDraft} from '../../machines/drafts.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {usePromptFrame} from '../components/prompt-frame.tsx';
import type {KeyPress} from '../input/key-press.ts';
import {useStepper} from '../input/use-stepper.ts';
import {
  type EditorFrame,
  type EditorOutcome,
  type EditorState,
  editorState,
  editorStep,
  withDraft,
} from './editor-state.ts';
import {editorLines, margin, textHeight} from './editor-view.ts';
import type {FileIndex, FileList} from './file-index.ts';
import {useDraft} from './use-draft.ts';

export type EditorProps = {
  readonly title: string;
  readonly placeholder?: string;
  /** What ctrl+s does with the text if it does not send it. */
  readonly submits?: 'save';
  readonly initialText?: string;
  readonly files: FileIndex;
  readonly columns: number;
  /** The total height: title, text, file list, hints. */
  readonly rows: number;
  /** Where the text is kept; called once, when the editor opens. */
  readonly openDraft: () => OpenDraft;
  readonly onSubmit: (text: string, draft: OpenDraft) => void;
  /** The text is kept as a draft; `isKept` if there is one. */
  readonly onCancel: (isKept: boolean, draft: OpenDraft) => void;
  readonly onDiscard: () => void;
  /** What Ctrl+C does, in a panel; the text is kept as a draft. */
  readonly onInterrupt?: () => void;
  readonly isActive?: boolean;
};

/** A multi-line text with `@` file references. */
export function Editor({
  title,
  placeholder = '',
  submits,
  initialText = '',
  files,
  columns,
  rows,
  openDraft,
  onSubmit,
  onCancel,
  onDiscard,
  onInterrupt,
  isActive = true,
}: EditorProps) {
  const {Frame, footColumns} = usePromptFrame();
  const list = useFileList(files);
  const [draft] = useState(openDraft);
  const stepper = useStepper<EditorState, EditorOutcome | {readonly type: 'interrupt'}>({
    initial: () => editorState(initialText),
    step: (before, key) => {
      if (onInterrupt && key.name === 'ctrl+c') return {state: before, outcome: {type: 'interrupt'}};
      readFilesFor(key, files);
      return editorStep(before, key, frameOf({list: files.get(), columns, rows}));
    },
    onChange: ({buffer}, before) => {
      if (buffer.text !== before.buffer.text) draft.change(buffer.text);
    },
    onOutcome: (outcome) => {
      if (outcome.type === 'submit') onSubmit(outcome.text, draft);
      else if (outcome.type === 'cancel') onCancel(stepper.state.buffer.text !== initialText, draft);
      else if (outcome.type === 'interrupt') onInterrupt?.();
      else {
        void draft.drop();
        onDiscard();
      }
    },
    isActive,
  });
  const {state} = stepper;
  useDraft(draft, stepper, {
    restored: (now, recalled) => withDraft(now, recalled, initialText),
    textOf: ({buffer}) => buffer.text,
    initialText,
  });
  const view = {
    columns,
    footColumns: footColumns ?? columns,
    height: rows,
    title,
    placeholder,
    list,
    notice: unkeptNotice(draft),
    ...(submits && {submits}),
  };
  return <Frame lines={editorLines(state, view)} isWriting />;
}

/** Shown if a draft cannot be stored; null if it is. */
export function unkeptNotice(draft: OpenDraft): string | null {
  const problem = draft.problem();
  return problem === null ? null : unkeptWords(problem);
}

export const unkeptWords = (problem: string) => `This text cannot be kept: ${displayLine(problem)}`;

/** Read with the first key, so that they are there when `@` is typed; retried after a failure. */
export function readFilesFor(key: KeyPress, files: FileIndex): void {
  if (files.get().state === 'unread' || key.name === '@') files.load();
}

export const useFileList = (files: FileIndex): FileList => useSyncExternalStore(files.subscribe, files.get);

export function frameOf({
  list,
  columns,
  rows,
}: {
  readonly list: FileList;
  readonly columns: number;
  readonly rows: number;
}): EditorFrame {
  return {
    columns: columns - margin,
    height: textHeight({height: rows}),
    files: list.state === 'ready' ? list.files : null,
  };
}
