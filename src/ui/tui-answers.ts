import type {OpenDraft} from '../machines/drafts.ts';
import {checkpointStep, resumeStep, undoStep} from '../machines/policies/job/job-steps.ts';
import {newTaskId} from '../machines/policies/plan/new-task-id.ts';
import {type SeenTask, seenTask, valueInTheWay} from '../machines/policies/plan/plan-conflict.ts';
import {keptChecks, keptChecksWords} from '../machines/policies/plan/task-checks.ts';
import type {CheckpointAnswer} from '../machines/policies/review/decisions.ts';
import type {QuestionsOutput} from '../machines/questions.machine.ts';
import type {DecisionRequest} from '../machines/review-gate.machine.ts';
import type {Dialog, EditedField} from '../machines/tui-dialogs.ts';
import type {Task, TaskStatus} from '../services/contracts/plan.ts';
import type {NativeProviderId} from '../services/contracts/provider-table.ts';
import {unkeptWords} from './editor/editor.tsx';
import {reveal, select} from './model/browse.ts';
import {messageLines} from './model/error-lines.ts';
import {decisionOn, type Notice} from './model/facts.ts';
import {createPlanAnswers} from './plan-answers.ts';
import {applyChange} from './plan-change.ts';
import type {PlanChange, SettingChange, TuiPorts} from './ports.ts';
import {createSessionAnswers} from './session-answers.ts';
import {saveSetting} from './setting-change.ts';
import type {Jobs, TuiCore} from './tui-core.ts';

