import type {Question} from '../../../services/contracts/run.ts';
import type {JobSummary} from '../job/job-end.ts';
import type {JobResult} from '../job/job-steps.ts';
import {waitCause} from '../job/wait-lines.ts';
import {loginSteps} from '../run/failure-steps.ts';
import {heldUpWords, isTimeNeeded, stepLines} from '../run/failure-table.ts';
import {displayLine} from '../text/display-text.ts';
import {nearTime} from '../text/durations.ts';
import {answerCommand, openDraftCommand} from './draft-task.ts';
import type {PlanData} from './plan-job.ts';
import type {PlanOutput} from './plan-steps.ts';

type PlanEnding = Pick<JobSummary, 'headline' | 'lines' | 'standing' | 'retryAt'>;

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
  return {reason, ...endingOf(output, isPauseAsked), plan};
}

/** With its id, for `--answer id=text`. */
function questionLine({id, prompt, options = []}: Question): string {
  const choice = options.length === 0 ? '' : ` (${options.join(', ')})`;
  return `  ${displayLine(`${id}: ${prompt}${choice}`)}`;
}

function endingOf(output: PlanOutput, isPauseAsked: boolean): PlanEnding {
  const {outcome, draft, run, wait, reading} = output;
  const open = openDraftCommand(draft?.draftId ?? '');
  const say = (
    standing: PlanEnding['standing'],
    headline: string,
    ...more: readonly string[]
  ): PlanEnding => ({
    headline,
    lines: [headline, ...more],
    standing,
  });
  // Ctrl+C at a question pauses, as everywhere else.
  const needed = isPauseAsked ? 'paused' : 'personNeeded';
  switch (outcome) {
    case 'saved':
      return say('done', 'The plan is saved.', 'See what would run with: blackbird execute --dry-run');
    case 'dropped':
      return say('done', 'Dropped. The plan is unchanged.');
    case 'unanswered':
      return say(
        needed,
        'The planner waits for your answers.',
        ...(draft?.questions ?? []).map(questionLine),
        `Answer with: ${displayLine(answerCommand(draft?.draftId ?? '', draft?.questions ?? []))}`,
      );
    case 'undecided': {
      const blocking = reading?.blocking ?? 0;
      const why = blocking > 0 ? ` ${blocking} blocking ${blocking === 1 ? 'finding' : 'findings'}.` : '';
      return say(
        needed,
        `The proposal is kept as a draft; the plan is unchanged.${why}`,
        `Decide with: ${open}`,
        // Without a terminal, opening the draft again would not help.
        ...(blocking === 0 ? [`Save it without being asked: ${open} --yes`] : []),
      );
    }
    case 'paused': {
      const held = run && !isPauseAsked ? heldUpWords(run) : null;
      if (held === null && wait && !isPauseAsked) {
        const why = `${waitCause(wait)} (${wait.provider})`;
        const until = `The planner cannot continue before ${nearTime(wait.until, wait.foundAt)}: ${why}.`;
        return {...say('timeNeeded', until, `Continue after that time with: ${open}`), retryAt: wait.until};
      }
      if (held === null || run === null)
        return say('paused', 'Paused. The draft is kept; the plan is unchanged.', `Continue with: ${open}`);
      const isTime = isTimeNeeded(run);
      const next = stepLines([...loginSteps(run), {command: open, why: 'continue in the same session'}]);
      const retry = isTime && run.retry_at !== undefined ? {retryAt: run.retry_at} : {};
      return {
        ...say(isTime ? 'timeNeeded' : 'personNeeded', `The planner is paused: ${held}.`, ...next),
        ...retry,
      };
    }
    case 'failed':
      return say(
        'failed',
        `The planner failed: ${displayLine(run?.failure?.message ?? 'it said nothing')}`,
        `The draft is kept. Try again with: ${open}`,
      );
    case 'unusable':
      return say(
        'failed',
        'The planner never gave a usable answer; the plan is unchanged.',
        ...(reading?.problems ?? []).slice(0, 10).map((problem) => `  ${displayLine(problem)}`),
        `The draft is kept. Try again with: ${open}`,
      );
    case 'error':
      return say('failed', 'It could not be done.');
  }
}
