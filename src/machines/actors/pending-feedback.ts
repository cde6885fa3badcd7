import {AppError} from '../../services/contracts/errors.ts';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {isConsumed} from '../policies/review/parent-feedback.ts';

type Stores = Pick<Services, 'feedback' | 'runs'>;

/** The feedback a task still has to hear. What a run has taken over is cleared on the way. */
export async function pendingOf(stores: Stores, taskId: string): Promise<PendingFeedback | null> {
  const pending = await stores.feedback.read(taskId);
  return pending && (await isStillPending(stores, pending)) ? pending : null;
}

/** The same for every task of the plan. A file that cannot be read could be any of them. */
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
        next: [{command: 'blackbird feedback list', why: 'see all of it; mend the file or move it aside'}],
      },
    );
  }
  const open: PendingFeedback[] = [];
  for (const each of pending) {
    if (plan.items.has(each.childTaskId) && (await isStillPending(stores, each))) open.push(each);
  }
  return open;
}

/** A run that carries the mark owns the feedback; a file that outlived a crash is cleared here. */
async function isStillPending({feedback, runs}: Stores, pending: PendingFeedback): Promise<boolean> {
  const {runs: history} = await runs.list(pending.childTaskId);
  if (!isConsumed(pending, history)) return true;
  await feedback.remove(pending.childTaskId);
  return false;
}
