import {
  type PlanDraft,
  type PlanDraftStore,
  planDraftSchema,
} from '../../src/services/contracts/plan-draft.ts';

import {inOrder} from '../../src/services/memory/memory-stores.ts';

/** Plan drafts in memory; what is stored would pass the file's schema. */
export function createMemoryPlanDrafts(onWrite: (entry: string) => void): PlanDraftStore {
  const texts = new Map<string, string>();
  const parsed = (text: string): PlanDraft => planDraftSchema.parse(JSON.parse(text));
  return {
    list: async () => ({drafts: inOrder(texts).map(parsed), broken: []}),
    read: async (draftId) => {
      const text = texts.get(draftId);
      return text === undefined ? null : parsed(text);
    },
    save: async (draft) => {
      texts.set(draft.draftId, JSON.stringify(planDraftSchema.parse(draft)));
      onWrite(`draft ${draft.questions.length > 0 ? 'asks' : (draft.saying?.type ?? 'proposes')}`);
    },
    remove: async (draftId) => {
      if (texts.delete(draftId)) onWrite('draft gone');
    },
  };
}
