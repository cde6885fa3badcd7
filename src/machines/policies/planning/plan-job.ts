import type {Question} from '../../../services/contracts/run.ts';
import type {JobResult, JobRules, JobStep} from '../job/job-steps.ts';
import type {JobSummary} from '../job/job-summary.ts';
import type {StopReason} from '../job/stop-reason.ts';
import {waitCause} from '../job/wait-lines.ts';
import {heldUpWords, isTimeNeeded, loginSteps, stepLines} from '../run/failure-table.ts';
import {displayLine} from '../text/display-text.ts';
import {dayAndTime} from '../text/durations.ts';
import type {PlanRequest} from './plan-draft.ts';
import type {PlanGenerationInput, PlanOutput} from './plan-steps.ts';

/** A change of the plan that an agent proposes. `isAccepted`: what nothing blocks is saved without a question. */
export type PlanStep = {readonly type: 'plan'; readonly request: PlanRequest; readonly isAccepted?: boolean};

export function planInput(step: JobStep | undefined, rules: JobRules): PlanGenerationInput {
  if (step?.type !== 'plan') throw new Error('The next step is not a change of the plan');
  const {provider, explicitProvider, graceMilliseconds, stallMilliseconds, patience, wishes} = rules;
  return {
    request: step.request,
    provider,
    explicitProvider,
    graceMilliseconds,
    stallMilliseconds,
    patience,
    ...(wishes && {wishes}),
    maxRefinements: rules.maxRefinements,
    isAttended: rules.isAttended,
    isAccepted: step.isAccepted ?? false,
  };
}

export const planStopReason = {
  saved: null,
  dropped: null,
  unanswered: 'waiting_user',
  undecided: 'decision_required',
  paused: 'paused',
  failed: 'failed',
  unusable: 'failed',
  error: 'error',
} as const satisfies Record<PlanOutput['outcome'], StopReason | null>;

/** What a script is told of it. */
export type PlanData = {
  readonly outcome: PlanOutput['outcome'];
  readonly draft_id?: string;
  /** What the planner waits to be told, where it asks. */
  readonly questions?: readonly Question[];
};

type Said = Pick<JobSummary, 'headline' | 'lines' | 'standing' | 'retryAt'>;

/** How the work on a plan ended; null for any other job. */
export function planSummary({steps, reason, isPauseAsked}: JobResult): JobSummary | null {
  const last = steps.at(-1);
  if (last?.type !== 'plan') return null;
  const {output} = last;
  const id = output.draft?.draftId;
  const questions = output.outcome === 'unanswered' ? output.draft?.questions : undefined;
  const plan: PlanData = {
    outcome: output.outcome,
    ...(id !== undefined && {draft_id: id}),
    ...(questions && {questions}),
  };
  return {reason, ...saidOf(output, isPauseAsked), plan};
}

/** With its id, for `--answer id=text`. */
function questionLine({id, prompt, options = []}: Question): string {
  const choice = options.length === 0 ? '' : ` (${options.join(', ')})`;
  return `  ${displayLine(`${id}: ${prompt}${choice}`)}`;
}

function saidOf(output: PlanOutput, isPauseAsked: boolean): Said {
  const {outcome, draft, run, wait, reading} = output;
  const open = `blackbird plan drafts open ${draft?.draftId ?? ''}`;
  const say = (standing: Said['standing'], headline: string, ...more: readonly string[]): Said => ({
    headline,
    lines: [headline, ...more],
    standing,
  });
  // Whoever presses Ctrl+C at a question pauses it, as anywhere.
  const needed = isPauseAsked ? 'paused' : 'personNeeded';
  switch (outcome) {
    case 'saved':
      return say('done', 'The plan is saved.');
    case 'dropped':
      return say('done', 'Dropped. The plan is as it was.');
    case 'unanswered':
      return say(
        needed,
        'The planner waits for your answers.',
        ...(draft?.questions ?? []).map(questionLine),
        `Answer with: ${open}`,
      );
    case 'undecided': {
      const blocking = reading?.blocking ?? 0;
      const why = blocking > 0 ? ` ${blocking} blocking ${blocking === 1 ? 'finding' : 'findings'}.` : '';
      return say(
        needed,
        `The proposal is kept as a draft; the plan is as it was.${why}`,
        `Decide with: ${open}`,
      );
    }
    case 'paused': {
      const held = run && !isPauseAsked ? heldUpWords(run) : null;
      if (held === null && wait && !isPauseAsked) {
        const why = `${waitCause(wait)} (${wait.provider})`;
        const until = `The planner cannot go on before ${dayAndTime(wait.until)}: ${why}.`;
        return {...say('timeNeeded', until, `Go on after that time with: ${open}`), retryAt: wait.until};
      }
      if (held === null || run === null)
        return say('paused', 'Paused. The draft is kept; the plan is as it was.', `Go on with: ${open}`);
      const isTime = isTimeNeeded(run);
      const next = stepLines([...loginSteps(run), {command: open, why: 'go on in the same session'}]);
      const retry = isTime && run.retry_at !== undefined ? {retryAt: run.retry_at} : {};
      return {
        ...say(isTime ? 'timeNeeded' : 'personNeeded', `The planner rests: ${held}.`, ...next),
        ...retry,
      };
    }
    case 'failed':
      return say(
        'failed',
        `The planner failed: ${displayLine(run?.failure?.message ?? 'without a word')}`,
        `The draft is kept. Try again with: ${open}`,
      );
    case 'unusable':
      return say(
        'failed',
        'The planner never gave an answer that can be used; the plan is as it was.',
        ...(reading?.problems ?? []).slice(0, 10).map((problem) => `  ${displayLine(problem)}`),
        `The draft is kept. Try again with: ${open}`,
      );
    case 'error':
      return say('failed', 'It could not be done.');
  }
}
