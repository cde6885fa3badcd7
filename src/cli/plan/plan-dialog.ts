import type {Command} from 'commander';
import type {PlanQuestion} from '../../machines/actors/plan-draft.actor.ts';
import {createDrafts, type OpenDraft, revisionSlot} from '../../machines/drafts.ts';
import type {PlanCommand} from '../../machines/plan-generation.machine.ts';
import {isEmptyDiff} from '../../machines/policies/plan/plan-diff.ts';
import {isBlocking} from '../../machines/policies/plan/plan-lint.ts';
import type {PlanPreview} from '../../machines/policies/planning/check-proposal.ts';
import {draftTaskId, openDraftCommand} from '../../machines/policies/planning/draft-task.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {PlanDraft} from '../../services/contracts/plan-draft.ts';
import type {Cli} from '../cli.ts';
import type {OpenedEngine} from '../job/engine-composition.ts';
import {painter} from '../terminal/paint.ts';
import {reportError} from '../terminal/report-error.ts';
import {showDiff} from './ask-to-save.ts';
import {findingLines} from './finding-lines.ts';
import {proposalText} from './proposal-text.ts';

/** Asks the user what a planner wants to know, and what to do with its proposal. */
export function planDialog(
  cli: Cli,
  command: Command,
  {engine, drafts, inspect}: Pick<OpenedEngine, 'engine' | 'drafts' | 'inspect'>,
): {readonly answer: (question: PlanQuestion) => void} {
  const {context} = cli;

  const answersTo = async (draft: PlanDraft): Promise<PlanCommand> => {
    const {askQuestions} = await import('../job/ask-questions.ts');
    const run = {task_id: draftTaskId(draft.draftId), run_id: draft.draftId, questions: draft.questions};
    const goOn = openDraftCommand(draft.draftId);
    const answers = await askQuestions(
      context,
      draft.questions,
      {drafts, run, now: context.now},
      inspect,
      goOn,
    );
    return answers === null ? {type: 'plan.postpone'} : {type: 'plan.answer', answers};
  };

  const decisionOn = async ({draft, preview}: PlanQuestion): Promise<PlanCommand> => {
    if (preview) showProposal(cli, preview);
    for (;;) {
      const typed = await context.ask(promptFor(preview));
      const choice = typed === null ? 'later' : choiceOf(typed);
      if (choice === 'save') return {type: 'plan.accept'};
      if (choice === 'drop') return {type: 'plan.drop'};
      if (choice === 'later') return {type: 'plan.postpone'};
      if (choice === 'show') showWhole(cli, preview);
      if (choice === null) context.out(choicesText(typed ?? ''));
      if (choice !== 'revise') continue;
      const text = await revisionOf(draft);
      if (text === null) return {type: 'plan.postpone'};
      if (text.trim() !== '') return {type: 'plan.revise', text};
    }
  };

  /** Null if the user left the prompt. */
  const revisionOf = async (draft: PlanDraft): Promise<string | null> => {
    const openDrafts = createDrafts({drafts, now: context.now});
    const words = openDrafts.open(revisionSlot(draft.draftId));
    const recalled = await words.recalled;
    // What the planner was already told is in its draft.
    const before = draft.revisions.includes(recalled) ? '' : recalled;
    if (before !== '')
      context.out(`You started to write this; Enter alone sends it:\n${displayText(before)}`);
    const typed = await context.ask('What should be different? ', unfinished(draft, words));
    return typed?.trim() === '' ? before : typed;
  };

  const ask = async (question: PlanQuestion) => {
    const {draft, refusal} = question;
    await context.forgetTyped?.();
    if (refusal !== undefined) reportError(refusal, context, {json: false});
    return draft.questions.length > 0 ? answersTo(draft) : decisionOn(question);
  };

  return {
    answer: (question) => {
      const {draftId} = question.draft;
      // A pause may have withdrawn the question before it was answered; the draft asks it again.
      const tell = (said: PlanCommand) => {
        if (engine.openPlans().some(({draft}) => draft.draftId === draftId)) engine.answerPlan(draftId, said);
      };
      ask(question).then(tell, (error: unknown) => {
        reportError(error, context, {json: cli.isJson(command)});
        tell({type: 'plan.postpone'});
      });
    },
  };
}

/** Unfinished text is kept as in the TUI, and both start with what either has kept. */
const unfinished = (draft: PlanDraft, words: OpenDraft) => ({
  onType: (text: string) => {
    if (text !== '') words.change(text);
  },
  onLeave: words.close,
  farewell: `The proposal is kept. Continue with: ${openDraftCommand(draft.draftId)}`,
});

/** What would change in the plan, then what an agent would have to guess. */
export function showProposal(cli: Cli, {diff, findings}: PlanPreview): void {
  if (isEmptyDiff(diff)) cli.context.out('Nothing would change.');
  else showDiff(cli, diff);
  if (findings.length > 0) cli.context.out(findingLines(cli, findings).join('\n'));
}

/** Shows the complete proposal before it is saved: every task, every line. */
function showWhole({context}: Cli, preview: PlanPreview | null): void {
  const text = preview
    ? proposalText(preview, painter(context.stdout))
    : 'It does not fit the plan as it is now.';
  context.out(text === '' ? 'Nothing would change.' : text);
}

function promptFor(preview: PlanPreview | null): string {
  if (preview && isEmptyDiff(preview.diff)) return 'Nothing to save. [r]evise, [d]rop, [l]ater: ';
  const blocking = (preview?.findings ?? []).filter(isBlocking).length;
  const save =
    blocking > 0 ? `Save it with ${blocking} blocking ${blocking === 1 ? 'finding' : 'findings'}` : 'Save it';
  return `${save}? [y]es, [s]how, [r]evise, [d]rop, [l]ater: `;
}

const choices = {
  y: 'save',
  yes: 'save',
  s: 'show',
  show: 'show',
  r: 'revise',
  revise: 'revise',
  d: 'drop',
  drop: 'drop',
  l: 'later',
  later: 'later',
} as const;

/** Enter alone chooses nothing. */
function choiceOf(typed: string): (typeof choices)[keyof typeof choices] | null {
  const word = typed.trim().toLowerCase();
  return Object.hasOwn(choices, word) ? choices[word as keyof typeof choices] : null;
}

function choicesText(typed: string): string {
  const said = displayLine(typed.trim().slice(0, 40));
  const unknown = said === '' ? 'Nothing is chosen yet' : `${JSON.stringify(said)} is not one of the choices`;
  return `${unknown}: y saves it, s shows every task in full, r asks for changes, d drops it, l keeps it for later.`;
}
