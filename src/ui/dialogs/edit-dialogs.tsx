import {useState} from 'react';
import {fieldText} from '../../machines/policies/plan/plan-conflict.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {EditedField} from '../../machines/tui-dialogs.ts';
import type {Task} from '../../services/contracts/plan.ts';
import {Editor} from '../editor/editor.tsx';
import {useTui, useTuiState} from '../tui-context.tsx';
import {ChoiceDialog} from './choice-dialog.tsx';
import type {DialogSize} from './dialog-size.ts';

const fieldNames: ReadonlyArray<readonly [EditedField, string]> = [
  ['title', 'Title'],
  ['description', 'Description'],
  ['acceptanceCriteria', 'Acceptance criteria, one on each line'],
  ['prompt', 'Prompt'],
  ['verify', 'Checks: commands that must succeed, one on each line'],
  ['notes', 'Notes'],
];

export function AddDialog({
  parentId,
  index,
  columns,
  rows,
}: DialogSize & {readonly parentId: string | null; readonly index: number}) {
  const {answers, drafts, files} = useTui();
  return (
    <Editor
      files={files}
      columns={columns}
      rows={rows}
      title={parentId === null ? 'New task' : `New task under ${displayLine(parentId)}`}
      placeholder="The first line is its title, what follows describes it."
      submits="save"
      openDraft={() =>
        drafts.open({kind: 'new-task', taskId: parentId ?? '', runId: '', id: 'task', prompt: ''})
      }
      onSubmit={(text, draft) => answers.add(text, {parentId, index}, draft)}
      onCancel={answers.leaveEditor}
      onDiscard={answers.close}
    />
  );
}

/** Which field of a task to change. */
export function FieldsDialog({
  taskId,
  field: last,
  name,
  columns,
  rows,
}: DialogSize & {readonly taskId: string; readonly field?: EditedField; readonly name: string}) {
  const {answers, send} = useTui();
  const [, {plan}] = useTuiState();
  const task = plan?.items.get(taskId);
  return (
    <ChoiceDialog
      columns={columns}
      rows={rows}
      title={`Edit ${name}`}
      items={fieldNames.map(([field, label]) => ({label, note: excerpt(task, field)}))}
      initialIndex={Math.max(
        0,
        fieldNames.findIndex(([field]) => field === last),
      )}
      onChoose={(index) => {
        const field = fieldNames[index]?.[0];
        if (field) send({type: 'dialog.open', dialog: {type: 'edit', taskId, field}});
      }}
      onCancel={answers.close}
    />
  );
}

export function EditDialog({
  taskId,
  field,
  seen,
  name,
  columns,
  rows,
}: DialogSize & {
  readonly taskId: string;
  readonly field: EditedField;
  readonly seen?: string;
  readonly name: string;
}) {
  const {answers, drafts, files, send} = useTui();
  const [, {plan}] = useTuiState();
  // The value when the editor opened; a later change is not what was edited.
  const [value] = useState(() => textOf(plan?.items.get(taskId), field));
  const fieldsOf = () => send({type: 'dialog.open', dialog: {type: 'fields', taskId, field}});
  const label = fieldNames.find(([each]) => each === field)?.[1] ?? field;
  return (
    <Editor
      files={files}
      columns={columns}
      rows={rows}
      title={`${label} · ${name}`}
      // Invisible characters cannot be edited and must not reach the terminal.
      initialText={displayText(value)}
      submits="save"
      openDraft={() => drafts.open({kind: 'edits', taskId, runId: '', id: field, prompt: value})}
      onSubmit={(text, draft) => answers.edit({taskId, field, text, seen: seen ?? draft.prompt(), draft})}
      onCancel={fieldsOf}
      onDiscard={fieldsOf}
    />
  );
}

function textOf(task: Task | undefined, field: EditedField): string {
  return task ? fieldText(task, field) : '';
}

const excerpt = (task: Task | undefined, field: EditedField): string =>
  displayLine(textOf(task, field).slice(0, 400)) || '(empty)';
