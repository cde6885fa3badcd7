import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {EditedField} from '../../machines/tui.machine.ts';
import type {Task} from '../../services/contracts/plan.ts';
import {Editor} from '../editor/editor.tsx';
import {useTui, useTuiState} from '../tui-context.tsx';
import {ChoiceDialog} from './choice-dialog.tsx';
import type {DialogSize} from './dialog-view.tsx';

const fields: ReadonlyArray<readonly [EditedField, string]> = [
  ['title', 'Title'],
  ['description', 'Description'],
  ['acceptanceCriteria', 'Acceptance criteria, one on each line'],
  ['prompt', 'Prompt'],
  ['notes', 'Notes'],
];

export function AddDialog({
  parentId,
  index,
  draft,
  columns,
  rows,
}: DialogSize & {readonly parentId: string | null; readonly index: number; readonly draft?: string}) {
  const {answers, files} = useTui();
  return (
    <Editor
      files={files}
      columns={columns}
      rows={rows}
      title={parentId === null ? 'New task' : `New task under ${displayLine(parentId)}`}
      initialText={displayText(draft ?? '')}
      placeholder="The first line is its title, what follows describes it."
      onSubmit={(text) => answers.add(text, {parentId, index})}
      onCancel={answers.close}
    />
  );
}

/** Which part of a task is to be changed. */
export function FieldsDialog({
  taskId,
  name,
  columns,
  rows,
}: DialogSize & {readonly taskId: string; readonly name: string}) {
  const {answers, send} = useTui();
  const [, {plan}] = useTuiState();
  const task = plan?.items.get(taskId);
  return (
    <ChoiceDialog
      columns={columns}
      rows={rows}
      title={`Edit ${name}`}
      items={fields.map(([field, label]) => ({label, note: excerpt(task, field)}))}
      onChoose={(index) => {
        const field = fields[index]?.[0];
        if (field) send({type: 'dialog.open', dialog: {type: 'edit', taskId, field}});
      }}
      onCancel={answers.close}
    />
  );
}

export function EditDialog({
  taskId,
  field,
  draft,
  name,
  columns,
  rows,
}: DialogSize & {
  readonly taskId: string;
  readonly field: EditedField;
  readonly draft?: string;
  readonly name: string;
}) {
  const {answers, files, send} = useTui();
  const [, {plan}] = useTuiState();
  const label = fields.find(([each]) => each === field)?.[1] ?? field;
  return (
    <Editor
      files={files}
      columns={columns}
      rows={rows}
      title={`${label} · ${name}`}
      // What cannot be seen cannot be edited, and must not reach the terminal.
      initialText={displayText(draft ?? textOf(plan?.items.get(taskId), field))}
      onSubmit={(text) => answers.edit(taskId, field, text)}
      onCancel={() => send({type: 'dialog.open', dialog: {type: 'fields', taskId}})}
    />
  );
}

function textOf(task: Task | undefined, field: EditedField): string {
  if (!task) return '';
  return field === 'acceptanceCriteria' ? task.acceptanceCriteria.join('\n') : (task[field] ?? '');
}

const excerpt = (task: Task | undefined, field: EditedField): string =>
  displayLine(textOf(task, field).slice(0, 400)) || '(empty)';
