import {fromPromise} from 'xstate';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {checkReviewAnswer, type ReviewAnswer} from '../policies/review/check-review-answer.ts';
import {pendingFeedback} from '../policies/review/parent-feedback.ts';
import {completeParents, reviewedTasks} from '../policies/review/parent-review.ts';
import {applyRunStep} from '../policies/run/run-record.ts';
import type {RunStep} from '../policies/run/run-step.ts';
import {completionsBelow} from './readable-runs.ts';

/** The result of a review. */
export type ReviewVerdict =
  | {readonly type: 'passed'; readonly run: RunRecord}
  | {readonly type: 'sentBack'; readonly run: RunRecord; readonly pending: readonly PendingFeedback[]}
  /** Its agent failed, or its answer was invalid. */
  | {readonly type: 'broken'; readonly run: RunRecord};

/** `overrun`: its time limit in minutes, if it was stopped for that. */
export type SettleReviewInput = {readonly run: RunRecord; readonly overrun: number | null};

/** Checks the answer of a review, then updates record, feedback and plan. */
export function defineSettleReviewActor(
  services: Pick<Services, 'plans' | 'runs' | 'feedback' | 'digest' | 'now'>,
  onSettled: (verdict: ReviewVerdict) => void,
) {
  const fail = async (run: RunRecord, message: string): Promise<ReviewVerdict> => {
    const verdict = {outcome: 'failed', failure: {kind: 'agent_error', message}} as const;
    return {type: 'broken', run: await record(services, run, {type: 'ended', verdict, isContinued: false})};
  };
  const settle = async ({run, overrun}: SettleReviewInput): Promise<ReviewVerdict> => {
    if (overrun !== null) {
      const time = overrun === 1 ? 'a minute' : `${overrun} minutes`;
      return fail(run, `the review took longer than ${time} (execution.reviewMinutes)`);
    }
    if (run.state !== 'succeeded') return {type: 'broken', run};
    const plan = await services.plans.read();
    const parent = plan.items.get(run.task_id);
    const ids = parent ? reviewedTasks(plan, parent).map(({id}) => id) : [];
    const checked = checkReviewAnswer(run.result ?? '', ids);
    if ('problem' in checked) return fail(run, `the answer of the review cannot be used: ${checked.problem}`);
    return checked.answer.passed
      ? pass(services, run, checked.answer)
      : sendBack(services, run, checked.answer);
  };
  return fromPromise<ReviewVerdict, SettleReviewInput>(async ({input}) => {
    const verdict = await settle(input);
    onSettled(verdict);
    return verdict;
  });
}

type Stores = Parameters<typeof defineSettleReviewActor>[0];

/** The record first: from it, the next start knows that the parent passed. */
async function pass(stores: Stores, run: RunRecord, answer: ReviewAnswer): Promise<ReviewVerdict> {
  const recorded = await record(stores, run, {type: 'judged', answer});
  const plan = await stores.plans.read();
  const parent = plan.items.get(run.task_id);
  // Work that was repeated meanwhile needs another review.
  const isSame =
    parent &&
    (await completionsBelow(stores, plan, parent)).signature === run.parent_review_completion_signature;
  if (isSame) await stores.plans.update((current) => completeParents(current, [parent.id], stores.now()));
  return {type: 'passed', run: recorded};
}

/**
 * The feedback first: a record that says "sent back" without feedback means that the user dismissed it. A crash in
 * between leaves a review without a verdict, which is repeated.
 */
async function sendBack(stores: Stores, run: RunRecord, answer: ReviewAnswer): Promise<ReviewVerdict> {
  const pending = pendingFeedback(answer, run, stores.now());
  for (const each of pending) await stores.feedback.save(each);
  return {type: 'sentBack', run: await record(stores, run, {type: 'judged', answer}), pending};
}

function record({runs, now}: Stores, run: RunRecord, step: RunStep): Promise<RunRecord> {
  return runs.update(run.task_id, run.run_id, (current) => applyRunStep(current, step, now()));
}
