import {useState} from 'react';
import {revisionSlot} from '../../machines/drafts.ts';
import {fieldText} from '../../machines/policies/plan/plan-conflict.ts';
import {draftTaskId} from '../../machines/policies/planning/draft-task.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import {clockTime} from '../../machines/policies/text/durations.ts';
import type {PlannedField} from '../../machines/tui-dialogs.ts';
import {askOnScreen} from '../../machines/tui-flow.ts';
import {hintLine} from '../components/hint-line.tsx';
import {type Line, Lines, lineOf} from '../components/lines.tsx';
import {Editor} from '../editor/editor.tsx';
import {useStepper} from '../input/use-stepper.ts';
import {bindingOf, hintsOf, type Keymap} from '../keymap.ts';
import {missingAgent} from '../model/missing-agent.ts';
import {elapsed, talkLines} from '../model/run-tab.ts';
import {QuestionsPrompt} from '../prompts/questions-prompt.tsx';
import {justify} from '../text/fit.ts';
import {useLiveLog, useSeconds, useTui, useTuiState} from '../tui-context.tsx';
import {ChoiceDialog} from './choice-dialog.tsx';
import type {DialogSize} from './dialog-size.ts';

const wishTitles = {
  generate: ['What should be built?', 'In your own words; @ names a file. Your agent proposes tasks for it.'],
  refine: ['What should change?', 'Statuses and runs of tasks stay as they are.'],
} as const;

/** The request to a planner. */
export function PlanWishDialog({
  kind,
  taskId,
  columns,
  rows,
}: DialogSize & {readonly kind: 'generate' | 'refine'; readonly taskId: string | null}) {
  const {answers, drafts, files} = useTui();
  const [title, placeholder] = wishTitles[kind];
  return (
    <Editor
      files={files}
      columns={columns}
      rows={rows}
      title={taskId === null ? title : `${title} · ${displayLine(taskId)} and below`}
      placeholder={placeholder}
      openDraft={() => drafts.open({kind: 'plan', taskId: taskId ?? '', runId: '', id: kind, prompt: ''})}
      onSubmit={(text, draft) =>
        answers.wishPlan({kind, text, taskIds: taskId === null ? [] : [taskId]}, draft)
      }
      onCancel={answers.leaveEditor}
      onDiscard={answers.close}
    />
  );
}

/** A new plan, or one that was left for later. */
export function PlanDraftsDialog({columns, rows}: DialogSize) {
  const {answers, send} = useTui();
  const [state] = useTuiState();
  const {planDrafts} = state;
  const refused = missingAgent(state);
  return (
    <ChoiceDialog
      columns={columns}
      rows={rows}
      title="Plan with your agent"
      items={[
        {label: 'Something new', ...(refused === null ? {} : {note: refused, isDisabled: true})},
        ...planDrafts.map(({text, questions}) => ({
          label: `Continue: ${displayLine(text.slice(0, 200))}`,
          note: questions.length > 0 ? 'waits for your answer' : 'a draft',
        })),
      ]}
      initialIndex={refused === null ? 0 : 1}
      onChoose={(index) => {
        const draft = planDrafts[index - 1];
        if (draft) answers.openPlanDraft(draft.draftId);
        else send({type: 'dialog.open', dialog: {type: 'planWish', kind: 'generate', taskId: null}});
      }}
      onCancel={answers.close}
    />
  );
}

export function PlanReviseDialog({columns, rows}: DialogSize) {
  const {answers, drafts, files} = useTui();
  const [{planning}] = useTuiState();
  const draftId = planning?.question?.draft.draftId ?? '';
  return (
    <Editor
      files={files}
      columns={columns}
      rows={rows}
      title="What should be different?"
      placeholder="The planner gets it in its own session and proposes again."
      openDraft={() => drafts.open(revisionSlot(draftId))}
      onSubmit={(text, draft) => answers.revisePlan(text, draft)}
      onCancel={answers.backToProposal}
      onDiscard={answers.backToProposal}
    />
  );
}

const fieldNames: ReadonlyArray<readonly [PlannedField, string]> = [
  ['title', 'Title'],
  ['description', 'Description'],
  ['acceptanceCriteria', 'Acceptance criteria, one on each line'],
  ['prompt', 'Prompt'],
];

