import type {RunRecord} from '../../services/contracts/run.ts';
import {type DiffFrame, type DiffView, viewFor} from '../diff/diff-view.ts';
import {bodyFrame, type Review} from '../diff/review-body.ts';
import type {Facts, TuiState} from './facts.ts';
import {detailColumns} from './layout.ts';
import {isUndone} from './task-state.ts';

/** The review that the Diff tab shows and its layout; null if it shows none. */
export function diffReview(
  state: TuiState,
  facts: Facts,
): (Review & {readonly runId: string; readonly frame: DiffFrame}) | null {
  const {task, shownRun: run} = facts;
  if (facts.screen !== 'plan' || state.browse.tab !== 'diff' || !task || !run) return null;
  const view: DiffView = viewFor(state.diffs, run);
  const comments = state.detail?.type === 'diff' && view.content !== null ? state.detail.comments : [];
  const below = view.content?.sideEffects;
  const shown = below ? {...run, side_effects: [...below]} : run;
  const subject = {task, run: shown, isUndone: isUndone(run, facts.run)};
  const review = {subject, view, comments};
  const frame: DiffFrame = {
    ...bodyFrame(review, {columns: detailColumns(facts), rows: facts.layout.paneRows}),
    editorRefused: state.editorRefused,
    commentRefused: commentRefused(run),
  };
  return {...review, runId: run.run_id, frame};
}

function commentRefused({run_type, decision_state}: RunRecord): string | null {
  if (run_type === 'review') return 'comment on the tasks below it, at their checkpoints';
  return decision_state === 'pending' ? null : 'comments are for a task at its checkpoint';
}
