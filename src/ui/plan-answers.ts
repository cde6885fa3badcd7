import type {OpenDraft} from '../machines/drafts.ts';
import type {PlanCommand} from '../machines/plan-generation.machine.ts';
import {fieldText} from '../machines/policies/plan/plan-conflict.ts';
import {leftOut} from '../machines/policies/planning/leave-out.ts';
import type {PlanWish} from '../machines/policies/planning/plan-draft.ts';
import type {QuestionsOutput} from '../machines/questions.machine.ts';
import type {Dialog, PlannedField} from '../machines/tui-dialogs.ts';
import {AppError} from '../services/contracts/errors.ts';
import {planFileName} from '../services/contracts/plan.ts';
import type {TuiPorts} from './ports.ts';
import type {Jobs, TuiCore} from './tui-core.ts';

/** Handles the answers in the dialogs of a proposed plan. */
export function createPlanAnswers(
  core: TuiCore,
  ports: TuiPorts,
  jobs: Jobs,
  fail: (error: unknown, next?: Dialog) => void,
) {
  const close = () => core.send({type: 'dialog.close'});
  /** A pause may have withdrawn the question in the meantime. */
  const tell = (command: PlanCommand, draft?: OpenDraft) => {
    const {planning} = core.get();
    const draftId = planning?.question?.draft.draftId;
    if (!planning || draftId === undefined) return close();
    core.patch({planning: {...planning, question: null}});
    // Who sends the planner back to work sees it work.
    if (command.type === 'plan.answer' || command.type === 'plan.revise')
      core.send({type: 'dialog.open', dialog: {type: 'planWork'}});
    else close();
    try {
      ports.engine.answerPlan(draftId, command);
      if (draft) jobs.keepUntilStored(draft);
    } catch (error) {
      // Leaving a question that a pause withdrew is not an error.
      const isGone = error instanceof AppError && error.code === 'E_NO_DECISION';
      if (command.type !== 'plan.postpone' || !isGone) fail(error);
    }
  };
  const select = (selectedId: string) => {
    const {planning} = core.get();
    if (planning) core.patch({planning: {...planning, selectedId}});
  };
  const backToProposal = () => core.send({type: 'dialog.open', dialog: {type: 'planReview'}});

  return {
    /** The text is a draft until the job has stored it. */
    wishPlan: (wish: PlanWish, draft: OpenDraft) => {
      close();
      if (wish.text.trim() === '') return;
      const begin = async () => {
        const isFirst = await ports.createPlan();
        jobs.keepUntilStored(draft);
        const job = jobs.start({type: 'plan', request: {type: 'new', wish}});
        if (isFirst) core.say({tone: 'accent', text: `created an empty plan: ${planFileName}`});
        await job;
      };
      begin().catch(fail);
    },
    openPlanDraft: (draftId: string) => {
      close();
      void jobs.start({type: 'plan', request: {type: 'open', draftId}});
    },
    decidePlan: (outcome: 'accept' | 'revise' | 'drop' | 'later') => {
      if (outcome === 'revise') core.send({type: 'dialog.open', dialog: {type: 'planRevise'}});
      else tell({type: outcome === 'later' ? 'plan.postpone' : `plan.${outcome}`});
    },
    revisePlan: (text: string, draft: OpenDraft) => {
      if (text.trim() === '') return backToProposal();
      tell({type: 'plan.revise', text}, draft);
    },
    backToProposal,
    editProposed: (taskId: string) => {
      select(taskId);
      core.send({type: 'dialog.open', dialog: {type: 'planFields', taskId}});
    },
    changeProposed: (taskId: string, field: PlannedField, text: string, draft: OpenDraft) => {
      const fields = {[field]: field === 'acceptanceCriteria' ? linesOf(text) : text.trim()};
      const before = core.get().planning?.question?.preview?.after.items.get(taskId);
      // Saved as it was: there is nothing to take back.
      if (before && fieldText(before, field) === fieldText({...before, ...fields}, field)) {
        void draft.drop();
        return backToProposal();
      }
      tell({type: 'plan.edit', edit: [{type: 'edit', taskId, fields}]}, draft);
    },
    /** The selection moves to a neighbour, and stays if the removal is reverted. */
    leaveOutProposed: (taskId: string, neighbourId: string | null) => {
      const preview = core.get().planning?.question?.preview;
      if (neighbourId !== null) select(neighbourId);
      if (preview) tell({type: 'plan.edit', edit: leftOut(preview, taskId)});
    },
    takeBackProposed: (selectedId: string | null) => {
      if (selectedId !== null) select(selectedId);
      tell({type: 'plan.edit', edit: 'takeBack'});
    },
    endPlanQuestions: (output: QuestionsOutput) => {
      if (output.outcome === 'answered') tell({type: 'plan.answer', answers: output.answers});
      else tell({type: 'plan.postpone'});
      if (output.outcome === 'failed') fail(output.error);
    },
  };
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
