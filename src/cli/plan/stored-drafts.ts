import type {Command} from 'commander';
import type {PlanDraft, PlanDraftStore} from '../../services/contracts/plan-draft.ts';
import type {Cli} from '../cli.ts';

export async function draftStore(cli: Cli, command: Command): Promise<PlanDraftStore> {
  const {folder, trail} = await cli.project(command);
  const {createPlanDraftStore} = await import('../../services/stores/plan-draft-store.ts');
  return createPlanDraftStore({folder: folder.planDraftsFolder, trail});
}

export async function requireDraft(cli: Cli, command: Command, draftId: string): Promise<PlanDraft> {
  const draft = await (await draftStore(cli, command)).read(draftId);
  if (draft) return draft;
  const {draftMissing} = await import('../../machines/policies/planning/plan-draft.ts');
  throw draftMissing(draftId);
}

/** A draft as data, with a short description of its state. */
export async function draftData(draft: PlanDraft) {
  const {headOf} = await import('../../machines/policies/planning/plan-draft.ts');
  const {isUnusable} = await import('../../machines/policies/planning/waiting-draft.ts');
  const {phase} = headOf(draft);
  const unusable = isUnusable(draft);
  return {
    data: {
      id: draft.draftId,
      kind: draft.kind,
      phase,
      unusable,
      text: draft.text,
      questions: draft.questions,
      updated_at: draft.updatedAt,
    },
    state: unusable ? 'answer not usable' : phaseWords[phase],
  };
}

const phaseWords = {
  generating: 'not proposed yet',
  asking: 'waits for your answer',
  proposed: 'proposed',
} as const;
