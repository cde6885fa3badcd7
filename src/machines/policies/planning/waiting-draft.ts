import type {PlanDraft} from '../../../services/contracts/plan-draft.ts';
import {draftTaskId, isDraftTaskId, openDraftCommand} from './draft-task.ts';
import {headOf} from './plan-draft.ts';

/** What the runs of a draft are called, by the first line of what was asked for; empty where it is no draft's. */
export function planningTitle(taskId: string, drafts: readonly PlanDraft[]): string {
  if (!isDraftTaskId(taskId)) return '';
  const draft = draftOf(taskId, drafts);
  return draft ? titleOf(draft) : 'planning';
}

/** What a draft waits for; null where it is none's, its planner has to say something, or it is saved or dropped. */
export function draftWait(taskId: string, drafts: readonly PlanDraft[]): 'answer' | 'decision' | null {
  const draft = draftOf(taskId, drafts);
  const phase = draft ? headOf(draft).phase : 'generating';
  return phase === 'generating' ? null : phase === 'asking' ? 'answer' : 'decision';
}

/** Whether it is neither saved nor dropped. */
export const hasDraft = (taskId: string, drafts: readonly PlanDraft[]): boolean =>
  draftOf(taskId, drafts) !== undefined;

/** Drafts that a person has to go on with or drop, oldest first, as the needs of tasks are told. */
export const draftNeeds = (drafts: readonly PlanDraft[], isJobAtWork: boolean) =>
  drafts.flatMap((draft) => {
    const {phase, questions} = headOf(draft);
    // The job that works may be its planner's.
    if (phase === 'generating' && isJobAtWork) return [];
    const why = {
      asking: `asks: ${questions[0]?.prompt ?? ''}`,
      proposed: 'a proposal waits: save or drop it',
      generating: `${restWords(draft)}: continue or drop it`,
    }[phase];
    const command = openDraftCommand(draft.draftId);
    return [{task_id: draftTaskId(draft.draftId), title: titleOf(draft), why, command}];
  });

/** What a planner asked, as far as its draft is still there: its runs do not know. */
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

/** Why no proposal is there, of a draft that no planner works on. */
const restWords = (draft: PlanDraft): string =>
  isUnusable(draft) ? 'the answer of its planner could not be used' : 'its planner was interrupted';

/** What the planner said last was wrong, and it has not been put right. */
export const isUnusable = ({saying}: PlanDraft): boolean => saying?.type === 'problems';

const draftOf = (taskId: string, drafts: readonly PlanDraft[]) =>
  drafts.find(({draftId}) => draftTaskId(draftId) === taskId);

const titleOf = ({text}: PlanDraft) => {
  const [line = ''] = text.trim().split('\n');
  return line === '' ? 'planning' : `planning: ${line}`;
};
