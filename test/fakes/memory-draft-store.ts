import {createDrafts} from '../../src/machines/drafts.ts';
import type {Draft, DraftStore} from '../../src/services/contracts/draft.ts';
import {createMemoryDrafts} from '../../src/services/memory/memory-stores.ts';
import {now} from '../helpers/plans.ts';

export type MemoryDraftStore = DraftStore & {
  /** The stored drafts, in no order. */
  list(): readonly Draft[];
  failNextRead(error: unknown): void;
  failNextSave(error: unknown): void;
};

/** The drafts of a simulation, with disk failures. */
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

/** The drafts of one process, over its own store or the given one. */
export const memoryDrafts = (drafts = createMemoryDraftStore()) => createDrafts({drafts, now: () => now});

/** Answers the user gave to questions of run a-1 before stopping. */
export const answersDraft = (fields: Partial<Draft> = {}): Draft => ({
  schemaVersion: 1,
  kind: 'answers',
  taskId: 'a',
  runId: 'a-1',
  texts: [{id: 'colour', prompt: 'Which colour?', text: 'blue'}],
  updatedAt: now,
  ...fields,
});
