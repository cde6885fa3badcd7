import type {RunRecord} from '../../../services/contracts/run.ts';
import {decisionWords} from '../review/checkpoint-choices.ts';
import {compareTimestamps} from '../text/timestamps.ts';

/** What an open prompt asks about. */
export type Asking = 'questions' | 'checkpoint';

/**
 * What to show when an open prompt was answered in another terminal; null while it is still open. A record read before
 * the prompt opened may arrive after it and is ignored.
 */
export function answeredElsewhereText(
  asking: Asking,
  asked: RunRecord,
  now: RunRecord | undefined,
): string | null {
  if (now === undefined || !isLater(asked, now) || isStillAsked(asking, asked, now)) return null;
  if (asking === 'questions') return `${now.task_id} was answered in another terminal`;
  const {decision_state = 'pending'} = now.run_id === asked.run_id ? now : asked;
  const words = decision_state === 'pending' ? '' : `: ${decisionWords[decision_state]}`;
  return `${now.task_id} was decided in another terminal${words}`;
}

const isLater = (asked: RunRecord, now: RunRecord): boolean =>
  compareTimestamps(now.updated_at, asked.updated_at) > 0 || now.segments.length > asked.segments.length;

function isStillAsked(asking: Asking, asked: RunRecord, now: RunRecord): boolean {
  if (now.run_id !== asked.run_id) return false;
  if (asking === 'checkpoint') return now.decision_state === asked.decision_state;
  return now.state === asked.state && now.segments.length === asked.segments.length;
}
