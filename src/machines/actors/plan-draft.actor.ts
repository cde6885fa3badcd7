import {fromCallback, fromPromise} from 'xstate';
import {AppError, messageOf} from '../../services/contracts/errors.ts';
import type {PlanDraft, PlanSaying} from '../../services/contracts/plan-draft.ts';
import type {Answer} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {resolveConfig, settingOf} from '../policies/config-resolution.ts';
import {newJobId} from '../policies/job/job-id.ts';
import {checkedRequest, requireChangeable} from '../policies/planning/check-plan-request.ts';
import {
  checkProposal,
  findingLines,
  type PlanPreview,
  previewOf,
  withSeen,
} from '../policies/planning/check-proposal.ts';
import {draftTaskId} from '../policies/planning/draft-task.ts';
import * as drafts from '../policies/planning/plan-draft.ts';

export type DraftInput = {readonly draftId: string};

/** The next message for the planner, and its reason. */
export type SendBackInput = DraftInput & {
  readonly why: 'answers' | 'problems' | 'findings' | 'revision';
  readonly text: string;
  readonly answers: readonly Answer[];
  readonly problems: readonly string[];
};

export type AskPersonInput = DraftInput & {readonly refusal: unknown};

export type EditProposalInput = DraftInput & {readonly edit: drafts.ProposalEdit};

/** What the user is asked: the draft's questions, or what to do with the proposal. */
export type PlanQuestion = {
  readonly draft: PlanDraft;
  /** The plan it would produce now; null while questions are open. */
  readonly preview: PlanPreview | null;
  /** Why the previous answer was refused; undefined the first time. */
  readonly refusal: unknown;
};

/** The open questions by draft, and how to answer each. */
export type OpenPlanQuestions = Map<
  string,
  {readonly question: PlanQuestion; readonly send: (command: drafts.PlanCommand) => void}
>;

type Stores = Pick<
  Services,
  'plans' | 'runs' | 'settings' | 'planDrafts' | 'drafts' | 'digest' | 'now' | 'newJobSuffix'
>;

export async function requireDraft(
  {planDrafts}: Pick<Services, 'planDrafts'>,
  draftId: string,
): Promise<PlanDraft> {
  const draft = await planDrafts.read(draftId);
  if (draft === null) throw drafts.draftMissing(draftId);
  return draft;
}

export async function changeDraft(
  stores: Pick<Services, 'planDrafts' | 'now'>,
  draftId: string,
  change: (draft: PlanDraft) => PlanDraft | Promise<PlanDraft>,
): Promise<PlanDraft> {
  const before = await requireDraft(stores, draftId);
  const after = await change(before);
  if (after === before) return before;
  const draft = {...after, updatedAt: stores.now()};
  await stores.planDrafts.save(draft);
  return draft;
}

/** The request is on disk before an agent sees it. */
export function defineOpenDraftActor(stores: Stores) {
  const create = async (wish: drafts.PlanWish): Promise<PlanDraft> => {
    requireChangeable(await stores.plans.read(), wish);
    const {drafts: all} = await stores.planDrafts.list();
    // Earlier attempts that failed before a planner started, for example without an agent, are replaced instead of
    // piling up.
    for (const draft of all.filter((each) => drafts.isAskedAgain(each, wish))) {
      const {runs, broken} = await stores.runs.list(draftTaskId(draft.draftId));
      if (runs.length + broken.length === 0) return draft;
    }
    const draftId = newJobId(stores.now(), stores.newJobSuffix(), all.at(-1)?.draftId);
    const draft = drafts.newDraft(wish, draftId, stores.now());
    await stores.planDrafts.save(draft);
    for (const old of all.filter((each) => drafts.isReplaced(each, wish)))
      await stores.planDrafts.remove(old.draftId);
    return draft;
  };
  return fromPromise<drafts.DraftHead, {readonly request: drafts.PlanRequest}>(async ({input}) => {
    const request = checkedRequest(input.request);
    if (request.type === 'new') return drafts.headOf(await create(request.wish));
    const {answers} = request;
    const draft = await changeDraft(stores, request.draftId, (open) =>
      answers === undefined ? open : drafts.answered(open, answers),
    );
    return drafts.headOf(draft);
  });
}

