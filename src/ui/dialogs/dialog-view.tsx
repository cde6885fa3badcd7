import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Dialog} from '../../machines/tui-dialogs.ts';
import {settings} from '../../services/contracts/config.ts';
import {ConfirmDialog} from '../components/confirm-dialog.tsx';
import type {JobView} from '../model/facts.ts';
import {useTui, useTuiState} from '../tui-context.tsx';
import {AgentDialog} from './agent-dialog.tsx';
import {CheckpointDialog, FeedbackDialog} from './decision-dialogs.tsx';
import type {DialogSize} from './dialog-size.ts';
import {AddDialog, EditDialog, FieldsDialog} from './edit-dialogs.tsx';
import {MessageDialog} from './message-dialog.tsx';
import {
  PlanDraftsDialog,
  PlanFieldDialog,
  PlanFieldsDialog,
  PlanQuestionsDialog,
  PlanReviseDialog,
  PlanWishDialog,
  PlanWorkDialog,
} from './plan-dialogs.tsx';
import {PlanReviewDialog} from './plan-review-dialog.tsx';
import {QuestionsDialog} from './questions-dialog.tsx';
import {SessionCleanDialog, SessionKillDialog, SessionNewDialog} from './session-dialogs.tsx';
import {SettingChoice, SettingDialog} from './setting-dialog.tsx';
import {DeleteDialog, DepsDialog, MoveDialog, StatusDialog} from './task-dialogs.tsx';

/** The open dialog. Each knows what it asks; `answers` handles the result. */
export function DialogView({dialog, ...size}: DialogSize & {readonly dialog: Dialog}) {
  const {answers} = useTui();
  const [{data, job}, {plan, isBusy}] = useTuiState();
  const task = 'taskId' in dialog ? plan?.items.get(dialog.taskId ?? '') : undefined;
  const name = task ? `${displayLine(task.id)}  ${displayLine(task.title)}` : '';
  switch (dialog.type) {
    case 'message':
      return <MessageDialog {...size} {...dialog} />;
    case 'quit':
      return (
        <ConfirmDialog
          {...size}
          {...quitWords(isBusy, job)}
          cancelLabel="Stay"
          onConfirm={answers.quit}
          onCancel={answers.close}
        />
      );
    case 'restart': {
      const run = data?.runs.get(dialog.taskId);
      return (
        <ConfirmDialog
          {...size}
          title={`Restart ${name}?`}
          message={`A new agent begins from scratch, in a new session. Run ${run?.run_id ?? ''} (${run?.state ?? ''}) stays in the history, and its changes stay in the files.`}
          confirmLabel="Restart"
          onConfirm={() => answers.restart(dialog.taskId)}
          onCancel={answers.close}
        />
      );
    }
    case 'undo':
      return (
        <ConfirmDialog
          {...size}
          title={dialog.isForced ? `Undo ${name} by force?` : `Undo ${name}?`}
          isForced={dialog.isForced}
          message={[...dialog.lines, undoWords(dialog.isForced)].join('\n')}
          confirmLabel={dialog.isForced ? 'Undo by force' : 'Undo'}
          onConfirm={() => answers.undo(dialog.taskId, dialog.isForced)}
          onCancel={answers.close}
        />
      );
    case 'delete':
      return <DeleteDialog {...size} taskId={dialog.taskId} name={name} />;
    case 'status':
      return <StatusDialog {...size} taskId={dialog.taskId} name={name} />;
    case 'add':
      return <AddDialog {...size} {...dialog} />;
    case 'fields':
      return <FieldsDialog {...size} {...dialog} name={name} />;
    case 'edit':
      return <EditDialog {...size} {...dialog} name={name} />;
    case 'deps':
      return <DepsDialog {...size} taskId={dialog.taskId} name={name} />;
    case 'move':
      return <MoveDialog {...size} taskId={dialog.taskId} name={name} />;
    case 'questions':
      return <QuestionsDialog {...size} taskId={dialog.taskId} />;
    case 'sessionNew':
      return <SessionNewDialog {...size} {...dialog} />;
    case 'sessionKill':
      return <SessionKillDialog {...size} id={dialog.id} />;
    case 'sessionClean':
      return <SessionCleanDialog {...size} id={dialog.id} force={dialog.force} />;
    case 'planWish':
      return <PlanWishDialog {...size} kind={dialog.kind} taskId={dialog.taskId} />;
    case 'planDrafts':
      return <PlanDraftsDialog {...size} />;
    case 'planWork':
      return <PlanWorkDialog {...size} />;
    case 'planQuestions':
      return <PlanQuestionsDialog {...size} />;
    case 'planReview':
      return <PlanReviewDialog {...size} />;
    case 'planRevise':
      return <PlanReviseDialog {...size} />;
    case 'planFields':
      return <PlanFieldsDialog {...size} taskId={dialog.taskId} />;
    case 'planField':
      return <PlanFieldDialog {...size} taskId={dialog.taskId} field={dialog.field} />;
    case 'agent':
      return <AgentDialog {...size} />;
    case 'setting':
      return settings[dialog.key].type === 'choice' ? (
        <SettingChoice {...size} layer={dialog.layer} settingKey={dialog.key} />
      ) : (
        <SettingDialog {...size} layer={dialog.layer} settingKey={dialog.key} />
      );
    case 'checkpoint':
      return <CheckpointDialog {...size} taskId={dialog.taskId} />;
    case 'feedback':
      return <FeedbackDialog {...size} taskId={dialog.taskId} />;
  }
}

/** The job may end while the question is open. */
function quitWords(isBusy: boolean, job: JobView | null) {
  if (!isBusy) return {title: 'The job has ended', message: 'Nothing is running now.', confirmLabel: 'Quit'};
  if (job?.wait)
    return {
      title: 'A task waits for its time',
      message: 'It stays paused. The next execute continues it when its time has come.',
      confirmLabel: 'Quit',
    };
  return {
    title: 'A task is running',
    message: 'It is paused first, and can be resumed later.',
    confirmLabel: 'Pause and quit',
  };
}

const undoWords = (isForced: boolean) =>
  isForced
    ? 'By force, files in conflict get what they had before the task; undoing the undo brings the edits back.'
    : 'What was edited since stays. The task is todo again; U then names the command that brings it back.';
