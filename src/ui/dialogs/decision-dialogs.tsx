import {checkpointSlot} from '../../machines/drafts.ts';
import {Lines, lineOf} from '../components/lines.tsx';
import {decisionOn} from '../model/facts.ts';
import {CheckpointPrompt} from '../prompts/checkpoint-prompt.tsx';
import {ParentReviewNotice} from '../prompts/parent-review-notice.tsx';
import {useTui, useTuiState} from '../tui-context.tsx';
import type {DialogSize} from './dialog-view.tsx';

/** A run at its checkpoint: what it changed, and the decision. */
export function CheckpointDialog({taskId, ...size}: DialogSize & {readonly taskId: string}) {
  const {answers, drafts, files, ports, patch, get} = useTui();
  const [state, {plan}] = useTuiState();
  const asked = decisionOn(state, taskId);
  const run = asked?.run ?? state.data?.runs.get(taskId);
  const planned = plan?.items.get(taskId);
  const task = planned ?? asked?.task;
  if (!run || !task) return <Lines lines={[lineOf(' the task is gone')]} />;
  const kept = state.diffs.get(run.run_id);
  const hasSession = run.resumable && run.provider_session_ref !== '';
  return (
    <CheckpointPrompt
      // Another question is another prompt, even about the same run.
      key={`${run.run_id} ${asked === null}`}
      {...size}
      task={task}
      run={run}
      files={files}
      loadDiff={() => ports.diff(run)}
      changesRefused={asked ? asked.obstacle : hasSession ? null : 'it has no session to go on with'}
      comments={ports.comments}
      editorRefused={ports.programs.editorRefused}
      openDraft={(words, place) => drafts.open(checkpointSlot(run, words, place))}
      {...(kept ? {diff: kept} : {})}
      onDiff={(diff) => patch({diffs: new Map(get().diffs).set(run.run_id, diff)})}
      onProgram={(program) => patch({handover: {type: 'program', program}})}
      onDecide={(made) => answers.decide(taskId, made)}
      onLater={() => answers.decideLater(taskId)}
    />
  );
}

/** A parent review sent tasks back: they go to work again, or stay as they are. */
export function FeedbackDialog({taskId, ...size}: DialogSize & {readonly taskId: string}) {
  const {answers} = useTui();
  const [{data}, {plan}] = useTuiState();
  const pending = [...(data?.pendingFeedback.values() ?? [])];
  const parentId = pending.find(({childTaskId}) => childTaskId === taskId)?.parentTaskId ?? '';
  const titleOf = (id: string) => plan?.items.get(id)?.title ?? '';
  const sentBack = pending
    .filter(({parentTaskId}) => parentTaskId === parentId)
    .map(({childTaskId: id, feedback}) => ({id, title: titleOf(id), feedback}));
  const ids = sentBack.map(({id}) => id);
  return (
    <ParentReviewNotice
      {...size}
      parent={{id: parentId, title: titleOf(parentId)}}
      sentBack={sentBack}
      onChoose={(choice) => {
        if (choice === 'resume') answers.resumeSentBack(ids);
        else if (choice === 'dismiss') answers.dismiss(ids);
        else answers.close();
      }}
    />
  );
}
