import {useState} from 'react';
import {checkpointSlot} from '../../machines/drafts.ts';
import {changesObstacle} from '../../machines/policies/run/changes-obstacle.ts';
import {parentReviewText} from '../../machines/policies/run/feedback-text.ts';
import {taskObstacle} from '../../machines/policies/run/task-options.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import {viewFor} from '../diff/diff-view.ts';
import {Editor} from '../editor/editor.tsx';
import {decisionOn} from '../model/facts.ts';
import {taskFactsOf} from '../model/task-facts.ts';
import {CheckpointPrompt} from '../prompts/checkpoint-prompt.tsx';
import {ParentReviewNotice} from '../prompts/parent-review-notice.tsx';
import {useTui, useTuiState} from '../tui-context.tsx';
import type {DialogSize} from './dialog-size.ts';
import {TaskDeleted} from './task-deleted.tsx';

/** A run at its checkpoint: its change, and the decision. */
export function CheckpointDialog({taskId, ...size}: DialogSize & {readonly taskId: string}) {
  const {answers, drafts, files, ports, patch, get} = useTui();
  const [state, {plan}] = useTuiState();
  const asked = decisionOn(state, taskId);
  const run = asked?.run ?? state.data?.runs.get(taskId);
  const planned = plan?.items.get(taskId);
  const task = planned ?? asked?.task;
  if (!run || !task) return <TaskDeleted {...size} />;
  const place = state.data?.place;
  const changesRefused = asked ? asked.obstacle : place ? changesObstacle(run, place) : null;
  return (
    <CheckpointPrompt
      // Another question needs a fresh prompt, even for the same run.
      key={`${run.run_id} ${asked === null}`}
      {...size}
      task={task}
      run={run}
      files={files}
      loadDiff={() => ports.diff(run)}
      changesRefused={changesRefused}
      comments={ports.comments}
      editorRefused={ports.programs.editorRefused}
      openDraft={(words, place) => drafts.open(checkpointSlot(run, words, place))}
      diff={viewFor(state.diffs, run)}
      onDiff={(diff) => patch({diffs: new Map(get().diffs).set(run.run_id, diff)})}
      onProgram={(program) => patch({handover: {type: 'program', program}})}
      onDecide={(made) => answers.decide(taskId, made)}
      onLater={() => answers.decideLater(taskId)}
    />
  );
}

/** A parent review sent tasks back: they are run again or left as they are. */
export function FeedbackDialog({taskId: asked, ...size}: DialogSize & {readonly taskId: string}) {
  const {answers, drafts, files} = useTui();
  const [editing, setEditing] = useState<string | null>(null);
  const [state, {plan}] = useTuiState();
  const {data} = state;
  const pending = [...(data?.pendingFeedback.values() ?? [])];
  // The task it was opened for may have been removed from the list.
  const [parentId] = useState(pending.find(({childTaskId}) => childTaskId === asked)?.parentTaskId ?? '');
  const titleOf = (id: string) => plan?.items.get(id)?.title ?? '';
  const canResume = (id: string) => {
    const task = plan?.items.get(id);
    const facts = plan && task ? taskFactsOf(state, plan, task) : null;
    return facts !== null && taskObstacle(facts, 'resume') === null;
  };
  const sentBack = pending
    .filter(({parentTaskId}) => parentTaskId === parentId)
    .map(({childTaskId: id, feedback}) => ({id, title: titleOf(id), feedback, canResume: canResume(id)}));
  const ids = sentBack.map(({id}) => id);
  const edited = pending.find(({childTaskId}) => childTaskId === editing);
  if (edited) {
    return (
      <Editor
        {...size}
        files={files}
        title={`Feedback for ${displayLine(edited.childTaskId)}`}
        initialText={displayText(edited.feedback)}
        submits="save"
        openDraft={() =>
          drafts.open({
            kind: 'feedback',
            taskId: edited.childTaskId,
            runId: edited.reviewRunId,
            id: parentReviewText(edited.reviewRunId),
            prompt: '',
          })
        }
        onSubmit={(text, draft) => {
          setEditing(null);
          answers.editFeedback(edited.childTaskId, text, draft);
        }}
        onCancel={() => setEditing(null)}
        onDiscard={() => setEditing(null)}
        onInterrupt={answers.close}
      />
    );
  }
  return (
    <ParentReviewNotice
      // Removing or editing a task needs a fresh notice.
      key={JSON.stringify(sentBack)}
      {...size}
      parent={{id: parentId, title: titleOf(parentId)}}
      sentBack={sentBack}
      onChoose={(choice) => {
        if (choice === 'resume') answers.resumeSentBack(ids.filter(canResume));
        else if (choice === 'dismiss') answers.dismiss(ids);
        else if (choice === 'later') answers.close();
        else if (choice.type === 'edit') setEditing(choice.taskId);
        else answers.leaveOut(choice.taskId, ids.length === 1);
      }}
    />
  );
}