/** Handles the user's answers in dialogs. Each closes its dialog; a refusal opens a message with the reason. */
export function createAnswers(core: TuiCore, ports: TuiPorts, jobs: Jobs) {
  const close = () => core.send({type: 'dialog.close'});
  const failed = (error: unknown, next?: Dialog) =>
    core.send({type: 'dialog.open', dialog: {type: 'message', ...messageLines(error), ...(next && {next})}});
  /** What cannot be stored stays a draft, and its editor reopens after the message. */
  const change = (
    label: string,
    made: ReturnType<TuiPorts['edit']>,
    {
      follow = () => {},
      draft,
      editor,
      unreached,
    }: {
      follow?: () => void;
      draft?: OpenDraft;
      editor?: (error: unknown) => Dialog;
      unreached?: (change: PlanChange) => string;
    } = {},
  ) => {
    close();
    applyChange(core, label, made, unreached).then(
      () => {
        void draft?.drop();
        follow();
      },
      (error: unknown) => failed(error, editor?.(error)),
    );
  };
  const choose = (id: string | null) => core.patch({browse: select(core.get().browse, id)});

  /** Closes the dialog; the engine's question about the task is no longer open here. */
  const takeRequest = (taskId: string): DecisionRequest | null => {
    const asked = decisionOn(core.get(), taskId);
    close();
    const {decisions} = core.get();
    if (asked) core.patch({decisions: new Map([...decisions].filter(([, request]) => request !== asked))});
    return asked;
  };
  /** A pause may have withdrawn the question in the meantime. */
  const attempt = (act: () => void) => {
    try {
      act();
    } catch (error) {
      failed(error);
    }
  };

  return {
    close,
    failed,
    /** A message was read. */
    goOn: (next: Dialog | undefined) => {
      if (next) core.send({type: 'dialog.open', dialog: next});
      else close();
    },
    quit: () => {
      close();
      core.send({type: 'tui.leave', reason: 'user_interrupt'});
    },
    restart: (taskId: string) => {
      close();
      void jobs.start({type: 'task', taskId, mode: {type: 'restart'}});
    },
    undo: (taskId: string, isForced: boolean) => {
      close();
      void jobs.start(undoStep(taskId, {isForced}));
    },
    endQuestions: (taskId: string, output: QuestionsOutput) => {
      close();
      if (output.outcome === 'answered') jobs.startAnswered(resumeStep(taskId, output.answers));
      if (output.outcome === 'failed') failed(output.error);
    },
    /** They were closed before they were answered, and another dialog may be open by now. */
    leaveQuestions: (output: QuestionsOutput, {hasWords}: {readonly hasWords: boolean}) => {
      const said = core.get().notice?.text;
      const text = [...(said ? [said] : []), 'what you wrote is kept as a draft'].join(' · ');
      if (output.outcome === 'canceled' && hasWords) core.say({tone: 'accent', text});
      if (output.outcome === 'failed') core.dialogs.ask({type: 'message', ...messageLines(output.error)});
    },
    /** The engine waits for it, or an earlier one left it open. */
    decide: (taskId: string, decision: CheckpointAnswer) => {
      const asked = takeRequest(taskId);
      if (asked === null) {
        void jobs.start(checkpointStep(taskId, decision));
        return;
      }
      attempt(() => ports.engine.decide({runId: asked.run.run_id, decision}));
    },
    decideLater: (taskId: string) => {
      const asked = takeRequest(taskId);
      if (asked) attempt(() => ports.engine.postpone(asked.run.run_id));
    },
    resumeSentBack: (taskIds: readonly string[]) => {
      close();
      // The files are re-read a moment after the job took over the feedback.
      const {data} = core.get();
      for (const id of taskIds) core.asked.add(`${data?.pendingFeedback.get(id)?.reviewRunId} feedback`);
      jobs.startAnswered(...taskIds.map((taskId) => resumeStep(taskId)));
    },
    /** The others are still unanswered. */
    leaveOut: (taskId: string, isLast: boolean) => {
      if (isLast) close();
      core.settle(ports.dismiss([taskId])).catch(failed);
    },
    editFeedback: (taskId: string, text: string, draft: OpenDraft) => {
      core.settle(ports.editFeedback(taskId, text)).then(() => draft.drop(), failed);
    },
    dismiss: (taskIds: readonly string[]) => {
      close();
      core.settle(ports.dismiss(taskIds)).catch(failed);
    },
    /** An editor was left without sending: the user is told what happened to the text once it is known. */
    leaveEditor: (isKept: boolean, draft: OpenDraft) => {
      close();
      if (isKept) void draft.close().then((problem) => core.say(leftAsDraft(problem)));
    },
    status: (task: Task, status: TaskStatus) =>
      change(`${task.id} is ${status}`, ports.setStatus(task.id, status, [seenTask(task, 'status')])),
    delete: (taskId: string, seen: readonly SeenTask[]) => {
      const at = core.facts().entries.findIndex(({id}) => id === taskId);
      const follow = () => {
        const {entries} = core.facts();
        choose(entries[Math.min(at, entries.length - 1)]?.id ?? null);
      };
      change(`deleted ${taskId}`, ports.edit({type: 'delete', taskId, seen}), {follow});
    },
    /** The first line is the title, the rest the description. */
    add: (text: string, place: {parentId: string | null; index: number}, draft: OpenDraft) => {
      const [title = '', ...rest] = text.trim().split('\n');
      const {plan} = core.facts();
      if (!plan || title.trim() === '') return close();
      const id = newTaskId(plan, title);
      const task = {...place, id, title: title.trim(), description: rest.join('\n').trim()};
      const follow = () => {
        const {plan: now, entries} = core.facts();
        if (now) core.patch({browse: reveal(core.get().browse, now, entries, id)});
      };
      const editor = () => ({type: 'add' as const, ...place});
      change(`added ${id}`, ports.edit({type: 'add', task}), {follow, draft, editor});
    },
    /** `seen` is the value of the field when the user started writing. */
    edit: ({taskId, field, text, seen, draft}: FieldEdit) => {
      const fields = {[field]: fieldValue(field, text)};
      // Sending again after being shown the other value is deliberate.
      const editor = (error: unknown) => {
        const value = valueInTheWay(error);
        return {type: 'edit' as const, taskId, field, ...(value !== undefined && {seen: value})};
      };
      const edit = {type: 'edit' as const, taskId, fields, seen: [{taskId, fields: {[field]: seen}}]};
      const unreached = ({before, after}: PlanChange) => keptChecksWords(keptChecks(before, after, taskId));
      change(`changed ${taskId}`, ports.edit(edit), {draft, editor, unreached});
    },
    deps: (task: Task, deps: readonly string[]) =>
      change(
        `changed the dependencies of ${task.id}`,
        ports.edit({type: 'deps', taskId: task.id, deps, seen: [seenTask(task, 'deps')]}),
      ),
    move: (task: Task, parentId: string | null) =>
      change(
        `moved ${task.id}`,
        ports.edit({type: 'move', taskId: task.id, place: {parentId}, seen: [seenTask(task, 'parentId')]}),
      ),
    agent: (id: NativeProviderId) => {
      close();
      ports.chooseAgent(id).then((provider) => {
        const {data} = core.get();
        if (data) core.patch({data: {...data, provider}});
        const rules = `${provider.id} runs the tasks`;
        if (provider.id === id) core.say({tone: 'good', text: `${id} runs the tasks of this project`});
        else
          core.say({
            tone: 'warning',
            text: `${id} is saved, but ${rules} here: the ${provider.source} says so`,
          });
      }, failed);
    },
    ...createSessionAnswers(core, ports, failed),
    ...createPlanAnswers(core, ports, jobs, failed),
    setting: (change: SettingChange) => {
      close();
      saveSetting(core, ports, change).catch(failed);
    },
  };
}

export type FieldEdit = {
  readonly taskId: string;
  readonly field: EditedField;
  readonly text: string;
  readonly seen: string;
  readonly draft: OpenDraft;
};

const leftAsDraft = (problem: string | null): Notice =>
  problem === null
    ? {tone: 'accent', text: 'kept as a draft: it is there when you open it again'}
    : {tone: 'bad', text: unkeptWords(problem)};

export type Answers = ReturnType<typeof createAnswers>;

/** An empty optional field is removed. */
function fieldValue(field: EditedField, text: string): string | readonly string[] | null {
  if (text.trim() === '' && (field === 'notes' || field === 'verify')) return null;
  if (field === 'acceptanceCriteria' || field === 'verify') return lines(text);
  return field === 'title' ? text.trim() : text;
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
