import {remarksOf} from '../../machines/policies/review/review-remarks.ts';
import {
  checkOutputCommand,
  checkTail,
  checkWords,
  isPassed,
  lastChecks,
  roundWords,
} from '../../machines/policies/run/check-words.ts';
import {commitWords} from '../../machines/policies/run/commit-message.ts';
import {failedCheck} from '../../machines/policies/run/verification.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Verification} from '../../services/contracts/verification.ts';

/** Details of a run that fit in no column. */
export function runNotes(run: RunRecord): string[] {
  const checks = lastChecks(run).map(checkWords).join('  ');
  const rows = [...(checks === '' ? [] : [['checks', checks] as const]), ...reviewRows(run)];
  return [
    ...rows.map(([label, text]) => `${run.run_id}  ${label}: ${displayLine(text)}`),
    ...(run.commit ? [`${run.run_id}  ${commitWords(run.commit)}`] : []),
    ...failedTail(run).map((line) => `    ${line}`),
  ];
}

/** The last output of a check that still fails, and where all of it is. */
function failedTail(run: RunRecord): string[] {
  const check = run.superseded_by_run_id === undefined ? failedCheck(run) : null;
  const lines = check === null ? [] : checkTail(check);
  return lines.length === 0 ? [] : [...lines, `all of it: ${displayLine(checkOutputCommand(run.task_id))}`];
}

export function reviewRows(run: RunRecord): ReadonlyArray<readonly [label: string, text: string]> {
  const remarks = remarksOf(run);
  const isInterrupted =
    run.run_type === 'review' && run.state === 'paused' && run.superseded_by_run_id === undefined;
  return [
    ...(remarks === '' ? [] : [['remark', remarks] as const]),
    ...(isInterrupted ? [['review', 'it is not resumed but started again: blackbird execute'] as const] : []),
    ...(run.parent_review_edited ?? []).map(
      ({task_id, edited_at, edited_by, feedback}) =>
        ['edited', `${task_id}, ${edited_at}${edited_by && ` by ${edited_by}`}: ${feedback}`] as const,
    ),
    ...(run.parent_review_dismissed ?? []).map(
      ({task_id, dismissed_at, dismissed_by}) =>
        ['dismissed', `${task_id}, ${dismissed_at}${dismissed_by && ` by ${dismissed_by}`}`] as const,
    ),
  ];
}

/** Every check, with what it ran on and where its full output is. */
export function checkRows({verify = [], verifications = [], check, checks_due}: RunRecord): string[][] {
  return [
    ...verifications.map((each) => [
      'check',
      [
        checkWords(each),
        roundWords(each.round),
        each.log_file,
        digestWords(each),
        each.tree && `tree ${each.tree}`,
      ]
        .filter(Boolean)
        .join(', '),
    ]),
    ...(check ? [['check', `${check.command}  since ${check.started_at}, pid ${check.pid}`]] : []),
    ...(checks_due && !check ? [['checks due', verify.join('  ')]] : []),
  ];
}

const digestWords = ({log_digest, log_truncated}: Verification) =>
  log_digest === '' ? '' : `sha256 ${log_digest}${log_truncated ? ' (log incomplete)' : ''}`;

export const failedOutputs = ({verifications = []}: RunRecord) =>
  verifications
    .filter((each) => !isPassed(each))
    .map((each) => [`Check ${displayLine(each.command)}`, each.tail] as const);

export const commitText = ({sha, branch, skipped}: NonNullable<RunRecord['commit']>) =>
  sha === undefined ? `none: ${skipped}` : `${sha}${branch === undefined ? '' : ` on ${branch}`}`;
