import {AppError} from '../../services/contracts/errors.ts';
import type {FeedbackStore, PendingFeedback} from '../../services/contracts/feedback.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {asEdited, isAnswered} from '../policies/review/parent-feedback.ts';

type Stores = Pick<Services, 'feedback' | 'runs'>;

/** Pending feedback and unreadable files. Changes nothing. */
export async function openFeedback(stores: Stores): Promise<Awaited<ReturnType<FeedbackStore['list']>>> {
  const {pending, broken} = await stores.feedback.list();
  const open: PendingFeedback[] = [];
  for (const each of pending) {
    const current = await asItStands(stores, each);
    if (current) open.push(current);
  }
  return {pending: open, broken};
}

/** The feedback a task still has to receive. Deletes settled feedback on the way. */
export async function pendingOf(stores: Stores, taskId: string): Promise<PendingFeedback | null> {
  const pending = await stores.feedback.read(taskId);
  return pending && stillPending(stores, pending);
}

/** The same for every task of the plan. An unreadable file could belong to any of them. */
export async function pendingIn(stores: Stores, plan: Plan): Promise<readonly PendingFeedback[]> {
  const {pending, broken} = await stores.feedback.list();
  const [first] = broken;
  if (first) {
    throw new AppError(
      'E_STORE_CORRUPT',
      `the pending feedback ${first.file} cannot be used: ${first.reason}`,
      {
        details: [
          ['file', first.file],
          ['reason', first.reason],
        ],
        next: [{command: 'blackbird feedback list', why: 'see all of it; fix the file or move it aside'}],
      },
    );
  }
  const open: PendingFeedback[] = [];
  for (const each of pending) {
    const current = plan.items.has(each.childTaskId) ? await stillPending(stores, each) : null;
    if (current) open.push(current);
  }
  return open;
}

/** Deletes a file that outlived a crash. */
async function stillPending(stores: Stores, pending: PendingFeedback): Promise<PendingFeedback | null> {
  const current = await asItStands(stores, pending);
  if (current === null) await stores.feedback.remove(pending.childTaskId);
  return current;
}

/** The records decide; null once the feedback is settled. */
async function asItStands({runs}: Stores, pending: PendingFeedback): Promise<PendingFeedback | null> {
  const {runs: history} = await runs.list(pending.childTaskId);
  const {runs: reviews} = await runs.list(pending.parentTaskId);
  const review = reviews.find(({run_id}) => run_id === pending.reviewRunId) ?? null;
  return isAnswered(pending, history, review) ? null : asEdited(pending, review);
}
