import type {FeedbackStore, PendingFeedback} from '../../src/services/contracts/feedback.ts';
import {inOrder} from '../../src/services/memory/memory-stores.ts';
import {now} from '../helpers/plans.ts';

export type MemoryFeedbackStore = FeedbackStore & {
  readonly entries: Map<string, PendingFeedback>;
  /** Unreadable files. */
  broken: Array<{file: string; reason: string}>;
  failNextSave(error: unknown): void;
  failNextRemove(error: unknown): void;
};

/** Pending feedback in memory. Every write is logged. */
export function createMemoryFeedbackStore(log: (entry: string) => void = () => {}): MemoryFeedbackStore {
  const entries = new Map<string, PendingFeedback>();
  const failures: {save?: unknown; remove?: unknown} = {};
  const failOnce = (kind: 'save' | 'remove') => {
    const error = failures[kind];
    delete failures[kind];
    if (error !== undefined) throw error;
  };

  const store: MemoryFeedbackStore = {
    entries,
    broken: [],
    failNextSave: (error) => {
      failures.save = error;
    },
    failNextRemove: (error) => {
      failures.remove = error;
    },
    list: async () => ({pending: inOrder(entries), broken: store.broken}),
    read: async (taskId) => entries.get(taskId) ?? null,
    save: async (feedback) => {
      failOnce('save');
      entries.set(feedback.childTaskId, feedback);
      log(`feedback ${feedback.childTaskId}`);
    },
    remove: async (taskId) => {
      failOnce('remove');
      if (entries.delete(taskId)) log(`feedback ${taskId} cleared`);
    },
  };
  return store;
}

/** Feedback of a review of p, waiting for its task. */
export const sentBackFeedback = (fields: Partial<PendingFeedback> = {}): PendingFeedback => ({
  schemaVersion: 1,
  childTaskId: 'a',
  parentTaskId: 'p',
  reviewRunId: 'p-1',
  feedback: 'Test it.',
  createdAt: now,
  updatedAt: now,
  ...fields,
});
