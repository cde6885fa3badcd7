import {fromPromise} from 'xstate';
import {AppError, messageOf} from '../../services/contracts/errors.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {refuseRunning} from '../policies/plan/running-tasks.ts';
import {readPlanAnswer} from '../policies/planning/check-plan-answer.ts';
import {checkProposal, countBlocking, type PlanPreview} from '../policies/planning/check-proposal.ts';
import {asked, checked, type DraftHead, headOf, proposed} from '../policies/planning/plan-draft.ts';
import {changeDraft, type DraftInput, dropDraft, previewProposal, requireDraft} from './plan-draft.actor.ts';
import {tasksInProgress} from './tasks-in-progress.ts';

/** The result of reading an answer or checking a proposal. */
export type PlanReading = {
  readonly type: 'questions' | 'operations' | 'unusable' | 'valid' | 'linted';
  readonly draft: DraftHead;
  /** All of its problems. */
  readonly problems: readonly string[];
  /** The number of blocking findings, once the quality gate has run. */
  readonly blocking?: number;
  readonly findings?: number;
};

export type ReadAnswerInput = DraftInput & {readonly run: RunRecord};

type Stores = Pick<
  Services,
  'plans' | 'settings' | 'runs' | 'planDrafts' | 'drafts' | 'digest' | 'now' | 'self'
>;

/** The answer is in the draft before anything is done with it. */
export function defineReadAnswerActor(stores: Stores) {
  return fromPromise<PlanReading, ReadAnswerInput>(async ({input: {draftId, run}}) => {
    const {kind} = await requireDraft(stores, draftId);
    const answer = readPlanAnswer(kind, run.result ?? '');
    if (answer.type === 'unusable') {
      const draft = headOf(await requireDraft(stores, draftId));
      return {type: answer.type, draft, problems: answer.problems};
    }
    const draft = await changeDraft(stores, draftId, (before) =>
      answer.type === 'questions' ? asked(before, answer.questions) : proposed(before, answer.operations),
    );
    return {type: answer.type, draft: headOf(draft), problems: []};
  });
}

/** Checks against the current plan, whoever changed it meanwhile. */
export function defineValidateProposalActor(stores: Stores) {
  return fromPromise<PlanReading, DraftInput>(async ({input: {draftId}}) => {
    const draft = await requireDraft(stores, draftId);
    const {plans, now, digest} = stores;
    const found = checkProposal(await plans.read(), draft, now(), digest);
    if (found.type === 'invalid') return {type: 'unusable', draft: headOf(draft), problems: found.problems};
    return {type: 'valid', draft: headOf(await changeDraft(stores, draftId, checked)), problems: []};
  });
}

export type LintedProposal = {readonly draft: DraftHead; readonly preview: PlanPreview};

export function defineLintProposalActor(stores: Stores, onLinted: (linted: LintedProposal) => void) {
  return fromPromise<PlanReading, DraftInput>(async ({input: {draftId}}) => {
    const draft = await requireDraft(stores, draftId);
    const preview = await previewProposal(stores, draft);
    const findings = preview?.findings ?? [];
    if (preview) onLinted({draft: headOf(draft), preview});
    return {
      type: 'linted',
      draft: headOf(draft),
      problems: [],
      blocking: countBlocking(findings),
      findings: findings.length,
    };
  });
}

/** A draft and what it changed in the plan. */
export type SavedProposal = {
  readonly draftId: string;
  readonly change: {readonly before: Plan; readonly after: Plan};
};

/** One transaction on the current plan; the draft is deleted only after the plan is saved. */
export function defineSaveProposalActor(
  stores: Stores,
  onWarning: (message: string) => void,
  onSaved: (saved: SavedProposal) => void,
) {
  return fromPromise<void, DraftInput>(async ({input: {draftId}}) => {
    const {plans, now, digest} = stores;
    const draft = await requireDraft(stores, draftId);
    // This process holds the project lock, but a run recorded as running may still belong to another Blackbird.
    const owner = {pid: stores.self?.pid ?? 0, mayBegin: false};
    const inProgress = await tasksInProgress(stores.runs, await plans.read(), owner);
    const {before, after} = await plans.update((plan) => {
      const found = checkProposal(plan, draft, now(), digest);
      if (found.type === 'invalid') throw conflict(found.problems);
      refuseRunning(plan, found.after, inProgress);
      return found.after;
    });
    onSaved({draftId, change: {before, after}});
    // The plan is saved: a leftover draft is no reason to report a failure.
    await dropDraft(stores, draftId).catch((error: unknown) => {
      const next = `remove it with: blackbird plan drafts drop ${draftId}`;
      onWarning(`the plan is saved, and its draft could not be removed: ${messageOf(error)}; ${next}`);
    });
  });
}

const conflict = (problems: readonly string[]) =>
  new AppError('E_CONFLICT', 'the plan was changed by somebody else meanwhile; nothing was written', {
    details: problems.slice(0, 5).map((problem) => ['problem', problem]),
  });
