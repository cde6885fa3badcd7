import type {PlanFact} from '../../machines/planning.ts';
import {programName} from '../../machines/policies/run/agent-program.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {messageOf} from '../../services/contracts/errors.ts';

type Turn = Extract<PlanFact, {type: 'plan.started'}>;

/** Why the planner runs, for the user. */
export function turnLine({prepared: {run}, draft, why}: Turn): string {
  const {rounds} = draft;
  return {
    start: `${kindWords[draft.kind]}  (${programName(run)})`,
    answers: 'the planner continues with your answers',
    problems: `its answer cannot be used: sent back, try ${rounds.corrections + 1}`,
    findings: `the quality gate sends it back, pass ${rounds.refinements}`,
    revision: 'the planner revises its proposal',
  }[why];
}

const kindWords = {
  generate: 'planning',
  refine: 'changing the plan',
  deps: 'looking for dependencies',
} as const;

/** For scripts. The plan itself is in the draft; the changes are listed. */
export function planData(fact: PlanFact): unknown {
  if (fact.type === 'plan.started') {
    const {prepared, draft, why} = fact;
    const {run_id, provider} = prepared.run;
    return {event: fact.type, draft_id: draft.draftId, kind: draft.kind, why, run_id, provider};
  }
  if (fact.type === 'plan.proposed') {
    const {draft, preview} = fact;
    return {event: fact.type, draft_id: draft.draftId, diff: preview.diff, findings: preview.findings};
  }
  if (fact.type === 'plan.saved') return {event: fact.type, draft_id: fact.draftId};
  const {draft, refusal} = fact.question;
  return {
    event: fact.type,
    draft_id: draft.draftId,
    questions: draft.questions,
    ...(refusal === undefined ? {} : {refusal: displayLine(messageOf(refusal))}),
  };
}
