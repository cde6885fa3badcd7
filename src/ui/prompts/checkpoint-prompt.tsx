import {useState} from 'react';
import type {CheckpointWords, OpenDraft} from '../../machines/drafts.ts';
import type {CheckpointAnswer} from '../../machines/policies/review/decisions.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {usePromptFrame} from '../components/prompt-frame.tsx';
import {frameOf, readFilesFor, unkeptNotice, useFileList} from '../editor/editor.tsx';
import {withDraft} from '../editor/editor-state.ts';
import {editorLines} from '../editor/editor-view.ts';
import type {FileIndex} from '../editor/file-index.ts';
import {useDraft} from '../editor/use-draft.ts';
import {useStepper} from '../input/use-stepper.ts';
import {checkpointState, checkpointStep, withDiff, withoutDiff} from './checkpoint-state.ts';
import {choosingLines, diffHeight, readingLines, summaryHeight} from './checkpoint-view.ts';
import {reviewLines} from './review-lines.ts';

export type CheckpointPromptProps = {
  readonly task: {readonly id: string; readonly title: string};
  /** The run that is over; what it changed is told by its `review_summary`. */
  readonly run: RunRecord;
  readonly files: FileIndex;
  /** The whole change as a patch. */
  readonly loadDiff: () => Promise<string>;
  /** Why changes cannot be asked for (no session to go on with); the choice is shown, and said why. */
  readonly changesRefused?: string | null;
  /** Where feedback, or a reason, is kept while it is written. */
  readonly openDraft: (words: CheckpointWords) => OpenDraft;
  readonly columns: number;
  /** Never more lines than this are shown. */
  readonly rows: number;
  readonly isActive?: boolean;
  /** Called once. To ask again, mount the prompt anew. */
  readonly onDecide: (decision: CheckpointAnswer) => void;
  readonly onLater: () => void;
};

/** The decision after a task, for the command line and the terminal UI alike. */
export function CheckpointPrompt({
  task,
  run,
  files,
  loadDiff,
  changesRefused = null,
  openDraft,
  columns,
  rows,
  isActive = true,
  onDecide,
  onLater,
}: CheckpointPromptProps) {
  const list = useFileList(files);
  const {Frame, footColumns} = usePromptFrame();
  const room = {columns, rows, footColumns: footColumns ?? columns};
  const summary = reviewLines(run, columns);
  const [draft] = useState(() => openDraft('feedback'));
  const [reason] = useState(() => openDraft('rejection'));
  const stepper = useStepper({
    initial: checkpointState,
    step: (before, key) => {
      if (before.view === 'writing') readFilesFor(key, files);
      return checkpointStep(before, key, {
        editor: frameOf({list: files.get(), columns, rows}),
        summary: {count: summary.length, height: summaryHeight({columns, rows})},
        diffHeight: diffHeight(rows),
        changesRefused,
        run,
      });
    },
    onChange: (next, before) => {
      const [text, why] = [next.editor.buffer.text, next.reason.buffer.text];
      if (text !== before.editor.buffer.text) draft.change(text);
      if (why !== before.reason.buffer.text) reason.change(why);
    },
    onOutcome: (outcome) => {
      if (outcome.type === 'decide') onDecide(outcome.decision);
      else if (outcome.type === 'later') onLater();
      else {
        loadDiff().then(
          (patch) => update((now) => withDiff(now, patch)),
          (error: unknown) => update((now) => withoutDiff(now, messageOf(error))),
        );
      }
    },
    isActive,
  });

  const {state, update} = stepper;
  useDraft(draft, stepper, {
    restored: (now, recalled) => ({...now, editor: withDraft(now.editor, recalled, '')}),
    textOf: ({editor}) => editor.buffer.text,
  });
  useDraft(reason, stepper, {
    restored: (now, recalled) => ({...now, reason: withDraft(now.reason, recalled, '')}),
    textOf: ({reason: {buffer}}) => buffer.text,
  });

  const subject = {task, run};
  if (state.view === 'reading') return <Frame lines={readingLines(state.diff, subject, room)} />;
  if (state.view !== 'writing') {
    return <Frame lines={choosingLines(state, subject, summary, {...room, changesRefused})} />;
  }
  const {label, words} = state.writing;
  const view = {
    columns,
    footColumns: room.footColumns,
    height: rows,
    list,
    notice: state.notice ?? unkeptNotice(words === 'required' ? draft : reason),
    title: `${label}  ${task.id}`,
    placeholder:
      words === 'required'
        ? 'What should be different? @ names a file.'
        : 'Why? A later attempt is told. The files stay as they are.',
  };
  return <Frame lines={editorLines(words === 'required' ? state.editor : state.reason, view)} isWriting />;
}