/** Edits a proposed task before it is saved. */
export function PlanFieldsDialog({taskId, columns, rows}: DialogSize & {readonly taskId: string}) {
  const {answers, send} = useTui();
  const [{planning}] = useTuiState();
  const task = planning?.question?.preview?.after.items.get(taskId);
  return (
    <ChoiceDialog
      columns={columns}
      rows={rows}
      title={`Edit ${displayLine(taskId)}`}
      items={fieldNames.map(([field, label]) => ({
        label,
        note: (task && displayLine(fieldText(task, field).slice(0, 400))) || '(empty)',
      }))}
      onChoose={(index) => {
        const field = fieldNames[index]?.[0];
        if (field) send({type: 'dialog.open', dialog: {type: 'planField', taskId, field}});
      }}
      onCancel={answers.backToProposal}
    />
  );
}

export function PlanFieldDialog({
  taskId,
  field,
  columns,
  rows,
}: DialogSize & {readonly taskId: string; readonly field: PlannedField}) {
  const {answers, drafts, files} = useTui();
  const [{planning}] = useTuiState();
  const draftId = planning?.question?.draft.draftId ?? '';
  const [value] = useState(() => {
    const task = planning?.question?.preview?.after.items.get(taskId);
    return task ? fieldText(task, field) : '';
  });
  const label = fieldNames.find(([each]) => each === field)?.[1] ?? field;
  return (
    <Editor
      files={files}
      columns={columns}
      rows={rows}
      title={`${label} · ${displayLine(taskId)}`}
      initialText={displayText(value)}
      submits="save"
      openDraft={() =>
        drafts.open({
          kind: 'plan',
          taskId: draftTaskId(draftId),
          runId: draftId,
          id: `${field} ${taskId}`,
          prompt: value,
        })
      }
      onSubmit={(text, draft) => answers.changeProposed(taskId, field, text, draft)}
      onCancel={answers.backToProposal}
      onDiscard={answers.backToProposal}
    />
  );
}

/** The planner's questions. */
export function PlanQuestionsDialog(size: DialogSize) {
  const {answers, files, ports} = useTui();
  const [{planning}] = useTuiState();
  const draft = planning?.question?.draft;
  const [actor] = useState(() => {
    const {draftId = '', questions = []} = draft ?? {};
    const run = {task_id: draftTaskId(draftId), run_id: draftId, questions};
    const now = () => new Date(ports.now()).toISOString();
    return askOnScreen({drafts: ports.drafts, run, now}, answers.endPlanQuestions);
  });
  const task = {id: 'The planner asks', title: draft?.text.split('\n')[0] ?? ''};
  return <QuestionsPrompt {...size} actor={actor} files={files} task={task} />;
}

const workKeymap: Keymap<'close'> = [
  {
    id: 'planWork.close',
    keys: ['escape', 'enter'],
    label: 'look at the plan meanwhile',
    hint: 'first',
    run: 'close',
  },
  // Handled by the owner of the job; listed for its hint.
  {id: 'planWork.pause', keys: ['ctrl+c'], label: 'pause', hint: 'first', run: 'close'},
];

/** The planner at work. */
export function PlanWorkDialog({columns, rows}: DialogSize) {
  const {answers, jobs} = useTui();
  const [{planning, job}, {isPausing}] = useTuiState();
  useSeconds();
  useLiveLog(planning?.runId ?? undefined, false);
  useStepper<null, 'close'>({
    initial: () => null,
    step: (state, {name}) => {
      const binding = name === 'ctrl+c' ? null : bindingOf(workKeymap, name);
      return binding ? {state, outcome: binding.run} : {state};
    },
    onOutcome: answers.close,
  });
  const live = jobs.live.of(planning?.runId ?? undefined);
  const room = Math.max(1, rows - 3);
  const talks = live ? live.activity.slice(live.activity.length - room, live.activity.length) : [];
  const said = talkLines(talks, columns - 2).slice(-room);
  const quiet = live ? Math.floor((jobs.now() - live.lastActivityAt) / 1000) : 0;
  const state = isPausing
    ? 'pausing'
    : `${planning?.words ?? 'planning'}${quiet >= 5 ? ` · quiet ${quiet} s` : ''}`;
  const run = job?.runs.get(planning?.runId ?? '');
  const time = run ? clockTime(elapsed(run, jobs.now())) : '';
  return (
    <Lines
      lines={[
        lineOf(justify(` ● ${state}`, `${time} `, columns), {tone: 'accent', bold: true}),
        lineOf(''),
        ...said.map((line): Line => [{text: ' '}, ...line]),
        // The keys stay in their place while the lines arrive.
        ...Array.from({length: room - said.length}, () => lineOf('')),
        hintLine(hintsOf(workKeymap), columns),
      ]}
    />
  );
}
