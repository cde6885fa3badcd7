import {createDraftDesk} from '../../src/machines/drafts.ts';
import type {Draft, DraftStore} from '../../src/services/contracts/draft.ts';
import {now} from '../helpers/plans.ts';

export type MemoryDraftStore = DraftStore & {
  /** What is kept, in no order. */
  list(): readonly Draft[];
  failNextRead(error: unknown): void;
  failNextSave(error: unknown): void;
};

export function createMemoryDraftStore(): MemoryDraftStore {
  const entries = new Map<string, Draft>();
  const failures: {read?: unknown; save?: unknown} = {};
  const failOnce = (call: 'read' | 'save') => {
    const error = failures[call];
    delete failures[call];
    if (error !== undefined) throw error;
  };
  const nameOf = ({kind, taskId}: Pick<Draft, 'kind' | 'taskId'>) => `${kind} ${taskId}`;
  return {
    list: () => [...entries.values()],
    all: async () => [...entries.values()],
    failNextRead: (error) => {
      failures.read = error;
    },
    failNextSave: (error) => {
      failures.save = error;
    },
    read: async (key) => {
      failOnce('read');
      const found = entries.get(nameOf(key));
      return found?.runId === key.runId ? found : null;
    },
    save: async (draft) => {
      failOnce('save');
      entries.set(nameOf(draft), structuredClone(draft));
    },
    remove: async (kind, taskId) => void entries.delete(nameOf({kind, taskId})),
  };
}

/** The drafts of one process, over a store of its own or the one that is given. */
export const draftDesk = (drafts = createMemoryDraftStore()) => createDraftDesk({drafts, now: () => now});

/** Answers that a person gave to questions of run a-1 before they stopped. */
export const answersDraft = (fields: Partial<Draft> = {}): Draft => ({
  schemaVersion: 1,
  kind: 'answers',
  taskId: 'a',
  runId: 'a-1',
  texts: [{id: 'colour', prompt: 'Which colour?', text: 'blue'}],
  updatedAt: now,
  ...fields,
});
