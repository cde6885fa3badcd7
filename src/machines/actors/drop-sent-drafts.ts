import type {DraftKind, DraftStore, DraftText} from '../../services/contracts/draft.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {isOfParentReview, unsentPart} from '../policies/run/feedback-text.ts';
import {isUndelivered} from '../policies/run/task-runs.ts';
import {sentId} from './sent-feedback.ts';

/**
 * Removes what this run has on record from the drafts of its task. Unsent text stays: another terminal may have decided
 * while it was being typed.
 */
export async function dropSentDrafts(
  drafts: DraftStore,
  run: RunRecord,
): Promise<{/** Words of a checkpoint that was decided. */ readonly isLeft: boolean}> {
  let isLeft = false;
  // An unreadable draft is reported by the editor that opens it.
  for (const draft of await drafts.all()) {
    if (draft.taskId !== run.task_id) continue;
    const left = unsentTexts(draft.kind, run);
    const texts = draft.texts.map((text) => ({...text, text: left(text)}));
    const kept = texts.filter(({text}) => text !== '');
    const isOfCheckpoint = checkpointWords.has(draft.kind) && kept.some(({id}) => !isOfParentReview(id));
    isLeft ||= isDecided(run) && isOfCheckpoint;
    if (texts.every(({text}, place) => text === draft.texts[place]?.text)) continue;
    if (kept.length === 0) await drafts.remove(draft.kind, draft.taskId);
    else await drafts.save({...draft, texts: kept});
  }
  return {isLeft};
}

const checkpointWords: ReadonlySet<DraftKind> = new Set(['feedback', 'rejection', 'comments']);

const isDecided = ({decision_state}: RunRecord) =>
  decision_state !== undefined && decision_state !== 'pending';

/** What is left of a text of this kind. */
function unsentTexts(kind: DraftKind, run: RunRecord): (text: DraftText) => string {
  const {answers = [], feedback = '', decision_feedback = ''} = run;
  if (kind === 'answers') {
    return ({id, prompt, text}) =>
      answers.some(
        (answer) =>
          answer.id === id && (answer.prompt ?? prompt) === prompt && answer.value.trim() === text.trim(),
      )
        ? ''
        : text;
  }
  // Undelivered changes are asked for again, with the same text.
  const isOpen = run.decision_state === 'pending' || isUndelivered(run);
  if (isOpen || (kind !== 'feedback' && kind !== 'rejection')) return ({text}) => text;
  return ({id, text}) => (id === sentId ? '' : unsentPart(unsentPart(text, feedback), decision_feedback));
}
