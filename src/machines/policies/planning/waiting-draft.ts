import type {PlanDraft} from '../../../services/contracts/plan-draft.ts';
import {draftTaskId, isDraftTaskId, openDraftCommand} from './draft-task.ts';
import {headOf} from './plan-draft.ts';

/** The title of a draft's runs: the first line of the request; empty if the task id is not a draft's. */
export function planningTitle(taskId: string, drafts: readonly PlanDraft[]): string {
  if (!isDraftTaskId(taskId)) return '';
  const draft = draftOf(taskId, drafts);
  return draft ? titleOf(draft) : 'planning';
}

/** What a draft waits for; null if it is not a draft, its planner is next, or it was saved or dropped. */
export function draftWait(taskId: string, drafts: readonly PlanDraft[]): 'answer' | 'decision' | null {
  const draft = draftOf(taskId, drafts);
  const phase = draft ? headOf(draft).phase : 'generating';
  return phase === 'generating' ? null : phase === 'asking' ? 'answer' : 'decision';
}

/** Whether the draft is neither saved nor dropped. */
export const hasDraft = (taskId: string, drafts: readonly PlanDraft[]): boolean =>
  draftOf(taskId, drafts) !== undefined;

/** Drafts that the user has to continue or drop, oldest first, in the same form as needs of tasks. */
export const draftNeeds = (drafts: readonly PlanDraft[], isJobAtWork: boolean) =>
  drafts.flatMap((draft) => {
    const {phase, questions} = headOf(draft);
    // The running job may be its planner.
    if (phase === 'generating' && isJobAtWork) return [];
    const why = {
      asking: `asks: ${questions[0]?.prompt ?? ''}`,
      proposed: 'a proposal waits: save or drop it',
      generating: `${restWords(draft)}: continue or drop it`,
    }[phase];
    const command = openDraftCommand(draft.draftId);
    return [{task_id: draftTaskId(draft.draftId), title: titleOf(draft), why, command}];
  });

/** A planner's questions, as long as its draft exists: its runs do not have them. */
export function askedByPlanner(
  taskId: string,
  drafts: readonly PlanDraft[],
): Array<{readonly prompt: string; readonly answer: string | null}> {
  const {answers = [], questions = []} = draftOf(taskId, drafts) ?? {};
  return [
    ...answers.map(({prompt = '', value}) => ({prompt, answer: value})),
    ...questions.map(({prompt}) => ({prompt, answer: null})),
  ];
}

/** Why a draft without a running planner has no proposal. */
const restWords = (draft: PlanDraft): string =>
  isUnusable(draft) ? "its planner's answer could not be used" : 'its planner has proposed nothing yet';

/** The planner's last answer was invalid and has not been corrected. */
export const isUnusable = ({saying}: PlanDraft): boolean => saying?.type === 'problems';

const draftOf = (taskId: string, drafts: readonly PlanDraft[]) =>
  drafts.find(({draftId}) => draftTaskId(draftId) === taskId);

const titleOf = ({text}: PlanDraft) => {
  const [line = ''] = text.trim().split('\n');
  return line === '' ? 'planning' : `planning: ${line}`;
};
