import {fromPromise} from 'xstate';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {setStatus} from '../policies/plan/plan-status.ts';
import {isNothing, type TakenBack, withTakenBack} from '../policies/review/effect-words.ts';
import {leaveParents, parentsBefore} from '../policies/review/parent-review.ts';
import {takeBackEdits} from '../policies/review/plan-take-back.ts';
import {isUndelivered, latestDeliveredRun, statusOf} from '../policies/run/task-runs.ts';
import type {SettleTaskInput} from '../task.machine.ts';
import {dropSentDrafts} from './drop-sent-drafts.ts';
import {pendingOf} from './pending-feedback.ts';
import {takeBackSettings} from './take-back-settings.ts';
import {warnAboutUnsent} from './unsent-words.ts';

/** Updates the plan to match the run; parents come later. Does nothing for a task deleted meanwhile. */
export function defineSettleTaskActor(
  services: Pick<
    Services,
    'plans' | 'runs' | 'feedback' | 'drafts' | 'comments' | 'settings' | 'writeSetting' | 'now'
  >,
  onSettled: (run: RunRecord) => void,
  warn: (message: string) => void,
) {
  const {plans, runs, feedback, drafts, now} = services;
  return fromPromise<void, SettleTaskInput>(async ({input: {taskId, run}}) => {
    const telling = (isUndelivered(run) && latestDeliveredRun((await runs.list(taskId)).runs)) || run;
    const completes = telling === run ? leaveParents : parentsBefore(run);
    const isRejected = run.decision_state === 'rejected';
    const effects = isRejected ? run.side_effects : [];
    // Before the plan: once the plan is updated, nobody restores the settings any more.
    const settings = await takeBackSettings(services, effects);
    let back: TakenBack = {taken: [], left: [], settings};
    await plans.update((plan) => {
      const {plan: without, ...edits} = takeBackEdits(plan, effects, now());
      back = {...edits, settings};
      return without.items.has(taskId)
        ? setStatus(without, taskId, statusOf(telling), now(), completes)
        : without;
    });
    // The run is stored, so its feedback need not be delivered again.
    if (run.context?.parentReviewFeedback) await pendingOf({feedback, runs}, taskId);
    const {isLeft} = await dropSentDrafts(drafts, run);
    const told = isNothing(back)
      ? run
      : await runs.update(taskId, run.run_id, (current) => withTakenBack(current, back));
    onSettled(told);
    await warnAboutUnsent(services, run, run.decision_state, warn);
    if (isLeft) warn(`unsent text from the checkpoint of ${taskId} is kept for its next checkpoint`);
  });
}
