import {useSyncExternalStore} from 'react';
import {Lines} from '../components/lines.tsx';
import type {KeyPress} from '../input/key-press.ts';
import {useStepper} from '../input/use-stepper.ts';
import {type EditorFrame, editorState, editorStep} from './editor-state.ts';
import {editorLines, margin, textHeight} from './editor-view.ts';
import type {FileIndex, FileList} from './file-index.ts';

export type EditorProps = {
  readonly title: string;
  readonly placeholder?: string;
  readonly initialText?: string;
  readonly files: FileIndex;
  readonly columns: number;
  /** All of it: title, text, list of files, hints. */
  readonly rows: number;
  readonly onSubmit: (text: string) => void;
  /** With the text as it is, so that it can be offered again. */
  readonly onCancel: (text: string) => void;
  readonly isActive?: boolean;
};

/** A text of several lines with `@` file references. */
export function Editor({
  title,
  placeholder = '',
  initialText = '',
  files,
  columns,
  rows,
  onSubmit,
  onCancel,
  isActive = true,
}: EditorProps) {
  const list = useFileList(files);
  const {state} = useStepper({
    initial: () => editorState(initialText),
    step: (before, key) => {
      readFilesFor(key, files);
      return editorStep(before, key, frameOf({list: files.get(), columns, rows}));
    },
    onOutcome: (outcome) => {
      if (outcome.type === 'submit') onSubmit(outcome.text);
      else onCancel(state.buffer.text);
    },
    isActive,
  });
  const view = {columns, height: rows, title, placeholder, list, notice: null};
  return <Lines lines={editorLines(state, view)} />;
}

/** Read with the first key, so that they are there when `@` is typed; a failure is tried again then. */
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