/** The next message is saved before it is sent. */
export function defineSendBackActor(stores: Stores) {
  const resumeRequestFor = async (
    draft: PlanDraft,
    {why, text, problems}: SendBackInput,
  ): Promise<PlanSaying> => {
    switch (why) {
      case 'findings': {
        const preview = await previewProposal(stores, draft);
        return {type: why, lines: findingLines(preview?.findings ?? [])};
      }
      case 'revision':
        if (text.trim() === '') throw new AppError('E_NO_INPUT', 'say what should be different');
        return {type: why, lines: [text.trim()]};
      default:
        return {type: 'problems', lines: draft.questions.length > 0 ? [noMoreQuestions] : [...problems]};
    }
  };
  return fromPromise<drafts.DraftHead, SendBackInput>(async ({input}) => {
    const draft = await changeDraft(stores, input.draftId, async (before) => {
      if (input.why === 'answers') return drafts.answered(before, input.answers);
      const after = drafts.sentBack(before, await resumeRequestFor(before, input));
      return withSeen(after, await stores.plans.read(), stores.digest);
    });
    if (input.why === 'answers') await stores.drafts.remove('answers', draftTaskId(draft.draftId));
    return drafts.headOf(draft);
  });
}

const noMoreQuestions =
  'do not ask again: decide the open points yourself, and say so in the descriptions of the tasks';

/** Null if it cannot be applied to the current plan. */
export async function previewProposal(
  {plans, settings, digest, now}: Pick<Services, 'plans' | 'settings' | 'digest' | 'now'>,
  draft: PlanDraft,
): Promise<PlanPreview | null> {
  const checked = checkProposal(await plans.read(), draft, now(), digest);
  if (checked.type === 'invalid') return null;
  const verify = settingOf(resolveConfig(await settings()), 'execution.verify');
  return previewOf(checked.before, checked.after, {verify});
}

/** Offers the question for as long as it is open. */
export function defineAskPersonActor(
  stores: Stores,
  questions: OpenPlanQuestions,
  onAsked: (question: PlanQuestion) => void,
  onWarning: (message: string) => void,
) {
  return fromCallback<drafts.PlanCommand, AskPersonInput>(({input: {draftId, refusal}, sendBack}) => {
    let isOver = false;
    const ask = async () => {
      const draft = await requireDraft(stores, draftId);
      const preview = draft.questions.length > 0 ? null : await previewProposal(stores, draft);
      if (isOver) return;
      const question = {draft, preview, refusal};
      questions.set(draftId, {question, send: sendBack});
      onAsked(question);
    };
    ask().catch((error: unknown) => {
      if (isOver) return;
      onWarning(`cannot ask about the draft ${draftId}: ${messageOf(error)}`);
      sendBack({type: 'plan.postpone'});
    });
    return () => {
      isOver = true;
      questions.delete(draftId);
    };
  });
}

/** Refused if the edit no longer fits the plan. */
export function defineEditProposalActor(stores: Stores) {
  return fromPromise<drafts.DraftHead, EditProposalInput>(async ({input: {draftId, edit}}) => {
    const plan = await stores.plans.read();
    const draft = await changeDraft(stores, draftId, (before) => {
      const after = drafts.edited(before, edit);
      const checked = checkProposal(plan, after, stores.now(), stores.digest);
      if (checked.type === 'valid') return after;
      const [problem = ''] = checked.problems;
      throw new AppError('E_PLAN_EDIT', `the proposal cannot be changed this way: ${problem}`);
    });
    return drafts.headOf(draft);
  });
}

/** Also deletes unsent text that was written for it. */
export async function dropDraft(
  {planDrafts, drafts: texts}: Pick<Services, 'planDrafts' | 'drafts'>,
  draftId: string,
): Promise<void> {
  await planDrafts.remove(draftId);
  for (const kind of ['answers', 'plan'] as const) await texts.remove(kind, draftTaskId(draftId));
}

export const defineDropDraftActor = (stores: Stores) =>
  fromPromise<void, DraftInput>(({input: {draftId}}) => dropDraft(stores, draftId));
