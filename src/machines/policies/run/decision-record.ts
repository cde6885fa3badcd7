import type {RunRecord} from '../../../services/contracts/run.ts';
import type {Decision} from '../review/decisions.ts';

/** What a person said at the checkpoint. */
export function decided(run: RunRecord, decision: Decision, now: string): RunRecord {
  const {decision_feedback: _, decision_comment_ids: __, decision_id: ___, ...rest} = run;
  const resolved = {
    ...rest,
    ...lateEffect(run, decision),
    decision_state: decision.state,
    decision_resolved_at: now,
    ...(decision.id !== undefined && {decision_id: decision.id}),
    ...wordsIn(decision),
  };
  if (decision.state !== 'rejected') return resolved;
  const before = run.failure === undefined ? '' : `; it had failed: ${run.failure.message}`;
  const reason = decision.why === undefined ? '' : `: ${decision.why}`;
  const message = `rejected at the checkpoint${reason}${before}`;
  return {...resolved, state: 'failed', failure: {kind: 'rejected', message}};
}

/** An approval that was withdrawn says nothing of the files now. */
function lateEffect({side_effects: known = []}: RunRecord, decision: Decision) {
  const late = 'late' in decision && decision.late ? [decision.late] : [];
  const effects = [...known.filter(({kind}) => kind !== 'late_changes'), ...late];
  return known.length + effects.length > 0 ? {side_effects: effects} : {};
}

/** Reopens the decision; the earlier one moves to the history. */
export function undecided(run: RunRecord, now: string): RunRecord {
  const {decision_state, decision_resolved_at, decision_id: _, decision_history: earlier = [], ...rest} = run;
  const withdrawn = {decision_state, decision_resolved_at, withdrawn_at: now};
  return {...rest, decision_state: 'pending', decision_history: [...earlier, withdrawn]};
}

function wordsIn(decision: Decision): Pick<RunRecord, 'decision_feedback' | 'decision_comment_ids'> {
  if (decision.state === 'rejected')
    return decision.why === undefined ? {} : {decision_feedback: decision.why};
  if (decision.state !== 'changes_requested') return {};
  const {feedback, commentIds} = decision;
  return {decision_feedback: feedback, ...(commentIds && {decision_comment_ids: [...commentIds]})};
}
