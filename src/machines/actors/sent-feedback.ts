import type {Draft} from '../../services/contracts/draft.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {containsText, joinTexts} from '../policies/run/feedback-text.ts';

/** Feedback sent to a run; stored beside the text in the editor of its checkpoint. */
export const sentId = 'sent';

type Sent = Pick<RunRecord, 'task_id' | 'run_id' | 'feedback'>;

const keyOf = ({task_id, run_id}: Sent) => ({kind: 'feedback', taskId: task_id, runId: run_id}) as const;

/**
 * Saved before the job that delivers it, so that neither it nor earlier feedback is lost if the job does not get that
 * far.
 */
export async function keepSentFeedback(
  {drafts, now}: Pick<Services, 'drafts' | 'now'>,
  run: Sent,
  text: string,
): Promise<void> {
  const draft = await drafts.read(keyOf(run));
  const earlier = undeliveredIn(draft, run);
  const texts = (draft?.texts ?? []).filter(({id}) => id !== sentId);
  await drafts.save({
    schemaVersion: 1,
    ...keyOf(run),
    texts: [...texts, {id: sentId, prompt: run.run_id, text: joinTexts(earlier ?? '', text)}],
    updatedAt: now(),
  });
}

/** Feedback sent to this run that is not on its record, or null. */
export async function sentFeedback(
  {drafts}: Pick<Services, 'drafts'>,
  run: RunRecord | null,
): Promise<string | null> {
  return run && undeliveredIn(await drafts.read(keyOf(run)), run);
}

function undeliveredIn(draft: Draft | null, run: Sent): string | null {
  const sent = draft?.texts.find(({id}) => id === sentId);
  // Earlier versions did not name the run here; their draft does.
  if (!sent || (sent.prompt || draft?.runId) !== run.run_id) return null;
  return containsText(run.feedback ?? '', sent.text) ? null : sent.text;
}
