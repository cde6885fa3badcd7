import {createDraftDesk} from '../../src/machines/drafts.ts';
import type {Draft, DraftStore} from '../../src/services/contracts/draft.ts';
import {createMemoryDrafts} from '../../src/services/memory/memory-stores.ts';
import {now} from '../helpers/plans.ts';

export type MemoryDraftStore = DraftStore & {
  /** What is kept, in no order. */
  list(): readonly Draft[];
  failNextRead(error: unknown): void;
  failNextSave(error: unknown): void;
};

/** The drafts of a simulation, with the failures of a disk. */
export function createMemoryDraftStore(): MemoryDraftStore {
  const entries = new Map<string, Draft>();
  const drafts = createMemoryDrafts(entries);
  const failures: {read?: unknown; save?: unknown} = {};
  const failOnce = (call: 'read' | 'save') => {
    const error = failures[call];
    delete failures[call];
    if (error !== undefined) throw error;
  };
  return {
    ...drafts,
    list: () => [...entries.values()],
    failNextRead: (error) => {
      failures.read = error;
    },
    failNextSave: (error) => {
      failures.save = error;
    },
    read: async (key) => {
      failOnce('read');
      return drafts.read(key);
    },
    save: async (draft) => {
      failOnce('save');
      await drafts.save(structuredClone(draft));
    },
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
